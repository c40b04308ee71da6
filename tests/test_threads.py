"""Threads: how many, in which order, errors, stopping, reports, and the hold on BLAS."""

import json
import multiprocessing
import os
import threading
import time
from unittest.mock import patch

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from l1kpca.threads import Workers, advance, computing, equal_areas, spans, thread_count
from l1kpca.tuning import SMALL_WORK

LARGE = 10.0 * SMALL_WORK


@pytest.fixture(params=[1, 2, 5])
def workers(request):
    return Workers(request.param)


# How work is cut.


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 23])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_spans_cover_everything_once(length, size):
    cut = spans(length, size)
    assert [i for span in cut for i in range(span.start, span.stop)] == list(range(length))
    assert all(span.stop - span.start <= size for span in cut)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 100, 4097])
def test_equal_areas_cover_a_triangle_once(n):
    cuts = equal_areas(n, 16)
    assert len(cuts) == 16
    assert [i for start, stop in cuts for i in range(start, stop)] == list(range(n))
    if n > 1000:
        areas = [sum(n - i for i in range(*cut)) for cut in cuts]
        assert max(areas) < 1.1 * min(areas)


# How many threads.


@pytest.fixture
def four_cores(monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.usefixtures("four_cores")
def test_n_jobs_is_read_as_scikit_learn_reads_it():
    """Never more than there are CPUs."""
    assert [thread_count(n) for n in (None, -1, -2, -4, -9, 1, 3, 9)] == [4, 4, 3, 1, 1, 1, 3, 4]


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [("1", 1), ("3", 3), ("64", 4), ("", 4), ("0", 4), ("-2", 4), ("many", 4), ("2,1", 4)],
)
def test_omp_num_threads_bounds_the_default_alone(monkeypatch, asked, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert thread_count(None) == expected
    assert thread_count(3) == 3
    assert thread_count(-1) == 4


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize(("n_jobs", "expected"), [(1, 1), (3, 3), (-1, 4), (-2, 3), (20, 4)])
def test_a_surrounding_configuration_sets_the_default(monkeypatch, backend, n_jobs, expected):
    """It says more than the environment does, and less than a number of one's own."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        assert thread_count(None) == expected
        assert thread_count(2) == 2
    assert thread_count(None) == 2


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_one_thread_inside_the_workers_of_joblib(backend):
    """They share the CPUs already; whoever asks for a number gets it."""
    here = os.getpid()

    def counts():  # nested, so that another process need not import this module
        if os.getpid() == here:
            return [thread_count(n_jobs) for n_jobs in (None, 2, -1)]
        many = {"OMP_NUM_THREADS": "4"}
        with patch.object(joblib, "cpu_count", return_value=4), patch.dict(os.environ, many):
            return [thread_count(n_jobs) for n_jobs in (None, 2, -1)]

    parallel = joblib.Parallel(n_jobs=2, backend=backend)
    assert parallel(joblib.delayed(counts)() for _ in range(4)) == 4 * [[1, 2, 4]]
    assert counts() == [4, 2, 4]


COUNT = """
import json, os, joblib
from l1kpca.threads import computing, thread_count
with computing(None) as workers:
    pass
print(json.dumps([thread_count(None), workers.n_threads, joblib.cpu_count()]))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_the_cpus_of_the_process_are_counted_and_not_those_of_the_machine(run_script, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    default, workers, cores = json.loads(run_script(COUNT))
    assert default == workers == cores
    bound = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + COUNT
    assert json.loads(run_script(bound)) == [1, 1, 1]


# Pieces of work.


@pytest.mark.parametrize("cost", [1.0, LARGE])
def test_results_keep_the_order_of_the_pieces(workers, cost):
    def slow_first(k):
        time.sleep(0.01 * (5 - k))
        return k

    assert workers.run(slow_first, [(k,) for k in range(5)], cost) == [0, 1, 2, 3, 4]


def test_no_pieces(workers):
    assert workers.run(lambda: None, [], LARGE) == []


def test_small_work_stays_in_the_calling_thread():
    here = threading.get_ident()
    small = Workers(4).run(threading.get_ident, [(), (), ()], SMALL_WORK - 1)
    assert set(small) == {here}


def test_large_work_is_shared_between_the_caller_and_others():
    everybody = threading.Barrier(3)

    def meet():
        everybody.wait(10)  # one thread alone would wait in vain
        return threading.get_ident()

    seen = Workers(3).run(meet, [(), (), ()], LARGE)
    assert len(set(seen)) == 3
    assert threading.get_ident() in seen


def test_a_busy_pool_keeps_nobody_waiting():
    """Whoever asks can do all of the work alone."""
    begun, go_on = threading.Event(), threading.Event()

    def occupy(k):
        begun.set()
        go_on.wait(10)

    hold = threading.Thread(target=lambda: Workers(2).run(occupy, [(0,), (1,)], LARGE))
    hold.start()
    begun.wait(10)
    assert Workers(2).run(abs, [(-1,), (2,), (-3,)], LARGE) == [1, 2, 3]
    go_on.set()
    hold.join()


@pytest.mark.parametrize("cost", [1.0, LARGE])
def test_an_error_in_a_piece_comes_out(workers, cost):
    def fails(k):
        if k == 2:
            raise ValueError("piece 2")
        return k

    with pytest.raises(ValueError, match="piece 2"):
        workers.run(fails, [(k,) for k in range(5)], cost)
    assert workers.run(abs, [(-1,), (2,)], cost) == [1, 2]


def test_pieces_end_where_they_advance_when_another_fails():
    """An endless piece, once it has begun, does not keep the caller waiting."""
    begun = threading.Event()

    def work(k):
        if k == 0 and begun.wait(60):
            raise ValueError("stop")
        begun.set()
        while True:
            time.sleep(0.001)
            advance(1.0)

    with pytest.raises(ValueError, match="stop"):
        Workers(2).run(work, [(0,), (1,)], LARGE)


def test_the_listener_hears_how_far_the_work_has_come(workers):
    heard = []

    def work(k):
        for _ in range(10):
            advance(LARGE / 40)
        return k

    with computing(listener=heard.append):
        assert workers.run(work, [(k,) for k in range(4)], LARGE) == [0, 1, 2, 3]
    workers.run(work, [(0,)], LARGE)  # nobody listens any more
    assert len(heard) == 40
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)


def test_the_share_never_exceeds_one_and_nobody_needs_to_listen():
    heard = []
    with computing(listener=heard.append):
        Workers().run(lambda: advance(3 * LARGE), [(), ()], LARGE)
    assert heard == [1, 1]
    advance(1.0)


def test_a_piece_may_have_pieces_of_its_own(workers):
    """What it says after them counts for itself again."""
    heard = []

    def outer():
        workers.run(advance, [(LARGE / 2,), (LARGE / 2,)], LARGE)
        advance(LARGE / 4)

    with computing(listener=heard.append):
        Workers().run(outer, [()], LARGE)
    assert heard[-1] == pytest.approx(0.25)


def _sum_in_threads(_):
    return sum(Workers(2).run(abs, [(-1,), (2,), (3,)], LARGE))


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    _sum_in_threads(None)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_sum_in_threads, (None,)).get(timeout=60) == 6


# BLAS.


def _blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.usefixtures("two_threads_of_blas")
def test_blas_is_held_and_released():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = _blas_threads()
    with computing():
        assert set(_blas_threads()) == {1}
        with computing():
            assert set(_blas_threads()) == {1}
        assert set(_blas_threads()) == {1}
    assert _blas_threads() == before


@pytest.mark.usefixtures("two_threads_of_blas")
def test_blas_is_released_after_an_error():
    before = _blas_threads()
    with pytest.raises(ValueError, match="inside"), computing():
        raise ValueError("inside")
    assert _blas_threads() == before


@pytest.mark.usefixtures("two_threads_of_blas")
def test_blas_is_held_until_the_last_of_overlapping_fits_ends():
    before = _blas_threads()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))
    seen = []

    def first():
        with computing():
            first_in.set()
            second_in.wait(10)
        first_out.set()

    thread = threading.Thread(target=first)
    thread.start()
    first_in.wait(10)
    with computing():
        second_in.set()
        first_out.wait(10)
        seen.extend(_blas_threads())
    thread.join()
    assert set(seen) == {1}
    assert _blas_threads() == before
