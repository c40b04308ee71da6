"""Reduction of a table to a few robust components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca import L1KernelPCA
from l1kpca.cli.cleaning import learn_recipe
from l1kpca.cli.errors import library_errors_explained
from l1kpca.cli.tables import Table
from l1kpca.cli.terminal import Terminal
from l1kpca.estimators.scale import check_sums


@dataclass(frozen=True)
class ReducerSettings:
    """What the user chose."""

    components: int | float
    kernel: str = "rbf"
    gamma: float | str | None = None
    scale: bool = True
    seed: int = 0
    n_jobs: int | None = None
    memory_limit: str | None = None

    def make(self, *, verbose: bool) -> L1KernelPCA:
        """The kernel PCA, not fitted."""
        own_gamma = "paper" if self.kernel == "rbf" else None
        return L1KernelPCA(
            self.components,
            kernel=self.kernel,
            gamma=own_gamma if self.gamma is None else self.gamma,
            random_state=self.seed,
            n_jobs=self.n_jobs,
            memory_limit=self.memory_limit,
            verbose=int(verbose),
        )


@dataclass(frozen=True, eq=False)
class Reduction:
    """Components of the rows of a table.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_components)
        Places of the rows on the components.
    variance_shares : ndarray of shape (n_components,)
        Share of each component in the total variance.
    n_iterations : ndarray of shape (n_components,)
        Steps of each search.
    columns : tuple of str
        Columns that were used.
    """

    scores: np.ndarray
    variance_shares: np.ndarray
    n_iterations: np.ndarray
    columns: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Names of the new columns."""
        return [f"component{i}" for i in range(1, self.scores.shape[1] + 1)]

    def to_plain(self) -> list[dict[str, Any]]:
        """The components as what JSON can hold."""
        return [
            {"name": name, "variance_share": float(share), "n_iterations": int(steps)}
            for name, share, steps in zip(
                self.names, self.variance_shares, self.n_iterations, strict=True
            )
        ]


def reduce(table: Table, settings: ReducerSettings, missing: str, terminal: Terminal) -> Reduction:
    """Find the components of the rows of a table.

    Parameters
    ----------
    table : Table
        The rows.
    settings : ReducerSettings
        How the components are found.
    missing : {"median", "error"}
        What to do with missing values.
    terminal : Terminal
        Where notes and progress go.

    Returns
    -------
    reduction : Reduction
    """
    recipe, notes = learn_recipe(table)
    X, more_notes = recipe.apply(table, missing)
    terminal.note([*table.notes, *notes, *more_notes])
    pca = settings.make(verbose=terminal.is_watched)
    with library_errors_explained(table.source), terminal.warnings_as_notes():
        scores = pca.fit_transform(robustly_scaled(X) if settings.scale else X)
    columns = tuple(column.name for column in recipe.columns)
    return Reduction(scores, pca.explained_variance_ratio_, np.asarray(pca.n_iter_), columns)


def robustly_scaled(X: Any) -> np.ndarray:
    """Columns at median 0 and quartile distance 1: outliers do not decide how much one counts.

    Where the quartiles agree up to rounding, the unit is kept.  Unlike scikit-learn's RobustScaler,
    this looks at the size of the column, so that its unit makes no difference.
    """
    X = np.asarray(X, dtype=np.float64)
    check_sums(X)
    low, median, high = np.percentile(X, [25, 50, 75], axis=0)
    spread = high - low
    rounding = 10 * np.finfo(X.dtype).eps * np.abs(X).max(axis=0)
    return (X - median) / np.where(spread > rounding, spread, 1)
