"""Rows in the plane of two components, for one method or for several side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from l1kpca.plots.drawing import (
    CUTOFF,
    axes_or_new,
    checked_mask,
    is_detector,
    scatter,
    scores_of,
    several_axes,
)
from l1kpca.plots.ellipse import tolerance_ellipse


class ScoresDisplay:
    """Rows in the plane of two components, outliers marked.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, 2)
        Scores of the two components.
    is_outlier : ndarray of bool, shape (n_rows,)
        Rows to mark.
    ellipse : tuple of float or None
        Center and half axes of the region of ordinary rows.
    components : tuple of int
        Which components these are, from 0.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        The rows: ordinary ones, outliers.
    boundary_ : Ellipse or None
        The region of ordinary rows.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> from l1kpca.plots import ScoresDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> display = ScoresDisplay.from_estimator(KernelPCAOutlierDetector(random_state=0).fit(X), X)
    >>> display.scores.shape
    (60, 2)
    """

    def __init__(
        self,
        scores: np.ndarray,
        *,
        is_outlier: np.ndarray,
        ellipse: tuple[float, float, float, float] | None = None,
        components: tuple[int, int] = (0, 1),
    ):
        self.scores = scores
        self.is_outlier = is_outlier
        self.ellipse = ellipse
        self.components = components

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        components: tuple[int, int] = (0, 1),
        is_outlier: Any = None,
        ax: Any = None,
        **keywords: Any,
    ) -> ScoresDisplay:
        """Compute scores and draw them.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted.
        X : array-like of shape (n_rows, n_features)
            Rows.
        components : tuple of int, default=(0, 1)
            Two components.
        is_outlier : array-like of bool, default=None
            Rows to mark; None marks what a detector says.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        display : ScoresDisplay
        """
        scores = scores_of(estimator, X, components)
        ellipse = None
        if is_detector(estimator):
            ellipse = tolerance_ellipse(estimator.rule_, *components)
            is_outlier = estimator.predict(X) == -1 if is_outlier is None else is_outlier
        mask = checked_mask(is_outlier, len(scores))
        display = cls(scores, is_outlier=mask, ellipse=ellipse, components=components)
        return display.plot(ax=ax, **keywords)

    def plot(self, *, ax: Any = None, **keywords: Any) -> ScoresDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        self : ScoresDisplay
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.points_ = scatter(self.ax_, self.scores, self.is_outlier, keywords)
        self.boundary_ = None if self.ellipse is None else self._draw_boundary(*self.ellipse)
        first, second = (f"component {j + 1}" for j in self.components)
        self.ax_.set(xlabel=first, ylabel=second)
        if self.is_outlier.any() or self.boundary_ is not None:
            self.ax_.legend()
        return self

    def _draw_boundary(self, x: float, y: float, across: float, up: float) -> Any:
        from matplotlib.patches import Ellipse  # noqa: PLC0415 (only an extra installs it)

        label = "97.5 % of ordinary rows"
        region = Ellipse((x, y), 2 * across, 2 * up, fill=False, label=label, **CUTOFF)
        self.ax_.add_patch(region)
        self.ax_.autoscale_view()
        return region


class ComparisonDisplay:
    """The same rows in the components of several methods, side by side.

    Parameters
    ----------
    scores : dict of str to ndarray of shape (n_rows, 2)
        Scores by method, turned so that directions agree as far as they can.
    is_outlier : ndarray of bool, shape (n_rows,)
        Rows to mark.
    components : tuple of int
        Which components these are, from 0.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One for each method.
    figure_ : Figure
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.peers import L2KernelPCA
    >>> from l1kpca.plots import ComparisonDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> methods = {"L1": L1KernelPCA(2).fit(X), "L2": L2KernelPCA(2).fit(X)}
    >>> list(ComparisonDisplay.from_estimators(methods, X).scores)
    ['L1', 'L2']
    """

    def __init__(
        self,
        scores: dict[str, np.ndarray],
        *,
        is_outlier: np.ndarray,
        components: tuple[int, int] = (0, 1),
    ):
        self.scores = scores
        self.is_outlier = is_outlier
        self.components = components

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        *,
        components: tuple[int, int] = (0, 1),
        is_outlier: Any = None,
        axes: Any = None,
        **keywords: Any,
    ) -> ComparisonDisplay:
        """Compute the scores of each method and draw them.

        Parameters
        ----------
        estimators : mapping of str to kernel PCA or KernelPCAOutlierDetector
            Fitted, by name; the first gives the directions.
        X : array-like of shape (n_rows, n_features)
            Rows.
        components : tuple of int, default=(0, 1)
            Two components.
        is_outlier : array-like of bool, default=None
            Rows to mark.
        axes : array of Axes, default=None
            Where to draw, one for each method; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        display : ComparisonDisplay
        """
        if not estimators:
            raise ValueError("estimators is empty: pass at least one fitted estimator, by name")
        found = {name: scores_of(one, X, components) for name, one in estimators.items()}
        reference = next(iter(found.values()))
        # A component is known up to its sign: those that point against the first method are turned.
        turned = {
            name: scores * np.where((scores * reference).sum(axis=0) < 0, -1, 1)
            for name, scores in found.items()
        }
        mask = checked_mask(is_outlier, len(reference))
        display = cls(turned, is_outlier=mask, components=components)
        return display.plot(axes=axes, **keywords)

    def plot(self, *, axes: Any = None, **keywords: Any) -> ComparisonDisplay:
        """Draw.

        Parameters
        ----------
        axes : array of Axes, default=None
            Where to draw, one for each method; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        self : ComparisonDisplay
        """
        self.axes_ = several_axes(axes, len(self.scores))
        self.figure_ = self.axes_[0].figure
        first, second = (f"component {j + 1}" for j in self.components)
        for ax, (name, scores) in zip(self.axes_, self.scores.items(), strict=True):
            scatter(ax, scores, self.is_outlier, keywords)
            ax.set(title=name, xlabel=first, ylabel=second)
        if self.is_outlier.any():
            self.axes_[0].legend()
        return self
