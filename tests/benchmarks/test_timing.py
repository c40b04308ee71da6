"""Rounds, ratios and fresh processes; no time is asserted."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import speed_cases
from benchmarks.timing import Worker, in_turn, median, ratio

CASES = "benchmarks.speed_cases"


def recorded(seconds):
    """Works that note when they are run, and say that they took so long."""
    order = []

    def work(name):
        order.append(name)
        return seconds[name]

    return order, {name: (lambda name=name: work(name)) for name in seconds}


def test_works_take_turns():
    order, works = recorded({"a": 1.0, "b": 2.0})
    assert in_turn(works, 4) == {"a": [1.0] * 4, "b": [2.0] * 4}
    assert order == list("abababab")


def test_the_longer_a_work_the_fewer_rounds():
    _, works = recorded({"long": 21.0, "middle": 2.0, "short": 0.1})
    found = {name: len(runs) for name, runs in in_turn(works).items()}
    assert found == {"long": 3, "middle": 5, "short": 15}


def test_of_rivals_the_fastest_goes_on():
    """A slow one that is clearly behind is out at once; who is near has three rounds."""
    _, works = recorded({"ours": 1.9, "slow": 1.4, "near": 1.2, "fastest": 1.0})
    found = in_turn(works, rivals=["slow", "near", "fastest"])
    assert {name: len(runs) for name, runs in found.items()} == {
        "ours": 5, "slow": 1, "near": 3, "fastest": 5,
    }  # fmt: skip
    _, works = recorded({"first": 0.01, "second": 0.02})  # too short for one round to tell
    assert len(in_turn(works, rivals=["first", "second"])["second"]) == 3


def test_a_ratio_is_one_of_medians_over_the_rounds_of_both():
    found = ratio([4.0, 8.0, 6.0], [1.0, 2.0, 4.0, 9.0, 9.0], times=2)
    assert found.value == 6 / 4
    assert found.rounds == (2.0, 2.0, 0.75)
    assert median([3.0, 1.0, 2.0]).value == 2.0


def test_a_worker_answers_until_it_is_closed():
    with Worker(CASES) as worker:
        worker.ask("prepare", name="mnist-2", methods=[speed_cases.COLUMN], small=True)
        assert worker.ask("run_once", method=speed_cases.COLUMN) > 0
        with pytest.raises(RuntimeError, match="a measured process failed: KeyError"):
            worker.ask("run_once", method="no such method")
    assert worker.returncode == 0


def test_a_worker_that_dies_is_named():
    with (
        Worker("benchmarks.no_such_module") as worker,
        pytest.raises(RuntimeError, match="a measured process ended with status 1"),
    ):
        worker.ask("run_once")


@pytest.fixture
def K():
    X = speed_cases.make_rows("falling", 90, 7)
    return rbf_kernel(X, gamma=0.3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [90, 87, 3])
def test_a_read_is_the_product_with_ones(K, dtype, n):
    K = np.ascontiguousarray(K[:n, :n], dtype=dtype)
    assert_allclose(speed_cases.read(K), K.sum(axis=1), rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("method", [speed_cases.DENSE, speed_cases.ARPACK, speed_cases.RANDOMIZED])
def test_scikit_learn_gets_the_same_result_in_each_round(K, method):
    """It centers its matrix in place; the second time changes it by rounding alone."""
    case = speed_cases.Case("falling", "stored", 2, (method,), 90, 7)
    work = speed_cases.make_work(method, case, K)
    assert_allclose(work().eigenvalues_, work().eigenvalues_, rtol=1e-9)
