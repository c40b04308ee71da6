"""A detector that holds a kernel PCA, in scikit-learn's outlier contract."""

from dataclasses import field, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.checks import check_seed, check_sums, is_dask, validated, warn_user
from l1kpca.estimators.base import parameters
from l1kpca.links import Documented
from l1kpca.outliers import door
from l1kpca.outliers.calibration import Calibrated
from l1kpca.outliers.columns import Columns, learn_cells
from l1kpca.outliers.judged import Judged, Views, judge_parts, projected
from l1kpca.outliers.rules import Rows, fit_rule, parts, row_spans
from l1kpca.tables.encoder import Encoded, TableEncoder
from l1kpca.tables.kinds import is_frame


@parameters
class KernelPCAOutlierDetector(Calibrated, Views, Documented, OutlierMixin, BaseEstimator):
    """Find the rows that do not fit the robust, nonlinear principal components of the others.

    Parameters
    ----------
    pca : kernel PCA of this library, default=None
        Any of them, not fitted.  None is ``rule.kernel_pca(n_columns)`` for the columns that vary.
    rule : {"auto", "robust", "novelty", "paper"} or rule object, default="auto"
        How abnormal a row is: see `Robust`, `Novelty` and `Paper`.  "auto" is "robust", or
        "novelty" if ``contamination`` is 0.
    contamination : "auto" or float, default="auto"
        Where the line is.  With "auto", "robust" flags rows that are too rare, or too many, for
        ordinary ones, up to 40 % and at least one; "paper" flags rows beyond the 97.5 % point of a
        chi-square variable or of the training rows.  A float in (0, 0.5] flags that share of the
        training rows.  0 says that they are clean: "novelty" flags one in a hundred ordinary new
        rows, as with "auto"; the others flag rows more abnormal than all training rows.
    scaling : {"columns", "common"} or None, default="columns"
        "columns" divides each column by its own spread: the standard deviation; for "robust" the
        MAD, with a soft bound of three spreads.  "common" divides all by one spread, for columns of
        one unit such as spectra and images.  Constant columns are dropped.  None scales nothing.
    max_samples : int, None or "auto", default="auto"
        Components are found on at most that many random rows, None is all; every row is scored.
        "auto" is 1000 for "robust", 2000 for "novelty", all for "paper" and
        ``kernel="precomputed"``.
    calibration : float or None, default=None
        Share of the rows, drawn at random, that ``fit`` does not learn from but calibrates with.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample, and of a kernel PCA whose own is None.
    n_jobs, memory_limit : default=None
        As for `L1KernelPCA`; used for a kernel PCA whose own are None.

    Attributes
    ----------
    pca_, rule_ : estimator, FittedRule
        The kernel PCA, fitted on the scaled rows ``pca_.X_fit_``; what the rule learned.
    offset_ : float
        Rows with ``score_samples`` below it are outliers.
    columns_ : Columns
        How columns are scaled, and in ``columns_.cells`` how they depend on each other.
    calibration_, encoder_ : Calibration, TableEncoder
        The reference rows, if any; what turned the columns of a data frame into numbers, or None.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Number of columns at fit; their names, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> X = np.random.default_rng(0).normal(size=(100, 2)) @ [[1.0, 0.9], [0.0, 0.3]]
    >>> X[7] = [2.0, -2.0]
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> int(np.argmin(detector.score_samples(X))), int(detector.predict(X[7:8])[0])
    (7, -1)
    """

    pca: Any = field(default=None, kw_only=False)
    rule: Any = "auto"
    contamination: Any = "auto"
    scaling: str | None = "columns"
    max_samples: Any = "auto"
    calibration: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    memory_limit: Any = None

    def fit(self, X: Any, y: Any = None) -> "KernelPCAOutlierDetector":
        """Learn what ordinary rows look like.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, outliers among them.  Here and in all methods, a hole (NaN) is judged by nothing,
            and filled by what the other cells of its row say that it should be.
        y : ignored

        Returns
        -------
        self : object
        """
        X = door.collected(self, X) if is_dask(X) else X
        (self._fit if self.calibration is None else self._fit_and_calibrate)(X)
        return self

    def fit_judge(self, X: Any, *, n_scores: int = 2) -> Judged:
        """``fit(X).judge(X)`` with one projection of the rows.

        Parameters
        ----------
        X, n_scores
            As for ``fit`` and ``judge``.

        Returns
        -------
        judged : Judged
        """
        if self.calibration is not None:
            return self.judge(self._fit_and_calibrate(X), n_scores=n_scores)
        rows = self._fit(X)
        return judge_parts(parts(rows), self.rule_, self.offset_, n_scores)

    def judge(self, X: Any, *, n_scores: int | None = 2) -> Judged:
        """Everything about rows from one projection.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_scores : int or None, default=2
            How many leading components to give the scores of.  None gives no outlier map, either.

        Returns
        -------
        judged : Judged
        """
        X = self._rows(X)
        pieces = (projected(self.pca_, self.columns_, X[rows]) for rows in row_spans(X))
        return judge_parts(pieces, self.rule_, self.offset_, n_scores)

    @door.in_partitions
    def score_samples(self, X: Any) -> Array:
        """How ordinary rows are; the negative abnormality, so higher is more ordinary.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return -self.judge(X, n_scores=None).abnormality

    @door.in_partitions
    def decision_function(self, X: Any) -> Array:
        """``score_samples`` minus ``offset_``: negative for outliers.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    @door.in_partitions
    def predict(self, X: Any) -> Array:
        """1 for ordinary rows, -1 for outliers.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.where(self.judge(X, n_scores=None).flagged, -1, 1)

    def _fit(self, X: Any) -> Rows:
        """Fit; gives the projected training rows, so that they need not be projected again."""
        for name in ("rule_", "calibration_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # a fit that fails leaves no half-fitted detector
        rule, rng = door.check_detector(self), check_seed(self.random_state)
        X = self._rows(X, reset=True)
        check_sums(X)
        n_columns, seed, sample = X.shape[1], int(rng.randint(2**31 - 1)), X
        names, least = getattr(self, "feature_names_in_", np.arange(n_columns)), np.zeros(n_columns)
        if self.encoder_ is not None:
            names, least = self.encoder_.get_feature_names_out(), self.encoder_.least_spread_
        columns = Columns(np.ones(n_columns, dtype=bool))
        if not door.is_precomputed(self.pca):
            columns = rule.columns(X, self.scaling, least)
            most = rule.max_samples if self.max_samples == "auto" else self.max_samples
            if most is not None and len(X) > most:
                sample = X[np.sort(rng.choice(len(X), most, replace=False))]
            cells = learn_cells(X, least, rng, one_unit=self.scaling != "columns")
            columns = replace(columns, cells=cells)
        dropped = names[~columns.used]
        if 0 < len(dropped) < n_columns:
            shown = ", ".join(map(str, dropped[:5])) + (", ..." if len(dropped) > 5 else "")
            empty = " or empty" if np.isnan(np.fmax.reduce(X, axis=0)).any() else ""
            which = f"{len(dropped)} of {n_columns} columns are constant{empty}"
            warn_user(f"{which} and were dropped: {shown}")
        pca = rule.kernel_pca(n_columns - len(dropped)) if self.pca is None else clone(self.pca)
        own = {"random_state": seed, "n_jobs": self.n_jobs, "memory_limit": self.memory_limit}
        for name, value in own.items():
            if getattr(pca, name) is None:
                pca.set_params(**{name: value})
        self.columns_, self.pca_ = columns, pca.fit(columns(sample))
        rows = projected(self.pca_, columns, X)
        self.rule_, self.offset_ = fit_rule(rule, rows, self.contamination)
        return rows

    def _rows(self, X: Any, *, reset: bool = False, asked: str = "") -> Array:
        """Rows as numbers; a fit learns how to read the columns of a data frame.

        If ``asked``, a method that looks at the columns, a kernel matrix is refused.
        """
        if not reset:
            check_is_fitted(self)
        if asked and self.columns_.cells is None:
            lacking = "the columns of the rows, which kernel='precomputed' does not have"
            raise ValueError(f"{asked} needs {lacking}: pass the rows and a kernel instead")
        self.encoder_: Any = None if reset else self.encoder_
        if not isinstance(X, Encoded):
            precomputed = door.is_precomputed(self.pca)
            if precomputed or (self.encoder_ is None and not (reset and is_frame(X))):
                finite, types = True if precomputed else "allow-nan", [np.float64, np.float32]
                return validated(self, X, dtype=types, ensure_all_finite=finite, reset=reset)
            if not reset:
                validate_data(self, X, reset=False, skip_check_array=True)
            encoder: Any = TableEncoder().fit(X) if reset else self.encoder_
            X = encoder.encode(X)
            if reset:
                door.warn_of_changes(X)
        self.encoder_ = X.encoder
        for name in ("n_features_in_", "feature_names_in_") if reset else ():
            if hasattr(X.encoder, name):
                setattr(self, name, getattr(X.encoder, name))
        return check_array(X.X, ensure_all_finite="allow-nan")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = door.is_precomputed(self.pca)
        tags.input_tags.allow_nan = not tags.input_tags.pairwise
        return tags
