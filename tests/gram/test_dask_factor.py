"""Rows that stay on the workers: the result of one machine, from few numbers of each partition."""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client, wait

from l1kpca import L1KernelPCA, persistence, tuning
from l1kpca.directions import LpNorm
from l1kpca.directions.sign_iteration import SignIteration
from l1kpca.gram import cluster
from l1kpca.gram import partition_tasks as tasks
from l1kpca.gram.choose import Nystroem
from l1kpca.gram.collections import DaskRows
from l1kpca.gram.dask_factor import WorkerFactorGram
from l1kpca.kernels import Kernel
from l1kpca.peers import L2KernelPCA
from l1kpca.threads import computing
from tests.gram.conftest import bytes_sent_by_workers

N = 1500
LANDMARKS = {"kernel": "rbf", "gamma": "median", "gram": Nystroem(30), "random_state": 0}
SETTINGS = {
    "linear": {},
    "share": {"n_components": 0.7},
    "not centered": {"center": False},
    "median": {"center": "median"},
    "norm": {"start": "norm", "tol": 1e-6},
    "algorithm 1": {"solver": "fixed_point"},
    "single precision": {"dtype": "float32"},
    "not kept": {"memory_limit": "1kB"},
    "landmarks": LANDMARKS,
    "landmarks not kept": LANDMARKS | {"memory_limit": "200kB"},
    "landmarks, median": LANDMARKS | {"memory_limit": "200kB", "center": "median"},
    "poly": {"kernel": "poly", "degree": 2, "gamma": "scale", "gram": Nystroem(20, "random"),
             "random_state": 0},
}  # fmt: skip


