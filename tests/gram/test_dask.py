"""K on a cluster: the same components as on one machine, also when a worker is lost."""

import os

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
from distributed import Client, LocalCluster, wait

from l1kpca import L1KernelPCA, tuning
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.dask import Dask, DaskGram
from l1kpca.gram.stored import BlockedGram
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import Workers
from tests.gram.conftest import bytes_sent_by_workers, wait_for_new_workers

N = 700
SETTINGS = {"kernel": "rbf", "random_state": 0}
RECOMPUTED = "1MB"  # 700 x 700 numbers, half of them, are 2 MB


@pytest.fixture(autouse=True)
def many_rows(monkeypatch):
    """Few rows are searched as many rows are: by products on the cluster."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)


@pytest.fixture(params=["cluster", "this process"])
def place(request):
    """With a cluster, or without: a Dask array may also be used in one process."""
    return request.getfixturevalue("client") if request.param == "cluster" else None


@pytest.fixture
def X(make_rows):
    return make_rows(N)


@pytest.fixture
def rows(X):
    return da.from_array(X, chunks=(150, 4))


@pytest.mark.parametrize("memory_limit", [None, RECOMPUTED], ids=["kept", "recomputed"])
def test_dask_is_dense_is_blocked(place, X, rows, memory_limit):
    found = L1KernelPCA(4, **SETTINGS, memory_limit=memory_limit).fit(rows)
    assert found.gram_.name == "dask"
    assert (found.gram_.bytes_held > 0) == (memory_limit is None)
    for gram in ("dense", "blocked"):
        same = L1KernelPCA(4, **SETTINGS, gram=gram).fit(X)
        np.testing.assert_allclose(found.objective_, same.objective_, rtol=1e-6)
        np.testing.assert_array_equal(found.signs_, same.signs_)
        np.testing.assert_allclose(found.transform(X), same.transform(X), atol=1e-8)


@pytest.mark.parametrize("name", ["dual_components_", "signs_", "objective_", "X_fit_"])
def test_fitted_attributes_are_numpy(rows, name):
    assert type(getattr(L1KernelPCA(2, **SETTINGS).fit(rows), name)) is np.ndarray


def test_a_dask_array_in_gives_a_dask_array_out(place, X, rows):
    pca = L1KernelPCA(3, **SETTINGS)
    first = pca.fit_transform(rows)
    scores = pca.transform(rows)
    for result in (first, scores):
        assert isinstance(result, da.Array)
        assert result.chunks == (rows.chunks[0], (3,))
        np.testing.assert_allclose(result.compute(), pca.transform(X), atol=1e-9)


def test_columns_in_several_chunks_and_unknown_numbers_of_rows(X, rows):
    pca = L1KernelPCA(3, **SETTINGS).fit(X)
    some = rows[rows[:, 0] > 0]
    np.testing.assert_allclose(pca.transform(some).compute(), pca.transform(X[X[:, 0] > 0]))


def test_single_precision_stays(rows):
    pca = L1KernelPCA(2, **SETTINGS).fit(rows.astype(np.float32))
    assert pca.dual_components_.dtype == np.float32
    scores = pca.transform(rows.astype(np.float32))
    assert scores.dtype == scores.compute().dtype == np.float32


def test_what_is_asked_for_comes_before_dask(rows):
    assert L1KernelPCA(2, **SETTINGS, gram="dense").fit(rows).gram_.name == "dense"


def make_gram(rows, X, keep, local_entries):
    local = BlockedGram(kernel_blocks(X, Kernel("rbf", {"gamma": 0.3})), Workers(), 64)
    gram = DaskGram(rows, local, keep=keep)
    gram.local_entries = local_entries
    return gram


@pytest.mark.parametrize("keep", [True, False])
def test_every_product_is_that_of_the_matrix(place, X, rows, keep, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    gram = make_gram(rows, X, keep, local_entries=0)
    K = Kernel("rbf", {"gamma": 0.3})(X, X)
    v, V, at = rng.standard_normal(N), rng.standard_normal((N, 3)), np.array([2, 400, 401])
    left = rng.standard_normal((2, N))
    np.testing.assert_allclose(gram.apply(v), K @ v, atol=1e-10)
    np.testing.assert_allclose(gram.apply(V), K @ V, atol=1e-10)
    np.testing.assert_allclose(gram.apply(v[:3], at=at), K[:, at] @ v[:3], atol=1e-10)
    np.testing.assert_allclose(gram.apply(V[:3], at=at), K[:, at] @ V[:3], atol=1e-10)
    np.testing.assert_allclose(gram.column_l1(), np.abs(K).sum(axis=0), atol=1e-9)
    expected = np.abs(K - left.T @ left).sum(axis=0)
    np.testing.assert_allclose(gram.column_l1((left, left)), expected, atol=1e-9)


def test_tasks_are_bounded_by_blocks(client, count_tasks, X, rows):
    """One task for each block, and two for each group: to take its piece, and to add up."""
    gram = make_gram(rows, X, keep=True, local_entries=0)
    count, tasks = len(gram.groups), count_tasks(client)
    gram.apply(np.ones(N))
    assert sum(tasks) == count * (count + 1) // 2 + 2 * count


def test_bytes_moved_by_a_product_are_proportional_to_rows(client, X, rows):
    """Blocks fetch the pieces of two groups, and groups what their blocks give."""
    gram = make_gram(rows, X, keep=True, local_entries=0)
    # The blocks are there from now on.  A product before that may make copies of them, of which
    # the cluster drops one at some later time, perhaps the one that a task is about to use.
    wait([kept for (kept,) in gram._blocks])
    count, vector = len(gram.groups), 8 * N
    sent = [bytes_sent_by_workers(client)]
    for _ in range(5):
        gram.apply(np.ones(N))
        sent.append(bytes_sent_by_workers(client))
    moved = np.diff(sent)
    assert vector <= moved.min() <= np.median(moved) <= (3 * count + 2) * vector


@pytest.mark.parametrize(
    ("memory_limit", "count"),
    [(None, 1), (RECOMPUTED, 2)],
    ids=["blocks are made and kept", "recomputed"],
)
def test_a_worker_that_dies_changes_nothing(kill_a_worker, X, rows, memory_limit, count):
    expected = L1KernelPCA(6, **SETTINGS, gram="blocked").fit(X)
    killed = kill_a_worker(count)
    found = L1KernelPCA(6, **SETTINGS, memory_limit=memory_limit).fit(rows)
    assert killed
    np.testing.assert_array_equal(found.signs_, expected.signs_)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)


def test_a_worker_may_die_when_its_work_is_done(client, kill_a_worker):
    kill_a_worker(1)
    cluster = the_cluster()
    kept = cluster.keep([dask.delayed(np.arange)(count) for count in (3, 4)])
    wait(kept)
    sent = cluster.send(1)
    tasks = cluster.calls(np.add, [(value, sent) for value in kept], at=kept)
    wait(tasks)
    found = cluster.results(tasks)
    np.testing.assert_array_equal(found[0], [1, 2, 3])
    np.testing.assert_array_equal(found[1], [1, 2, 3, 4])


def test_a_task_that_kills_its_worker_is_said(client, monkeypatch):
    """A cluster repeats a task that was lost, but not for ever."""
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    pids = [nanny.pid for nanny in client.cluster.workers.values()]
    with pytest.raises(MemoryError, match="one task killed several workers, most likely"):
        the_cluster().results([client.submit(os._exit, 1, pure=False)])
    wait_for_new_workers(client, [pid for pid in pids if not is_alive(pid)])


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_task_may_raise_what_a_lost_scheduler_raises(client):
    with pytest.raises(FileNotFoundError, match="rows"):
        the_cluster().results([client.submit(open, "rows.parquet", pure=False)])


def test_a_cluster_without_workers_is_given_up(X, monkeypatch):
    monkeypatch.setattr(tuning, "NO_WORKER_SECONDS", 1)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
        pytest.raises(ConnectionError, match="has no worker left: start a cluster"),
    ):
        L1KernelPCA(2, **SETTINGS).fit(da.from_array(X, chunks=(150, 4)))


def test_a_closed_client_is_said(X, rows):
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        gram = make_gram(rows, X, keep=False, local_entries=0)
    with pytest.raises(ConnectionError, match="is gone: start a cluster"):
        gram.apply(np.ones(N))


def test_a_checkpoint_may_be_carried_to_a_cluster(client, X, rows, tmp_path):
    path = tmp_path / "fit.npz"
    L1KernelPCA(2, **SETTINGS, checkpoint=path).fit(X)
    found = L1KernelPCA(4, **SETTINGS, checkpoint=path).fit(rows)
    np.testing.assert_array_equal(found.signs_, L1KernelPCA(4, **SETTINGS).fit(X).signs_)


@pytest.mark.parametrize("rows_of", [lambda rows: rows[rows[:, 0] > 0], lambda rows: rows[:, 0]])
def test_rows_must_be_known(rows, rows_of):
    with pytest.raises(ValueError, match=r"chunk sizes: call X\.compute_chunk_sizes\(\) first"):
        L1KernelPCA(2).fit(rows_of(rows))


def test_missing_values_are_refused(X, rows):
    with pytest.raises(ValueError):  # noqa: PT011 (the words are scikit-learn's)
        L1KernelPCA(2).fit(da.where(rows > 2, np.nan, rows))
    pca = L1KernelPCA(2).fit(rows)
    with pytest.raises(ValueError, match="X contains NaN or infinity: drop or fill"):
        pca.transform(da.where(rows > 2, np.nan, rows)).compute()


def test_another_number_of_columns_is_refused(rows):
    pca = L1KernelPCA(2).fit(rows)
    with pytest.raises(ValueError):  # noqa: PT011 (the words are scikit-learn's)
        pca.transform(rows[:, :3])


def test_the_builder_shows_itself_in_a_fit(X, rows):
    pca = L1KernelPCA(2, **SETTINGS, gram=Dask(rows)).fit(X)
    assert pca.gram_.name == "dask"
    assert str(pca.gram_).endswith("asked for")
