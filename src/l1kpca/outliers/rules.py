"""What an outlier rule is, and the statistics that rules share."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from l1kpca._typing import Array
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.gram.projection import Projected
from l1kpca.outliers.columns import MAD_TO_DEVIATION, Columns, measured, median_and_mad, varying
from l1kpca.threads import spans

QUANTILE = 0.975
_NEAR, _FAR = 1.25, 1.5
VALUES = 1_000_000  # of the rows judged together


@dataclass(frozen=True)
class Rows(Projected):
    """Projected rows, with the rows X as given, and how odd their cells are (see `Cells`)."""

    squared_norms: Any  # None where k(x, x) is not known
    X: Array
    columns: Columns
    pca: Any
    oddness: Array | None = None

    @property
    def scaled(self) -> Array:
        """The rows as the kernel PCA takes them; a copy, so ask for a few rows at a time."""
        return self.columns(self.X)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedRule(ABC):
    """A rule with all that it learned, as a frozen dataclass of arrays, numbers and text.

    Derive one with ``abnormality``; the two distances of the outlier map follow from the fields.
    """

    components: Array  #: The components that the rule looks at.
    center: Array  #: Of the scores of ordinary rows on each.
    scale: Array  #: The same; infinity is no scale.
    #: The rule's own line: rows with a larger abnormality are outliers.  Set by ``fit``, or `line`.
    cutoff: float = np.nan
    orthogonal_cutoff: float = 0.0  #: 97.5 % of ordinary rows do not reach this distance.
    clear_line: bool = False  #: Whether few of the training rows are near the line.

    @abstractmethod
    def abnormality(self, rows: Rows) -> Array:
        """How abnormal each row is, whatever the other rows are; higher is more abnormal."""

    def unseen(self, rows: Rows) -> Array:
        """Which rows the rule cannot judge by their scores and takes for outliers; here none."""
        return np.zeros(len(rows.scores), dtype=bool)

    def whole_and_cells(self, rows: Rows) -> tuple[Array, Array]:
        """How abnormal each row is as a whole, and by its cells alone; here not at all by cells."""
        return self.abnormality(rows), np.zeros(len(rows.scores))

    def standardized(self, rows: Rows) -> Array:
        """Scores in units of their scale."""
        return (rows.scores[:, self.components] - self.center) / self.scale

    def distances(self, rows: Rows) -> tuple[Array, Array]:
        """Score distance within the components, orthogonal distance to them."""
        within = (self.standardized(rows) ** 2).sum(axis=1, dtype=np.float64)
        return np.sqrt(within), np.sqrt(orthogonal_squares(rows, self.components))

    @property
    def score_cutoff(self) -> float:
        """The squared score distance of normal variables is chi-square."""
        return float(np.sqrt(stats.chi2.ppf(QUANTILE, max(len(self.components), 1))))

    def ellipse(self, first: int = 0, second: int = 1) -> tuple[float, float, float, float] | None:
        """Center and half axes of the ellipse that holds 97.5 % of ordinary rows.

        It is None if the rule does not look at both components, or they do not vary.
        """
        kept = self.components.tolist()
        if first not in kept or second not in kept:
            return None
        at = [kept.index(first), kept.index(second)]
        (x, y), axes = self.center[at], self.scale[at] * np.sqrt(stats.chi2.ppf(QUANTILE, 2))
        return (float(x), float(y), *axes.tolist()) if np.isfinite(axes).all() else None


@dataclass(frozen=True)
class Rule(ABC):
    """How columns are scaled, which kernel PCA is wanted, how rows are judged, where the line is.

    Derive a frozen dataclass with ``fit``; all else has the defaults of `Robust`.

    Parameters
    ----------
    variance_kept : float, default=0.8
        Share of the variance that the components which are looked at must reach.
    """

    variance_kept: float = 0.8

    #: Center and spread of columns; for "paper" and "novelty", mean and standard deviation.
    center_and_spread: ClassVar[Any] = staticmethod(median_and_mad)
    max_samples: ClassVar[int | None] = 1000  #: Random rows to find components on; None is all.
    bound: ClassVar[float] = 3.0  #: No value counts for more than this many spreads of its column.
    #: Whether the line is for new rows: with ``contamination`` "auto" or 0 it is `line` alone.
    for_clean_rows: ClassVar[bool] = False
    needs_norms: ClassVar[bool] = True  #: Of k(x, x); ``kernel="precomputed"`` does not give it.

    def __post_init__(self) -> None:
        share: Any = self.variance_kept
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) <= 1:
            raise ValueError(f"variance_kept={share!r} must be a number above 0 and at most 1")

    @abstractmethod
    def fit(self, rows: Rows, pca: Any) -> FittedRule:
        """Learn from the training rows; the detector sets the cut-offs."""

    def line(self, rule: FittedRule, abnormality: Array) -> float:
        """Where the line is, if the share of outliers is not known: where ``fit`` has put it.

        If it has not, the line is the 97.5 % point of ordinary rows, by median and MAD; never
        beyond that of the training rows.
        """
        if not np.isnan(rule.cutoff):
            return rule.cutoff
        return min(wilson_hilferty(abnormality), float(np.quantile(abnormality, QUANTILE)))

    def kernel_pca(self, n_columns: int) -> Any:
        """The kernel PCA to use for ``n_columns`` columns that vary, not fitted."""
        share = float(self.variance_kept) if self.variance_kept < 1 else None
        most = max(1, min(50, n_columns))
        return L1KernelPCA(share, max_components=most, kernel="rbf", gamma="wide")

    def columns(self, X: Array, scaling: str | None = "columns", least: Any = 0.0) -> Columns:
        """Learn how the columns of X are scaled.

        With "columns", spreads are at least ``least``, and a column is used where that is not 0.
        With "common", each is bounded by its own spread; the unit is the root mean square of all.
        """
        median, center, spread = measured(X, self.center_and_spread)
        if scaling is None:
            return Columns(np.ones(X.shape[1], dtype=bool), median)
        used, weight = varying(X), None
        if scaling == "columns":
            used, spread = used | (least > 0), np.maximum(spread, least)
        elif used.any():
            weight = spread[used] / spread[used].max()
            weight /= np.sqrt(np.mean(weight**2))
        return Columns(used, median, center[used], spread[used], weight, self.bound)


def fit_rule(rule: Rule, rows: Rows, contamination: Any) -> tuple[FittedRule, float]:
    """The fitted rule with its cut-offs, and the score below which rows are outliers."""
    fitted = rule.fit(rows, rows.pca)
    own_line = rule.for_clean_rows and contamination in ("auto", 0)
    judged, squares, outside = [np.zeros(0)], [], 0.0
    for part in parts(rows):
        if not own_line:
            judged.append(fitted.abnormality(part))
        if rows.squared_norms is not None:
            squares.append(orthogonal_squares(part, fitted.components))
    abnormality = np.concatenate(judged)
    if squares:
        outside = max(wilson_hilferty(np.concatenate(squares)), rounding_of_squares(rows)) ** 0.5
    line = rule.line(fitted, abnormality)
    offset = -line
    if not own_line and contamination != "auto":
        offset = float(np.quantile(-abnormality, float(contamination)))
    # Matrix products round differently with other rows beside a row.  The line may be the score
    # of a training row: a little below, no rounding error decides on which side that row is.
    offset -= float(np.sqrt(np.finfo(rows.scores.dtype).eps)) * abs(offset)
    # The line is clear if rows are beyond it, most of them far, or hardly any is just below it.
    clear, beyond = own_line, abnormality[abnormality > -offset]
    if len(beyond):
        below = int(((abnormality > -offset / _NEAR) & (abnormality <= -offset)).sum())
        clear = below <= len(beyond) / 4 or float(np.median(beyond)) > _FAR * -offset
    return replace(fitted, cutoff=line, orthogonal_cutoff=outside, clear_line=clear), offset


def wilson_hilferty(squares: Array) -> float:
    """Cut-off of a sum of squares: its cube root is nearly normal; median and MAD of that."""
    roots = np.cbrt(squares)
    center = float(np.median(roots))
    spread = float(MAD_TO_DEVIATION * np.median(np.abs(roots - center)))
    return (center + spread * float(stats.norm.ppf(QUANTILE))) ** 3


def orthogonal_squares(rows: Rows, components: Array) -> Array:
    """Squared distances of rows to the subspace of some components."""
    if rows.squared_norms is None:
        raise ValueError("this rule needs k(x, x), which kernel='precomputed' does not give")
    inside = (rows.scores[:, components] ** 2).sum(axis=1, dtype=np.float64)
    return np.asarray(np.maximum(rows.squared_norms - inside, 0))


def rounding_of_squares(rows: Rows) -> float:
    """A squared distance up to this size, a small difference of large numbers, is no distance."""
    size = float(rows.squared_norms.mean(dtype=np.float64))
    return float(np.finfo(rows.scores.dtype).eps) ** (2 / 3) * size


def leading_scores(rows: Rows, pca: Any, share: Any) -> Array:
    """Scores on the components that reach a share of the variance; on all, if they do not."""
    reached = np.cumsum(pca.explained_variance_ratio_)
    return np.asarray(rows.scores[:, : 1 + int(np.searchsorted(reached, float(share)))])


def row_spans(X: Array) -> list[slice]:
    """Slices of rows to judge together: many in a narrow table, few in a wide one."""
    return spans(len(X), max(512, VALUES // X.shape[1]))


def parts(rows: Rows) -> Iterator[Rows]:
    """A few rows at a time, so that nothing as large as all scores is made beside them."""
    norms, oddness = rows.squared_norms, rows.oddness
    for span in row_spans(rows.X):
        yield replace(
            rows, X=rows.X[span], scores=rows.scores[span],
            squared_norms=None if norms is None else norms[span],
            oddness=None if oddness is None else oddness[span],
        )  # fmt: skip


def check_level(name: str, value: Any) -> None:
    """Refuse anything but a number between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number between 0 and 1")
