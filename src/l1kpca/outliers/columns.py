"""Columns made comparable, and how they depend on each other; learned once, then frozen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import stats

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.outliers.cells import BOUND, Cells, standardized
from l1kpca.outliers.tails import fit_tail
from l1kpca.threads import spans

MAD_TO_DEVIATION = 1 / stats.norm.ppf(0.75)  # of a normal variable
_TINY, _AGREE = np.finfo(np.float64).tiny, 1e-10
_CURVE_COLUMNS, _CURVE_ROWS, _ALIKE = 30, 500, 0.9
_VALUES = 1_000_000  # of the columns that are looked at at once
_REACHED = 0.99
_ROUNDS = 2  # of filling holes by what was learned, and learning again
_MOST, _TAIL, _FEW_ROWS = 0.9, 0.98, 100
_RARE, _LEAST_CUTOFF = np.log(1000), 3.0  # surprise and size of a residual at the cut-off
_SMALLEST_UNIT = 0.05  # of a distance, in deviations of its column
_NORMAL_90 = stats.norm.ppf(0.95)  # 90 % of normal variables are smaller


@dataclass(frozen=True, eq=False)
class Columns:
    r"""How columns are scaled: each value to :math:`w z / \sqrt{1 + (z / b)^2}`.

    Here :math:`z = (x - c) / s` with the center c and the spread s of its column.  With the soft
    bound b, one wild entry cannot decide all distances of its row.
    """

    used: Array  #: Columns that vary; the others are dropped.
    median: Array | None = None  #: The row that ``explain`` compares with.
    center: Array | None = None  #: c of each column that is used; None leaves values as they are.
    spread: Array | None = None  #: s.
    weight: Array | None = None  #: w.
    bound: float = np.inf  #: b.
    cells: Cells | None = None  #: What is expected in a hole; a kernel matrix has none.

    def __call__(self, X: Array) -> Array:
        """Scale rows, with holes filled by what is expected there."""
        if self.cells is not None and (some := np.isnan(X).any(axis=1)).any():
            X = X.copy()
            X[some] = self.cells.filled(X[some])[0]
        if self.center is None:
            return X
        if not self.used.any():
            return np.zeros((len(X), 1), dtype=X.dtype)
        z = X[:, self.used]
        limit = np.finfo(z.dtype).max
        with np.errstate(over="ignore"):
            z -= self.center
            z /= self.spread
            # Beyond the largest number is as far as any number can be.
            np.clip(z, -limit, limit, out=z)
            if np.isfinite(self.bound):
                z /= np.hypot(1, z / self.bound)
            if self.weight is not None:
                z *= self.weight
                np.clip(z, -limit, limit, out=z)
        return z


def measured(X: Array, center_and_spread: Callable[[Array], tuple[Array, Array]]) -> Array:
    """Median, center and spread of each column without its holes; 0 where there is no value."""
    found = np.zeros((3, X.shape[1]), dtype=X.dtype)
    for group in spans(X.shape[1], max(1, _VALUES // len(X))):  # never a copy of all rows
        values = np.ascontiguousarray(X[:, group])  # in any order, sums are rounded alike
        whole, start = [values], group.start
        if np.isnan(values).any():
            whole = [column[~np.isnan(column), np.newaxis] for column in values.T]
        for columns in whole:
            at = slice(start, start := start + columns.shape[1])
            if len(columns):
                median = np.median(columns, axis=0)
                deviations = columns - median
                largest = np.maximum(deviations.max(axis=0), -deviations.min(axis=0))
                # No square of what has size 1 overflows or vanishes, whatever the unit.
                deviations /= np.where(largest > 0, largest, 1)
                center, spread = center_and_spread(deviations)
                found[:, at] = median, median + largest * center, spread * largest
    return found


def median_and_mad(X: Array) -> tuple[Array, Array]:
    """Median and scaled MAD of columns; standard deviation where over half of the values agree."""
    center, deviation = np.median(X, axis=0), X.std(axis=0)
    mad = MAD_TO_DEVIATION * np.median(np.abs(X - center), axis=0)
    return center, np.where(mad > _AGREE * deviation, mad, deviation)


def mean_and_deviation(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of columns."""
    return X.mean(axis=0), X.std(axis=0)


