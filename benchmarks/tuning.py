"""What the numbers in `l1kpca.tuning` bring: each case with other values, in turns.

    python -m benchmarks.tuning [NAME ...]

Prints the median time with each value over that with the value in use. Run it on a quiet machine
when one of them is to change, and write the ratio beside the number.
"""

import statistics
import sys
import warnings
from functools import partial
from unittest.mock import patch

import numpy as np

from benchmarks.speed_cases import make_rows
from benchmarks.timing import in_turn, seconds_of
from l1kpca import L1KernelPCA, tuning
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import computing

ROUNDS = 5


def fit(n, count, **settings):
    """Components of rows with 50 columns, of the Gaussian kernel unless another is asked for."""
    X = make_rows("falling", n, 50)
    settings = {"kernel": "rbf", "gamma": 1 / 8, "random_state": 0} | settings
    return lambda: L1KernelPCA(count, **settings).fit(X)


def product(n, width):
    K = np.random.default_rng(0).standard_normal((n, n))
    V = np.ones((n, width))

    def work():
        with computing(None) as workers:
            StoredGram(K, workers).apply(V)

    return work


CASES = {
    "SMALL_ROWS": ([0, 400], [fit(500, 50), fit(1000, 50), fit(5000, 50)]),
    "SMALL_WORK": ([20_000, 2_000_000], [fit(1500, 20), fit(5000, 10)]),
    "TILE_SIDE": ([256, 1024], [fit(5000, 5, gram="blocked")]),
    "CACHED_BYTES": ([0, 2**28], [fit(2000, 100), fit(5000, 50)]),
    "UPDATE_SPAN": ([1024, 65_536], [fit(5000, 10)]),
    "FEW_FLIPS": ([0.1, 1.0], [fit(5000, 10)]),
    "FEW_VECTORS": ([0, 8], [product(5000, 3), product(5000, 6)]),
    "ROW_SPAN": ([2048, 131_072], [fit(100_000, 10, kernel="linear", gamma=None)]),
    "MANY_SCORES": ([8, 32, 10**9], [fit(2000, 100), fit(3000, 60, start="column")]),
    "START_BATCH": ([1, 16], [fit(3000, 5, n_starts=16)]),
}


def measure(name, values, work):
    """Times in turns, the value in use among them."""
    used = getattr(tuning, name)

    def timed(value):
        with patch.object(tuning, name, value):
            return seconds_of(work)

    runs = in_turn({value: partial(timed, value) for value in [used, *values]}, ROUNDS + 1)
    medians = {value: statistics.median(spent[1:]) for value, spent in runs.items()}
    ratios = ", ".join(f"{value}: {medians[value] / medians[used]:.2f}" for value in values)
    return f"{ratios}   in use {medians[used]:.4f} s"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or CASES:
        values, works = CASES[name]
        for number, work in enumerate(works):
            print(f"{name} ({number}): {measure(name, values, work)}", flush=True)
