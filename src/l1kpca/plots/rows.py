"""Rows: in the plane of two components, in the outlier map, by columns, beside pre-images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, Self

import narwhals as nw
import numpy as np

from l1kpca.outliers import OutlierMap
from l1kpca.plots.display import BLUE, CUTOFF, ORANGE, Display, bars, names_of, pca_of, scatter


@dataclass(eq=False, repr=False)
class ScoresDisplay(Display):
    """Rows in the plane of two components, outliers marked.

    The artists are ``points_``, ordinary rows and outliers, and ``boundary_``.

    Examples
    --------
    >>> from l1kpca import KernelPCAOutlierDetector, datasets, plots
    >>> X = datasets.load("wbc").X
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> plots.ScoresDisplay.from_estimator(detector, X).scores.shape
    (378, 2)
    """

    scores: np.ndarray  #: Of the two components.
    is_outlier: np.ndarray  #: Rows to mark.
    #: Center and half axes of the region of ordinary rows.
    ellipse: tuple[float, float, float, float] | None = None
    components: tuple[int, int] = (0, 1)  #: Which two these are, from 0.

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
        scores, flagged = _scores_of(estimator, X, components)
        mask = _checked_mask(flagged if is_outlier is None else is_outlier, len(scores))
        ellipse = None if flagged is None else estimator.rule_.ellipse(*components)
        return cls(scores, mask, ellipse, components).plot(ax=ax, **keywords)

    def _draw(self, ax: Any, **keywords: Any) -> None:
        from matplotlib.patches import Ellipse  # noqa: PLC0415 (only an extra installs it)

        names = [f"component {j + 1}" for j in self.components]
        self.points_ = scatter(ax, names, self.scores, self.is_outlier, keywords)
        self.boundary_ = None
        if self.ellipse is not None:
            x, y, across, up = self.ellipse
            label = "97.5% of ordinary rows"
            region = Ellipse((x, y), 2 * across, 2 * up, fill=False, label=label, **CUTOFF)
            self.boundary_ = ax.add_patch(region)
            ax.autoscale_view()
        if self.is_outlier.any() or self.boundary_ is not None:
            ax.legend()


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    """The same rows in the components of several methods, side by side."""

    scores: dict[str, np.ndarray]  #: By method, turned so that directions agree.
    is_outlier: np.ndarray  #: Rows to mark.
    components: tuple[int, int] = (0, 1)  #: Which two these are, from 0.
    _size = (3.6, 3.4)

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
        mask = _checked_mask(is_outlier, len(reference))
        return cls(found, mask, components).plot(axes=axes, **keywords)

    def _shape(self) -> tuple[int, int]:
        return len(self.scores), min(len(self.scores), 4)

    def _draw(self, *panels: Any, **keywords: Any) -> None:
        names = [f"component {j + 1}" for j in self.components]
        for ax, (title, scores) in zip(panels, self.scores.items(), strict=True):
            scatter(ax, names, scores, self.is_outlier, keywords)
            ax.set(title=title)
        if self.is_outlier.any():
            panels[0].legend()


@dataclass(eq=False, repr=False)
class OutlierMapDisplay(Display):
    """Score distance against orthogonal distance, with cut-offs and quadrants.

    The artists are ``points_``, ordinary rows and outliers, and ``cutoffs_``.
    """

    outlier_map: OutlierMap  #: The two distances, their cut-offs and the quadrant of each row.
    is_outlier: np.ndarray  #: Rows that the detector flags.

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None, **keywords: Any) -> Self:
        """Compute the two distances and draw them.

        Parameters
        ----------
        estimator : fitted KernelPCAOutlierDetector
        X : array-like of shape (n_rows, n_features)
        ax, **keywords : optional
            Axes to draw in; other keywords go to ``scatter``.
        """
        judged = estimator.judge(X, n_scores=0)
        return cls(judged.outlier_map, judged.flagged).plot(ax=ax, **keywords)

    def _draw(self, ax: Any, **keywords: Any) -> None:
        found, names = self.outlier_map, ("score distance", "orthogonal distance")
        places = np.column_stack([found.score_distance, found.orthogonal_distance])
        self.points_ = scatter(ax, names, places, self.is_outlier, keywords)
        across, up = found.score_cutoff, found.orthogonal_cutoff
        self.cutoffs_ = ax.axvline(across, **CUTOFF), ax.axhline(up, **CUTOFF)
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        style = {"transform": ax.transAxes, "color": "0.35", "size": 8}
        ax.text(0.99, 0.02, "good leverage", ha="right", va="bottom", **style)
        ax.text(0.01, 0.98, "orthogonal outlier", ha="left", va="top", **style)
        ax.text(0.99, 0.98, "bad leverage", ha="right", va="top", **style)
        if self.is_outlier.any():
            ax.legend(loc="center right")


@dataclass(eq=False, repr=False)
class ContributionsDisplay(Display):
    """What each column adds to the abnormality of one row, as ``bars_`` of columns ``order_``."""

    contributions: np.ndarray  #: They add up to the abnormality of the row.
    values: np.ndarray  #: The row.
    feature_names: np.ndarray  #: Names of the columns.

    @classmethod
    def from_estimator(
        cls, estimator: Any, row: Any, *, n_columns: int = 10, ax: Any = None, **keywords: Any
    ) -> Self:
        """Explain a row and draw the explanation.

        Parameters
        ----------
        estimator : fitted KernelPCAOutlierDetector
        row : array-like of shape (n_features,) or (1, n_features)
            The row; of a data frame, ``frame.iloc[[i]]``.
        n_columns : int, default=10
            How many columns to draw.
        ax, **keywords : optional
            Axes to draw in; other keywords go to ``barh``.
        """
        one: Any = row if hasattr(row, "columns") else np.atleast_2d(row)
        if len(one) != 1:
            raise ValueError(f"row has {len(one)} rows: pass one row, such as X[i] or X[i : i + 1]")
        parts, names = np.asarray(estimator.explain(one))[0], names_of(estimator, one.shape[1])
        if getattr(estimator, "encoder_", None) is not None:  # some columns may not be used
            names = np.asarray(estimator.encoder_.columns_, dtype=object)
            one = nw.from_native(one).select(names.tolist()).to_numpy()
        return cls(parts, np.asarray(one)[0], names).plot(n_columns=n_columns, ax=ax, **keywords)

    def _draw(self, ax: Any, *, n_columns: int = 10, **keywords: Any) -> None:
        self.order_ = np.argsort(-np.abs(self.contributions), kind="stable")[:n_columns]
        shown = self.contributions[self.order_]
        hatch = ["" if value >= 0 else "///" for value in shown]
        style = {"color": np.where(shown >= 0, ORANGE, BLUE), "hatch": hatch} | keywords
        pairs = zip(self.feature_names[self.order_], self.values[self.order_], strict=True)
        labels = [f"{n} = {v:.4g}" if isinstance(v, Number) else f"{n} = {v}" for n, v in pairs]
        self.bars_ = bars(ax, shown, labels, style)
        ax.set(xlabel=f"contribution to the abnormality {self.contributions.sum():.4g}")


@dataclass(eq=False, repr=False)
class PreimageDisplay(Display):
    """Rows above what the components keep of them: their pre-images."""

    rows: np.ndarray
    preimages: np.ndarray  #: Rows with nearly the same scores.
    shape: tuple[int, int] | None = None  #: Height and width of images; None draws rows as lines.
    _size = (1.8, 1.9)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, shape: tuple[int, int] | None = None, method: str = "auto",
        axes: Any = None, **keywords: Any,
    ) -> Self:  # fmt: skip
        """Send rows to their scores and back, and draw both.

        Parameters
        ----------
        estimator : kernel PCA
            Fitted, with an inverse map that ``method`` can use.
        X : array-like of shape (n_rows, n_features)
            A few rows.
        shape : tuple of int, default=None
            Height and width of images; None draws rows as lines.
        method : {"auto", "ridge", "fixed_point"}, default="auto"
            As in the estimator's ``inverse_transform``.
        axes, **keywords : optional
            Axes to draw in; other keywords go to ``imshow`` or ``plot``.
        """
        pca, rows = pca_of(estimator), np.asarray(X)
        if pca is not estimator:
            lacking = "scales its rows and has no inverse map: pass a kernel PCA"
            raise ValueError(f"estimator={type(estimator).__name__} {lacking}")
        if shape is not None and int(np.prod(shape)) != rows.shape[1]:
            pixels = f"{int(np.prod(shape))} pixels, but X has {rows.shape[1]} columns"
            raise ValueError(f"shape={tuple(shape)} has {pixels}")
        return cls(rows, pca.denoise(rows, method=method), shape).plot(axes=axes, **keywords)

    def _shape(self) -> tuple[int, int]:
        return len(self.rows) * (1 if self.shape is None else 2), len(self.rows)

    def _draw(self, *panels: Any, **keywords: Any) -> None:
        self.axes_ = np.reshape(panels, (-1, len(self.rows)))
        shown = ((self.rows, "row", BLUE, ":"), (self.preimages, "pre-image", ORANGE, "-"))
        for axes, (rows, label, color, line) in zip(self.axes_[[0, -1]], shown, strict=True):
            for ax, row in zip(axes, rows, strict=True):
                if self.shape is None:
                    ax.plot(row, **{"color": color, "linestyle": line, "label": label} | keywords)
                else:
                    ax.imshow(row.reshape(self.shape), **{"cmap": "gray"} | keywords)
                    ax.set(xticks=[], yticks=[])
            if self.shape is not None:
                axes[0].set(ylabel=label)
        if self.shape is None:
            self.axes_[0, 0].legend()


def _scores_of(estimator: Any, X: Any, components: Sequence[int]) -> tuple[np.ndarray, Any]:
    """Scores of rows, and which of them a detector flags."""
    pca = pca_of(estimator)
    if not all(0 <= j < pca.n_components_ for j in components):
        n, given = pca.n_components_, f"components={tuple(components)}"
        raise ValueError(f"{given} must be between 0 and {n - 1}: the model has n_components_={n}")
    if pca is estimator:
        return np.asarray(pca.transform(X))[:, list(components)], None
    judged = estimator.judge(X, n_scores=max(components) + 1)
    return judged.scores[:, list(components)], judged.flagged


def _checked_mask(is_outlier: Any, n_rows: int) -> np.ndarray:
    mask = np.zeros(n_rows, dtype=bool) if is_outlier is None else np.asarray(is_outlier, bool)
    if mask.shape != (n_rows,):
        raise ValueError(f"is_outlier has shape {mask.shape}, but X has {n_rows} rows")
    return mask
