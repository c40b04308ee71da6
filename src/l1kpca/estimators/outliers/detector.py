"""A detector that holds a kernel PCA, in scikit-learn's outlier contract."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.estimators.outliers.blocks import projected, projected_blocks
from l1kpca.estimators.outliers.columns import Columns, as_they_are, medians, standardized_by
from l1kpca.estimators.outliers.defaults import SAMPLED_ROWS, default_pca
from l1kpca.estimators.outliers.explaining import contributions
from l1kpca.estimators.outliers.offsets import find_offset
from l1kpca.estimators.outliers.outlier_map import OutlierMap
from l1kpca.estimators.outliers.parameters import check_detector, is_precomputed
from l1kpca.estimators.outliers.rules import (
    FittedRule,
    fit_paper_rule,
    fit_robust_rule,
    leading,
    training_abnormality,
)
from l1kpca.estimators.scale import check_results, check_sums, overflow_is_checked
from l1kpca.estimators.validation import check_seed, refuse_dates
from l1kpca.gram.base import Projected


class KernelPCAOutlierDetector(OutlierMixin, BaseEstimator):
    """Find the rows that do not fit the robust, nonlinear principal components of the others.

    Parameters
    ----------
    pca : kernel PCA of this library, default=None
        Any of them, not fitted.  None is the rule's own: for ``rule="robust"`` an
        ``L1KernelPCA(kernel="rbf", gamma="median")`` with up to 50 components; for ``rule="paper"``
        the paper's, ``L1KernelPCA(kernel="rbf", gamma="paper", solver="fixed_point",
        start="column", center=False)`` with as many components as columns.
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
        Names of the columns, if all are strings.

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
        self.__dict__.pop("rule_", None)  # a fit that fails leaves no half-fitted detector
        check_detector(self)
        rng = check_seed(self.random_state)
        X = self._rows(X, reset=True)
        check_sums(X)
        self.columns_ = self._learn_columns(X)
        self.pca_ = self._make_pca(rng).fit(self.columns_(self._sample(X, rng)))
        rows = projected(self.pca_, self.columns_, X)
        rule = self._fit_rule(rows)
        scores = -training_abnormality(rule, rows)
        rounding = float(np.sqrt(np.finfo(rows.scores.dtype).eps))
        self.offset_ = find_offset(scores, rule.cutoff, self.contamination, rounding)
        self.rule_ = rule
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
        X = self._rows(X, reset=False)
        if is_precomputed(self.pca):
            raise ValueError(
                "explain needs the columns of the rows, which kernel='precomputed' does not have:"
                " pass the rows and a kernel instead"
            )
        return contributions(self._abnormality, X, self._reference, self.columns_.used)

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
        X = self._rows(X, reset=False)
        rows = projected(self.pca_, self.columns_, X)
        return OutlierMap(*self.rule_.distances(rows), *self.rule_.cutoffs)

    def _rows(self, X: Any, *, reset: bool) -> Array:
        if not reset:
            check_is_fitted(self)
        refuse_dates(X)
        with overflow_is_checked():  # scikit-learn sums all entries to see whether they are finite
            return validate_data(self, X, dtype=[np.float64, np.float32], reset=reset)

    def _abnormality(self, X: Array) -> Array:
        out = np.empty(len(X))
        with overflow_is_checked():
            for rows, block in projected_blocks(self.pca_, self.columns_, X):
                out[rows] = self.rule_.abnormality(block)
        return check_results(out, self.pca_.kernel)

    def _learn_columns(self, X: Array) -> Columns:
        if is_precomputed(self.pca):
            return as_they_are(X)
        self._reference = medians(X)
        if not self.standardize:
            return as_they_are(X)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
        return standardized_by(self.rule, X, names)

    def _make_pca(self, rng: np.random.RandomState) -> Any:
        if self.pca is not None:
            return clone(self.pca)
        n_columns = max(int(self.columns_.used.sum()), 1)
        seed = int(rng.randint(2**31 - 1))
        pca = default_pca(self.rule, self.variance_kept, n_columns, seed)
        return pca.set_params(n_jobs=self.n_jobs, memory_limit=self.memory_limit)

    def _sample(self, X: Array, rng: np.random.RandomState) -> Array:
        most = self.max_samples
        if most == "auto":
            most = SAMPLED_ROWS if self.pca is None and self.rule == "robust" else None
        if most is None or len(X) <= most:
            return X
        return X[np.sort(rng.choice(len(X), most, replace=False))]

    def _fit_rule(self, rows: Projected) -> FittedRule:
        if self.rule == "paper":
            return fit_paper_rule(rows, self.variance_kept)
        share = self.pca_.explained_variance_ratio_
        return fit_robust_rule(rows, leading(share, self.variance_kept))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.pca)
        return tags
