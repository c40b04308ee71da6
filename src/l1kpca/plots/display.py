"""What all displays share: axes, colors, and which kernel PCA an estimator holds."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

# Okabe and Ito's colors, which color-blind readers tell apart. In print without color, markers and
# line styles say the same.
BLUE, ORANGE = "#0072B2", "#D55E00"
CUTOFF: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}
_ORDINARY = {"marker": "o", "s": 18, "color": BLUE, "alpha": 0.6, "linewidths": 0}
_OUTLYING = {"marker": "^", "s": 42, "color": ORANGE, "edgecolors": "black", "linewidths": 0.6}


class Display:
    """A picture in one pair of axes, or in several panels side by side."""

    _draw: Callable[..., None]
    _size: tuple[float, float] | None = None  # of a panel, in inches
    axes_: Any

    def _shape(self) -> tuple[int, int]:
        """Number of panels, and how many fit in a row."""
        return 1, 1

    def plot(self, *, ax: Any = None, axes: Any = None, **keywords: Any) -> Self:
        """Draw the arrays again.

        Parameters
        ----------
        ax, axes, **keywords : optional
            As for the method that made the display.

        Returns
        -------
        self : object
            Drawn in ``ax_``, or ``axes_`` if there are several, of ``figure_``.
        """
        axes, (count, columns) = ax if axes is None else axes, self._shape()
        if axes is None:
            try:
                from matplotlib import pyplot as plt  # noqa: PLC0415 (only an extra installs it)
            except ImportError as error:
                lacking = "plots need matplotlib, which is not installed; install it with:"
                raise ImportError(f"{lacking} pip install 'l1kpca[report]'.") from error
            n_rows = -(-count // columns)
            size = self._size and (self._size[0] * columns, self._size[1] * n_rows)
            options: dict[str, Any] = {"figsize": size, "squeeze": False, "layout": "constrained"}
            every = plt.subplots(n_rows, columns, **options)[1].ravel()
            axes = every[:count]
            for spare in every[count:]:
                spare.set_axis_off()
        self.axes_ = np.atleast_1d(axes).ravel()
        if len(self.axes_) != count:
            raise ValueError(f"axes has {len(self.axes_)} entries, but there are {count} panels")
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure
        self._draw(*self.axes_, **keywords)
        return self


def pca_of(estimator: Any) -> Any:
    """The fitted kernel PCA: the estimator, or the one that a detector holds."""
    check_is_fitted(estimator)
    return getattr(estimator, "pca_", estimator)


def names_of(estimator: Any, count: int) -> np.ndarray:
    """Names of the columns; x0, x1, ... if they have none."""
    plain = [f"x{j}" for j in range(count)]
    return np.asarray(getattr(estimator, "feature_names_in_", plain), dtype=object)


def scatter(
    ax: Any, names: Sequence[str], places: np.ndarray, is_outlier: np.ndarray, keywords: Any
) -> Any:
    """Dots for rows, triangles for outliers on top of them; ``names`` are those of the axes."""
    ax.set(xlabel=names[0], ylabel=names[1])
    kinds = ((~is_outlier, _ORDINARY, "row"), (is_outlier, _OUTLYING, "outlier"))
    return [
        ax.scatter(*places[mask].T, **(style | {"label": label} | keywords))
        for mask, style, label in kinds
        if mask.any()
    ]


def bars(ax: Any, lengths: np.ndarray, labels: Any, style: dict[str, Any]) -> Any:
    """Bars to both sides of a line at 0, the first on top, with their labels."""
    ax.set_yticks(np.arange(len(lengths)), labels)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.8)
    return ax.barh(np.arange(len(lengths)), lengths, **style)
