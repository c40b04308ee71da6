"""A test for drift: whether new rows still come from where the reference rows came from."""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from l1kpca._typing import Array
from l1kpca.outliers.false_flags import rounded
from l1kpca.tuning import DRIFT_ROWS

_TAIL = 0.1
_TILTS = np.outer([-1, 1], [0.25, 0.5, 1, 2, 4, 8]).ravel()
_SHARES = np.array([0.5, 0.9])  # of rows in the tail, that are bet on


@dataclass(frozen=True, eq=False)
class Drift:
    """What a test for drift found."""

    #: Against the claim that the rows are like the reference rows: the gain of a fair game, which
    #: ever reaches 1 / level, over all batches, with a chance of at most ``level``.
    evidence: float
    level: float  #: The chance of a false alarm.
    beyond: float  #: Share of the last batch beyond nine in ten reference rows.
    above: float  #: Share of the last batch above the median of the reference rows.
    n_batches: int  #: How many batches were looked at.
    bets: Array  #: Logarithms of what is at stake, for the next batch.
    seen: Array  #: All scores so far.

    @property
    def found(self) -> bool:
        """Whether the rows no longer fit the reference."""
        return self.evidence >= 1 / self.level

    def __str__(self) -> str:
        where = (
            f"{self.beyond:.0%} of them are as odd as the oddest 10% of the reference rows, and"
            f" {self.above:.0%} are odder than half of those"
        )
        if self.found:
            where += f"; a false alarm has a chance of at most {self.level:.2g}"
            return f"Drift: as a whole, these rows are not like the reference rows ({where})."
        return f"No drift found: as a whole, these rows look like the reference rows ({where})."


def look_for_drift(
    reference: Array, abnormality: Array, level: float, after: Drift | None = None
) -> Drift:
    """A conformal test martingale on rows, drawn in random order.

    Each row is ranked among the reference rows and all rows before it, ties at random: its rank, as
    a share u, is uniform and independent of the earlier ones.  Half of the stake bets that u
    beyond the tail is tilted, to one side or to both; rows in the tail do not change it.  The other
    half bets that at least half of the rows are in the tail.  So outliers, up to a quarter of the
    rows, are no drift.  Batch k gets a fresh share 1 / (k (k + 1)) of the stake, for late drift.
    """
    reference, abnormality = rounded(reference, abnormality)
    k = 1 if after is None else after.n_batches + 1
    rng = np.random.default_rng(k)  # ties are not broken by the same luck in every batch
    known = sorted((reference if after is None else after.seen).tolist())
    rows = rng.permutation(abnormality)[:DRIFT_ROWS].tolist()
    shares = np.empty(len(rows))
    for place, (row, luck) in enumerate(zip(rows, rng.random(len(rows)).tolist(), strict=True)):
        below, upto = bisect_left(known, row), bisect_right(known, row)
        shares[place] = (len(known) - upto + luck * (upto - below + 1)) / (len(known) + 1)
        insort(known, row)
    half = 2 * len(_TILTS)
    stakes = np.repeat([0.5 / half, 0.5 / len(_SHARES)], [half, len(_SHARES)]) / (k * (k + 1))
    before = np.full(len(stakes), -np.inf) if after is None else after.bets
    bets = np.logaddexp(before, np.log(stakes)) + _log_gains(shares)
    counts = np.searchsorted(np.sort(reference), abnormality, side="left")
    beyond = float((counts >= (1 - _TAIL) * len(reference)).mean())
    above = float((counts > len(reference) / 2).mean())
    evidence = 1 / (k + 1) + float(np.exp(min(logsumexp(bets), 700.0)))
    return Drift(evidence, level, beyond, above, k, bets, np.array(known))


def _log_gains(shares: Array) -> Array:
    """Of each bet, over all rows; the expectation of every factor is 1 for uniform shares."""
    inside = (shares[shares > _TAIL] - _TAIL) / (1 - _TAIL)
    norms = np.log(np.expm1(_TILTS) / _TILTS)
    sides = [_TILTS * u.sum() - len(u) * norms for u in (inside, np.abs(2 * inside - 1))]
    n_tail = len(shares) - len(inside)
    tail = n_tail * np.log(_SHARES / _TAIL) + len(inside) * np.log((1 - _SHARES) / (1 - _TAIL))
    return np.concatenate([*sides, tail])
