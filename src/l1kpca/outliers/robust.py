"""The rule of this library: how surprising a row is, as a whole and by its cells."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram.projection import Projected
from l1kpca.outliers.rules import (
    FittedRule,
    Rows,
    Rule,
    parts,
    rounding_of_squares,
    squared_norms,
)
from l1kpca.outliers.tails import Tail, fit_tail, surplus

_CORE = (0.5, 0.75, 0.9)
_UP_TO_THE_END = (*_CORE, 0.98, 0.995)
_RARE, _SLOWLY, _MOST = 4.0, 0.05, 0.95
_DEVIATION_PER_MEAN = np.sqrt(np.pi / 2)  # of a normal variable: E|z| = sqrt(2 / pi)


@dataclass(frozen=True)
class Robust(Rule):
    r"""A row is as abnormal as it is to the view that finds it most surprising.

    *The row as a whole.* Columns are centered at their medians, scaled by their median absolute
    deviations and softly bounded at three of them, so that single wild entries cannot mask others.
    With a Gaussian kernel twice as wide as the median distance between rows, L1 components are
    found on a random sample of rows, which has the same share of outliers but fewer of them.  How
    many components describe ordinary rows is unknown, so the rule averages over their number: with
    k = 1, ..., p of them, :math:`SD_k^2 = \sum_{j \le k} (Y_{ij} - m_j)^2 / s_j^2` and
    :math:`OD_k^2 = \|\phi(x_i)\|^2 - \sum_{j \le k} Y_{ij}^2`, the distance is

    .. math:: \frac 1 p \sum_{k=1}^p \left( \frac{SD_k^2}{k} + \frac{OD_k^2}{u_k} \right)

    with m the median, s the mean absolute deviation (scaled to a normal variable) and u the mean
    of :math:`OD_k^2`, all of the training rows.

    *Its cells.* Each is compared with what the others say that it should be, see `Cells`: all
    distances together, all residuals together, and the most surprising residual.

    The first three of these four numbers have tails, fitted to a few quantiles of the training
    rows, that say how surprising they are: -log of the share of rows with a larger one; the fourth
    is a surprise already.  The abnormality is the largest surprise; so one wild cell or one broken
    relation is enough, and nothing is averaged away.  The residuals are sharp, but in columns with
    heavy tails also loud: they count from where less than one of the n training rows would be, at a
    surprise of log n; single cells also not below what 95 % of the training rows have.  A cell that
    is e times rarer than that puts its row beyond the line; from there on, a wilder cell counts for
    more, but slowly, so that the rows that are odd as a whole come first.

    *The line.* A row is flagged if its like is rarer than one in :math:`n^{0.7}` ordinary rows
    (one in 55, if n is below 300).  Many outliers hide each other from this: so the fourth roots of
    the first two numbers, which are nearly normal for ordinary rows, are looked at as well.  Their
    lower half, which up to 40 % of outliers hardly touch, tells center and deviation; the surplus
    is the largest share of rows beyond a point over what a normal variable has there.  If both see
    a surplus of 3 % or more, the smaller one is flagged: rows that follow one strong factor look
    many to one view, and rarely to both.  At least one row is flagged.

    Parameters
    ----------
    variance_kept : float, default=0.8
        Share of the variance that the p leading components must reach.
    """

    def fit(self, rows: Rows, pca: Any) -> "FittedRobust":
        """Learn centers, scales, units and tails from the training rows."""
        reached = np.cumsum(pca.explained_variance_ratio_) >= self.variance_kept
        n_kept = int(np.argmax(reached)) + 1 if reached.any() else len(reached)
        scores = rows.scores[:, :n_kept]
        center = np.median(scores, axis=0)
        scale = _DEVIATION_PER_MEAN * np.abs(scores - center).mean(axis=0, dtype=np.float64)
        unit = sum(_nested_squares(part, n_kept).sum(axis=0) for part in parts(rows)) / len(scores)
        rounding = 100 * np.finfo(scores.dtype).eps * np.abs(center)
        # No scale where all scores agree, and no unit where the components exhaust the space and
        # the distance to them is rounding error.
        fitted = FittedRobust(
            components=np.arange(n_kept),
            center=center,
            scale=np.where(scale > rounding, scale, np.inf),
            orthogonal_unit=np.where(unit > rounding_of_squares(rows), unit, np.inf),
            tails=np.zeros((0, 2, 0)),
            headstart=float(np.log(len(scores))),
            wild=float(np.log(len(scores))),
            share=0.0,
        )
        views = np.concatenate([fitted.views(part) for part in parts(rows)]).T
        quantiles = (_CORE, _CORE, _UP_TO_THE_END)
        tails = [fit_tail(view, levels) for view, levels in zip(views, quantiles, strict=False)]
        return replace(
            fitted,
            tails=np.stack([tail.array for tail in tails]),
            wild=max([fitted.wild, *(float(np.quantile(view, _MOST)) for view in views[3:])]),
            share=_share([surplus(np.sqrt(np.sqrt(view))) for view in views[:2]]),
        )

    def line(self, rule: FittedRule, abnormality: Array) -> float:
        """The rows that are too rare for ordinary ones, or too many, are beyond it."""
        fitted = cast("FittedRobust", rule)
        share = max(fitted.share, 1 / len(abnormality))
        return min(float(np.quantile(abnormality, 1 - share)), fitted.rare)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedRobust(FittedRule):
    """`Robust`, frozen.

    ``orthogonal_unit`` is u, ``headstart`` is log n, ``wild`` the surprise from which a single cell
    counts, ``tails`` hold the logarithms of some
    quantiles and of how surprising they are, for the first three numbers, and ``share`` is the
    estimated share of outliers.
    """

    orthogonal_unit: Array
    tails: Array
    headstart: float
    wild: float
    share: float

    def abnormality(self, rows: Rows) -> Array:
        """The largest surprise."""
        return np.maximum(*self.whole_and_cells(rows))

    def views(self, rows: Rows) -> Array:
        """The distance of each row, and how odd its cells are."""
        distance = self._distance(rows)[:, np.newaxis]
        return distance if rows.oddness is None else np.hstack([distance, rows.oddness])

    @property
    def rare(self) -> float:
        """The surprise from which a row is an outlier, however few there are."""
        return max(tuning.RAREST * self.headstart, _RARE)

    def whole_and_cells(self, rows: Rows) -> tuple[Array, Array]:
        """The surprise of the row as a whole, and the largest one of its cells."""
        views = self.views(rows).T
        whole, *cells = (Tail(*tail)(view) for tail, view in zip(self.tails, views, strict=False))
        if not cells:
            return whole, np.zeros(len(whole))
        together, apart = cells
        evident = np.maximum(views[3] - self.wild, 0)
        worst = 1.001 * self.rare * np.minimum(evident, 1) + _SLOWLY * np.log1p(evident)
        return whole, np.max([together, apart - self.headstart, worst], axis=0)

    def _distance(self, rows: Projected) -> Array:
        n_kept = len(self.components)
        if n_kept == 0:
            return np.zeros(len(rows.scores))
        within = np.cumsum(self.standardized(rows) ** 2, axis=1)
        outside = _nested_squares(rows, n_kept) / self.orthogonal_unit
        found = (within / np.arange(1, n_kept + 1) + outside).mean(axis=1)
        return np.where(found > np.finfo(rows.scores.dtype).eps ** (2 / 3), found, 0)  # rounding


def _share(surpluses: list[float]) -> float:
    """Share of outliers that both views see."""
    return smaller if (smaller := min(surpluses)) > tuning.SURE_SURPLUS else 0.0


def _nested_squares(rows: Projected, n_kept: int) -> Array:
    """Squared distances to the subspaces of the first 1, ..., n_kept components."""
    inside = np.cumsum(rows.scores[:, :n_kept] ** 2, axis=1, dtype=np.float64)
    return np.maximum(squared_norms(rows)[:, np.newaxis] - inside, 0)
