"""How columns depend on each other, learned from a sample of the rows."""

from dataclasses import replace

import numpy as np
from scipy import stats

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.outliers.cells import BOUND, Cells, bounded, standardized
from l1kpca.outliers.columns import MAD_TO_DEVIATION, measured, median_and_mad, varying
from l1kpca.outliers.tails import fit_tail, most_level

_REACHED = 0.99
_ROUNDS = 2  # of filling holes by what was learned, and learning again
_MOST, _TAIL, _FEW_ROWS = 0.9, 0.98, 100
_RARE, _LEAST_CUTOFF = np.log(1000), 3.0  # surprise and size of a residual at the cut-off
_SMALLEST_UNIT = 0.05  # of a distance, in deviations of its column
_NORMAL_90 = stats.norm.ppf(0.95)  # 90 % of normal variables are smaller
_TINY = np.finfo(np.float64).tiny


def learn_cells(X: Array, least: Array, rng: np.random.RandomState, one_unit: bool) -> Cells:
    """Learn from a sample of the rows; spread and residual deviation are at least ``least``.

    So a feature with a scale of its own is not blown up because it hardly varies.  If all columns
    have one unit, a column counts for as much as it varies among them, at most 1.
    """
    used = varying(X) | (least > 0)
    wide = used.sum() > tuning.CELL_RANK
    most = min(tuning.WIDE_CELL_ROWS if wide else tuning.CELL_ROWS, len(X))
    rows = X[np.sort(rng.choice(len(X), most, replace=False))].astype(np.float64)
    _, center, spread = measured(rows, median_and_mad)
    rows[:, np.isnan(rows).all(axis=0)] = 0  # a sample may miss all of the few values of a column
    missed = (np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)) / np.sqrt(len(X))
    spread = np.maximum(np.where(spread > 0, spread, missed), least)[used]
    z = standardized(rows[:, used], center[used], spread)
    u, ones, floor = bounded(z), np.ones(len(spread)), least[used] / spread
    reach, level, weight = BOUND * ones, min(_REACHED, most_level(len(z))), ones
    if len(ones):
        far = np.nanquantile(np.abs(z), level, axis=0, method="inverted_cdf")
        reach = np.fmax(far, BOUND)
        if one_unit:
            largest = float(spread.max(initial=_TINY))
            mean = largest * float(np.sqrt(np.mean((spread / largest) ** 2)))
            weight = np.minimum(spread / mean, 1)
    deviation = np.maximum(np.nanstd(u, axis=0), floor)
    n = len(ones)
    cells = Cells(
        used=used, center=center, spread=spread, reach=reach, mean=np.nanmean(u, axis=0),
        deviation=np.where(deviation > 0, deviation, 1), factor=np.zeros((n, 0)), rest=1.0,
        weight=weight, medians=np.zeros((2, n)), units=np.ones((2, n)), tails=np.ones((3, n)),
    )  # fmt: skip
    if not len(ones):
        return cells
    v, holes = cells.regressors(z)
    for _ in range(1 + _ROUNDS * bool(holes.any())):
        factor, rest = _correlation(v)
        cells = replace(cells, factor=factor, rest=rest)
        if holes.any():
            v = np.where(holes, cells.times(cells.solved(v * ~holes, holes)[0]), v)
    cells = _calibrated(cells, z, one_unit)
    return replace(cells, units=np.maximum(cells.units, [0 * floor, floor]))


def _correlation(v: Array) -> tuple[Array, float]:
    """B and tau of S, the correlations of v, shrunk by as much as they may be noise."""
    n, d = v.shape
    size = np.sqrt((v**2).mean(axis=0))
    v = v / np.where(size > 0, size, 1)
    # The eigenvalues of v^T v and of v v^T are the same, but for zeros.
    values, vectors = np.linalg.eigh((v.T @ v if d <= n else v @ v.T) / n)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    live = int((size > 0).sum())  # the trace
    noise = (live * live - live) / n / max(float((values**2).sum()) - live, _TINY)
    share = min(1.0, max(tuning.SHRINKAGE, noise))
    rank = min(tuning.CELL_RANK, len(values))
    if d > n:
        vectors = v.T @ (vectors / np.sqrt(np.maximum(n * values, _TINY)))
    left = max(live - float(values[:rank].sum()), 0)
    rest = left / (d - rank) if rank < d else float(values[-1])
    lengths = (1 - share) * np.maximum(values[:rank] - rest, 0)
    return vectors[:, :rank] * np.sqrt(lengths), share + (1 - share) * rest


def _calibrated(cells: Cells, z: Array, one_unit: bool) -> Cells:
    """The same with medians, units, tails and cut-off of the residuals, by the rows of the sample.

    Columns of one unit share a tail, and so do those of few rows or more columns than rows.
    """
    both, _, holes = cells.raw(z)
    both[:, holes] = np.nan
    medians = np.nanmedian(both, axis=1)
    residuals, distances = np.abs(both - medians[:, np.newaxis])
    sizes = residuals[~holes]
    unit = float(np.quantile(sizes, _MOST)) / _NORMAL_90 or 1.0
    mad = MAD_TO_DEVIATION * np.nanmedian(distances, axis=0)
    mad = np.where(mad > _SMALLEST_UNIT * cells.deviation, mad, cells.deviation)
    weighted = cells.weight * residuals / unit
    pooled = one_unit or len(z) < max(_FEW_ROWS, len(mad))
    columns = [weighted[~holes]] if pooled else map(_told, weighted.T, z.T)
    tails = np.stack([fit_tail(each, _TAIL, normal=True) for each in columns], axis=1)
    level = min(_REACHED, most_level(len(z)))
    middle, far = np.nanquantile(residuals, [0.5, level], axis=0)
    far /= stats.norm.ppf((1 + level) / 2) * MAD_TO_DEVIATION
    heaviness = np.divide(far, middle, out=np.zeros_like(far), where=middle > 1e-9 * unit)
    return replace(
        cells, medians=medians, units=np.stack([np.full_like(mad, unit), mad]),
        tails=np.broadcast_to(tails, (3, len(mad))).copy(),
        cutoff=max(_LEAST_CUTOFF, fit_tail(sizes / unit, _MOST).at(_RARE)),
        heaviness=float(np.median(heaviness)),
    )  # fmt: skip


def _told(sizes: Array, z: Array) -> Array:
    """The sizes of a column without holes, and without the value that most of its cells have.

    So a rare category is compared with the cells that have one, not with those that have none.
    """
    known = ~np.isnan(z)
    common = known & (z == 0)
    return sizes[known & ~common if 2 * common.sum() > known.sum() else known]
