"""A detector that holds a kernel PCA, in scikit-learn's outlier contract."""

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.estimators.outliers.columns import (
    Columns,
    as_they_are,
    by_mean_and_deviation,
    by_median_and_mad,
)
from l1kpca.estimators.outliers.explaining import contributions
from l1kpca.estimators.outliers.rules import (
    QUANTILE,
    FittedRule,
    fit_paper_rule,
    fit_robust_rule,
)
from l1kpca.gram.base import Projected

RULES = ("robust", "paper")
_SAMPLED_ROWS = 1000
_MOST_COMPONENTS = 50
QUADRANTS = ("regular", "good leverage", "orthogonal outlier", "bad leverage")


@dataclass(frozen=True)
class OutlierMap:
    """Two distances of each row, their cut-offs, and what the two say together."""

    score_distance: Array
    orthogonal_distance: Array
    score_cutoff: float
    orthogonal_cutoff: float

    @property
    def quadrant(self) -> Array:
        """What each row is: one of `QUADRANTS`."""
        far = self.score_distance > self.score_cutoff
        outside = self.orthogonal_distance > self.orthogonal_cutoff
        return np.array(QUADRANTS)[far + 2 * outside]


class KernelPCAOutlierDetector(OutlierMixin, BaseEstimator):
    """Find the rows that do not fit the robust, nonlinear principal components of the others.

    Parameters
    ----------
    pca : kernel PCA of this library, default=None
        Any of them, not fitted.  None is the rule's own: for ``rule="robust"`` an
        ``L1KernelPCA(kernel="rbf", gamma="median")`` with up to 50 components; for ``rule="paper"``
        the paper's, ``L1KernelPCA(kernel="rbf", solver="fixed_point", start="column",
        center=False)`` with width and number of components equal to the number of columns.
    rule : {"robust", "paper"}, default="robust"
        "paper" sums the squared standardised scores of the components with the largest variances.
        "robust" looks at distances within and outside of the leading components, see Notes.
    variance_kept : float, default=0.8
        Share of the variance that the components which are looked at must reach.
    contamination : "auto" or float, default="auto"
        Where the line is drawn.  "auto" needs no known share of outliers: the 97.5 % point of the
        abnormality of ordinary rows, by the chi-square distribution ("paper") or by the
        Wilson-Hilferty transformation with median and MAD ("robust"), and never beyond the 97.5 %
        point of the training rows.  A float in (0, 0.5] flags that share of the training rows; 0
        says that they are clean and flags none of them.
    standardize : bool, default=True
        Make columns comparable first: mean and standard deviation for "paper"; for "robust" median
        and MAD, then a bound of three deviations.  Constant columns are dropped.
    max_samples : int, None or "auto", default="auto"
        Components are found on at most that many rows, drawn at random; all rows are scored.
        "auto" is 1000 for the rule "robust" with ``pca=None``, and all rows otherwise.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample and, with ``pca=None``, of the starts.
    n_jobs : int, default=None
        Threads of the kernel PCA with ``pca=None``, where None is all cores.  The result does not
        depend on it.  A kernel PCA that is given has its own.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as "2GB", that the kernel PCA may take with ``pca=None``.

    Attributes
    ----------
    pca_ : estimator
        The fitted kernel PCA.
    offset_ : float
        Rows with ``score_samples`` below it are outliers.
    columns_ : Columns
        How columns were standardised.
    rule_ : object
        The rule with its parameters, frozen.
    n_features_in_ : int
        Number of columns at fit.
    feature_names_in_ : ndarray of str
        Names of the columns at fit, if all are strings.

    Notes
    -----
    The robust rule: every column is centered at its median, scaled by its median absolute deviation
    and softly bounded at three deviations, so that single wild entries cannot mask others.  With
    the Gaussian kernel whose width is the median distance between rows, L1 components are found on
    a random sample of rows, in which outliers are as rare as in all rows but far fewer, until they
    hold 80 % of the variation.  How many components describe ordinary rows is unknown, so the rule
    does not choose: for each number k of leading components it takes the squared score distance
    over k, plus the squared distance to the subspace in units of its mean, and averages over k.

    References
    ----------
    C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions
    on Pattern Analysis and Machine Intelligence, 42(8), 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2)) @ [[1.0, 0.9], [0.0, 0.3]]
    >>> X[7] = [2.0, -2.0]
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> int(np.argmin(detector.score_samples(X)))
    7
    >>> int(detector.predict(X[7:8])[0])
    -1
    """

    def __init__(
        self,
        pca: Any = None,
        *,
        rule: str = "robust",
        variance_kept: float = 0.8,
        contamination: Any = "auto",
        standardize: bool = True,
        max_samples: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: Any = None,
    ):
        self.pca = pca
        self.rule = rule
        self.variance_kept = variance_kept
        self.contamination = contamination
        self.standardize = standardize
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit

    def fit(self, X: Any, y: Any = None) -> "KernelPCAOutlierDetector":
        """Learn what ordinary rows look like.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, outliers among them.
        y : ignored
            For the interface alone.

        Returns
        -------
        self : object
            The fitted detector.
        """
        self._check_parameters()
        X = self._rows(X, reset=True)
        self.columns_ = self._learn_columns(X)
        self._reference = np.median(X, axis=0)
        rng = check_random_state(self.random_state)
        Z = self.columns_(X)
        self.pca_ = self._make_pca(X, rng).fit(self._sample(Z, rng))
        projected = self._in_feature_space(Z)
        self.rule_: FittedRule
        if self.rule == "paper":
            self.rule_ = fit_paper_rule(projected, self.variance_kept)
        else:
            self.rule_ = fit_robust_rule(projected, self._n_kept())
        self.offset_ = self._find_offset(-self.rule_.abnormality(projected))
        return self

    def score_samples(self, X: Any) -> Array:
        """How ordinary rows are; the negative abnormality, so higher is more ordinary.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return -self._abnormality(self._rows(X, reset=False))

    def decision_function(self, X: Any) -> Array:
        """``score_samples`` minus ``offset_``: negative for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """1 for ordinary rows, -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def explain(self, X: Any) -> Array:
        """What each column contributes to the abnormality of each row.

        The abnormality, ``-score_samples``, is followed along the straight line from the row of
        training medians to the row; a column's contribution is the change while it moved, plus an
        equal share of the abnormality of the median row.  For any kernel the contributions of a row
        add up to its abnormality.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, of the training data or new.

        Returns
        -------
        contributions : ndarray of shape (n_samples, n_features)
        """
        rows = self._rows(X, reset=False)
        return contributions(self._abnormality, rows, self._reference, self.columns_.used)

    def outlier_map(self, X: Any) -> OutlierMap:
        """Score distance and orthogonal distance of rows, with their cut-offs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        map : OutlierMap
            The two distances, the cut-offs, and the quadrant of each row.
        """
        projected = self._in_feature_space(self.columns_(self._rows(X, reset=False)))
        return OutlierMap(*self.rule_.distances(projected), *self.rule_.cutoffs)

    def _rows(self, X: Any, *, reset: bool) -> Array:
        if not reset:
            check_is_fitted(self, "rule_")
        return validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)

    def _abnormality(self, X: Array) -> Array:
        return self.rule_.abnormality(self._in_feature_space(self.columns_(X)))

    def _in_feature_space(self, Z: Array) -> Projected:
        return self.pca_._project(Z)  # noqa: SLF001 (the library's own kernel PCA)

    def _learn_columns(self, X: Array) -> Columns:
        if not self.standardize or self._is_precomputed():
            return as_they_are(X)
        columns = by_mean_and_deviation(X) if self.rule == "paper" else by_median_and_mad(X)
        constant = np.flatnonzero(~columns.used)
        if constant.size and columns.used.any():
            names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))[constant]
            shown = ", ".join(str(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
            warnings.warn(
                f"{len(constant)} of {X.shape[1]} columns are constant and were dropped: {shown}",
                UserWarning,
                stacklevel=3,
            )
        return columns

    def _make_pca(self, X: Array, rng: np.random.RandomState) -> Any:
        if self.pca is not None:
            return clone(self.pca)
        seed = int(rng.randint(2**31 - 1))
        n_features = X.shape[1]
        limits = {"n_jobs": self.n_jobs, "memory_limit": self.memory_limit}
        if self.rule == "robust":
            share = float(self.variance_kept) if self.variance_kept < 1 else None
            pca = L1KernelPCA(share, kernel="rbf", gamma="median", random_state=seed, **limits)
            pca._most_components = min(_MOST_COMPONENTS, n_features)  # noqa: SLF001
            return pca
        width = 1 / (2 * n_features**2)
        pca = L1KernelPCA(
            kernel="rbf", gamma=width, solver="fixed_point", start="column", center=False, **limits
        )
        pca._most_components = n_features  # noqa: SLF001
        return pca

    def _sample(self, Z: Array, rng: np.random.RandomState) -> Array:
        most = self.max_samples
        if most == "auto":
            most = _SAMPLED_ROWS if self.pca is None and self.rule == "robust" else None
        if most is None or len(Z) <= most:
            return Z
        return Z[np.sort(rng.choice(len(Z), most, replace=False))]

    def _n_kept(self) -> int:
        """Leading components that reach the share of the total variance."""
        reached = np.cumsum(self.pca_.explained_variance_ratio_) >= self.variance_kept
        return int(np.argmax(reached)) + 1 if reached.any() else self.pca_.n_components_

    def _find_offset(self, scores: Array) -> float:
        if self.contamination == "auto":
            # Of ordinary rows 2.5 % lie beyond the cut-off; bounded or lumpy scores may put it
            # beyond every row, then the training rows themselves say where that point is.
            return max(-self.rule_.cutoff, float(np.quantile(scores, 1 - QUANTILE)))
        if self.contamination == 0:
            return float(scores.min())
        return float(np.percentile(scores, 100 * self.contamination))

    def _is_precomputed(self) -> bool:
        return getattr(self.pca, "kernel", None) == "precomputed"

    def _check_parameters(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r} must be one of {list(RULES)}")
        if self._is_precomputed() and self.rule == "robust":
            raise ValueError(
                "rule='robust' needs k(x, x), which kernel='precomputed' does not give: use"
                " rule='paper', or a kernel"
            )
        share: Any = self.variance_kept
        if not isinstance(share, Real) or not 0 < float(share) <= 1:
            raise ValueError(f"variance_kept={share!r} must be a number above 0 and at most 1")
        level = self.contamination
        if level != "auto" and (not isinstance(level, Real) or not 0 <= float(level) <= 0.5):
            raise ValueError(
                f"contamination={level!r} must be 'auto' or a number between 0 and 0.5"
            )
        most = self.max_samples
        if most not in ("auto", None) and (not isinstance(most, int | np.integer) or most < 1):
            raise ValueError(f"max_samples={most!r} must be 'auto', None or a positive integer")
        if self.pca is not None and not hasattr(self.pca, "_project"):
            raise ValueError(
                f"pca={type(self.pca).__name__} must be one of the kernel PCAs of l1kpca, or None"
            )
