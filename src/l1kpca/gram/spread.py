"""Vectors over rows on a cluster, of which this process holds only a few numbers.

They support the NumPy operators that algorithms use, so algorithms need not know where rows are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca._typing import Array
from l1kpca.gram import partition_tasks as tasks
from l1kpca.gram.followed import Followed, near_count
from l1kpca.gram.partition_tasks import Signs

if TYPE_CHECKING:
    from l1kpca.gram.dask_factor import WorkerFactorGram


class Spread:
    """A vector over the rows, represented by a few numbers.

    ``terms`` are vectors that workers can compute, with factors, and ``at`` is G^T v without P.
    Without terms, the vector is the image G b, and ``at`` is b.
    """

    __array_ufunc__ = None  # NumPy arrays defer to the operators below

    def __init__(self, gram: "WorkerFactorGram", terms: Any, at: Array | None = None):
        self.gram = gram
        self.terms = terms
        if at is not None:
            self.at = at

    @cached_property
    def at(self) -> Array:
        """The few numbers; costs one pass if they are not known yet."""
        return self.gram.sums([self.entries])[0]

    @property
    def entries(self) -> Any:
        """The vector as a worker computes it."""
        if self.terms is None:
            return partial(tasks.image_of, self.gram.weights(self.at))
        return partial(tasks.combined, self.terms)

    @cached_property
    def summary(self) -> Array:
        """Sum of |v|, sum of v^2, largest |v| and its row."""
        return self.gram.summary(self.entries)

    def __matmul__(self, other: "Spread") -> float:
        return float(self.summary[1] if other is self else self.at @ other.at)

    def __sub__(self, other: "Spread") -> "Spread":
        if self.terms is None or other.terms is None:
            return Spread(self.gram, None, self.at - other.at)
        terms = dict(self.terms)
        for vector, number in other.terms.items():
            terms[vector] = terms.get(vector, 0.0) - number
        return Spread(self.gram, terms, self.at - other.at)

    def __mul__(self, number: float) -> "Spread":
        terms = self.terms and {vector: number * times for vector, times in self.terms.items()}
        return Spread(self.gram, terms, self.at * number)

    def __truediv__(self, number: float) -> "Spread":
        return self * (1 / number)

    def __neg__(self) -> "Spread":
        return self * -1

    def __abs__(self) -> "Sizes":
        return Sizes(self.summary)

    def __getitem__(self, row: int) -> float:
        """An entry of an image."""
        return float(self.gram.rows_of(np.array([row]))[0] @ self.at)

    def astype(self, dtype: Any, *, copy: bool = True) -> "Spread":
        """Itself: workers choose the type of the entries."""
        return self


@dataclass(frozen=True)
class Sizes:
    """Absolute values of a vector."""

    summary: Array

    def sum(self, dtype: Any = None) -> float:
        """Their sum."""
        return float(self.summary[0])

    def argmax(self) -> int:
        """The row of the largest one."""
        return int(self.summary[3])


@dataclass(frozen=True)
class Diagonal:
    """diag K, the squared lengths of the rows."""

    gram: "WorkerFactorGram"

    def __abs__(self) -> "Diagonal":
        return self

    def sum(self, dtype: Any = None) -> float:
        """Trace K."""
        return self.gram.trace

    def argmax(self) -> int:
        """The longest row."""
        return int(self.gram.summary(tasks.lengths)[3])

    def __getitem__(self, index: Array) -> Array:
        return row_norms(self.gram.rows_of(index), squared=True)


@dataclass(frozen=True)
class Stack:
    """Vectors as rows or as columns, whichever fits what they multiply."""

    gram: "WorkerFactorGram"
    vectors: list[Spread]

    @property
    def T(self) -> "Stack":
        """The same vectors."""
        return self

    @property
    def at(self) -> Array:
        """The few numbers of each vector, (k, r)."""
        width = self.gram.directions.shape[1]
        return np.array([vector.at for vector in self.vectors]).reshape(-1, width)

    def __iter__(self) -> Iterator[Spread]:
        return iter(self.vectors)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Spread):
            return np.array([vector @ other for vector in self.vectors])
        total = Spread(self.gram, {}, np.zeros(self.gram.directions.shape[1]))
        for number, vector in zip(other.tolist(), self.vectors, strict=True):
            total -= vector * -number
        return total


class WorkerFollowed(Followed):
    """Signs sgn(G w) with a few rows flipped, and b = G^T c, both held as a few numbers."""

    gram: "WorkerFactorGram"
    _lists = ("_signs", "_raw", "_now", "_before")

    def __init__(self, gram: "WorkerFactorGram", starts: Stack):
        self._signs: list[Signs] = [c for start in starts.vectors for c in start.terms]
        self._raw = list(gram.sums(self._signs))
        self.leave(gram)
        self._next: dict[int, tuple[Signs, Array]] = {}

    def leave(self, gram: Any, scores: Any = None) -> None:
        """Go on with ``gram``, which is without the component that has these scores."""
        self.gram = gram
        self._now = [gram.projected(raw) for raw in self._raw]
        self._before = list(self._now)

    @property
    def signs(self) -> list[Spread]:  # type: ignore[override]
        """The sign vectors."""
        pairs = zip(self._signs, self._raw, strict=True)
        return [Spread(self.gram, {c: 1.0}, raw) for c, raw in pairs]

    @property
    def values(self) -> list[float]:
        """c^T K c of each search."""
        return [float(b @ b) for b in self._now]

    def image(self, j: int) -> Spread:  # type: ignore[override]
        """K c of search ``j``."""
        return Spread(self.gram, None, self._now[j])

    def propose(self, beta: Array, moving: Array) -> tuple[Array, Array]:
        """Compare c with c' = sgn(K c), 1 where that is zero, in the ``moving`` searches."""
        gain, moved = np.zeros((2, len(self._signs)))
        new = {}
        for j in np.flatnonzero(moving).tolist():
            b = self._now[j] + beta[j] * (self._now[j] - self._before[j])
            new[j] = Signs(self.gram.weights(b))
        for j, change in self._change_to(new).items():
            moved[j] = change @ change
            gain[j] = 2 * self._now[j] @ change + moved[j]
        return gain, moved

    def _change_to(self, new: dict[int, Signs]) -> dict[int, Array]:
        pairs = [(self._signs[j], c) for j, c in new.items()]
        raw: Any = self.gram.sums(pairs) if new else []
        self._next = {j: (c, change) for (j, c), change in zip(new.items(), raw, strict=True)}
        return {j: self.gram.projected(change) for j, (_, change) in self._next.items()}

    def take(self, taken: Array) -> None:
        """Take the proposed step in the searches marked in ``taken``."""
        for j, (signs, change) in self._next.items():
            if taken[j]:
                self._signs[j], self._raw[j] = signs, self._raw[j] + change
                self._before[j] = self._now[j]
                self._now[j] = self.gram.projected(self._raw[j])

    def flip(self, flips: list[Array]) -> None:
        """Flip the signs of these rows, given as one array per search."""
        before = self._signs
        self._change_to({
            j: replace(before[j], flips=np.setxor1d(before[j].flips, rows))
            for j, rows in enumerate(flips)
            if len(rows)
        })  # fmt: skip
        self.take(np.ones(len(flips), dtype=bool))

    def near(self, j: int) -> tuple[Array, Array, Array, float]:
        """Rows of search ``j`` whose single flip gains most; see `Followed.near`."""
        gram, b = self.gram, self._now[j]
        most = near_count(gram.n_samples, gram.n_samples)
        state = self._signs[j], gram.weights(b), gram.bound
        found = gram.run(partial(tasks.largest_gains, most, *state), partial(tasks.top, most))
        # By Cauchy's inequality, no entry of K c is larger than this.
        largest = max(float(np.sqrt(gram.bound * (b @ b))), gram.bound)
        noise = max(16 * float(np.finfo(gram.dtype).eps) * largest, gram.rounding())
        positive = int(np.count_nonzero(found[:, 0] > 0))
        count = near_count(positive, gram.n_samples) if (found[:, 0] > noise).any() else 0
        gain, rows, signs = tasks.top(count, [found]).T.copy()
        return rows.astype(np.intp), signs, gain, noise
