"""What all displays share: axes, colors, and which kernel PCA an estimator holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

# Okabe and Ito's colors, which color-blind readers tell apart. In print without color, markers and
# line styles say the same.
BLUE, ORANGE = "#0072B2", "#D55E00"
ORDINARY = {"marker": "o", "s": 18, "color": BLUE, "alpha": 0.6, "linewidths": 0}
OUTLYING = {"marker": "^", "s": 42, "color": ORANGE, "edgecolors": "black", "linewidths": 0.6}
CUTOFF: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}
LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": ORANGE, "linestyle": "--", "marker": "s"},
    {"color": "#009E73", "linestyle": ":", "marker": "^"},
    {"color": "black", "linestyle": "-.", "marker": "D"},
)


def figures() -> Any:
    """matplotlib's pyplot; only drawing needs it."""
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed; install it with:"
            " pip install 'l1kpca[report]'."
        ) from error
    return plt


def axes_or_new(ax: Any) -> Any:
    """The given axes, or those of a new figure."""
    return figures().subplots(layout="constrained")[1] if ax is None else ax


def several_axes(axes: Any, count: int, per_row: int = 4) -> np.ndarray:
    """As many axes as there are panels: those given, or those of a new figure."""
    if axes is not None:
        given = np.atleast_1d(axes).ravel()
        if len(given) != count:
            raise ValueError(f"axes has {len(given)} entries, but there are {count} panels")
        return given
    columns = min(count, per_row)
    n_rows = -(-count // columns)
    size = (3.6 * columns, 3.4 * n_rows)
    _, made = figures().subplots(n_rows, columns, figsize=size, squeeze=False, layout="constrained")
    for spare in made.ravel()[count:]:
        spare.set_axis_off()
    return made.ravel()[:count]


def kernel_pca(estimator: Any) -> Any:
    """The fitted kernel PCA: the estimator, or the one that a detector holds."""
    check_is_fitted(estimator)
    return getattr(estimator, "pca_", estimator)


def scores_of(estimator: Any, X: Any, components: Sequence[int]) -> np.ndarray:
    """Scores of rows in some components; a detector standardises the rows first."""
    pca = kernel_pca(estimator)
    beyond = [j for j in components if not 0 <= j < pca.n_components_]
    if beyond:
        raise ValueError(
            f"components={tuple(components)} must be between 0 and {pca.n_components_ - 1}: the"
            f" model has n_components_={pca.n_components_}"
        )
    rows = estimator.columns_(np.array(X, dtype=float)) if is_detector(estimator) else X
    return np.asarray(pca.transform(rows))[:, list(components)]


def is_detector(estimator: Any) -> bool:
    """Whether an estimator says which rows are outliers."""
    return hasattr(estimator, "rule_")


def checked_mask(is_outlier: Any, n_rows: int) -> np.ndarray:
    """Which rows to mark, one truth value for each."""
    mask = np.zeros(n_rows, dtype=bool) if is_outlier is None else np.asarray(is_outlier, bool)
    if mask.shape != (n_rows,):
        raise ValueError(f"is_outlier has shape {mask.shape}, but X has {n_rows} rows")
    return mask


def feature_names(estimator: Any, count: int) -> np.ndarray:
    """Names of the columns, x0, x1, ... if they have none."""
    plain = np.array([f"x{j}" for j in range(count)], dtype=object)
    return np.asarray(getattr(estimator, "feature_names_in_", plain), dtype=object)


def scatter(ax: Any, places: np.ndarray, is_outlier: np.ndarray, keywords: dict[str, Any]) -> Any:
    """Two kinds of rows: dots, and triangles on top of them."""
    drawn = []
    for mask, style, label in ((~is_outlier, ORDINARY, "row"), (is_outlier, OUTLYING, "outlier")):
        if mask.any():
            drawn.append(ax.scatter(*places[mask].T, **(style | {"label": label} | keywords)))
    return drawn
