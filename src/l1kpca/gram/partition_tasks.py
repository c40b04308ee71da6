"""Tasks on one partition of the rows of a factor: few numbers in, few numbers out.

Workers keep no state between tasks: signs are those of G w for a short w, so whatever is lost with
a worker is simply recomputed.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.kernels import Kernel
from l1kpca.threads import computing, spans

HOLES = "X contains NaN or infinity: drop or fill those entries first"


@dataclass(frozen=True)
class View:
    """How rows X of a partition become rows of G = (F - 1 o^T) W P."""

    origin: Array
    directions: Array  #: Orthonormal rows that P removes.
    landmarks: Any = None  #: If given, F holds the similarities to them; else F = X.
    whitening: Any = None
    whole: bool = False  #: Whether F already includes W.
    #: Whether to subtract the origin from each row, because it is larger than what remains.
    taken_off: bool = False

    @property
    def width(self) -> int:
        """Columns of G."""
        return len(self.origin) if self.whitening is None else self.whitening.shape[1]

    def pieces(self, X: Array) -> Iterator[tuple[slice, Array]]:
        """Yield spans of rows with their F, which may be overwritten by the next one."""
        # One array for all similarities: Dask has its workers return freed memory to the system at
        # once.  A pass over 200 landmarks is 1.4 times as fast as with a new array for each span.
        width = 0 if self.landmarks is None else len(self.landmarks.X)
        room = np.empty((min(len(X), tuning.PARTITION_SPAN), width), X.dtype)
        with computing():
            for rows in spans(len(X), tuning.PARTITION_SPAN):
                F = X[rows]
                F = self.landmarks.with_new(F, room=room[: len(F)]) if width else F
                F = F @ self.whitening if self.whole else F
                yield rows, F - self.origin if self.taken_off else F

    def made(self, X: Array) -> Array:
        """All of F, to keep."""
        out = np.empty((len(X), self.width), dtype=X.dtype)
        for rows, F in self.pieces(X):
            out[rows] = F
        return out

    def image(self, F: Array, b: Array) -> Array:
        """G b, for b orthogonal to the directions that P removes."""
        b = b.astype(F.dtype, copy=False)
        return F @ b if self.taken_off else F @ b - self.origin @ b

    def rows(self, F: Array, center: Array | float = 0.0) -> Array:
        """(F - 1 o^T) W, which is G without P; a center, if given, replaces o."""
        origin = self.origin if np.ndim(center) == 0 else 0
        G = F + (self.origin - origin) if self.taken_off else F - origin
        return (G if self.whitening is None or self.whole else G @ self.whitening) - center


Vector = Callable[[View, Array, int], Array]
"""A vector over the rows: gives the entries for rows with features F, given the first index."""


@dataclass(frozen=True, eq=False)
class Signs:
    """sgn(G w), 1 where that is zero, with some rows flipped; random if there is a seed."""

    w: Array
    flips: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    seed: int | None = None

    def negative(self, view: View, F: Array, first: int) -> Array:
        """Where the sign is -1."""
        if self.seed is not None:
            rng = np.random.default_rng([self.seed, first])
            below = rng.integers(0, 2, len(F)).astype(bool)
        else:
            # Always the same product of the same rows: no sign depends on which task computes it.
            below = view.image(F, self.w) < 0
        flipped = slice(*np.searchsorted(self.flips, [first, first + len(F)]))
        below[self.flips[flipped] - first] ^= True
        return below

    def __call__(self, view: View, F: Array, first: int) -> Array:
        """The signs."""
        return np.where(self.negative(view, F, first), -1, 1).astype(F.dtype)


Change = tuple[Signs, Signs]
"""c' - c for signs (c, c')."""


def image_of(b: Array, view: View, F: Array, first: int) -> Array:
    """Entries of G b."""
    return view.image(F, b)


def lengths(view: View, F: Array, first: int) -> Array:
    """Squared lengths of the rows of G."""
    G = view.rows(F)
    return row_norms(G, squared=True) - row_norms(G @ view.directions.T, squared=True)


def own_similarity(kernel: Kernel, view: View, F: Array, first: int) -> Array:
    """k(x, x), where F = X."""
    return kernel.diagonal(F)


def nearness(center: Array, floor: float, total: float, view: View, F: Array, first: int) -> Array:
    """Weights 1 / (total max(d, floor)) for the distances d of F W to a center."""
    distances = np.sqrt(row_norms(view.rows(F, center), squared=True))
    return 1 / (total * np.maximum(distances, floor))


def combined(terms: Any, view: View, F: Array, first: int) -> Array:
    """A linear combination of vectors."""
    return sum((number * v(view, F, first) for v, number in terms.items()), start=np.zeros(len(F)))


def sums(vectors: Sequence[Vector | Change], view: View, X: Array, first: int) -> Array:
    """F^T v and the sum of v, side by side, for each vector v; of a change, from its rows alone."""
    out = np.zeros((len(vectors), len(view.origin) + 1))
    for rows, F in view.pieces(X):
        for total, vector in zip(out, vectors, strict=True):
            at: Any = slice(None)
            if isinstance(vector, tuple):
                old, new = (c.negative(view, F, first + rows.start) for c in vector)
                at = np.flatnonzero(new != old)
                v = np.where(new[at], -2, 2).astype(F.dtype)
            else:
                v = vector(view, F, first + rows.start)
            total[:-1] += v @ F[at]
            total[-1] += v.sum(dtype=np.float64)
    return out


def sizes(vector: Vector, view: View, X: Array, first: int) -> Array:
    """Sum of |v|, sum of v^2, largest |v| and its row, for one vector v."""
    found = []
    for rows, F in view.pieces(X):
        v = vector(view, F, first + rows.start).astype(np.float64, copy=False)
        size = np.abs(v)
        at = int(size.argmax())
        found.append([[size.sum(), v @ v, size[at], first + rows.start + at]])
    return summarized(found)


def summarized(parts: list[Any]) -> Array:
    """Merge several summaries into one."""
    found = np.concatenate(parts)
    top = found[found[:, 2].argmax()]
    return np.array([[found[:, 0].sum(), found[:, 1].sum(), top[2], top[3]]])


def largest_gains(
    count: int, signs: Signs, b: Array, bound: float, view: View, X: Array, first: int
) -> Array:
    """Gain, row and sign of the single flips that gain most.

    A flip gains only where |K c| is below the diagonal, which never exceeds ``bound``.
    """
    found = np.empty((0, 3))
    for rows, F in view.pieces(X):
        Kc = view.image(F, b)
        at = np.flatnonzero(np.abs(Kc) <= bound)
        c = signs(view, F, first + rows.start)[at]
        gain = lengths(view, F[at], first) - c * Kc[at]
        found = top(count, [found, np.column_stack([gain, at + (first + rows.start), c])])
    return found


def top(count: int, parts: list[Array]) -> Array:
    """The rows with the largest first entries, sorted by the second."""
    found = np.concatenate(parts)
    if len(found) > count:
        found = found[np.argpartition(-found[:, 0], count)[:count]]
    return found[np.argsort(found[:, 1])]


def table(vectors: list[Vector], view: View, dtype: Any, X: Array, block_info: Any) -> Array:
    """Vectors as columns; Dask says in ``block_info`` which rows these are."""
    out = np.empty((len(X), len(vectors)), dtype=dtype)
    first = block_info[0]["array-location"][0][0]
    for rows, F in view.pieces(np.asarray(X, dtype=view.origin.dtype)):
        for column, vector in zip(out.T, vectors, strict=True):
            column[rows] = vector(view, F, first + rows.start)
    return out


def rows_at(index: Array, view: View, X: Array, first: int) -> Array:
    """X[index], for the rows in this partition."""
    return X[index[(index >= first) & (index < first + len(X))] - first]


def extremes(view: View, X: Array, first: int) -> Array:
    """The rows with the largest and smallest entry, and the longest row; rejects NaN."""
    largest, smallest = X.max(axis=1), X.min(axis=1)
    if not np.isfinite([largest, smallest]).all():
        raise ValueError(HOLES)
    unit = max(float(largest.max()), -float(smallest.min())) or 1.0
    return X[[largest.argmax(), smallest.argmin(), row_norms(X / unit).argmax()]]


def digest(view: View, X: Array, first: int) -> Array:
    """A hash of the rows."""
    found = hashlib.blake2b(np.ascontiguousarray(X).data, digest_size=16).digest()
    return np.frombuffer(found, dtype=np.uint8)


added = partial(np.sum, axis=0)
"""The sum over partitions."""
