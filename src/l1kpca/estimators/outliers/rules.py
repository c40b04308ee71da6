"""How abnormal a row is, from its scores and its squared norm in feature space."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import stats

from l1kpca._typing import Array
from l1kpca.gram.base import Projected
from l1kpca.threads import spans

QUANTILE = 0.975
_DEVIATION_PER_MEAN = np.sqrt(np.pi / 2)  # of a normal variable: E|z| = sqrt(2 / pi)
_MAD_TO_DEVIATION = 1 / stats.norm.ppf(0.75)
_ROWS = 16_384  # of the training rows, that are looked at at once


class FittedRule(Protocol):
    """A rule with its parameters frozen."""

    def abnormality(self, rows: Projected) -> Array:
        """Higher is more abnormal."""

    def distances(self, rows: Projected) -> tuple[Array, Array]:
        """Score distance within the kept components, orthogonal distance to them."""

    @property
    def cutoffs(self) -> tuple[float, float]:
        """Cut-offs of the two distances."""

    @property
    def cutoff(self) -> float:
        """Cut-off of the abnormality that needs no known contamination."""


@dataclass(frozen=True)
class PaperRule:
    r"""The rule of the paper: :math:`\sum_j (Y_{ij} - m_j)^2 / \lambda_j`.

    The sum is over the components with the largest variances that together reach a share of the sum
    of all variances; m and lambda are mean and variance of the training scores.  A component whose
    scores all agree says nothing about a row and is left out.
    """

    kept: Array
    center: Array
    variance: Array
    orthogonal_cutoff: float

    def abnormality(self, rows: Projected) -> Array:
        """Squared distance to the center in the standardised principal space."""
        scores = rows.scores[:, self.kept]
        return ((scores - self.center) ** 2 / self.variance).sum(axis=1, dtype=np.float64)

    def distances(self, rows: Projected) -> tuple[Array, Array]:
        """Score distance within the kept components, orthogonal distance to them."""
        return np.sqrt(self.abnormality(rows)), _orthogonal(rows, self.kept)

    @property
    def cutoffs(self) -> tuple[float, float]:
        """Chi-square for the score distance, Wilson-Hilferty for the orthogonal distance."""
        return float(np.sqrt(self.cutoff)), self.orthogonal_cutoff

    @property
    def cutoff(self) -> float:
        """The abnormality of a normal variable is chi-square."""
        return _chi_square(len(self.kept))


@dataclass(frozen=True)
class RobustRule:
    r"""Both distances in every nested subspace, averaged.

    With k = 1, ..., p leading components, :math:`SD_k^2 = \sum_{j \le k} (Y_{ij} - m_j)^2 / s_j^2`
    and :math:`OD_k^2 = \|\phi(x_i)\|^2 - \sum_{j \le k} Y_{ij}^2`, the abnormality is

    .. math:: \frac 1 p \sum_{k=1}^p \left( \frac{SD_k^2}{k} + \frac{OD_k^2}{u_k} \right)

    with m the median, s the mean absolute deviation (scaled to a normal variable) and u the mean
    of :math:`OD_k^2`, all of the training rows.
    """

    center: Array
    scale: Array
    orthogonal_unit: Array
    cutoff: float
    orthogonal_cutoff: float

    def abnormality(self, rows: Projected) -> Array:
        """Mean over the nested subspaces of the two distances, each in its own unit."""
        n_kept = len(self.center)
        if n_kept == 0:
            return np.zeros(len(rows.scores))
        within = np.cumsum(((rows.scores[:, :n_kept] - self.center) / self.scale) ** 2, axis=1)
        outside = _nested_squares(rows, n_kept) / self.orthogonal_unit
        return (within / np.arange(1, n_kept + 1) + outside).mean(axis=1)

    def distances(self, rows: Projected) -> tuple[Array, Array]:
        """Score distance within the kept components, orthogonal distance to them."""
        kept = np.arange(len(self.center))
        within = (((rows.scores[:, kept] - self.center) / self.scale) ** 2).sum(axis=1)
        return np.sqrt(within), _orthogonal(rows, kept)

    @property
    def cutoffs(self) -> tuple[float, float]:
        """Chi-square for the score distance, Wilson-Hilferty for the orthogonal distance."""
        return float(np.sqrt(_chi_square(len(self.center)))), self.orthogonal_cutoff


def fit_paper_rule(rows: Projected, variance_kept: float) -> PaperRule:
    """Freeze the paper's rule on the training rows."""
    mean = rows.scores.mean(axis=0, dtype=np.float64)
    variance = rows.scores.var(axis=0, dtype=np.float64)
    order = np.argsort(-variance, kind="stable")
    reached = np.cumsum(variance[order])
    # One rounding error short of the share is reached; all components must be allowed to.
    short = reached < variance_kept * reached[-1:] * (1 - np.finfo(np.float64).eps)
    kept = np.sort(order[: int(short.sum()) + 1])
    rounding = 100 * np.finfo(rows.scores.dtype).eps * np.abs(mean[kept])
    kept = kept[variance[kept] > rounding**2]
    cut = 0.0 if rows.squared_norms is None else _orthogonal_cutoff(rows, kept)
    return PaperRule(kept, mean[kept], variance[kept], cut)


