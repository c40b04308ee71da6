"""The same detector with the components of classical kernel PCA."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from l1kpca.estimators.outliers.blocks import projected
from l1kpca.estimators.outliers.rules import (
    FittedRule,
    fit_paper_rule,
    fit_robust_rule,
    leading,
    training_abnormality,
)
from l1kpca.gram.base import Projected
from l1kpca.peers import L2KernelPCA

MOST_ROWS = 2000
"""With more training rows, all eigenvectors of their Gram matrix would take too long."""
_SHARED = ("kernel", "degree", "coef0", "kernel_params", "center", "dtype", "n_jobs")


def classical_scores(detector: Any, X: Any) -> np.ndarray | None:
    """Abnormality of rows by L2 components: same training rows, columns, kernel and rule.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted; not changed.
    X : array-like of shape (n_rows, n_features)
        Rows; the constants of the rule are taken from them.

    Returns
    -------
    scores : ndarray of shape (n_rows,) or None
        None if the detector is classical itself, or has too many training rows.
    """
    pca = detector.pca_
    if isinstance(pca, L2KernelPCA) or len(pca.X_fit_) > MOST_ROWS or not pca.n_components_:
        return None
    settings = {name: getattr(pca, name) for name in _SHARED}
    twin = L2KernelPCA(pca.n_components_, gamma=pca.gamma_, random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said of the detector itself
        twin.fit(pca.X_fit_)
    rows = projected(twin, detector.columns_, np.asarray(X))
    return training_abnormality(_fit_rule(detector, twin, rows), rows)


def _fit_rule(detector: Any, pca: Any, rows: Projected) -> FittedRule:
    if detector.rule == "paper":
        return fit_paper_rule(rows, detector.variance_kept)
    return fit_robust_rule(rows, leading(pca.explained_variance_ratio_, detector.variance_kept))
