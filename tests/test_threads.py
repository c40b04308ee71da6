"""Threads: order, errors, stopping, reports, and the hold on BLAS."""

import multiprocessing
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from l1kpca import threads
from l1kpca.threads import (
    SMALL_WORK,
    Workers,
    available_cores,
    reporting_to,
    single_threaded_blas,
    spans,
    thread_count,
)

LARGE = 10.0 * SMALL_WORK


@pytest.fixture(params=[1, 2, 5])
def workers(request):
    return Workers(request.param)


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 23])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_spans_cover_everything_once(length, size):
    cut = spans(length, size)
    assert [i for span in cut for i in range(span.start, span.stop)] == list(range(length))
    assert all(span.stop - span.start <= size for span in cut)


def test_thread_count_reads_n_jobs(monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 4)
    assert [thread_count(n) for n in (None, -1, -2, -4, -9, 1, 3, 9)] == [4, 4, 3, 1, 1, 1, 3, 4]


def test_there_is_a_core():
    assert available_cores() >= 1


def test_without_affinity_the_machine_is_asked(monkeypatch):
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert available_cores() == 1


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


def test_pieces_end_at_their_next_step_when_another_fails():
    """A piece with endless steps does not keep the caller waiting."""

    def work(k):
        if k == 0:
            raise ValueError("stop")
        while True:
            time.sleep(0.001)
            yield 1.0

    with pytest.raises(ValueError, match="stop"):
        Workers(2).run(work, [(0,), (1,)], LARGE)


def test_pieces_in_steps_return_their_value(workers):
    def count_to(k):
        for _ in range(k):
            yield 1.0
        return k

    assert workers.run(count_to, [(3,), (0,), (2,)], LARGE) == [3, 0, 2]


def test_the_listener_hears_how_far_the_work_has_come(workers):
    heard = []

    def work(k):
        for _ in range(10):
            yield LARGE / 40
        return k

    with reporting_to(heard.append):
        workers.run(work, [(k,) for k in range(4)], LARGE)
    workers.run(work, [(0,)], LARGE)
    assert len(heard) == 40
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)


def _sum_in_threads(_):
    return sum(Workers(2).run(abs, [(-1,), (2,), (3,)], LARGE))


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    _sum_in_threads(None)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_sum_in_threads, (None,)).get(timeout=60) == 6


def _blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_held_and_released():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = _blas_threads()
    with single_threaded_blas():
        assert set(_blas_threads()) == {1}
        with single_threaded_blas():
            assert set(_blas_threads()) == {1}
        assert set(_blas_threads()) == {1}
    assert _blas_threads() == before


def test_blas_is_released_after_an_error():
    before = _blas_threads()
    with pytest.raises(ValueError, match="inside"), single_threaded_blas():
        raise ValueError("inside")
    assert _blas_threads() == before


def test_blas_is_held_until_the_last_of_overlapping_fits_ends():
    before = _blas_threads()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))
    seen = []

    def first():
        with single_threaded_blas():
            first_in.set()
            second_in.wait(10)
        first_out.set()

    thread = threading.Thread(target=first)
    thread.start()
    first_in.wait(10)
    with single_threaded_blas():
        second_in.set()
        first_out.wait(10)
        seen.extend(_blas_threads())
    thread.join()
    assert set(seen) == {1}
    assert _blas_threads() == before
