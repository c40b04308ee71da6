"""The best of several starts, and starts until further ones are unlikely to improve."""

from dataclasses import replace

import numpy as np

from l1kpca._typing import Signs
from l1kpca.directions.base import Direction, Finder, signs_of
from l1kpca.directions.compose import FEW_ROWS, best_direction
from l1kpca.directions.starts import Start, random, several
from l1kpca.gram.base import Gram

BATCH = 8
PATIENCE = 16
"""If one start in six would improve, 16 in a row that do not have a chance below 6 %."""
IMPROVEMENT = 1e-4
"""Relative gain of c^T K c below which a start does not count as an improvement."""
MAX_STARTS = 128
FEWEST_SAMPLED, MOST_SAMPLED, SAMPLED_SHARE, SAMPLED_STEPS = 512, 2048, 16, 20


def best_of_starts(
    finder: Finder, gram: Gram, first: Start, count: int, rng: np.random.Generator
) -> Direction:
    """The best direction from ``first`` and ``count - 1`` random starts.

    With more than 4000 rows the random starts compete on a sample of the rows, and only the winner
    goes on, beside ``first``, on all of them: 16 starts so cost little more than two, and find
    nearly always what all of them would have found.
    """
    if count == 1 or gram.n_samples <= FEW_ROWS:
        return best_direction(finder, gram, several(first, count, gram, rng))
    starts = np.column_stack([first(gram, rng), winner_on_sample(gram, count - 1, rng)])
    return replace(best_direction(finder, gram, starts), n_starts=count)


def winner_on_sample(gram: Gram, count: int, rng: np.random.Generator) -> Signs:
    """The best of ``count`` searches by Algorithm 1 on a sample of the rows, carried to all rows.

    The sample is a sixteenth of the rows, at least 512 and at most 2048 of them.  A direction of
    the sample gives each row a sign, that of its score.
    """
    size = min(max(FEWEST_SAMPLED, gram.n_samples // SAMPLED_SHARE), MOST_SAMPLED)
    rows = np.sort(rng.choice(gram.n_samples, size, replace=False))
    K = np.ascontiguousarray(gram.columns(rows, rows))
    C = rng.choice(np.array([-1, 1], dtype=gram.dtype), (size, count))
    for _ in range(SAMPLED_STEPS):
        C = signs_of(K @ C, previous=C)
    best = C[:, int(np.argmax(np.einsum("ij,ij->j", C, K @ C)))]
    scores = gram.apply(best, at=rows)
    return signs_of(scores, previous=np.ones_like(scores))


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
