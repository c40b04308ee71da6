"""K on a cluster: the same components as on one machine, also when a worker is lost."""

import os
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
from distributed import Client, LocalCluster

from l1kpca import L1KernelPCA
from l1kpca.gram.blocked import BlockedGram
from l1kpca.gram.dask import Dask, DaskGram
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import Workers

N = 700
SETTINGS = {"kernel": "rbf", "random_state": 0}
RECOMPUTED = "1MB"  # 700 x 700 numbers, half of them, are 2 MB


@pytest.fixture(scope="module")
def client():
    """Two worker processes.

    A cluster gives up a lost worker some seconds later unless one of its name is there then. The
    next test kills that one, so these seconds must not end while the tests run.
    """
    settings = {
        "distributed.comm.timeouts.connect": "10s",
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit="1GB",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


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


def test_the_linear_kernel_needs_no_cluster(X, rows):
    found = L1KernelPCA(2).fit(rows)
    assert found.gram_.name == "factor"
    np.testing.assert_array_equal(found.signs_, L1KernelPCA(2).fit(X).signs_)


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


def test_tasks_are_bounded_by_blocks(client, X, rows):
    """One task for each block, and two for each group: to take its piece, and to add up."""
    gram = make_gram(rows, X, keep=True, local_entries=0)
    count = len(gram.groups)
    submitted = []
    original = client.submit

    def counting(work, *arguments, **options):
        submitted.append(work)
        return original(work, *arguments, **options)

    client.submit = counting
    try:
        gram.apply(np.ones(N))
    finally:
        del client.submit
    assert len(submitted) == count * (count + 1) // 2 + 2 * count


def test_bytes_moved_by_a_product_are_proportional_to_rows(client, X, rows):
    """Blocks fetch the pieces of two groups, and groups what their blocks give."""
    gram = make_gram(rows, X, keep=True, local_entries=0)
    gram.apply(np.ones(N))  # the blocks are there from now on
    count, vector = len(gram.groups), 8 * N
    for _ in range(5):
        before = bytes_sent_by_workers(client)
        gram.apply(np.ones(N))
        moved = bytes_sent_by_workers(client) - before
        assert vector <= moved <= (count + 1) * vector + 2 * count * vector + vector


def bytes_sent_by_workers(client):
    totals = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(totals.values())


def wait_for_nannies(client):
    """A nanny replaces a worker that dies, but not one that dies while it is being started.

    Also not while it is being started again: then only the process knows, the nanny is running.
    """
    nannies = client.cluster.workers.values()
    while any(
        part.status.name != "running"
        for nanny in nannies
        for part in (nanny, nanny.process or nanny)
    ):
        time.sleep(0.05)


@pytest.mark.parametrize("seconds", [0.1, 0.5])
@pytest.mark.parametrize("memory_limit", [None, RECOMPUTED], ids=["kept", "recomputed"])
def test_a_worker_that_dies_changes_nothing(client, make_rows, memory_limit, seconds):
    X = make_rows(N)
    expected = L1KernelPCA(12, **SETTINGS, gram="blocked").fit(X)
    rows = da.from_array(X, chunks=(100, 6))
    killed = []

    def kill_one():
        wait_for_nannies(client)
        time.sleep(seconds)
        processes = client.run(os.getpid, on_error="ignore")
        killed.append(next(iter(processes.values())))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill_one)
    thread.start()
    found = L1KernelPCA(12, **SETTINGS, memory_limit=memory_limit).fit(rows)
    thread.join()
    assert killed
    client.wait_for_workers(2, timeout=60)
    np.testing.assert_array_equal(found.signs_, expected.signs_)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-6)


def test_a_checkpoint_may_be_carried_to_a_cluster(client, X, rows, tmp_path):
    path = tmp_path / "fit.npz"
    L1KernelPCA(2, **SETTINGS, checkpoint=path).fit(X)
    found = L1KernelPCA(4, **SETTINGS, checkpoint=path).fit(rows)
    np.testing.assert_array_equal(found.signs_, L1KernelPCA(4, **SETTINGS).fit(X).signs_)


def test_unknown_chunks_are_refused(rows):
    with pytest.raises(ValueError, match=r"known chunk sizes: call X\.compute_chunk_sizes\(\)"):
        L1KernelPCA(2).fit(rows[rows[:, 0] > 0])


def test_one_dimension_is_refused(rows):
    with pytest.raises(ValueError, match="must be a Dask array of two dimensions"):
        L1KernelPCA(2).fit(rows[:, 0])


def test_a_data_frame_of_dask_is_refused(rows):
    class Frame:
        """Stands for a data frame, which needs more packages than Dask itself."""

    Frame.__module__ = "dask.dataframe"
    with pytest.raises(ValueError, match=r"must be a Dask array: pass X\.to_dask_array\(lengths"):
        L1KernelPCA(2).fit(Frame())


def test_missing_values_are_refused(X, rows):
    with pytest.raises(ValueError, match="contains NaN"):
        L1KernelPCA(2).fit(da.where(rows > 2, np.nan, rows))
    pca = L1KernelPCA(2).fit(rows)
    with pytest.raises(ValueError, match="X contains NaN or infinity: drop or fill"):
        pca.transform(da.where(rows > 2, np.nan, rows)).compute()


def test_another_number_of_columns_is_refused(rows):
    pca = L1KernelPCA(2).fit(rows)
    with pytest.raises(ValueError, match="expecting 6 features"):
        pca.transform(rows[:, :3])


def test_the_builder_shows_itself_in_a_fit(X, rows):
    pca = L1KernelPCA(2, **SETTINGS, gram=Dask(rows)).fit(X)
    assert pca.gram_.name == "dask"
    assert str(pca.gram_).endswith("asked for")
