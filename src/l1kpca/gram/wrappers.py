"""Grams made from Grams: centered rows and deflated rows, as a low-rank term taken off K."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Gram, LowRank, Written, with_more
from l1kpca.gram.projections import CenteredProjection
from l1kpca.gram.thin import Thin
from l1kpca.gram.triangle import Triangle, are_few

_MANY = 16  # scores or searches for which a copy of K pays
_PAYS_ALWAYS = 128 * 2**20  # bytes of K; beyond the caches, a copy costs what it saves in products


class Minus:
    """K - L^T R, never formed; ``left`` and ``right`` are (rank, n_samples)."""

    def __init__(self, gram: Gram, left: Array, right: Array):
        self.gram = gram
        self.left = left
        self.right = right

    @property
    def n_samples(self) -> int:
        """Number of rows and columns."""
        return self.gram.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""
        return self.gram.dtype

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """(K - L^T R) @ V, or only its columns ``at`` @ V."""
        image = self.gram.apply(V, at=at)
        right = self.right if at is None else self.right[:, at]
        image -= self.left.T @ (right @ V)
        return image

    def diagonal(self) -> Array:
        """Diagonal of K - L^T R."""
        return self._diagonal.copy()

    @cached_property
    def _diagonal(self) -> Array:
        return self.gram.diagonal() - np.einsum("ri,ri->i", self.left, self.right)

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """Columns of K - L^T R, all of them or the entries in ``rows``."""
        left = self.left if rows is None else self.left[:, rows]
        low_rank = self.right[:, index].T @ left  # laid out as the columns of a stored K
        return self.gram.columns(index, rows) - low_rank.T

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """L1 norms of the columns of K - L^T R - (minus)."""
        return self.gram.column_l1(with_more(minus, self.left, self.right))

    def written(self, minus: LowRank) -> Written | None:
        """K - L^T R - (minus) as a matrix of its own, if K is stored."""
        return self.gram.written(with_more(minus, self.left, self.right))

    def thin(self) -> Thin | None:
        """None: what is subtracted may be any matrix."""
        return None  # where it is known what it does to the rows, this is overridden

    def rounding(self) -> float:
        """At least that of K: what is subtracted from K leaves the errors of K behind."""
        own = np.finfo(self.dtype).eps * np.abs(self.diagonal()).sum(dtype=np.float64)
        return max(self.gram.rounding(), float(own))


class Deflated(Minus):
    """K - C^T C: the rows with the directions of the ``scores`` C, (k, n_samples), taken out.

    ``rows_left`` gives what is left of the rows, if they have few columns; ``triangle`` is what is
    left of the matrix, if it was copied.
    """

    def __init__(
        self,
        gram: Gram,
        scores: Array,
        rows_left: Callable[[], Thin | None] = lambda: None,
        triangle: Triangle | None = None,
    ):
        super().__init__(gram, scores, scores)
        self._rows_left = rows_left
        self._triangle = triangle

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """(K - C^T C) @ V, or only its columns ``at`` @ V."""
        if self._triangle is None or at is not None or not are_few(V):
            return super().apply(V, at)
        return self._triangle.apply(V)

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """L1 norms of the columns of K - C^T C - (minus)."""
        if self._triangle is None or minus is not None:
            return super().column_l1(minus)
        return self._triangle.column_l1.copy()

    def thin(self) -> Thin | None:
        """The rows that are left."""
        return self._rows_left()


class Deflating:
    """K - C^T C for scores C that grow in number, one search after the other.

    Every step of a search takes off the part of each earlier score.  Where K is stored and small,
    16 of them at a time are therefore taken off a copy of K for good: 150 components of 3000 rows
    so take three quarters of the time.  If 16 searches or more make ``whole_passes`` over the
    matrix, as the paper's start does, each score is taken off the triangle of a copy.
    """

    def __init__(self, gram: Gram, whole_passes: int = 0):
        self.gram = gram
        self._less = gram
        self._triangle = _triangle(gram) if whole_passes >= _MANY else None
        size = gram.n_samples**2 * gram.dtype.itemsize
        self._may_copy = self._triangle is None and size <= _PAYS_ALWAYS
        self._taken = 0
        self._rows = gram.thin()

    def without(self, scores: Array, coef: Array) -> Gram:
        """K - C^T C; valid until the next call, and ``scores`` begin as in the last call.

        ``coef`` are the dual vectors A of the scores C = A K, whose directions are orthonormal.
        """
        rows_left = partial(self._rows_without, coef)
        if self._triangle is not None:
            for score in scores[self._taken :]:
                self._triangle.take_off(score)
            self._taken = len(scores)
            return Deflated(self.gram, scores, rows_left, self._triangle)
        while self._may_copy and len(scores) - self._taken >= _MANY:
            batch = scores[self._taken : self._taken + _MANY]
            less = self._less.written((batch, batch))
            self._may_copy = less is not None
            if less is not None:
                self._less = less
                self._taken += _MANY
        return Deflated(self._less, scores[self._taken :], rows_left)

    def _rows_without(self, coef: Array) -> Thin | None:
        if self._rows is not None:
            for dual in coef[len(self._rows.without) :]:
                self._rows = self._rows.deflated(self._rows.summed(dual))
        return self._rows


def _triangle(gram: Gram) -> Triangle | None:
    """That of a copy, if it may be made."""
    nothing = np.empty((0, gram.n_samples), dtype=gram.dtype)
    copy = gram.written((nothing, nothing))
    return None if copy is None else Triangle(copy.K, copy.column_l1(), copy.workers)


class Centered(Minus):
    r"""The Gram of :math:`\phi(x_i) - \sum_j w_j \phi(x_j)`, for weights w that sum to one.

    :math:`K - m 1^T - 1 m^T + \mu 1 1^T` with m = K w and mu = w^T K w, which is
    :math:`K - h 1^T - 1 h^T` with h = m - mu/2.
    """

    def __init__(self, gram: DataGram, weights: Array, means: Array | None = None):
        means = gram.apply(weights) if means is None else means
        half = means - (weights @ means) / 2
        ones = np.ones_like(half)
        super().__init__(gram, np.stack([half, ones]), np.stack([ones, half]))
        self.rows = gram
        self.weights = weights
        self.means = means

    def thin(self) -> Thin | None:
        """The rows from their center, if they have few columns."""
        rows = self.rows.thin()
        return None if rows is None else rows.centered(rows.summed(self.weights))

    def center(self, weights: Array) -> DataGram:
        """Center anew: the first center cancels out."""
        return Centered(self.rows, weights)

    def projection(self, V: Array) -> CenteredProjection:
        """The map from new rows to their scores on the centered directions."""
        plain = self.rows.projection(np.column_stack([V, self.weights]))
        mean_square = float(self.weights @ self.means)
        sums = V.sum(axis=0)
        shift = self.means @ V - mean_square * sums
        return CenteredProjection(plain, sums, shift, mean_square)
