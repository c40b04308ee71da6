"""What an algorithm may ask of a Gram matrix, however it is held.

To write a new Gram, give it the methods of `Gram` and the two of `DataGram`; add one line to
``tests/contracts/grams.py`` and the conformance suite does the rest.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.thin import Thin
from l1kpca.kernels import KernelBlocks
from l1kpca.threads import Workers

LowRank = tuple[Array, Array]
"""Factors (L, R), both (rank, n_samples), of a matrix L^T R that is to be subtracted."""


class Gram(Protocol):
    """A symmetric matrix K, seen through its products; the only thing an algorithm sees."""

    @property
    def n_samples(self) -> int:
        """Number of rows and columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V; one pass over K for all columns of V."""

    def diagonal(self) -> Array:
        """diag K."""

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """``sum_i |K - L^T R|_ij`` for each column j: what the paper's start needs.

        The matrix L^T R must be symmetric, as K is.
        """

    def written(self, minus: LowRank) -> "Written | None":
        """K - L^T R as a matrix of its own; None if K is not stored, or memory is short."""

    def thin(self) -> Thin | None:
        """K through rows of few columns, if that is how it is held."""

    def rounding(self) -> float:
        """Size of the rounding errors in trace K: what is smaller says nothing about the rows."""


class Written(Gram, Protocol):
    """A Gram that is stored, as a copy of its own."""

    @property
    def K(self) -> Array:
        """The matrix; whoever asked for the copy may change it."""

    @property
    def workers(self) -> Workers:
        """The threads that work on it."""


@dataclass(frozen=True)
class Projected:
    """Rows projected on directions: the scores, and k(x, x) (None where it cannot be known)."""

    scores: Array
    squared_norms: Array | None


@dataclass(frozen=True)
class Expansion:
    r"""Points of feature space as combinations of known rows.

    The point with scores s is :math:`\sum_l g_l \phi(x_l)` with g = ``offset + s @ coef``: the
    center, and the directions from there.
    """

    blocks: KernelBlocks
    """The rows, and the kernel between them and others."""
    coef: Array
    """Directions, (n_directions, n_rows)."""
    offset: Array
    """The center, (n_rows,); zero if the rows are not centered."""


class Projection(Protocol):
    """What is kept after a fit: directions ``X^T V`` in feature space, ready for new rows."""

    def __call__(self, X_new: Any) -> Projected:
        """Project new rows."""

    def expansion(self) -> Expansion | None:
        """The directions as combinations of rows; None where no rows are known."""


class DataGram(Gram, Protocol):
    """A Gram of data: it can be centered, and can project new rows."""

    def center(self, weights: Array) -> "DataGram":
        """The Gram of the rows minus their weighted mean in feature space."""

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""


def with_more(minus: LowRank | None, left: Array, right: Array) -> LowRank:
    """Stack another low-rank term under ``minus``."""
    if minus is None:
        return left, right
    return np.vstack([left, minus[0]]), np.vstack([right, minus[1]])
