"""Many threads at once."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, threads
from reliability.answers import answers, models, rows

CALLERS = 16


def at_once(calls):
    """Results of all calls, made by 16 threads that begin together."""
    gate = threading.Barrier(CALLERS)

    def work(call):
        gate.wait(60)
        return call()

    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(work, calls))


def blas_threads():
    """Of each library that is loaded by now."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {pool["filepath"]: pool["num_threads"] for pool in pools}


@pytest.fixture(scope="module")
def X():
    return rows(600)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "held",
    [{}, {"kernel": "rbf"}, {"kernel": "poly", "gram": "blocked"}, {"gram": "nystroem"}],
    ids=str,
)
def test_one_model_serves_sixteen_threads(X, held, n_jobs):
    """Bit for bit what each call gives alone, on rows of different lengths."""
    pca = L1KernelPCA(3, n_jobs=n_jobs, random_state=0, **held).fit(X)
    parts = [rows(400 + 37 * k, seed=k) for k in range(CALLERS)]
    expected = [pca.transform(part) for part in parts]
    for _ in range(3):
        found = at_once([lambda part=part: pca.transform(part) for part in parts])
        for k in range(CALLERS):
            assert_array_equal(found[k], expected[k])


@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_one_detector_serves_sixteen_threads(X, rule):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    parts = [rows(400 + 37 * k, seed=k) for k in range(CALLERS)]
    methods = ("score_samples", "predict", "decision_function", "explain")

    def call(k):
        part = parts[k][:20] if k % 4 == 3 else parts[k]
        return getattr(detector, methods[k % 4])(part)

    expected = [call(k) for k in range(CALLERS)]
    found = at_once([lambda k=k: call(k) for k in range(CALLERS)])
    for k in range(CALLERS):
        assert_array_equal(found[k], expected[k])


@pytest.mark.usefixtures("two_threads_of_blas")
def test_sixteen_fits_at_once(X):
    """Different models side by side, each bit for bit what it is alone."""
    names = [name for name in models() if name not in ("starts auto", "solver sdp", "certified")]
    names = (names + names)[:CALLERS]
    X_new = rows(100, seed=1)
    before = blas_threads()
    assert 2 in before.values()  # a solver may bring a library that knows one thread alone
    expected = [answers(models(2)[name], X, X_new) for name in names]
    found = at_once([lambda name=name: answers(models(2)[name], X, X_new) for name in names])
    for name, here, there in zip(names, found, expected, strict=True):
        for one, other in zip(here, there, strict=True):
            assert_array_equal(one, other, err_msg=name)
    assert blas_threads().items() >= before.items(), "what was limited meanwhile is so no more"


def test_fit_and_use_of_one_object_in_turn_leave_no_mixture(X):
    """A model that is fitted again while others use their own is not theirs."""
    first, second = (L1KernelPCA(2, kernel="rbf", random_state=0).fit(X) for _ in range(2))
    expected = second.transform(X)

    def refit():
        first.fit(X)
        return first.transform(X)

    calls = [refit] + [lambda: second.transform(X)] * (CALLERS - 1)
    for found in at_once(calls):
        assert_array_equal(found, expected)


@pytest.mark.usefixtures("two_threads_of_blas")
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_no_more_threads_than_asked_for(monkeypatch, n_jobs):
    """Pieces of work say in which thread they run; BLAS is held to one thread meanwhile."""
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    seen, blas = set(), set()
    lock = threading.Lock()
    begin = threads._Run.__init__

    def watched(self, work, pieces, cost):
        def watched_work(*piece):
            with lock:
                seen.add(threading.get_ident())
                blas.update(blas_threads().values())
            return work(*piece)

        begin(self, watched_work, pieces, cost)

    monkeypatch.setattr(threads._Run, "__init__", watched)
    X = rows(900)
    for held in ({"kernel": "rbf"}, {"gram": "blocked"}):
        L1KernelPCA(2, n_jobs=n_jobs, random_state=0, **held).fit(X).transform(X)
    assert len(seen) <= n_jobs  # the caller is one of them
    assert blas == {1}


def test_pools_are_as_large_as_asked_for_and_shared(monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    X = rows(900)
    for _ in range(3):
        for n_jobs in (2, 3):
            L1KernelPCA(1, kernel="rbf", n_jobs=n_jobs, random_state=0).fit(X)
    for size in (2, 3):
        pool = threads._pool(size, os.getpid())
        assert len(pool._threads) < size  # the caller works too
