"""New rows in feature space: the light part of a Gram that a fitted estimator keeps."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Expansion, Projected, Projection
from l1kpca.kernels import KernelBlocks
from l1kpca.threads import Workers, spans


@dataclass(frozen=True)
class KernelProjection:
    """x -> k(x, X) @ V, in square blocks of at most ``block_rows`` new and training rows."""

    blocks: KernelBlocks
    V: Array
    block_rows: int
    workers: Workers = field(default_factory=Workers)

    def __call__(self, X_new: Any) -> Projected:
        """Project new rows."""
        n_new = X_new.shape[0]
        scores = np.zeros((n_new, self.V.shape[1]), dtype=self.V.dtype)
        training = spans(len(self.V), self.block_rows)

        def work(rows: slice) -> Iterator[float]:
            for columns in training:
                scores[rows] += self.blocks.with_new(X_new[rows], columns) @ self.V[columns]
                yield (rows.stop - rows.start) * self.V[columns].size

        pieces = [(rows,) for rows in spans(n_new, self.block_rows)]
        self.workers.run(work, pieces, cost=n_new * self.V.size)
        return Projected(scores, self.blocks.kernel.diagonal(X_new))

    def expansion(self) -> Expansion:
        """V^T over the training rows."""
        return Expansion(self.blocks, self.V.T, np.zeros(len(self.V), dtype=self.V.dtype))


@dataclass(frozen=True)
class PrecomputedProjection:
    """Rows of a kernel matrix against the training rows; k(x, x) is not known for them."""

    V: Array

    def __call__(self, X_new: Array) -> Projected:
        """Project new rows."""
        return Projected(X_new @ self.V, None)

    def expansion(self) -> None:
        """The rows themselves are not known."""


@dataclass(frozen=True)
class CenteredProjection:
    r"""Projection in the centered feature space.

    With weights w, means m = K w and mu = w^T K w,
    :math:`(\phi(x) - \Phi w)^T (\Phi - \Phi w 1^T) V` is
    :math:`k(x, X) V - (k(x, X) w) 1^T V - m^T V + \mu 1^T V`.
    """

    plain: Projection
    """Projection on [V, w]."""
    sums: Array
    """1^T V."""
    shift: Array
    """m^T V - mu 1^T V."""
    mean_square: float
    """mu, the squared norm of the center."""

    def __call__(self, X_new: Any) -> Projected:
        """Project new rows."""
        raw = self.plain(X_new)
        onto_mean = raw.scores[:, -1]
        scores = raw.scores[:, :-1] - np.outer(onto_mean, self.sums) - self.shift
        if raw.squared_norms is None:
            return Projected(scores, None)
        norms = raw.squared_norms - 2 * onto_mean + self.mean_square
        return Projected(scores, np.maximum(norms, 0))

    def expansion(self) -> Expansion | None:
        """(V - w 1^T V)^T, and the center w."""
        raw = self.plain.expansion()
        if raw is None:
            return None
        center = raw.coef[-1]
        return Expansion(
            raw.blocks, raw.coef[:-1] - np.outer(self.sums, center), raw.offset + center
        )
