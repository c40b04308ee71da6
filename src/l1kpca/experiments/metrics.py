"""What is measured, computed in one place from scores alone; no method grades itself."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from l1kpca._typing import Array
from l1kpca.estimators.outliers.rules import fit_paper_rule
from l1kpca.gram.base import Projected


def explained_variation(scores: Array, best: float) -> float:
    r"""The paper's total explained variation, in percent.

    .. math:: 100 \, \frac{\sum_j \sum_i (\phi(a_i)^T \tilde x_j)^2}{\sum_j x_j^T K x_j}

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_components)
        Projections of the normal rows on directions that were found on the noisy rows.
    best : float
        The most that so many orthogonal directions can explain, see `best_variation`.

    Examples
    --------
    >>> explained_variation(np.array([[3.0], [4.0]]), 50.0)
    50.0
    """
    return float(100 * (scores**2).sum() / best)


def best_variation(scores: Array) -> float:
    """Sum of squares of the normal rows' own L2 scores: the denominator of the measure."""
    return float((scores**2).sum())


def l1_dispersion(scores: Array) -> float:
    """The L1 norm of scores: what L1 kernel PCA maximises.

    Examples
    --------
    >>> l1_dispersion(np.array([1.0, -2.0]))
    3.0
    """
    return float(np.abs(scores).sum())


def paper_abnormality(scores: Array, variance_kept: float = 0.8) -> Array:
    """The paper's detection rule on training scores: higher is more abnormal."""
    rows = Projected(scores, None)
    return fit_paper_rule(rows, variance_kept).abnormality(rows)


def pr_auc(y: Array, abnormality: Array) -> float:
    """Area under the precision-recall curve by trapezoids, as in the paper.

    Examples
    --------
    >>> pr_auc(np.array([0, 0, 1]), np.array([0.1, 0.2, 0.9]))
    1.0
    """
    precision, recall, _ = precision_recall_curve(y, abnormality)
    return float(auc(recall, precision))


def detection_metrics(y: Array, abnormality: Array) -> dict[str, float]:
    """Three areas that say how well a ranking finds the outliers."""
    return {
        "pr_auc": pr_auc(y, abnormality),
        "average_precision": float(average_precision_score(y, abnormality)),
        "roc_auc": float(roc_auc_score(y, abnormality)),
    }


def standardized_radius(scores: Array) -> Array:
    """Distance from the origin in the standardized principal space."""
    deviation = scores.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    return np.sqrt((((scores - scores.mean(axis=0)) / deviation) ** 2).sum(axis=1))


def inside_boundary(radius: Array, kind: Array) -> dict[str, int]:
    """How many far (1) and off (2) points lie in the smallest circle around all normal (0) ones.

    Examples
    --------
    >>> inside_boundary(np.array([1.0, 2.0, 5.0, 1.5]), np.array([0, 0, 1, 2]))
    {'triangles_inside': 0, 'squares_inside': 1}
    """
    inside = radius <= radius[kind == 0].max()
    return {
        "triangles_inside": int((inside & (kind == 1)).sum()),
        "squares_inside": int((inside & (kind == 2)).sum()),
    }
