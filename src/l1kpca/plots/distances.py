"""The outlier map, and which columns make a row an outlier."""

from __future__ import annotations

from typing import Any

import numpy as np

from l1kpca.estimators.outliers.outlier_map import OutlierMap
from l1kpca.plots.drawing import BLUE, CUTOFF, ORANGE, axes_or_new, feature_names, scatter


class OutlierMapDisplay:
    """Score distance against orthogonal distance, with cut-offs and quadrants.

    Parameters
    ----------
    outlier_map : OutlierMap
        The two distances, their cut-offs and the quadrant of each row.
    is_outlier : ndarray of bool, shape (n_rows,)
        Rows to mark: those that the detector flags.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        The rows: ordinary ones, outliers.
    cutoffs_ : tuple of Line2D
        The two cut-offs.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> from l1kpca.plots import OutlierMapDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> OutlierMapDisplay.from_estimator(detector, X).outlier_map.quadrant.shape
    (60,)
    """

    def __init__(self, outlier_map: OutlierMap, *, is_outlier: np.ndarray):
        self.outlier_map = outlier_map
        self.is_outlier = is_outlier

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, ax: Any = None, **keywords: Any
    ) -> OutlierMapDisplay:
        """Compute the two distances and draw them.

        Parameters
        ----------
        estimator : KernelPCAOutlierDetector
            Fitted.
        X : array-like of shape (n_rows, n_features)
            Rows.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        display : OutlierMapDisplay
        """
        display = cls(estimator.outlier_map(X), is_outlier=estimator.predict(X) == -1)
        return display.plot(ax=ax, **keywords)

    def plot(self, *, ax: Any = None, **keywords: Any) -> OutlierMapDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``scatter``.

        Returns
        -------
        self : OutlierMapDisplay
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        found = self.outlier_map
        places = np.column_stack([found.score_distance, found.orthogonal_distance])
        self.points_ = scatter(self.ax_, places, self.is_outlier, keywords)
        self.cutoffs_ = (
            self.ax_.axvline(found.score_cutoff, **CUTOFF),
            self.ax_.axhline(found.orthogonal_cutoff, **CUTOFF),
        )
        self.ax_.set(xlabel="score distance", ylabel="orthogonal distance")
        self.ax_.set_xlim(left=0)
        self.ax_.set_ylim(bottom=0)
        corners = (
            ("good leverage", 0.99, 0.02, "right", "bottom"),
            ("orthogonal outlier", 0.01, 0.98, "left", "top"),
            ("bad leverage", 0.99, 0.98, "right", "top"),
        )
        for text, x, y, side, edge in corners:
            self.ax_.text(
                x, y, text, ha=side, va=edge, transform=self.ax_.transAxes, color="0.35", size=8
            )
        if self.is_outlier.any():
            self.ax_.legend(loc="center right")
        return self


class ContributionsDisplay:
    """What each column adds to the abnormality of one row.

    Parameters
    ----------
    contributions : ndarray of shape (n_features,)
        They add up to the abnormality of the row.
    values : ndarray of shape (n_features,)
        The row.
    feature_names : ndarray of shape (n_features,)
        Names of the columns.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    bars_ : BarContainer
        The largest contributions, the largest on top.
    order_ : ndarray of int
        The columns of the bars.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> from l1kpca.plots import ContributionsDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> X[5, 1] = 20.0
    >>> detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    >>> int(ContributionsDisplay.from_estimator(detector, X[5]).order_[0])
    1
    """

    def __init__(self, contributions: np.ndarray, *, values: np.ndarray, feature_names: np.ndarray):
        self.contributions = contributions
        self.values = values
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, row: Any, *, n_columns: int = 10, ax: Any = None, **keywords: Any
    ) -> ContributionsDisplay:
        """Explain a row and draw the explanation.

        Parameters
        ----------
        estimator : KernelPCAOutlierDetector
            Fitted.
        row : array-like of shape (n_features,) or (1, n_features)
            The row; of a data frame, ``frame.iloc[[i]]``.
        n_columns : int, default=10
            How many columns to draw.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``barh``.

        Returns
        -------
        display : ContributionsDisplay
        """
        one = row if hasattr(row, "columns") else np.atleast_2d(row)
        if len(one) != 1:
            raise ValueError(f"row has {len(one)} rows: pass one row, such as X[i] or X[i : i + 1]")
        display = cls(
            estimator.explain(one)[0],
            values=np.asarray(one)[0],
            feature_names=feature_names(estimator, one.shape[1]),
        )
        return display.plot(n_columns=n_columns, ax=ax, **keywords)

    def plot(self, *, n_columns: int = 10, ax: Any = None, **keywords: Any) -> ContributionsDisplay:
        """Draw.

        Parameters
        ----------
        n_columns : int, default=10
            How many columns to draw.
        ax : Axes, default=None
            Where to draw; None makes a figure.
        **keywords : dict
            Passed to ``barh``.

        Returns
        -------
        self : ContributionsDisplay
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.order_ = np.argsort(-np.abs(self.contributions), kind="stable")[:n_columns]
        shown = self.contributions[self.order_]
        style = {
            "color": np.where(shown >= 0, ORANGE, BLUE),
            "hatch": ["" if value >= 0 else "///" for value in shown],
        }
        self.bars_ = self.ax_.barh(np.arange(len(shown)), shown, **(style | keywords))
        labels = [f"{self.feature_names[j]} = {self.values[j]:.4g}" for j in self.order_]
        self.ax_.set_yticks(np.arange(len(shown)), labels)
        self.ax_.invert_yaxis()
        self.ax_.axvline(0, color="black", linewidth=0.8)
        self.ax_.set(xlabel=f"contribution to the abnormality {self.contributions.sum():.4g}")
        return self
