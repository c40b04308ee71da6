"""Rows in the plane of two components, for one method or for several side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from l1kpca.plots.display import CUTOFF, Display, Panels, checked_mask, pca_of, scatter


@dataclass(eq=False, repr=False)
class ScoresDisplay(Display):
    """Rows in the plane of two components, outliers marked.

    The artists are ``points_``, ordinary rows and outliers, and ``boundary_``.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, 2)
        Of the two components.
    is_outlier : ndarray of bool
        Rows to mark.
    ellipse : tuple of float, default=None
        Center and half axes of the region of ordinary rows.
    components : tuple of int, default=(0, 1)
        Which two these are, from 0.

    Examples
    --------
    >>> from l1kpca import KernelPCAOutlierDetector, datasets, plots
    >>> X = datasets.load("wbc").X
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> plots.ScoresDisplay.from_estimator(detector, X).scores.shape
    (378, 2)
    """

    scores: np.ndarray
    is_outlier: np.ndarray
    ellipse: tuple[float, float, float, float] | None = None
    components: tuple[int, int] = (0, 1)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, components: tuple[int, int] = (0, 1),
        is_outlier: Any = None, ax: Any = None, **keywords: Any,
    ) -> Self:  # fmt: skip
        """Compute scores and draw them.

        Parameters
        ----------
        estimator : fitted kernel PCA or KernelPCAOutlierDetector
        X : array-like of shape (n_rows, n_features)
        components : tuple of int, default=(0, 1)
            Two components.
        is_outlier : array-like of bool, default=None
            Rows to mark; None marks what a detector flags.
        ax, **keywords : optional
            Axes to draw in; other keywords go to ``scatter``.
        """
        scores, judged = _scores_of(estimator, X, components)
        ellipse = None
        if judged is not None:
            ellipse = estimator.rule_.ellipse(*components)
            is_outlier = judged.flagged if is_outlier is None else is_outlier
        mask = checked_mask(is_outlier, len(scores))
        return cls(scores, mask, ellipse, components).plot(ax=ax, **keywords)

    def _draw(self, ax: Any, **keywords: Any) -> None:
        from matplotlib.patches import Ellipse  # noqa: PLC0415 (only an extra installs it)

        self.points_ = scatter(ax, self.scores, self.is_outlier, keywords)
        self.boundary_ = None
        if self.ellipse is not None:
            x, y, across, up = self.ellipse
            label = "97.5% of ordinary rows"
            region = Ellipse((x, y), 2 * across, 2 * up, fill=False, label=label, **CUTOFF)
            self.boundary_ = ax.add_patch(region)
            ax.autoscale_view()
        first, second = (f"component {j + 1}" for j in self.components)
        ax.set(xlabel=first, ylabel=second)
        if self.is_outlier.any() or self.boundary_ is not None:
            ax.legend()


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Panels):
    """The same rows in the components of several methods, side by side.

    Parameters
    ----------
    scores : dict of str to ndarray
        By method, turned so that directions agree.
    is_outlier : ndarray of bool
        Rows to mark.
    components : tuple of int, default=(0, 1)
        Which two these are, from 0.
    """

    scores: dict[str, np.ndarray]
    is_outlier: np.ndarray
    components: tuple[int, int] = (0, 1)

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], X: Any, *, components: tuple[int, int] = (0, 1),
        is_outlier: Any = None, axes: Any = None, **keywords: Any,
    ) -> Self:  # fmt: skip
        """Compute the scores of each method and draw them.

        Parameters
        ----------
        estimators : mapping of str to kernel PCA or KernelPCAOutlierDetector
            Fitted, by name; the first gives the directions.
        X : array-like of shape (n_rows, n_features)
        components : tuple of int, default=(0, 1)
            Two components.
        is_outlier : array-like of bool, default=None
            Rows to mark.
        axes, **keywords : optional
            Axes to draw in, one for each method; other keywords go to ``scatter``.
        """
        if not estimators:
            raise ValueError("estimators is empty: pass at least one fitted estimator, by name")
        found = {name: _scores_of(one, X, components)[0] for name, one in estimators.items()}
        reference = next(iter(found.values()))
        for scores in found.values():  # the sign of a component is free
            scores *= np.where((scores * reference).sum(axis=0) < 0, -1, 1)
        mask = checked_mask(is_outlier, len(reference))
        return cls(found, mask, components).plot(axes=axes, **keywords)

    def _shape(self) -> tuple[int, int]:
        return len(self.scores), min(len(self.scores), 4)

    def _draw(self, **keywords: Any) -> None:
        first, second = (f"component {j + 1}" for j in self.components)
        for ax, (name, scores) in zip(self.axes_, self.scores.items(), strict=True):
            scatter(ax, scores, self.is_outlier, keywords)
            ax.set(title=name, xlabel=first, ylabel=second)
        if self.is_outlier.any():
            self.axes_[0].legend()


def _scores_of(estimator: Any, X: Any, components: Sequence[int]) -> tuple[np.ndarray, Any]:
    """Scores of rows, and what else a detector says about the rows."""
    pca = pca_of(estimator)
    if not all(0 <= j < pca.n_components_ for j in components):
        n, given = pca.n_components_, f"components={tuple(components)}"
        raise ValueError(f"{given} must be between 0 and {n - 1}: the model has n_components_={n}")
    judged = None if pca is estimator else estimator.judge(X, n_scores=max(components) + 1)
    scores = np.asarray(pca.transform(X)) if judged is None else judged.scores
    return scores[:, list(components)], judged
