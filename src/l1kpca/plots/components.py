"""Components: what they hold, and what they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from l1kpca.plots.drawing import (
    BLUE,
    ORANGE,
    axes_or_new,
    feature_names,
    kernel_pca,
    several_axes,
)


class ScreeDisplay:
    """Explained variance and L1 objective of each component.

    Parameters
    ----------
    explained_variance_ratio : ndarray of shape (n_components,)
        Share of each component in the total variance.
    objective : ndarray of shape (n_components,)
        L1 norm of the scores of each component.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    objective_ax_ : Axes
        The second scale, of the objective.
    bars_, cumulative_, objective_line_ : artists
        Shares, their running sum, and the objective.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.plots import ScreeDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> display = ScreeDisplay.from_estimator(L1KernelPCA().fit(X))
    >>> round(float(display.explained_variance_ratio.sum()), 6)
    1.0
    """

    def __init__(self, explained_variance_ratio: np.ndarray, *, objective: np.ndarray):
        self.explained_variance_ratio = explained_variance_ratio
        self.objective = objective

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **keywords: Any) -> ScreeDisplay:
        """Take the shares and objectives of a fitted model and draw them.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``bar``.

        Returns
        -------
        display : ScreeDisplay
        """
        pca = kernel_pca(estimator)
        display = cls(pca.explained_variance_ratio_, objective=pca.objective_)
        return display.plot(ax=ax, **keywords)

    def plot(self, *, ax: Any = None, **keywords: Any) -> ScreeDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``bar``.

        Returns
        -------
        self : ScreeDisplay
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        number = np.arange(1, len(self.objective) + 1)
        style = {"color": BLUE, "alpha": 0.6, "label": "share of variance"} | keywords
        self.bars_ = self.ax_.bar(number, self.explained_variance_ratio, **style)
        (self.cumulative_,) = self.ax_.plot(
            number, np.cumsum(self.explained_variance_ratio), "k--s", markersize=4, label="together"
        )
        self.objective_ax_ = self.ax_.twinx()
        (self.objective_line_,) = self.objective_ax_.plot(
            number, self.objective, "-o", color=ORANGE, markersize=5, label="L1 objective"
        )
        self.objective_ax_.set(ylabel="L1 norm of the scores")
        self.objective_ax_.set_ylim(bottom=0)
        self.ax_.set(xlabel="component", ylabel="share of variance", ylim=(0, 1.05))
        self.ax_.locator_params(axis="x", integer=True)
        self.ax_.legend(handles=[self.bars_, self.cumulative_, self.objective_line_])
        return self


class LoadingsDisplay:
    """What the components of the linear kernel are made of.

    Parameters
    ----------
    loadings : ndarray of shape (n_components, n_features)
        Directions in the space of the rows.
    feature_names : ndarray of shape (n_features,)
        Names of the columns.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One for each component.
    figure_ : Figure
        Where it was drawn.
    bars_ : list of BarContainer
        The loadings of each component.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.plots import LoadingsDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> LoadingsDisplay.from_estimator(L1KernelPCA(2).fit(X)).loadings.shape
    (2, 3)
    """

    def __init__(self, loadings: np.ndarray, *, feature_names: np.ndarray):
        self.loadings = loadings
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_components: int = 3, axes: Any = None, **keywords: Any
    ) -> LoadingsDisplay:
        """Take the loadings of a fitted model and draw them.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted, with the linear kernel.
        n_components : int, default=3
            How many components, from the first.
        axes : array of Axes, default=None
            Where to draw, one for each component; None makes a figure.
        **keywords : dict
            Passed to ``barh``.

        Returns
        -------
        display : LoadingsDisplay
        """
        pca = kernel_pca(estimator)
        if not hasattr(pca, "components_"):
            raise ValueError(
                f"loadings are directions in the space of the rows, which only kernel='linear' has:"
                f" the model has kernel={pca.kernel!r}"
            )
        names = feature_names(estimator, getattr(estimator, "n_features_in_", 0))
        if pca is not estimator:
            names = names[estimator.columns_.used]
        display = cls(pca.components_[:n_components], feature_names=names)
        return display.plot(axes=axes, **keywords)

    def plot(self, *, axes: Any = None, **keywords: Any) -> LoadingsDisplay:
        """Draw.

        Parameters
        ----------
        axes : array of Axes, default=None
            Where to draw, one for each component; None makes a figure.
        **keywords : dict
            Passed to ``barh``.

        Returns
        -------
        self : LoadingsDisplay
        """
        self.axes_ = several_axes(axes, len(self.loadings), per_row=3)
        self.figure_ = self.axes_[0].figure
        self.bars_ = []
        places = np.arange(self.loadings.shape[1])
        for j, (ax, loading) in enumerate(zip(self.axes_, self.loadings, strict=True)):
            self.bars_.append(ax.barh(places, loading, **({"color": BLUE} | keywords)))
            ax.set_yticks(places, self.feature_names)
            ax.invert_yaxis()
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set(title=f"component {j + 1}", xlabel="loading")
        return self
