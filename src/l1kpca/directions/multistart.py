"""Starts until further ones are unlikely to improve."""

from dataclasses import replace

import numpy as np

from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.starts import Start, random, several
from l1kpca.gram.base import Gram

BATCH = 8
PATIENCE = 16
"""If one start in six would improve, 16 in a row that do not have a chance below 6 %."""
IMPROVEMENT = 1e-4
"""Relative gain of c^T K c below which a start does not count as an improvement."""
MAX_STARTS = 128


def settled_direction(
    finder: Finder, gram: Gram, first: Start, rng: np.random.Generator
) -> Direction:
    """The best direction from ``first`` and random starts, until they no longer improve.

    Starts are tried eight at a time, side by side.  The search ends when 16 of them in a row have
    not raised the best value by more than 1e-4 of it, or after 128 starts.

    Parameters
    ----------
    finder : Finder
        Searches from each start.
    gram : Gram
        K.
    first : callable
        Gives the first start; the others are random signs.
    rng : numpy.random.Generator
        Of the random signs.

    Returns
    -------
    direction : Direction
        The best, with the number of starts as ``n_starts``.
    """
    starts = several(first, BATCH, gram, rng)
    best, tried, last_gain = None, 0, 0
    while True:
        for found in finder.find_each(gram, starts):
            tried += 1
            if best is None or found.value > best.value + IMPROVEMENT * abs(best.value):
                last_gain = tried
            if best is None or found.value > best.value:
                best = found
        if best is not None and (tried - last_gain >= PATIENCE or tried >= MAX_STARTS):
            return replace(best, n_starts=tried)
        starts = np.column_stack([random(gram, rng) for _ in range(BATCH)])
