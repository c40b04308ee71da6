"""The rule of this library: how surprising a row is, as a whole and by its cells."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.outliers.rules import FittedRule, Rows, Rule, leading_scores, parts, rounding_of_squares
from l1kpca.outliers.tails import Tail, fit_tail, surplus

_LEVELS = (0.85, 0.85, 0.995)  # of the tails: many outliers touch no lower one
_RARE, _SLOWLY, _MOST = 5.0, 0.2, 0.95
_DEVIATION_PER_MEAN = np.sqrt(np.pi / 2)  # of a normal variable: E|z| = sqrt(2 / pi)


@dataclass(frozen=True)
class Robust(Rule):
    r"""A row is as abnormal as it is to the view that finds it most surprising.

    *The row as a whole.* Columns have median 0 and median absolute deviation 1, softly bounded at
    three.  L1 components are found on a random sample of rows, with a Gaussian kernel twice as wide
    as the median distance between rows.  How many describe ordinary rows is unknown, so the rule
    averages over their number: with :math:`SD_k^2 = \sum_{j \le k} (Y_{ij} - m_j)^2 / s_j^2` and
    :math:`OD_k^2 = \|\phi(x_i)\|^2 - \sum_{j \le k} Y_{ij}^2`, the distance is

    .. math:: \frac 1 p \sum_{k=1}^p \left( \frac{SD_k^2}{k} + \frac{OD_k^2}{u_k} \right)

    with m the median, s the mean absolute deviation (scaled to a normal variable) and u the mean
    of :math:`OD_k^2`, all of the training rows.

    *Its cells.* Each is compared with what the others say that it should be, see `Cells`: all
    distances together, all residuals together, and the most surprising residual.

    Tails, fitted to two quantiles of the training rows, turn the first three of these four numbers
    into surprises, -log of the share of rows with a larger one.  The abnormality is the largest.
    The first two numbers order the ordinary rows.  All residuals together count from a surprise of
    log n, where less than one of the n training rows would be.  So does a single cell, but not
    below what 95 % of the training rows have: one that is e times rarer puts its row just beyond
    the line; wilder cells count for more, but slowly, so that rows odd as a whole come first.

    *The line.* A row is flagged if its like is rarer than one in :math:`n^{0.7}` ordinary rows
    (one in 150, if n is below 1300).  If there are too many odd rows, as many as are too many are
    flagged, by the larger of two estimates: the surplus of the fourth roots of the first two
    numbers (the smaller counts) over a normal variable fitted to their lower half, which up to 40 %
    of outliers hardly touch, less three standard errors; and the heaviness of the residuals: what
    it exceeds 1.05 by, times 8 %, up to 10 %.  At least one row is flagged.

    Parameters
    ----------
    variance_kept : float, default=0.8
        Share of the variance that the p leading components must reach.
    """

    def fit(self, rows: Rows, pca: Any) -> "FittedRobust":
        """Learn centers, scales, units, tails and the line from the training rows."""
        scores = leading_scores(rows, pca, self.variance_kept)
        n_kept = scores.shape[1]
        center = np.median(scores, axis=0)
        scale = _DEVIATION_PER_MEAN * np.abs(scores - center).mean(axis=0, dtype=np.float64)
        unit = np.zeros(n_kept)
        for part in parts(rows):
            unit += _nested_squares(part, n_kept).sum(axis=0)
        unit /= len(scores)
        rounding = 100 * np.finfo(scores.dtype).eps * np.abs(center)
        # No scale where all scores agree, no unit where the distance is rounding error.
        fitted = FittedRobust(
            components=np.arange(n_kept), center=center,
            scale=np.where(scale > rounding, scale, np.inf),
            orthogonal_unit=np.where(unit > rounding_of_squares(rows), unit, np.inf),
            tails=np.zeros((0, 3)), headstart=float(np.log(len(scores))), wild=np.inf, cutoff=0.0,
        )  # fmt: skip
        views = np.concatenate(list(map(fitted.views, parts(rows)))).T
        fitted = replace(fitted, tails=np.stack(list(map(fit_tail, views, _LEVELS))))
        # The share of outliers, by two estimates, and the surprise where rows are too rare.
        many, n = min(map(surplus, np.sqrt(np.sqrt(views[:2])))), len(scores)
        cells = rows.columns.cells
        heavy = 0.0 if cells is None else tuning.HEAVY_SHARE * (cells.heaviness - tuning.HEAVY)
        share = max(many, min(heavy, tuning.MOST_HEAVY_SHARE), 1 / n)
        abnormality = np.concatenate(list(map(fitted.abnormality, parts(rows))))
        common = float(np.quantile(abnormality, 1 - share))
        line = min(common, max(tuning.RAREST * float(np.log(n)), _RARE))
        sharp = np.quantile(views[3:], _MOST, axis=1)
        return replace(fitted, wild=float(sharp.max(initial=fitted.headstart)), cutoff=line)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedRobust(FittedRule):
    """`Robust`, frozen; ``headstart`` is log n, ``wild`` where a single cell begins to count."""

    orthogonal_unit: Array
    tails: Array
    headstart: float
    wild: float

    def abnormality(self, rows: Rows) -> Array:
        """The largest surprise."""
        return np.maximum(*self.whole_and_cells(rows))

    def whole_and_cells(self, rows: Rows) -> tuple[Array, Array]:
        """The surprise of the row as a whole, and the largest one of its cells."""
        views = self.views(rows).T
        whole = Tail(*self.tails[0])(views[0])
        if len(views) == 1:
            return whole, np.zeros(len(whole))
        together, apart = Tail(*self.tails[1])(views[1]), Tail(*self.tails[2])(views[2])
        evident = np.maximum(views[3] - self.wild, 0)
        worst = 1.001 * self.cutoff * np.minimum(evident, 1) + _SLOWLY * np.log1p(evident)
        return whole, np.max([together, apart - self.headstart, worst], axis=0)

    def views(self, rows: Rows) -> Array:
        """The distance of each row, and how odd its cells are."""
        n_kept, rounding = len(self.components), np.finfo(rows.scores.dtype).eps ** (2 / 3)
        within = np.cumsum(self.standardized(rows) ** 2, axis=1) / np.arange(1, n_kept + 1)
        outside = _nested_squares(rows, n_kept) / self.orthogonal_unit
        found = (within + outside).sum(axis=1, keepdims=True) / max(n_kept, 1)
        distance = np.where(found > rounding, found, 0)
        return distance if rows.oddness is None else np.hstack([distance, rows.oddness])


def _nested_squares(rows: Rows, n_kept: int) -> Array:
    """Squared distances to the subspaces of the first 1, ..., n_kept components."""
    inside = np.cumsum(rows.scores[:, :n_kept] ** 2, axis=1, dtype=np.float64)
    return np.asarray(np.maximum(rows.squared_norms[:, np.newaxis] - inside, 0))
