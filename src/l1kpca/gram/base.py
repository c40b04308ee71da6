"""The interface of a Gram matrix, however it is held.

To write a new Gram, subclass `Gram` and implement `apply`, `diagonal`, `columns` and `projection`.
The other methods build on these; override them where you can do better.  Add one line to
``tests/contracts/grams.py``, and the conformance suite tests your Gram.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram.followed import Followed
from l1kpca.gram.projection import Projection
from l1kpca.threads import spans

LowRank = tuple[Array, Array]
"""Factors (L, R), both (rank, n_samples), of a symmetric matrix L^T R to subtract."""


class Gram(ABC):
    """A symmetric matrix K, seen through its products; algorithms see nothing else."""

    n_samples: int
    """Number of rows and columns."""
    dtype: np.dtype[Any]
    """Type of the entries."""
    bytes_held: int = 0
    """Memory that this Gram occupies."""
    lost_share: float = 0.0
    """Share of trace K that an approximation misses."""
    floor: float = 0.0
    """Rounding error in trace K before anything was subtracted."""
    few_rows: int = 0
    """Up to this many rows, searches run in one compiled call on the `written` matrix."""

    @abstractmethod
    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V; one pass over K serves all columns of V."""

    @abstractmethod
    def diagonal(self) -> Array:
        """diag K, as a new array."""

    @abstractmethod
    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""

    @abstractmethod
    def projection(self, V: Array) -> Projection:
        """The map from new rows x to their scores on the directions ``Phi^T V``."""

    def written(self) -> tuple[Array, LowRank]:
        """A full matrix, and the factors of what to subtract from it to get K."""
        nothing = np.empty((0, self.n_samples), dtype=self.dtype)
        return np.ascontiguousarray(self.columns(np.arange(self.n_samples)).T), (nothing, nothing)

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """``sum_i |K - L^T R|_ij`` for each column j, for the paper's start."""
        sums = np.empty(self.n_samples, dtype=self.dtype)
        for span in spans(self.n_samples, tuning.TILE_SIDE):
            columns = self.columns(np.arange(span.start, span.stop))
            if minus is not None:
                columns = columns - minus[0].T @ minus[1][:, span]
            sums[span] = np.abs(columns).sum(axis=0)
        return sums

    def follow(self, starts: Array) -> Followed:
        """Track K c while signs of c flip, for each column c of ``starts``."""
        return Followed(self, starts)

    def without(self, coef: Array, scores: Array) -> "Gram":
        """K without one component: K - s s^T for the scores s = K a of a unit direction a."""
        return self.minus(scores[np.newaxis], scores[np.newaxis])

    def minus(self, left: Array, right: Array) -> "Gram":
        """K - L^T R, for a symmetric L^T R, without forming it."""
        return Minus(self, left, right)

    def center(self, weights: Array) -> "Gram":
        """The Gram of the rows minus their weighted mean in feature space."""
        return Centered(self, weights, self.apply(weights))

    def rounding(self) -> float:
        """Rounding error in trace K: anything smaller says nothing about the rows."""
        own = np.finfo(self.dtype).eps * abs(self.diagonal()).sum(dtype=np.float64)
        return max(self.floor, float(own))

    # How a vector over the rows is represented: here, as an array.  If the rows are on a cluster,
    # the entries stay there, and a few numbers represent them.

    def table(self, vectors: Sequence[Array]) -> Array:
        """Vectors as the columns of one array: the one that `appended` put them in, if it did."""
        if not len(vectors):
            return np.zeros((self.n_samples, 0), self.dtype)
        room = vectors[0].base
        if isinstance(room, np.ndarray) and len(room) >= len(vectors):
            held = room[: len(vectors)]
            if all(map(_are_one, held, vectors)):
                return held.T
        return np.array(vectors).T

    def appended(self, table: Array, vector: Array, most: int) -> Array:
        """The table with one more column, of ``most`` in the end.

        It shares memory with ``table``, of which no other table with one more column may be made.
        """
        count, room = table.shape[1], table.base
        if count == 0 or room is None or len(room) == count:
            # What is not filled takes no memory.
            rows = min(most, max(tuning.TABLE_ROOM, 2 * count))
            room = np.empty((rows, self.n_samples), dtype=self.dtype)
            room[:count] = table.T
        room[count] = vector
        return room[: count + 1].T

    def shown(self, table: Array) -> Any:
        """A table as users see it."""
        return table

    def signs(self, vector: Array) -> Array:
        """-1 where negative, else 1."""
        return 1 - 2 * (vector < 0).astype(self.dtype)

    def random_signs(self, rng: np.random.Generator) -> Array:
        """Random signs."""
        return rng.choice(np.array([-1, 1], dtype=self.dtype), self.n_samples)

    def equal_weights(self) -> Array:
        """Weights of the mean."""
        return np.full(self.n_samples, 1 / self.n_samples, dtype=self.dtype)

    def nearer_weights(self, weights: Array) -> tuple[Array, float]:
        """One Weiszfeld step toward the spatial median, and how far the weights moved (L1)."""
        image = self.apply(weights)
        distances = np.sqrt(np.maximum(self.diagonal() - 2 * image + weights @ image, 0))
        positive = distances[distances > 0]
        if not positive.size:
            return weights, 0.0
        # Treat a row at the median itself as a small distance away.
        floor = np.sqrt(np.finfo(self.dtype).eps) * np.median(positive)
        inverse = 1 / np.maximum(distances, floor)
        updated = (inverse / inverse.sum()).astype(self.dtype)
        return updated, float(np.abs(updated - weights).sum())

    def packed(self, vectors: Mapping[str, Sequence[Array]]) -> dict[str, Array]:
        """Coefficients, scores and signs of components as arrays for a file."""
        return {name: np.array(some) for name, some in vectors.items()}

    def unpacked(self, arrays: Mapping[str, Array]) -> dict[str, Sequence[Array]]:
        """Undo `packed`."""
        return {name: list(arrays[name]) for name in ("coef", "scores", "signs")}


