"""K = G G^T with rows G of few columns: the signs of K c can be followed at little cost."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from l1kpca import loops
from l1kpca._typing import Array
from l1kpca.threads import Workers, spans

_SPAN = 16_384
_ROUNDING = 64


def times_rows(F: Any, V: Array, workers: Workers, at: Array | None = None) -> Array:
    """F^T V, or F[at]^T V; added up over spans of rows in a fixed order."""

    def work(rows: slice) -> Array:
        return F[rows if at is None else at[rows]].T @ V[rows]

    pieces = [(rows,) for rows in spans(len(V), _SPAN)]
    parts = workers.run(work, pieces, cost=V.size * F.shape[1])
    return sum(parts, start=np.zeros((F.shape[1], *V.shape[1:]), dtype=V.dtype))


def rows_times(F: Any, b: Array, workers: Workers) -> Array:
    """F b."""
    out = np.empty((F.shape[0], *b.shape[1:]), dtype=b.dtype)

    def work(rows: slice) -> None:
        out[rows] = F[rows] @ b

    workers.run(work, [(rows,) for rows in spans(len(out), _SPAN)], cost=out.size * F.shape[1])
    return out


@dataclass(frozen=True)
class Thin:
    """K = G G^T for G = (F - center) P, where P takes out the rows of ``without``.

    A vector b in the space of rows stands for K c if b = G^T c, and for a sum of such images if it
    is the same sum of theirs: the image itself is G b, the objective c^T K c is b^T b.
    """

    F: Array
    """Rows, (n_samples, n_features)."""
    squared_norms: Array
    """Of the rows of F."""
    center: Array
    without: Array
    """Orthonormal directions, (n_directions, n_features)."""
    workers: Workers

    def centered(self, center: Array) -> "Thin":
        """The same with another center."""
        return replace(self, center=center)

    def deflated(self, direction: Array) -> "Thin":
        """The same without one more direction."""
        unit = direction / np.linalg.norm(direction)
        return replace(self, without=np.vstack([self.without, unit]))

    def summed(self, values: Array, at: Array | None = None) -> Array:
        """G^T c, for the entries ``at`` of c, or all of them."""
        total = times_rows(self.F, values, self.workers, at) - values.sum() * self.center
        for _ in range(2):  # once leaves rounding errors behind
            total = total - (self.without @ total) @ self.without
        return total

    def image(self, b: Array) -> Array:
        """G b."""
        return rows_times(self.F, b, self.workers) - self.center @ b

    def lengths(self, diagonal: Array) -> Array:
        """The lengths of the rows of G from the diagonal of K; no less, for all rounding errors."""
        slack = _ROUNDING * float(np.finfo(self.F.dtype).eps) * self.squared_norms
        return np.sqrt(np.maximum(diagonal, 0) + slack)

    def follow(self, lengths: Array) -> "Followed":
        """Begin to follow G b, of which nothing is known."""
        seen = np.zeros((3, len(lengths)))  # long ways are added up in double precision
        seen[0], seen[1] = lengths, -np.inf
        return Followed(self, seen)


class Followed:
    """The signs of G b for a b that moves.

    An entry of G b moves by no more than the length of its row times the way of b.  An entry that
    was far from zero when it was computed therefore keeps its sign for a long way, and only those
    near zero are computed anew: a search on 60 000 rows so takes two thirds of the time.
    """

    def __init__(self, thin: Thin, seen: Array):
        self.thin = thin
        self._seen = seen
        self._way = 0.0
        self._at: Array | None = None

    @property
    def entries(self) -> Array:
        """G b, each entry as it was when it was computed last."""
        return self._seen[2]

    def differing(self, b: Array, c: Array) -> Array:
        """The rows where the sign of G b is not that of c; zero has the sign of c."""
        if self._at is not None:
            self._way += float(np.linalg.norm(b - self._at))
        self._at = b
        state = self.thin.F, b, self.thin.center @ b, self._way, self._seen, c
        pieces = [(*state, (rows.start, rows.stop)) for rows in spans(len(c), _SPAN)]
        found = self.thin.workers.run(loops.differing_signs, pieces, cost=8 * len(c))
        return np.concatenate(found)
