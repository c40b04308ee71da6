"""What a fitted kernel PCA can do with rows and scores."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.estimators.inverse import feature_groups, least_squares_inverse
from l1kpca.estimators.validation import check_rows
from l1kpca.gram.base import Projected
from l1kpca.gram.dask import is_dask, project_blocks
from l1kpca.kernels import name_of
from l1kpca.threads import single_threaded_blas


class PerComponent(np.ndarray):
    """One number for each component; a comparison of it is true if it is true for all."""

    def __bool__(self) -> bool:
        """Whether it holds for every component."""
        return bool(np.asarray(self).all())


class FittedKernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Scores of new rows, rows from scores, and a score for model selection."""

    _most_components: int | None = None
    """Bound on the components when ``n_components`` is a share or None; set by who holds this."""

    def transform(self, X: Any) -> Array:
        """Project rows on the components.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            New rows; the kernel between them and the training rows if ``kernel="precomputed"``.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)
            A Dask array if X is one.
        """
        if is_dask(X):
            check_is_fitted(self)
            validate_data(self, X, skip_check_array=True, reset=False)
            dtype = self.dual_components_.dtype
            return project_blocks(X, self._projection, self.n_components_, dtype)
        return self._project(X).scores

    def _project(self, X: Any) -> Projected:
        """Scores and squared norms, in the centered feature space, of new rows."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        with single_threaded_blas():
            return self._projection(X)

    def inverse_transform(self, X: Any) -> Array:
        """Rows that have, nearly, the given scores.

        For the linear kernel, the point of the subspace with these scores, the mean restored.  For
        other kernels, kernel ridge regression of the training rows on their scores, which needs
        ``fit_inverse_transform=True``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Scores.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if self._inverse is None:
            raise NotFittedError(
                f"inverse_transform with kernel={name_of(self.kernel)} needs"
                " fit_inverse_transform=True: set it and fit again"
            )
        scores = check_array(
            X, dtype=[np.float64, np.float32], input_name="X", ensure_min_features=0
        )
        if scores.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {scores.shape[1]} columns, but {type(self).__name__} has"
                f" n_components_={self.n_components_}: pass scores as transform gives them"
            )
        return self._inverse(scores)

    def score(self, X: Any, y: Any = None) -> float:
        r"""How well hidden features of rows are predicted from the other features of the same rows.

        A group of columns is replaced by its training medians, the rows are projected, and the
        hidden values are read off the components (by the linear map from scores to rows that fits
        the training rows best).  Over all groups,

        .. math:: 1 - \sum_{ij} |x_{ij} - \hat x_{ij}| / s_j \Big/ \sum_{ij} |x_{ij} - m_j| / s_j

        with :math:`m_j` the training median and :math:`s_j` the mean absolute deviation of column
        j: 0 is no better than the medians, 1 would be perfect (it is not reached: the medians that
        are put in pull the scores towards the center).  Errors are measured in the space of the
        rows, so a wide or narrow kernel, which shrinks distances in its own feature space, gains
        nothing; more components gain nothing by themselves, since with too many the medians that
        were put in are simply returned.  Absolute errors keep a few bad rows from deciding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, best not those of the fit.
        y : ignored
            For the interface alone.

        Returns
        -------
        score : float
            At most 1.
        """
        check_is_fitted(self)
        if self.kernel == "precomputed":
            raise ValueError(
                "score needs the rows themselves, which kernel='precomputed' does not have: pass"
                " the rows and the kernel instead"
            )
        X = check_rows(self, X, reset=False)
        rows = X.toarray() if sparse.issparse(X) else X
        training = self.X_fit_.toarray() if sparse.issparse(self.X_fit_) else self.X_fit_
        median = np.median(training, axis=0)
        scale = np.abs(training - median).mean(axis=0)
        usable = scale > 0
        inverse = least_squares_inverse(self._project(self.X_fit_).scores, training)
        error = baseline = 0.0
        for group in feature_groups(rows.shape[1]):
            hidden = rows.copy()
            hidden[:, group] = median[group]
            guessed = inverse(self._project(hidden).scores)[:, group]
            group_scale = np.where(usable[group], scale[group], np.inf)
            error += float((np.abs(rows[:, group] - guessed) / group_scale).sum())
            baseline += float((np.abs(rows[:, group] - median[group]) / group_scale).sum())
        return 1.0 - error / baseline if baseline > 0 else 0.0

    @property
    def n_iter_(self) -> PerComponent:
        """Steps that each component took."""
        return np.array([max(1, len(t) - 1) for t in self.objective_trace_]).view(PerComponent)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_components_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
