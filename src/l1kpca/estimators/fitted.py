"""What a fitted kernel PCA does with rows and scores."""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.checks import check_results, is_dask, overflow_is_checked
from l1kpca.estimators.inverse import FixedPointInverse, least_squares_inverse
from l1kpca.estimators.validation import check_rows
from l1kpca.gram.collections import dask_array, example_of, map_rows, project_blocks
from l1kpca.gram.projection import Projected
from l1kpca.kernels import name_of
from l1kpca.links import Documented
from l1kpca.threads import computing

INVERSE_METHODS = ("auto", "ridge", "fixed_point")
_FEATURE_GROUPS = 10  # groups of columns to hide in turn


class FittedKernelPCA(Documented, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Scores of new rows, rows from scores, and a score for model selection."""

    def transform(self, X: Any) -> Array:
        """Project rows onto the components.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            New rows; their kernel with the training rows if ``kernel="precomputed"``.

        Returns
        -------
        scores : ndarray or Dask array of shape (n_samples, n_components_)
        """
        if is_dask(X):
            check_is_fitted(self)
            validate_data(self, example_of(X), skip_check_array=True, reset=False)
            return project_blocks(X, self.projection_)
        return self.project(X).scores

    def project(self, X: Any) -> Projected:
        """Scores of rows, and their squared distances to the center of feature space.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in `transform`.

        Returns
        -------
        projected : Projected
            Arrays ``scores`` and ``squared_norms``; the latter is None for a kernel matrix.
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        with computing(self.n_jobs) as workers, overflow_is_checked():
            found = self.projection_(X, workers)
        check_results(found.scores, self.kernel)
        return found

    def inverse_transform(self, X: Any, *, method: str = "auto") -> Array:
        r"""Rows with approximately the given scores.

        Scores s describe the point :math:`P = m + \sum_j s_j w_j` of feature space, with m the
        center and w the components.  "ridge" predicts the row by kernel ridge regression on the
        scores; "fixed_point" finds the row with the nearest image (Mika et al., 1998), shortening

        .. math:: x \leftarrow \frac{\sum_l g_l k(x, x_l)\, x_l}{\sum_l g_l k(x, x_l)}
                  \quad\text{with } P = \sum_l g_l \phi(x_l)

        Parameters
        ----------
        X : array-like or Dask array of shape (n_samples, n_components_)
            Scores.
        method : {"auto", "ridge", "fixed_point"}, default="auto"
            "auto" is exact for the linear kernel, else "ridge", which needs
            ``fit_inverse_transform=True``.  "fixed_point" needs ``kernel="rbf"``; it starts at the
            nearest training row or landmark, or at the ridge pre-image if that is nearer.

        Returns
        -------
        rows : ndarray or Dask array of shape (n_samples, n_features)
        """
        self._check_inverse(method)
        if is_dask(X):
            ridge = method != "fixed_point"
            work = self.inverse_ if ridge else partial(self._rows_of, method=method)
            return map_rows(dask_array(X, lengths=False), work, self.n_features_in_)
        floats = [np.float64, np.float32]
        scores = check_array(X, dtype=floats, input_name="X", ensure_min_features=0)
        if scores.shape[1] != self.n_components_:
            given = f"X has {scores.shape[1]} columns, but n_components_={self.n_components_}"
            raise ValueError(f"{given}: pass scores, as transform returns")
        return self._rows_of(scores, method)

    def denoise(self, X: Any, *, method: str = "auto") -> Array:
        r"""Replace rows with what the components keep of them.

        This is ``inverse_transform(transform(X), method=method)``.  For the linear kernel it is
        the orthogonal projection :math:`m + W^T W (x - m)`, with W the rows of ``components_``.

        Parameters
        ----------
        X, method
            As in `transform` and `inverse_transform`.

        Returns
        -------
        rows : ndarray or Dask array of shape (n_samples, n_features)

        Examples
        --------
        >>> import numpy as np
        >>> from l1kpca import L1KernelPCA
        >>> X = np.array([[-2.0, -2.1], [-1.0, -0.9], [0.0, 0.1], [1.0, 0.9], [2.0, 2.0]])
        >>> L1KernelPCA(1).fit(X).denoise([[3.0, 1.0]]).round(1)
        array([[2., 2.]])
        """
        self._check_inverse(method)  # before any work
        scores = self.transform(X) if is_dask(X) else self.project(X).scores
        return self.inverse_transform(scores, method=method)

    def _check_inverse(self, method: str) -> None:
        check_is_fitted(self)
        kernel, refused = name_of(self.kernel), ""
        if method not in INVERSE_METHODS:
            refused = f"method={method!r} must be one of {list(INVERSE_METHODS)}"
        elif self.kernel == "precomputed":
            refused = "pre-images need the rows: pass them, and a kernel instead of 'precomputed'"
        elif method != "auto" and self.kernel == "linear":
            refused = f"method={method!r} is not for kernel='linear', which is exact"
            refused += ": use method='auto'"
        elif method == "fixed_point" and self.kernel != "rbf":
            refused = f"method='fixed_point' needs kernel='rbf', got {kernel}: use method='ridge'"
        if refused:
            raise ValueError(refused)
        if method != "fixed_point" and self.inverse_ is None:
            instead = " or use method='fixed_point'" if self.kernel == "rbf" else ""
            raise NotFittedError(
                f"inverse_transform with kernel={kernel} needs fit_inverse_transform=True: set it"
                f" and fit again{instead}"
            )

    def _rows_of(self, scores: Array, method: str) -> Array:
        if method != "fixed_point":
            with overflow_is_checked():
                rows = self.inverse_(scores)
            return check_results(rows, self.kernel)
        if self.projection_.rows is None:
            lacking = f"the training rows, which gram={self.gram!r} does not keep"
            way_out = "use method='ridge', or another gram"
            raise ValueError(f"method='fixed_point' needs {lacking}: {way_out}")
        start = None if self.inverse_ is None else self.inverse_(scores)
        with computing(self.n_jobs) as workers:
            return FixedPointInverse(self.projection_, workers)(scores, start)

    def score(self, X: Any, y: Any = None) -> float:
        r"""How well the components predict hidden features of rows from the others.

        Groups of columns are replaced in turn by their training medians.  The scores then predict
        them, by the linear map that best fits the training rows.  Over all groups,

        .. math:: 1 - \sum_{ij} |x_{ij} - \hat x_{ij}| / s_j \Big/ \sum_{ij} |x_{ij} - m_j| / s_j

        with :math:`m_j` the training median and :math:`s_j` the mean absolute deviation of column
        j.  0 is no better than the medians, which too many components only reproduce.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Preferably not the training rows; 20 000 of those on a cluster count.
        y : ignored

        Returns
        -------
        score : float
            At most 1.
        """
        check_is_fitted(self)
        if self.kernel == "precomputed":
            way_out = "pass them, and a kernel instead of 'precomputed'"
            raise ValueError(f"score needs the rows: {way_out}")
        X, training = check_rows(self, X, reset=False), self.X_fit_
        if is_dask(training):
            training = np.asarray(training[:: max(1, len(training) // tuning.SEEDING_ROWS)])
        rows, training = (x.toarray() if sparse.issparse(x) else x for x in (X, training))
        median = np.median(training, axis=0)
        scale = np.abs(training - median).mean(axis=0)
        scale[scale <= 0] = np.inf
        inverse = least_squares_inverse(self.project(training).scores, training)
        missed = np.zeros(2)  # by the prediction, and by the medians
        for first in range(min(rows.shape[1], _FEATURE_GROUPS)):
            group, hidden = np.s_[:, first::_FEATURE_GROUPS], rows.copy()
            hidden[group] = median[group[1]]
            scores = self.project(hidden).scores
            with overflow_is_checked():
                guesses = inverse(scores)[group], hidden[group]
                missed += [np.sum(np.abs(rows[group] - x) / scale[group[1]]) for x in guesses]
        error, baseline = check_results(missed, self.kernel).tolist()
        return 1.0 - error / baseline if baseline > 0 else 0.0

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
