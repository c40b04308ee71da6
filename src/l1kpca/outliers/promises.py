"""What can be promised of scores: a rate, a bound or an estimate of false flags; drift."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from l1kpca._typing import Array
from l1kpca.threads import spans
from l1kpca.tuning import APART, DRIFT_ROWS, LINE_STEP, MIDDLE, SHOULDER

_FEWEST_ROWS, _MOST_ROWS = 100, 500_000
_ROUNDS = 5
_SKEWS = np.linspace(0, 2, 101)[:, np.newaxis]
# Of drift:
_TAIL = 0.1
_TILTS = np.outer([-1, 1], [0.25, 0.5, 1, 2, 4, 8]).ravel()
_SHARES = np.array([0.5, 0.9])  # of rows in the tail, that are bet on


def rounded(*scores: Array) -> list[Array]:
    """In single precision: scores of equal rows differ by rounding errors, and must be ties."""
    with np.errstate(over="ignore"):
        return [np.asarray(one).astype(np.float32) for one in scores]


def benjamini_hochberg(p: Array, fdr: float) -> Array:
    """Rows with p at most fdr * k / n, for the largest k such that k rows are."""
    return stats.false_discovery_control(p) <= fdr * (1 + 1e-12)


def standing_apart(abnormality: Array) -> int:
    """How many rows are above a gap that even a heavy tail would not have; 0 if there is none.

    In a Pareto tail, the log ratio of neighbors, times their place from the top, is exponential;
    in a lighter tail it is smaller toward the top.  An F test compares each with those below.
    """
    scores, middle = rounded(abnormality)[0].astype(np.float64), float(np.median(abnormality))
    tail = np.unique(scores[scores > np.float32(middle)])[::-1] - middle
    gaps = np.arange(1, len(tail)) * np.log(tail[:-1] / tail[1:])
    window, places = max(len(tail) // 5, 5), len(tail) // 2
    if places + window > len(gaps):
        return 0
    sums = np.cumsum(np.append(0, gaps))
    below = (sums[window + 1 :] - sums[1:-window])[:places] / window
    chance = (1 + gaps[:places] / below / window) ** -window
    apart = np.flatnonzero(chance <= APART / places)
    return int((scores - middle >= tail[apart[-1]]).sum()) if len(apart) else 0


def most_false(reference: Array, abnormality: Array, confidence: float) -> Array:
    """For the line just below each row, how many rows at or above it are ordinary at most.

    Of k ordinary rows, V are above the (c+1)-th largest of n reference rows; V is beta-binomial,
    whatever the distribution.  A few c, spread evenly in log c, share the level, and bound every
    line between: V grows with c, and from line to line by no more than the flags do.  Rows that
    must be outliers leave fewer ordinary ones, k.
    """
    reference, abnormality = rounded(reference, abnormality)
    n, m = len(reference), len(abnormality)
    order = np.argsort(-abnormality, kind="stable")
    above = n - np.searchsorted(np.sort(reference), abnormality[order], side="left")
    flags = m - np.searchsorted(abnormality[order[::-1]], abnormality[order], side="left")
    steps = LINE_STEP ** np.arange(np.log(max(n / 2, 1)) / np.log(LINE_STEP))
    looked_at = np.unique(np.r_[0, np.floor(steps)]).astype(int)
    level = (1 - confidence) / len(looked_at)
    at, ordinary = np.searchsorted(looked_at, above), m
    while True:
        bounds = _largest_counts(looked_at, n, ordinary, level)
        found = np.minimum(np.append(bounds, ordinary)[at], flags)
        found = flags + np.minimum.accumulate(found - flags)
        found = np.minimum.accumulate(found[::-1])[::-1]
        left = m - int((flags - found).max())
        if left >= ordinary:
            break
        ordinary = left
    return found[np.argsort(order)]


def _largest_counts(looked_at: Array, n: int, k: int, level: float) -> Array:
    """For each c, the j that V exceeds with a chance of at most ``level``, by bisection.

    V is j or more if among the c + j largest of all n + k rows at most c are of the reference.
    """
    low, high = np.zeros(len(looked_at), dtype=int), np.full(len(looked_at), k)
    while (low < high).any():
        middle = (low + high) // 2
        rare = stats.hypergeom.cdf(looked_at, n + k, n, looked_at + middle + 1) <= level
        low, high = np.where(rare, low, middle + 1), np.where(rare, middle, high)
    return high


def estimated_false_share(abnormality: Array) -> Array:
    """For the line just below each row, the estimated share of false flags.

    The curve of ordinary rows is fitted to the middle, without what it takes for outliers.
    """
    unknown, n = "the share of false flags cannot be estimated", len(abnormality)
    if n < _FEWEST_ROWS:
        way_out = "or calibrate with reference rows"
        raise ValueError(f"{unknown} from {n} rows: it takes {_FEWEST_ROWS}, {way_out}")
    some = left = abnormality[:: 1 + n // _MOST_ROWS]  # enough for three numbers
    few, many = SHOULDER
    for _ in range(_ROUNDS):
        null = _fit_middle(left)
        tail = null(some)
        left = some[~benjamini_hochberg(tail, 0.1)]
    seen = int(((tail > few) & (tail <= many)).sum())
    expected = (many - few) * len(tail)
    if seen > expected + 2 * np.sqrt(expected):
        tail_is = f"{seen} rows are in the tail of the scores, where {expected:.0f} were expected"
        way_out = "so outliers cannot be told from a heavy tail; calibrate with reference rows"
        raise ValueError(f"{unknown}: {tail_is}, {way_out}")
    ordered, share = np.sort(abnormality), np.empty(n, dtype=np.float32)
    for rows in spans(n, _MOST_ROWS):
        flags = n - np.searchsorted(ordered, abnormality[rows], side="left")
        share[rows] = np.minimum(1, n * null(abnormality[rows]) / flags)
    return share


def _fit_middle(abnormality: Array) -> Callable[[Array], Array]:
    """Scores a + b ((1 + g z / 3)^3 - 1) / g of a normal z, by least squares; normal if g is 0.

    Sums of squares are of this kind (Wilson and Hilferty).
    """
    share = np.linspace(*MIDDLE, 60)
    z, quantiles = stats.norm.ppf(share), np.quantile(abnormality, share)
    basis = z + _SKEWS * z**2 / 3 + _SKEWS**2 * z**3 / 27
    centered, wanted = basis - basis.mean(axis=1, keepdims=True), quantiles - quantiles.mean()
    slopes = centered @ wanted / np.square(centered).sum(axis=1)
    best = int(np.argmin(np.square(slopes[:, np.newaxis] * centered - wanted).sum(axis=1)))
    slope, skew = float(slopes[best]), float(_SKEWS[best, 0])
    if not slope > 0:
        raise ValueError("the share of false flags cannot be estimated: most scores are equal")
    location = float(quantiles.mean() - slope * basis[best].mean())

    def tail(abnormality: Array) -> Array:
        z = (abnormality - location) / slope
        return stats.norm.sf(3 / skew * (np.cbrt(1 + skew * z) - 1) if skew else z)

    return tail


@dataclass(frozen=True, eq=False)
class Drift:
    """What a test for drift found."""

    #: Of a difference: the gain of a fair game, which ever reaches 1 / level, over all batches,
    #: with a chance of at most ``level``.
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
        odd = f"{self.beyond:.0%} of them are as odd as the oddest 10% of the reference rows"
        where = f"{odd}, and {self.above:.0%} are odder than half of those"
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
    beyond the tail is tilted, to one side or to both, half that at least half of the rows are in
    the tail: outliers, up to a quarter of the rows, are no drift.  Batch k gets a fresh share
    1 / (k (k + 1)) of the stake, for late drift.
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
