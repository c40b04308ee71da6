"""How the components were found."""

from __future__ import annotations

from typing import Any

import numpy as np

from l1kpca.plots.drawing import CUTOFF, LINES, axes_or_new, kernel_pca


class ConvergenceDisplay:
    """The objective of each step of the search, with the certified bound if there is one.

    Parameters
    ----------
    traces : list of ndarray
        c^T K c at each step, for each component.
    upper_bounds : ndarray or None
        What no sign vector can exceed, for each component.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    lines_, bounds_ : list of Line2D
        Objectives and bounds, each over the final objective of its component.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.plots import ConvergenceDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> pca = L1KernelPCA(2, certify=True).fit(X)
    >>> bool((ConvergenceDisplay.from_estimator(pca).upper_bounds > 0).all())
    True
    """

    def __init__(self, traces: list[np.ndarray], *, upper_bounds: np.ndarray | None = None):
        self.traces = traces
        self.upper_bounds = upper_bounds

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_components: int = 4,
        certificate: Any = None,
        ax: Any = None,
        **keywords: Any,
    ) -> ConvergenceDisplay:
        """Take the objectives of a fitted model and draw them.

        Parameters
        ----------
        estimator : kernel PCA or KernelPCAOutlierDetector
            Fitted; with ``certify=True`` its bounds are drawn.
        n_components : int, default=4
            How many components, from the first.
        certificate : Certificate, default=None
            Bounds of `l1kpca.optimality.certify`, for a model that was fitted without.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``plot``.

        Returns
        -------
        display : ConvergenceDisplay
        """
        pca = kernel_pca(estimator)
        traces = [np.asarray(trace) for trace in pca.objective_trace_[:n_components]]
        gap = getattr(pca, "optimality_gap_", None)
        bounds = None
        if certificate is not None:
            bounds = certificate.upper_bound[:n_components]
        elif gap is not None:
            bounds = np.array([trace[-1] for trace in traces]) * (1 + gap[:n_components])
        return cls(traces, upper_bounds=bounds).plot(ax=ax, **keywords)

    def plot(self, *, ax: Any = None, **keywords: Any) -> ConvergenceDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``plot``.

        Returns
        -------
        self : ConvergenceDisplay
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.lines_, self.bounds_ = [], []
        for j, trace in enumerate(self.traces):
            style = LINES[j % len(LINES)] | {"markersize": 4, "label": f"component {j + 1}"}
            (line,) = self.ax_.plot(trace / trace[-1], **(style | keywords))
            self.lines_.append(line)
            if self.upper_bounds is not None:
                bound = self.upper_bounds[j] / trace[-1]
                color = line.get_color()
                self.bounds_.append(self.ax_.axhline(bound, **(CUTOFF | {"color": color})))
        self.ax_.set(xlabel="step", ylabel="objective over its last value (dashed: bound)")
        if self.upper_bounds is None:
            self.ax_.set(ylabel="objective over its last value")
        self.ax_.locator_params(axis="x", integer=True)
        self.ax_.legend()
        return self
