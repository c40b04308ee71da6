"""Where rows lie: in the plane of the first two components and in the outlier map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca.estimators.outliers.blocks import projected_blocks
from l1kpca.plots.ellipse import tolerance_ellipse


@dataclass(frozen=True, eq=False)
class Places:
    """Two places of each row.

    Attributes
    ----------
    plane : ndarray of shape (n_rows, 2)
        Scores of the first two components; 0 where there is no such component.
    score_distance, orthogonal_distance : ndarray of shape (n_rows,)
        The outlier map.
    cutoffs : tuple of float
        Of the two distances.
    ellipse : tuple of float or None
        Center and half axes of what holds 97.5 % of ordinary rows in the plane.
    n_components : int
        How many components the plane is of: 2, or fewer.
    """

    plane: np.ndarray
    score_distance: np.ndarray
    orthogonal_distance: np.ndarray
    cutoffs: tuple[float, float]
    ellipse: tuple[float, float, float, float] | None
    n_components: int


def locate(detector: Any, X: Any) -> Places:
    """Find the places of rows, in one pass and without all their scores in memory.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted.
    X : array-like of shape (n_rows, n_features)
        Rows.

    Returns
    -------
    places : Places
    """
    rows = np.asarray(X)
    plane = np.zeros((len(rows), 2))
    within, outside = np.zeros(len(rows)), np.zeros(len(rows))
    n_components = min(2, detector.pca_.n_components_)
    for span, block in projected_blocks(detector.pca_, detector.columns_, rows):
        plane[span, :n_components] = block.scores[:, :n_components]
        within[span], outside[span] = detector.rule_.distances(block)
    return Places(
        plane,
        within,
        outside,
        detector.rule_.cutoffs,
        tolerance_ellipse(detector.rule_),
        n_components,
    )
