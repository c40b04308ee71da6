"""Components: what they hold, what they are made of, and how they were found."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from l1kpca.plots.display import BLUE, CUTOFF, ORANGE, Display, bars, names_of, pca_of

_LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": ORANGE, "linestyle": "--", "marker": "s"},
    {"color": "#009E73", "linestyle": ":", "marker": "^"},
    {"color": "black", "linestyle": "-.", "marker": "D"},
)


@dataclass(eq=False, repr=False)
class ScreeDisplay(Display):
    """Explained variance and L1 objective of each component.

    The artists are ``bars_``, ``cumulative_``, and ``objective_line_`` in ``objective_ax_``.
    """

    explained_variance_ratio: np.ndarray  #: Share of each component in the total variance.
    objective: np.ndarray  #: L1 norm of its scores.

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **keywords: Any) -> Self:
        """Draw the shares and objectives of a fitted model.

        Parameters
        ----------
        estimator : fitted kernel PCA or KernelPCAOutlierDetector
        ax, **keywords : optional
            Axes to draw in; other keywords go to ``bar``.
        """
        pca = pca_of(estimator)
        return cls(pca.explained_variance_ratio_, pca.objective_).plot(ax=ax, **keywords)

    def _draw(self, ax: Any, **keywords: Any) -> None:
        number = np.arange(1, len(self.objective) + 1)
        style = {"color": BLUE, "alpha": 0.6, "label": "share of variance"} | keywords
        self.bars_ = ax.bar(number, self.explained_variance_ratio, **style)
        sums = np.cumsum(self.explained_variance_ratio)
        (self.cumulative_,) = ax.plot(number, sums, "k--s", markersize=4, label="together")
        self.objective_ax_ = ax.twinx()
        style = {"color": ORANGE, "markersize": 5, "label": "L1 objective"}
        (self.objective_line_,) = self.objective_ax_.plot(number, self.objective, "-o", **style)
        self.objective_ax_.set(ylabel="L1 norm of the scores")
        self.objective_ax_.set_ylim(bottom=0)
        ax.set(xlabel="component", ylabel="share of variance", ylim=(0, 1.05))
        ax.locator_params(axis="x", integer=True)
        ax.legend(handles=[self.bars_, self.cumulative_, self.objective_line_])


@dataclass(eq=False, repr=False)
class LoadingsDisplay(Display):
    """What the components of the linear kernel are made of, drawn as ``bars_``.

    Examples
    --------
    >>> from l1kpca import L1KernelPCA, datasets, plots
    >>> pca = L1KernelPCA(3).fit(datasets.load("wbc").X)
    >>> plots.LoadingsDisplay.from_estimator(pca).loadings.shape
    (3, 30)
    """

    loadings: np.ndarray  #: Directions in the space of the rows, (n_components, n_features).
    feature_names: np.ndarray  #: Names of the columns.
    _size = (3.6, 3.4)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_components: int = 3, axes: Any = None, **keywords: Any
    ) -> Self:
        """Draw the loadings of a fitted model.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted, with the linear kernel.
        n_components : int, default=3
            How many components, from the first.
        axes, **keywords : optional
            Axes to draw in, one for each component; other keywords go to ``barh``.
        """
        pca = pca_of(estimator)
        if not hasattr(pca, "components_"):
            lacking = "loadings are directions in the space of the rows, which only kernel='linear'"
            raise ValueError(f"{lacking} has: the model has kernel={pca.kernel!r}")
        names = names_of(estimator, getattr(estimator, "n_features_in_", 0))
        if pca is not estimator:
            encoder = estimator.encoder_
            names = names if encoder is None else encoder.get_feature_names_out()
            names = names[estimator.columns_.used]
        return cls(pca.components_[:n_components], names).plot(axes=axes, **keywords)

    def _shape(self) -> tuple[int, int]:
        return len(self.loadings), min(len(self.loadings), 3)

    def _draw(self, *panels: Any, **keywords: Any) -> None:
        self.bars_ = []
        for j, (ax, loading) in enumerate(zip(panels, self.loadings, strict=True)):
            self.bars_.append(bars(ax, loading, self.feature_names, {"color": BLUE} | keywords))
            ax.set(title=f"component {j + 1}", xlabel="loading")


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(Display):
    """The objective at each step of the search, with the certified bound if there is one.

    The artists are ``lines_`` and ``bounds_``, each over the final objective of its component.
    """

    traces: list[np.ndarray]  #: :math:`c^T K c` at each step, for each component.
    upper_bounds: np.ndarray | None = None  #: What no sign vector can exceed.

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_components: int = 4, certificate: Any = None, ax: Any = None,
        **keywords: Any,
    ) -> Self:  # fmt: skip
        """Draw the objectives of a fitted model.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted; with ``certify=True`` its bounds are drawn.
        n_components : int, default=4
            How many components, from the first.
        certificate : Certificate, default=None
            Bounds from `l1kpca.optimality.certify`, for a model that was fitted without them.
        ax, **keywords : optional
            Axes to draw in; other keywords go to ``plot``.
        """
        pca = pca_of(estimator)
        traces = [np.asarray(trace) for trace in pca.objective_trace_[:n_components]]
        gap, bounds = getattr(pca, "optimality_gap_", None), None
        if certificate is not None:
            bounds = certificate.upper_bound[:n_components]
        elif gap is not None:
            bounds = np.array([trace[-1] for trace in traces]) * (1 + gap[:n_components])
        return cls(traces, bounds).plot(ax=ax, **keywords)

    def _draw(self, ax: Any, **keywords: Any) -> None:
        self.lines_, self.bounds_ = [], []
        for j, trace in enumerate(self.traces):
            style = _LINES[j % len(_LINES)] | {"markersize": 4, "label": f"component {j + 1}"}
            self.lines_ += ax.plot(trace / trace[-1], **(style | keywords))
            if self.upper_bounds is not None:
                color = {"color": self.lines_[-1].get_color()}
                self.bounds_.append(ax.axhline(self.upper_bounds[j] / trace[-1], **CUTOFF | color))
        bounded = "" if self.upper_bounds is None else " (dashed: bound)"
        ax.set(xlabel="step", ylabel=f"objective over its last value{bounded}")
        ax.locator_params(axis="x", integer=True)
        ax.legend()