def fit_robust_rule(rows: Projected, n_kept: int) -> RobustRule:
    """Freeze the robust rule on the training rows."""
    scores = rows.scores[:, :n_kept]
    center = np.median(scores, axis=0)
    scale = _DEVIATION_PER_MEAN * np.abs(scores - center).mean(axis=0, dtype=np.float64)
    total = sum(_nested_squares(part, n_kept).sum(axis=0) for part in _parts(rows))
    mean = total / len(scores)
    rounding = 100 * np.finfo(scores.dtype).eps * np.abs(center)
    # No unit where all scores agree, and none where the components exhaust the space and the
    # distance to them is rounding error.
    scale = np.where(scale > rounding, scale, np.inf)
    unit = np.where(mean > _rounding_of_squares(rows), mean, np.inf)
    rule = RobustRule(center, scale, unit, 0.0, 0.0)
    return replace(
        rule,
        cutoff=wilson_hilferty(training_abnormality(rule, rows)),
        orthogonal_cutoff=_orthogonal_cutoff(rows, np.arange(n_kept)),
    )


def leading(shares: Array, wanted: float) -> int:
    """How many of the first components reach a share of the variance; all if they fall short."""
    reached = np.cumsum(shares) >= wanted
    return int(np.argmax(reached)) + 1 if reached.any() else len(shares)


def training_abnormality(rule: FittedRule, rows: Projected) -> Array:
    """The abnormality of many rows, without arrays as large as all their scores."""
    return np.concatenate([rule.abnormality(part) for part in _parts(rows)])


def wilson_hilferty(squares: Array) -> float:
    """Cut-off of a sum of squares: its cube root is nearly normal; median and MAD of that."""
    roots = np.cbrt(squares)
    center = float(np.median(roots))
    spread = float(_MAD_TO_DEVIATION * np.median(np.abs(roots - center)))
    return (center + spread * float(stats.norm.ppf(QUANTILE))) ** 3


def _chi_square(n_kept: int) -> float:
    return float(stats.chi2.ppf(QUANTILE, max(n_kept, 1)))


def _parts(rows: Projected) -> Iterator[Projected]:
    norms = rows.squared_norms
    for span in spans(len(rows.scores), _ROWS):
        yield Projected(rows.scores[span], None if norms is None else norms[span])


def _orthogonal_cutoff(rows: Projected, kept: Array) -> float:
    squares = np.concatenate([_orthogonal(part, kept) for part in _parts(rows)]) ** 2
    return max(wilson_hilferty(squares), _rounding_of_squares(rows)) ** 0.5


def _rounding_of_squares(rows: Projected) -> float:
    """A squared distance up to this size, a small difference of large numbers, is no distance."""
    size = float(_squared_norms(rows).mean(dtype=np.float64))
    return float(np.finfo(rows.scores.dtype).eps) ** (2 / 3) * size


def _nested_squares(rows: Projected, n_kept: int) -> Array:
    """Squared distances to the subspaces of the first 1, ..., n_kept components."""
    inside = np.cumsum(rows.scores[:, :n_kept] ** 2, axis=1, dtype=np.float64)
    return np.maximum(_squared_norms(rows)[:, np.newaxis] - inside, 0)


def _orthogonal(rows: Projected, kept: Array) -> Array:
    inside = (rows.scores[:, kept] ** 2).sum(axis=1, dtype=np.float64)
    return np.sqrt(np.maximum(_squared_norms(rows) - inside, 0))


def _squared_norms(rows: Projected) -> Array:
    if rows.squared_norms is None:
        raise ValueError(
            "the distance to the components needs k(x, x), which kernel='precomputed' does not"
            " give: use rule='paper' without outlier_map, or a kernel"
        )
    return rows.squared_norms
