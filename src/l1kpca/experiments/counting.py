"""A Gram that counts how often K is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, LowRank, Projection
from l1kpca.gram.builders import BUILDERS, Resources
from l1kpca.kernels import Kernel


@dataclass
class Count:
    """What was asked of a Gram so far.

    Attributes
    ----------
    columns : int
        Columns of K that took part in a product or were looked at.
    flips : int
        Signs that changed between two products.
    """

    columns: int = 0
    flips: int = 0


@dataclass(frozen=True)
class CountedGram:
    """Passes everything on to another Gram, and counts."""

    inner: DataGram
    count: Count

    @property
    def n_samples(self) -> int:
        """Number of rows and columns."""
        return self.inner.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""
        return self.inner.dtype

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V."""
        self.count.columns += self.n_samples if at is None else len(at)
        # The first product of a search has all rows; the later ones only those that changed.
        moved = int(np.count_nonzero(V)) if V.ndim == 1 else 0
        self.count.flips += moved if moved < self.n_samples else 0
        return self.inner.apply(V, at)

    def diagonal(self) -> Array:
        """diag K."""
        return self.inner.diagonal()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""
        self.count.columns += len(index) if rows is None else 0
        return self.inner.columns(index, rows)

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """sum_i |K - L^T R|_ij for each column j."""
        self.count.columns += self.n_samples
        return self.inner.column_l1(minus)

    def written(self, minus: LowRank) -> None:
        """None: what is counted is what is asked of K itself."""

    def thin(self) -> None:
        """None, for the same reason."""

    def rounding(self) -> float:
        """Size of the rounding errors in trace K."""
        return self.inner.rounding()

    def center(self, weights: Array) -> CountedGram:
        """The centered Gram, on the same count."""
        return CountedGram(self.inner.center(weights), self.count)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return self.inner.projection(V)


@dataclass(frozen=True)
class Counted:
    """Builds a Gram of a known kind that counts; what ``gram=`` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> counted = Counted("dense")
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> _ = L1KernelPCA(1, solver="fixed_point", gram=counted).fit(X)
    >>> counted.count.columns >= 2 * 50  # the start and the first product
    True
    """

    kind: str
    count: Count = field(default_factory=Count)

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Build the Gram of that kind, wrapped."""
        gram, held, lost = BUILDERS[self.kind].build(X, kernel, resources)
        return CountedGram(gram, self.count), held, lost