def varying(X: Array) -> Array:
    """Which columns are not constant, whatever their holes."""
    return np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)


def is_one_curve(X: Array) -> bool:
    """Whether many columns, each much like its neighbor and in its unit, look like one curve.

    Such columns (spectra, images) are ruined if each is divided by its own spread.
    """
    rows = X[:: max(1, len(X) // _CURVE_ROWS)]
    if X.shape[1] < _CURVE_COLUMNS or len(rows) < 3 or np.isnan(rows).any():
        return False
    with np.errstate(all="ignore"):
        rows = rows - rows.mean(axis=0)
        size = np.sqrt((rows**2).mean(axis=0))
        alike = (rows[:, 1:] * rows[:, :-1]).mean(axis=0) / (size[1:] * size[:-1])
        steps = np.maximum(size[1:] / size[:-1], size[:-1] / size[1:])
    return bool(np.median(alike) > _ALIKE and np.median(steps) < 2)


def learn_cells(X: Array, least: Array, rng: np.random.RandomState, one_unit: bool) -> Cells:
    """Learn how columns depend on each other from a sample of the rows.

    Spread and residual deviation are at least ``least``.  If all columns have one unit, a column
    counts for as much as it varies among them, at most 1.
    """
    extent = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    used = (extent > 0) | (least > 0)
    wide = used.sum() > tuning.CELL_RANK
    most = min(tuning.WIDE_CELL_ROWS if wide else tuning.CELL_ROWS, len(X))
    rows = X[np.sort(rng.choice(len(X), most, replace=False))].astype(np.float64)
    _, center, spread = measured(rows, median_and_mad)
    rows[:, np.isnan(rows).all(axis=0)] = 0  # a sample may miss all of the few values of a column
    spread = np.where(spread > 0, spread, extent / np.sqrt(len(X)))
    spread = np.maximum(spread, least)[used]
    z, u = standardized(rows, used, center, spread)
    n, floor, weight = len(spread), least[used] / spread, np.ones(len(spread))
    deviation, own = np.maximum(np.nanstd(u, axis=0), floor), np.nanstd(u, axis=0)
    level = min(_REACHED, max(0.5, 1 - 3 / len(z)))  # leaves three values beyond it
    far = np.nanquantile(np.abs(z), level, axis=0, method="inverted_cdf")
    if one_unit and n:
        largest = max(float(spread.max()), _TINY)
        mean = largest * float(np.sqrt(np.mean((spread / largest) ** 2)))
        weight = np.minimum(spread / mean, 1)
    cells = Cells(
        used=used, center=center, spread=spread, reach=np.fmax(far, BOUND),
        mean=np.nanmean(u, axis=0), deviation=np.where(deviation > 0, deviation, 1),
        factor=np.zeros((n, 0)), rest=1.0, weight=weight,
        medians=np.zeros((2, n)), units=np.ones((2, n)), tails=np.ones((3, n)),
    )  # fmt: skip
    if not n:
        return cells
    holes = np.isnan(z)
    v = np.where(holes, 0, (u - cells.mean) / cells.deviation)
    for _ in range(1 + _ROUNDS * bool(holes.any())):
        factor, rest, gain = _correlation(v, own / cells.deviation)
        cells = replace(cells, factor=factor, rest=rest, gain=gain)
        if holes.any():
            v = np.where(holes, cells.keen.expected(v, holes)[0], v)
    return _calibrated(cells, z, u, floor, one_unit, level)


def _correlation(v: Array, told: Array) -> tuple[Array, float, float]:
    """B and tau of S, the correlations of v, shrunk by as much as they may be noise, and the gain.

    A column that varies less than it may has the deviation ``told`` of v, and noise for the rest.
    With the share s of the identity in S, and less of it, k, where single cells are judged, the
    entries beside the diagonal are (1 - k) / (1 - s) times as large there.
    """
    n, d = v.shape
    size = np.sqrt((v**2).mean(axis=0))
    v = v * np.where(size > 0, told / np.where(size > 0, size, 1), 0)
    # The eigenvalues of v^T v and of v v^T are the same, but for zeros.
    S = (v.T @ v if d <= n else v @ v.T) / n
    own = told**2 * (size > 0)
    if d <= n:
        np.fill_diagonal(S, 1)
    values, vectors = np.linalg.eigh(S)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    trace, squares = (d, d) if d <= n else (own.sum(), (own**2).sum())
    noise = (own.sum() ** 2 - (own**2).sum()) / n
    noise /= max(float((values**2).sum()) - squares, _TINY)
    share = min(1.0, max(tuning.SHRINKAGE, noise))
    keen = min(share, max(tuning.KEEN, noise**2))
    rank = min(tuning.CELL_RANK, len(values))
    if d > n:
        vectors = v.T @ (vectors / np.sqrt(np.maximum(n * values, _TINY)))
    left = max(trace - float(values[:rank].sum()), 0)
    rest = left / (d - rank) if rank < d else float(values[-1])
    lengths = (1 - share) * np.maximum(values[:rank] - rest, 0)
    gain = (1 - keen) / (1 - share) if share < 1 else 1.0
    return vectors[:, :rank] * np.sqrt(lengths), share + (1 - share) * rest, gain


def _calibrated(
    cells: Cells, z: Array, u: Array, floor: Array, one_unit: bool, level: float
) -> Cells:
    """The same with medians, units, tails and cut-off of the residuals of the sample."""
    residual, distance, _, holes = cells.told(z, u)  # with the medians 0 and the units 1
    both = np.where(holes, np.nan, [residual, distance])
    medians = np.nanmedian(both, axis=1)
    residuals, distances = np.abs(both - medians[:, np.newaxis])
    sizes = residuals[~holes]
    unit = float(np.quantile(sizes, _MOST)) / _NORMAL_90 or 1.0
    mad = MAD_TO_DEVIATION * np.nanmedian(distances, axis=0)
    mad = np.where(mad > _SMALLEST_UNIT * cells.deviation, mad, cells.deviation)
    mad = np.maximum(mad, floor)
    weighted = cells.weight * residuals / unit
    # A rare category is compared with the cells that have one: what most cells are is left out.
    usual = z == 0
    told = ~holes & ~(usual & (2 * usual.sum(axis=0) > (~holes).sum(axis=0)))
    pooled = one_unit or len(z) < max(_FEW_ROWS, len(mad))
    columns = [weighted[~holes]] if pooled else map(np.compress, told.T, weighted.T)
    tails = np.transpose([*map(partial(fit_tail, level=_TAIL, normal=True), columns)])
    # Where S is hardly shrunk, an exact relation has a heavy tail, as it is bent by the bound.
    steady = np.where(holes, np.nan, replace(cells, gain=1.0).told(z, u)[0])
    middle, far = np.nanquantile(
        np.abs(steady - np.nanmedian(steady, axis=0)), [0.5, level], axis=0
    )
    far /= stats.norm.ppf((1 + level) / 2) * MAD_TO_DEVIATION
    heaviness = np.divide(far, middle, out=np.zeros_like(far), where=middle > 1e-9 * unit)
    return replace(
        cells, medians=medians, units=np.stack([np.full_like(mad, unit), mad]),
        tails=np.broadcast_to(tails, (3, len(mad))).copy(),
        cutoff=max(_LEAST_CUTOFF, fit_tail(sizes / unit, _MOST).at(_RARE)),
        heaviness=float(np.median(np.where(floor > 0, 0, heaviness))),  # not of categories
    )  # fmt: skip
