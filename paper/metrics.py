"""What is measured, computed from scores alone: no method grades itself."""

from functools import partial

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score


def paper_abnormality(scores, variance_kept=0.8):
    """The paper's detection rule on training scores: sum_j (Y_ij - mean_j)^2 / variance_j.

    The sum is over the components with the largest variances that together reach a share of all."""
    variance = scores.var(axis=0)
    order = np.argsort(-variance, kind="stable")
    reached = np.cumsum(variance[order])
    # One rounding error short of the share is reached; all components must be allowed to.
    short = reached < variance_kept * reached[-1] * (1 - np.finfo(float).eps)
    kept = np.sort(order[: short.sum() + 1])
    # A component whose scores all agree says nothing about a row.
    kept = kept[np.sqrt(variance[kept]) > 1e-13 * np.abs(scores[:, kept].mean(axis=0))]
    centered = scores[:, kept] - scores[:, kept].mean(axis=0)
    return (centered**2 / variance[kept]).sum(axis=1)


def pr_auc(y, abnormality, start=1.0):
    """Area under the precision-recall curve by trapezoids, as in the paper, from (0, start) on."""
    precision, recall, _ = precision_recall_curve(y, abnormality)
    return float(auc(recall, np.append(precision[:-1], start)))


AREAS = {
    "trapezoid": pr_auc,
    "from the origin": partial(pr_auc, start=0.0),
    "average precision": average_precision_score,
    "ROC": roc_auc_score,
}


def detection_metrics(y, abnormality):
    return {name: float(area(y, abnormality)) for name, area in AREAS.items()}


def inside_boundary(radius, kind):
    """How many far (1) and off (2) points lie in the smallest circle around all normal (0) ones."""
    inside = radius <= radius[kind == 0].max()
    return {
        "triangles_inside": (inside & (kind == 1)).sum(),
        "squares_inside": (inside & (kind == 2)).sum(),
    }