def _are_one(one: Array, other: Array) -> bool:
    """Whether two arrays are the same numbers in memory."""
    return bool(one.__array_interface__ == other.__array_interface__)


class Minus(Gram):
    """K - L^T R, never formed; ``left`` and ``right`` are (rank, n_samples)."""

    def __init__(self, gram: Gram, left: Array, right: Array):
        self.gram = gram
        self.left = left
        self.right = right
        self.n_samples = gram.n_samples
        self.dtype = gram.dtype
        self.few_rows = gram.few_rows
        self.floor = gram.rounding()
        self._diagonal = gram.diagonal() - np.einsum("ri,ri->i", left, right)

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """(K - L^T R) @ V, or only its columns ``at`` @ V."""
        image = self.gram.apply(V, at=at)
        right = self.right if at is None else self.right[:, at]
        image -= self.left.T @ (right @ V)
        return image

    def diagonal(self) -> Array:
        """Diagonal of K - L^T R."""
        return self._diagonal.copy()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """Columns of K - L^T R, or only their entries in ``rows``."""
        left = self.left if rows is None else self.left[:, rows]
        low_rank = self.right[:, index].T @ left  # laid out as the columns of a stored K
        return self.gram.columns(index, rows) - low_rank.T

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """L1 norms of the columns of K - L^T R - (minus)."""
        left, right = minus or (self.left[:0], self.right[:0])
        return self.gram.column_l1((np.vstack([self.left, left]), np.vstack([self.right, right])))

    def minus(self, left: Array, right: Array) -> Gram:
        """K - L^T R - (left^T right), by way of K itself, so wrappers never nest."""
        return self.gram.minus(np.vstack([self.left, left]), np.vstack([self.right, right]))

    def written(self) -> tuple[Array, LowRank]:
        """The matrix of K, and the factors L and R."""
        return self.gram.written()[0], (self.left, self.right)

    def projection(self, V: Array) -> Projection:
        """The projection of K: what was subtracted does not affect new rows."""
        return self.gram.projection(V)


class Centered(Minus):
    r"""The Gram of :math:`\phi(x_i) - \sum_j w_j \phi(x_j)`, for weights w that sum to one.

    :math:`K - m 1^T - 1 m^T + \mu 1 1^T` with ``means`` m = K w and mu = w^T K w, which is
    :math:`K - h 1^T - 1 h^T` with h = m - mu/2.
    """

    def __init__(self, gram: Gram, weights: Array, means: Array):
        half = means - (weights @ means) / 2
        ones = np.ones_like(half)
        super().__init__(gram, np.stack([half, ones]), np.stack([ones, half]))
        self.weights = weights
        self.means = means

    def center(self, weights: Array) -> Gram:
        """Center again: the first center cancels out."""
        return self.gram.center(weights)

    def projection(self, V: Array) -> Projection:
        """The map from new rows to their scores on the centered directions."""
        return self.gram.projection(V).centered(self.weights, self.means)
