"""Rows one by one: in the outlier map, by their columns, and beside their pre-images."""

from dataclasses import dataclass
from numbers import Number
from typing import Any, Self

import narwhals as nw
import numpy as np

from l1kpca.outliers import OutlierMap
from l1kpca.plots.display import BLUE, CUTOFF, ORANGE, Display, Panels, names_of, pca_of, scatter


@dataclass(eq=False, repr=False)
class OutlierMapDisplay(Display):
    """Score distance against orthogonal distance, with cut-offs and quadrants.

    The artists are ``points_``, ordinary rows and outliers, and ``cutoffs_``.

    Parameters
    ----------
    outlier_map : OutlierMap
        The two distances, their cut-offs and the quadrant of each row.
    is_outlier : ndarray of bool
        Rows that the detector flags.
    """

    outlier_map: OutlierMap
    is_outlier: np.ndarray

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
        found = self.outlier_map
        places = np.column_stack([found.score_distance, found.orthogonal_distance])
        self.points_ = scatter(ax, places, self.is_outlier, keywords)
        self.cutoffs_ = (
            ax.axvline(found.score_cutoff, **CUTOFF),
            ax.axhline(found.orthogonal_cutoff, **CUTOFF),
        )
        ax.set(xlabel="score distance", ylabel="orthogonal distance")
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        corners = (
            ("good leverage", 0.99, 0.02, "right", "bottom"),
            ("orthogonal outlier", 0.01, 0.98, "left", "top"),
            ("bad leverage", 0.99, 0.98, "right", "top"),
        )
        for text, x, y, side, edge in corners:
            ax.text(x, y, text, ha=side, va=edge, transform=ax.transAxes, color="0.35", size=8)
        if self.is_outlier.any():
            ax.legend(loc="center right")


@dataclass(eq=False, repr=False)
class ContributionsDisplay(Display):
    """What each column adds to the abnormality of one row, as ``bars_`` of columns ``order_``.

    Parameters
    ----------
    contributions : ndarray
        They add up to the abnormality of the row.
    values : ndarray
        The row.
    feature_names : ndarray of str
        Names of the columns.
    """

    contributions: np.ndarray
    values: np.ndarray
    feature_names: np.ndarray

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
        self.bars_ = ax.barh(np.arange(len(shown)), shown, **style)
        pairs = zip(self.feature_names[self.order_], self.values[self.order_], strict=True)
        labels = [
            f"{name} = {v:.4g}" if isinstance(v, Number) else f"{name} = {v}" for name, v in pairs
        ]
        ax.set_yticks(np.arange(len(shown)), labels)
        ax.invert_yaxis()
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set(xlabel=f"contribution to the abnormality {self.contributions.sum():.4g}")


@dataclass(eq=False, repr=False)
class PreimageDisplay(Panels):
    """Rows above what the components keep of them: their pre-images.

    Parameters
    ----------
    rows, preimages : ndarray
        Rows, and rows with nearly the same scores.
    shape : tuple of int, default=None
        Height and width of images; None draws rows as lines.
    """

    rows: np.ndarray
    preimages: np.ndarray
    shape: tuple[int, int] | None = None
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
            given = f"estimator={type(estimator).__name__}"
            lacking = "scales its rows and has no inverse map"
            raise ValueError(f"{given} {lacking}: pass a kernel PCA")
        if shape is not None and int(np.prod(shape)) != rows.shape[1]:
            pixels = f"{int(np.prod(shape))} pixels, but X has {rows.shape[1]} columns"
            raise ValueError(f"shape={tuple(shape)} has {pixels}")
        return cls(rows, pca.denoise(rows, method=method), shape).plot(axes=axes, **keywords)

    def _shape(self) -> tuple[int, int]:
        return len(self.rows) * (1 if self.shape is None else 2), len(self.rows)

    def _draw(self, **keywords: Any) -> None:
        self.axes_ = self.axes_.reshape(-1, len(self.rows))
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