@pytest.fixture(autouse=True)
def many_rows(monkeypatch):
    """Few rows are searched as many rows are, and pieces of a partition are small."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(tuning, "PARTITION_SPAN", 100)


@pytest.fixture
def X(make_rows):
    return make_rows(N) + np.arange(6)


@pytest.fixture
def rows(X):
    return da.from_array(X, chunks=((400, 0, 350, 750), 4))


def assert_same(found, expected, rtol=1e-9):
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=rtol)
    np.testing.assert_array_equal(found.n_steps_, expected.n_steps_)
    assert found.status_ == expected.status_
    np.testing.assert_array_equal(found.signs_.compute(), expected.signs_)
    scale = np.abs(expected.dual_components_).max()
    dual = found.dual_components_.compute()
    np.testing.assert_allclose(dual, expected.dual_components_, atol=1e3 * rtol * scale)


@pytest.mark.parametrize("name", SETTINGS)
def test_as_on_one_machine(X, rows, name):
    settings = {"n_components": 4} | SETTINGS[name]
    X = X + 100 if name == "algorithm 1" else X  # a mean that is larger than the rows around it
    rows = rows + 100 if name == "algorithm 1" else rows
    found = L1KernelPCA(**settings).fit(rows)
    here = L1KernelPCA(**settings | {"memory_limit": None})
    if name == "single precision":
        here.fit(X)
        np.testing.assert_allclose(found.objective_, here.objective_, rtol=1e-4)
        assert found.dual_components_.compute().dtype == np.float32
        return
    assert_same(found, here.fit(X))
    assert found.gram_.lost_share == pytest.approx(here.gram_.lost_share, abs=1e-12)
    assert found.total_variance_ == pytest.approx(here.total_variance_, rel=1e-9)
    np.testing.assert_allclose(found.transform(X), here.transform(X), atol=1e-8)


def test_the_median_goes_with_the_unit(X, rows):
    """A row on the median must not divide by zero, in whatever unit distances are tiny."""
    unit, model = 2.0**-80, L1KernelPCA(2, center="median")
    expected = unit * model.fit(rows).transform(X)
    found = model.fit(unit * rows).transform(unit * X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * unit)


@pytest.mark.parametrize("name", ["linear", "landmarks not kept"])
def test_as_on_one_machine_with_processes(client, X, rows, name):
    settings = {"n_components": 2} | SETTINGS[name]
    found = L1KernelPCA(**settings).fit(rows)
    assert_same(found, L1KernelPCA(**settings | {"memory_limit": None}).fit(X))
    deadline = time.monotonic() + 20
    while any(client.has_what().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.has_what().values()), "a fit leaves nothing on the workers"


def test_several_starts(make_rows, monkeypatch):
    """With many rows they are searched on the same sample as on one machine."""
    monkeypatch.setattr(tuning, "SAMPLED_STARTS", 1000)
    X = make_rows(N)
    settings = {"n_components": 2, "n_starts": 4, "random_state": 1}
    found = L1KernelPCA(**settings).fit(da.from_array(X, chunks=(500, 6)))
    here = L1KernelPCA(**settings).fit(X)
    np.testing.assert_allclose(found.objective_, here.objective_, rtol=1e-9)
    assert found.n_starts_.tolist() == [4, 4]


def test_random_starts_are_drawn_on_the_workers(X, rows):
    """The same at each fit; each is a fixed point, none is better than the best of many."""
    settings = {"start": "random", "n_starts": 2, "random_state": 3}
    first, again = (L1KernelPCA(2, **settings).fit(rows) for _ in range(2))
    np.testing.assert_array_equal(first.signs_.compute(), again.signs_.compute())
    best = L1KernelPCA(2, n_starts=10, random_state=0).fit(X)
    assert first.objective_[0] == pytest.approx(best.objective_[0], rel=0.02)


def test_attributes_and_results_stay_in_partitions(X, rows):
    pca = L1KernelPCA(3)
    scores = pca.fit_transform(rows)
    here = L1KernelPCA(3).fit(X)
    assert pca.gram_.name == "factor"
    for lazy in (scores, pca.dual_components_, pca.signs_.T, pca.transform(rows)):
        assert isinstance(lazy, da.Array)
        assert lazy.chunks == (rows.chunks[0], (3,))
    np.testing.assert_allclose(scores.compute(), here.transform(X), atol=1e-9)
    np.testing.assert_allclose(pca.components_, here.components_, atol=1e-12)
    for back in (pca.inverse_transform(scores), pca.denoise(rows)):
        assert isinstance(back, da.Array)
        np.testing.assert_allclose(back.compute(), here.denoise(X), atol=1e-9)
    assert isinstance(pca.X_fit_, da.Array)
    assert pca.score(X) == pytest.approx(here.score(X), abs=1e-9)
    gram = pca.training_gram()
    assert gram.trace == pytest.approx(here.training_gram().diagonal().sum())


def test_a_data_frame_keeps_its_names(X):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    pca = L1KernelPCA(2).fit(dd.from_pandas(frame, npartitions=3))
    assert pca.feature_names_in_.tolist() == list("abcdef")
    scores = pca.transform(dd.from_pandas(frame, npartitions=2)).compute()
    np.testing.assert_allclose(scores, L1KernelPCA(2).fit_transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        pca.transform(dd.from_pandas(frame[list("bacdef")], npartitions=2))


def test_a_step_is_one_task_for_each_partition_and_a_tree(client, count_tasks, X):
    """No more after many steps than after one."""
    step = steps_of(X, 20)
    step()
    tasks = count_tasks(client)
    for _ in range(10):
        step()
    assert sum(tasks) == 10 * (20 + 2 + 1)


@pytest.mark.parametrize("times", [1, 20])
def test_the_bytes_of_a_step_do_not_depend_on_the_rows(client, X, times):
    step = steps_of(np.tile(X, (times, 1)), 20)
    sent = [bytes_sent_by_workers(client)]
    for _ in range(9):
        step()
        sent.append(bytes_sent_by_workers(client))
    assert np.median(np.diff(sent)) / 20 <= 64 * 6 + 1000


def test_a_worker_with_nothing_to_do_leaves_partitions_where_they_are(client, X):
    array = da.from_array(np.tile(X, (20, 1)), chunks=(N, 6)).persist(workers=[a_worker(client)])
    wait(array)
    rows = DaskRows(array).held(10**9)

    def slow(view, part, first):
        time.sleep(0.05)
        return np.zeros(1)

    rows.run(slow, tasks.added)  # Dask knows from now on how long it takes
    before = bytes_sent_by_workers(client)
    rows.run(slow, tasks.added)
    assert bytes_sent_by_workers(client) - before < array[:N].nbytes


def a_worker(client):
    return next(iter(client.nthreads()))


def steps_of(X, n_partitions):
    """A function that takes a step of a search."""
    array = da.from_array(X, chunks=(len(X) // n_partitions, 6))
    gram = WorkerFactorGram(DaskRows(array).held(10**9), Kernel("linear"))
    followed = gram.follow(gram.table([gram.random_signs(np.random.default_rng(0))]))

    def step():
        followed.propose(np.zeros(1), np.ones(1, dtype=bool))
        followed.take(np.ones(1, dtype=bool))

    return step


def test_only_few_numbers_come_here(client, monkeypatch):
    """Of 100 000 rows, made on the workers: a vector of them would take 800 kB."""
    came, merged = [], cluster._Cluster.merged

    def noted(self, *arguments):
        came.append(merged(self, *arguments))
        return came[-1]

    monkeypatch.setattr(cluster._Cluster, "merged", noted)
    monkeypatch.setattr(tuning, "PARTITION_SPAN", 4096)
    rows = da.random.default_rng(0).standard_normal((100_000, 4), chunks=(25_000, 4))
    pca = L1KernelPCA(1, tol=1e-6).fit(rows * np.array([4, 3, 1, 1]))
    assert max(found.nbytes for found in came) < 80_000
    assert np.abs(pca.components_[0, 0]) > 0.99


def test_a_worker_that_dies_changes_nothing(kill_a_worker, X, rows):
    settings = {"n_components": 3} | SETTINGS["landmarks not kept"]
    expected = L1KernelPCA(**settings | {"memory_limit": None}).fit(X)
    killed = kill_a_worker(30)
    found = L1KernelPCA(**settings).fit(rows)
    assert killed
    assert_same(found, expected)


def test_a_worker_that_dies_at_a_partition_changes_nothing(kill_a_worker, X, rows, tmp_path):
    """It dies once, in the middle of a pass; rows that are not kept are made in each."""
    flag = tmp_path / "die"
    flag.touch()

    def made(block):
        if len(block) == 350 and flag.exists():
            flag.unlink()
            os._exit(1)
        return block

    found = L1KernelPCA(2, memory_limit="1kB").fit(rows.map_blocks(made, meta=np.empty((0, 0))))
    assert not flag.exists()
    assert_same(found, L1KernelPCA(2).fit(X))


def test_workers_that_stay_paused_are_said(client, rows, monkeypatch):
    """They take no task, and keep those that they have."""

    def pause_above(share, dask_worker):
        dask_worker.memory_manager.memory_pause_fraction = share

    monkeypatch.setattr(tuning, "NO_WORKER_SECONDS", 1)
    before = dask.config.get("distributed.worker.memory.pause")
    client.run(pause_above, 0.001)
    try:
        with pytest.raises(MemoryError, match="paused for lack of memory: use workers with more"):
            L1KernelPCA(2).fit(rows)
    finally:
        client.run(pause_above, before)


def test_a_checkpoint_goes_on(X, rows, tmp_path):
    path = tmp_path / "fit.npz"
    expected = L1KernelPCA(4).fit(X)
    L1KernelPCA(2, checkpoint=path).fit(rows)
    assert path.stat().st_size < 20_000
    found = L1KernelPCA(4, checkpoint=path).fit(rows)
    assert_same(found, expected)
    np.testing.assert_allclose(found.transform(X), expected.transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="was made with other data or settings"):
        L1KernelPCA(4, checkpoint=path).fit(rows + 1)


def test_components_that_were_packed_have_their_own_flips(rows):
    """No two of four searches flip as many rows."""
    gram = WorkerFactorGram(DaskRows(rows.rechunk({1: -1})), Kernel("linear"))
    rng = np.random.default_rng(0)
    followed = gram.follow(gram.table([gram.random_signs(rng) for _ in range(4)]))
    flips = [np.array(at, dtype=int) for at in ([5], [], [2, 400, 1499], [7, 8])]
    expected = entries(gram, followed.signs)
    for column, at in zip(expected.T, flips, strict=True):
        column[at] *= -1
    followed.flip(flips)
    c = followed.signs
    vectors = {
        "coef": [c[0] * 0.5, c[1] - c[3] * 0.25, c[2] - c[0], c[3]],
        "scores": [followed.image(j) for j in range(4)],
        "signs": c,
    }
    again = gram.unpacked(gram.packed(vectors))
    np.testing.assert_array_equal(entries(gram, again["signs"]), expected)
    for name, some in vectors.items():
        np.testing.assert_allclose(entries(gram, again[name]), entries(gram, some))
        for vector, other in zip(some, again[name], strict=True):
            np.testing.assert_array_equal(vector.at, other.at)


def entries(gram, vectors):
    return gram.shown(gram.table(vectors)).compute()


def test_a_lost_scheduler_is_said_and_the_checkpoint_goes_on(X, rows, tmp_path, start_script):
    path = tmp_path / "fit.npz"
    scheduler = start_script(
        "import time\nfrom distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False,"
        " protocol='tcp://', dashboard_address=':0') as cluster:\n"
        "        print(cluster.scheduler_address, flush=True)\n"
        "        time.sleep(600)\n"
    )
    address = scheduler.stdout.readline().strip()
    with Client(address, timeout=60):

        class Ends(type(L1KernelPCA())):
            def _component_solver(self, X):
                self.solver_ = super()._component_solver(X)
                return self

            def components(self, gram, limit):
                for number, component in enumerate(self.solver_.components(gram, limit)):
                    yield component
                    if number == 1:
                        scheduler.kill()

        with pytest.raises(ConnectionError, match="is gone: start a cluster, make a Client, and"):
            Ends(6, checkpoint=path).fit(rows)
    found = L1KernelPCA(6, checkpoint=path).fit(rows)
    assert_same(found, L1KernelPCA(6).fit(X))


class Interrupted(SignIteration):
    def find(self, gram, starts):
        os.kill(os.getpid(), signal.SIGINT)
        return super().find(gram, starts)


def test_interrupted_is_not_fitted(client, rows):
    pca = L1KernelPCA(6, solver=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        pca.fit(rows)
    assert not hasattr(pca, "projection_")
    assert L1KernelPCA(1).fit(rows).n_components_ == 1


def test_progress_is_shown(rows, capsys):
    L1KernelPCA(2, verbose=1).fit(rows)
    assert "2/2 components" in capsys.readouterr().err


def test_a_pass_over_the_rows_begins_with_none_and_ends_with_all(rows):
    heard = []
    with computing(listener=heard.append):
        assert DaskRows(rows).digest
    assert heard == [0, 1]


def test_a_model_from_a_cluster_can_be_saved(X, rows, tmp_path):
    pca = L1KernelPCA(2).fit(rows)
    persistence.save(pca, tmp_path / "pca.skops")
    again = persistence.load(tmp_path / "pca.skops").estimator
    np.testing.assert_array_equal(again.transform(X), pca.transform(X))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (L1KernelPCA(2, solver=LpNorm(1.5)), "solver=LpNorm"),
        (L1KernelPCA(2, start="column"), "start='column'"),
        (L1KernelPCA(2, certify=True), "certify"),
        (L2KernelPCA(2), "L2KernelPCA handles vectors of all rows"),
    ],
)
def test_what_needs_all_rows_collects_them_and_says_so(X, rows, model, why):
    model.fit(rows[:300])
    assert isinstance(model.dual_components_, np.ndarray)
    assert f"X was collected, as {why}" in model.gram_.reason


def test_a_kernel_matrix_is_collected(X):
    K = X[:200] @ X[:200].T
    found = L1KernelPCA(2, kernel="precomputed", gram="nystroem").fit(da.from_array(K, chunks=90))
    assert found.gram_.name == "precomputed"


def test_few_rows_are_collected(X, rows, monkeypatch):
    monkeypatch.setattr(tuning, "SMALL_ROWS", 2000)
    assert "it has few rows" in L1KernelPCA(2).fit(rows).gram_.reason


def test_landmarks_where_all_pairs_would_take_too_long(rows, monkeypatch):
    settings = {"kernel": "rbf", "memory_limit": "1MB", "random_state": 0}
    assert L1KernelPCA(1, **settings).fit(rows).gram_.name == "dask"
    monkeypatch.setattr(tuning, "CLUSTER_PASS_SECONDS", 0)
    found = L1KernelPCA(1, **settings).fit(rows)
    assert found.gram_.name == "nystroem"
    assert "a pass over K would take too long" in found.gram_.reason


def test_rows_are_fetched_in_the_order_asked_for(X, rows):
    index = np.array([1499, 0, 760, 400, 760, 399])
    np.testing.assert_array_equal(DaskRows(rows.rechunk({1: -1}))[index], X[index])


def test_missing_values_and_sizes_are_refused(rows):
    with pytest.raises(ValueError, match="X contains NaN or infinity: drop or fill"):
        L1KernelPCA(2).fit(da.where(rows > 7, np.nan, rows))
    with pytest.raises(ValueError, match="X is too large for kernel='linear'"):
        L1KernelPCA(2).fit(rows * 1e160)
