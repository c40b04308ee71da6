"""Rows beside what the components keep of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from l1kpca.plots.drawing import BLUE, ORANGE, figures, kernel_pca


class PreimageDisplay:
    """Rows above what the components keep of them: their pre-images.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        Rows.
    preimages : ndarray of shape (n_rows, n_features)
        Rows with, nearly, the same scores.
    shape : tuple of int or None
        Height and width of images; None draws rows as lines.

    Attributes
    ----------
    axes_ : ndarray of Axes
        Two rows of panels for images; one panel for each line.
    figure_ : Figure
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.plots import PreimageDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> PreimageDisplay.from_estimator(L1KernelPCA(2).fit(X), X[:4], shape=(2, 3)).preimages.shape
    (4, 6)
    """

    def __init__(
        self, rows: np.ndarray, *, preimages: np.ndarray, shape: tuple[int, int] | None = None
    ):
        self.rows = rows
        self.preimages = preimages
        self.shape = shape

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        shape: tuple[int, int] | None = None,
        method: str = "auto",
        **keywords: Any,
    ) -> PreimageDisplay:
        """Send rows to their scores and back, and draw both.

        Parameters
        ----------
        estimator : kernel PCA
            Fitted; with a way back that ``method`` can go.
        X : array-like of shape (n_rows, n_features)
            A few rows.
        shape : tuple of int, default=None
            Height and width of images; None draws rows as lines.
        method : {"auto", "ridge", "fixed_point"}, default="auto"
            How to come back: as in the estimator's ``inverse_transform``.
        **keywords : dict
            Passed to ``imshow`` or ``plot``.

        Returns
        -------
        display : PreimageDisplay
        """
        pca, rows = kernel_pca(estimator), np.asarray(X)
        if pca is not estimator:
            raise ValueError(
                f"estimator={type(estimator).__name__} standardises its rows and has no way back:"
                " pass a kernel PCA"
            )
        if shape is not None and int(np.prod(shape)) != rows.shape[1]:
            raise ValueError(
                f"shape={tuple(shape)} has {int(np.prod(shape))} pixels, but X has {rows.shape[1]}"
                " columns"
            )
        preimages = pca.denoise(rows, method=method)
        return cls(rows, preimages=preimages, shape=shape).plot(**keywords)

    def plot(self, **keywords: Any) -> PreimageDisplay:
        """Draw, in a new figure.

        Parameters
        ----------
        **keywords : dict
            Passed to ``imshow`` or ``plot``.

        Returns
        -------
        self : PreimageDisplay
        """
        panels = 1 if self.shape is None else 2
        size = (1.6 * len(self.rows) + 0.8, 1.9 * panels)
        self.figure_, self.axes_ = figures().subplots(
            panels, len(self.rows), figsize=size, squeeze=False, layout="constrained"
        )
        if self.shape is None:
            self._draw_lines(keywords)
        else:
            self._draw_images(keywords)
        return self

    def _draw_images(self, keywords: dict[str, Any]) -> None:
        for ax, row in zip(self.axes_.ravel(), (*self.rows, *self.preimages), strict=True):
            ax.imshow(row.reshape(self.shape), **({"cmap": "gray"} | keywords))
            ax.set(xticks=[], yticks=[])
        self.axes_[0, 0].set(ylabel="row")
        self.axes_[1, 0].set(ylabel="pre-image")

    def _draw_lines(self, keywords: dict[str, Any]) -> None:
        for ax, row, preimage in zip(self.axes_.ravel(), self.rows, self.preimages, strict=True):
            ax.plot(row, **({"color": BLUE, "linestyle": ":", "label": "row"} | keywords))
            ax.plot(preimage, **({"color": ORANGE, "label": "pre-image"} | keywords))
        self.axes_[0, 0].legend()
