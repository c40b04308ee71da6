"""Detectors in the interface of other libraries."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

try:
    from pyod.models.base import BaseDetector
except ImportError as error:
    raise ImportError(
        "l1kpca.adapters needs PyOD, which is not installed: pip install 'l1kpca[pyod]'"
    ) from error
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from l1kpca._typing import Array
from l1kpca.outliers.detector import KernelPCAOutlierDetector


@dataclass(eq=False, repr=False)
class L1KPCA(BaseDetector):
    """`KernelPCAOutlierDetector` as a PyOD detector: higher scores are more abnormal.

    Parameters
    ----------
    contamination : float in (0, 0.5] or PyThresh object, default=0.1
        Share of the training rows that get the label 1, or an object that finds it.
    pca, rule, scaling, max_samples, random_state, n_jobs, memory_limit : optional
        As for `KernelPCAOutlierDetector`.

    Attributes
    ----------
    decision_scores_, labels_ : ndarray of shape (n_samples,)
        Abnormality of the training rows; 0 for ordinary ones, 1 for outliers.
    threshold_, n_features_in_ : float, int
        Rows with a higher abnormality get the label 1; number of columns at fit.
    detector_ : KernelPCAOutlierDetector
        The fitted detector, with ``explain`` and ``outlier_map``.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.adapters import L1KPCA
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> X[7] = [6.0, -6.0]
    >>> detector = L1KPCA(contamination=0.05, random_state=0).fit(X)
    >>> int(detector.decision_scores_.argmax()), int(detector.labels_.sum())
    (7, 5)
    """

    # The constructor of PyOD, which refuses values, is not called: that is for fit to do, so that
    # parameters may be set in any order.
    contamination: Any = 0.1
    _: KW_ONLY
    pca: Any = None
    rule: Any = "auto"
    scaling: str | None = "columns"
    max_samples: Any = "auto"
    random_state: Any = None
    n_jobs: int | None = None
    memory_limit: Any = None

    def __sklearn_tags__(self) -> Tags:
        return KernelPCAOutlierDetector(self.pca).__sklearn_tags__()

    def fit(self, X: Any, y: Any = None) -> "L1KPCA":
        """Learn what ordinary rows look like; set scores and labels of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
            PyOD warns if it is given.

        Returns
        -------
        self : object
        """
        level = self.contamination
        is_threshold = hasattr(level, "fit") and hasattr(level, "predict")
        if not is_threshold and not (isinstance(level, int | float) and 0 < level <= 0.5):
            raise ValueError(
                f"contamination={level!r} must be a number above 0 and at most 0.5, or a PyThresh"
                " object; for a line without a known share use l1kpca.KernelPCAOutlierDetector"
            )
        self._set_n_classes(y)
        settings = self.get_params(deep=False)
        self.detector_ = KernelPCAOutlierDetector(**settings | {"contamination": "auto"})
        self.decision_scores_ = self.detector_.fit_judge(X).abnormality
        self.n_features_in_ = self.detector_.n_features_in_
        self._process_decision_scores()
        return self

    def decision_function(self, X: Any) -> Array:  # noqa: D102 (PyOD's docstring)
        check_is_fitted(self, "labels_")
        return -self.detector_.score_samples(X)

    decision_function.__doc__ = BaseDetector.decision_function.__doc__

    def explain(self, X: Any) -> Array:  # noqa: D102 (the detector's docstring)
        check_is_fitted(self, "labels_")
        return self.detector_.explain(X)

    explain.__doc__ = KernelPCAOutlierDetector.explain.__doc__
