"""Sign vectors that a Gram tracks: what searches need of products with K, and nothing more."""

from typing import TYPE_CHECKING, Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array

if TYPE_CHECKING:
    from l1kpca.gram.base import Gram

Change = tuple[Any, Array]
"""A vector as the rows where it is nonzero, and its values there."""

Step = tuple[Array, Array]
"""The rows that flip, and K (c' - c)."""

_NO_ROWS = np.empty(0, dtype=np.intp)


class Followed:
    """Sign vectors c and their images K c, kept up to date while signs flip.

    Searches 0 to k - 1 run side by side, so one pass over K serves all of them.  A search never
    sees K c itself: it asks what a step would gain, and takes it or not.
    """

    _lists: tuple[str, ...] = ("signs", "_now", "_before")
    """Attributes with an entry for each search."""

    def __init__(self, gram: "Gram", starts: Array):
        self.gram = gram
        signs = np.array(starts.T, dtype=gram.dtype, order="C")
        self.signs = [*map(np.copy, signs)]  # one by one, so that each can go alone
        self._now = self._first_images(signs.T)
        self._before = list(self._now)
        self._step: list[Step | None] = []

    def pop(self, count: int) -> "Followed":
        """Remove the first searches, and return them alone."""
        alone = object.__new__(type(self))
        vars(alone).update(vars(self))
        for name in self._lists:
            vars(alone)[name], vars(self)[name] = vars(self)[name][:count], vars(self)[name][count:]
        return alone

    def leave(self, gram: "Gram", scores: Array) -> None:
        """Go on with ``gram``, which is without the component that has these scores."""
        self.gram = gram
        if self.signs:
            left = np.array(self._now) - np.multiply.outer(np.array(self.signs) @ scores, scores)
            self._now, self._before = list(left), list(left)

    @property
    def values(self) -> list[float]:
        """c^T K c of each search."""
        pairs = zip(self.signs, self._now, strict=True)
        return [self._form(Kc, (slice(None), c), Kc) for c, Kc in pairs]

    def image(self, j: int) -> Array:
        """K c of search ``j``."""
        return self._now[j]

    def propose(self, beta: Array, moving: Array) -> tuple[Array, Array]:
        r"""Compare c with c' = sgn(K c), in the ``moving`` searches.

        With momentum, c' is the sign of :math:`K c + \beta (K c - K c_{before})`.  Where that is
        zero, the sign stays.

        Returns
        -------
        gain : ndarray of shape (k,)
            c'^T K c' - c^T K c.
        moved : ndarray of shape (k,)
            (c' - c)^T K (c' - c), zero at the end of Algorithm 1.
        """
        gain, moved = np.zeros((2, len(self.signs)))
        ahead = {}
        for j in moving.nonzero()[0].tolist():
            Kc = self._now[j]
            ahead[j] = Kc + Kc.dtype.type(beta[j]) * (Kc - self._before[j]) if beta[j] else Kc
        self._step = self._steps_to(ahead)
        for j, (rows, K_change) in self._changes():
            change = rows, -2 * self.signs[j][rows]
            moved[j] = self._form(K_change, change, K_change)
            gain[j] = 2 * self._form(self._now[j], change, K_change) + moved[j]
        return gain, moved

    def take(self, taken: Array) -> None:
        """Take the proposed step in the searches marked in ``taken``."""
        for j, (rows, K_change) in self._changes():
            if taken[j]:
                self._before[j], self._now[j] = self._now[j], self._now[j] + K_change
                self.signs[j][rows] *= -1

    def flip(self, flips: list[Array]) -> None:
        """Flip the signs of these rows, given as one array per search."""
        self._step = self._flipped(flips)
        self.take(np.ones(len(flips), dtype=bool))

    def near(self, j: int) -> tuple[Array, Array, Array, float]:
        """Rows of search ``j`` whose single flip gains most, or loses least.

        Returns
        -------
        rows, signs, gain : ndarrays
            In row order.  ``gain`` is :math:`K_{ii} - c_i (K c)_i`, a quarter of what a flip gains.
            Empty if no flip gains.
        noise : float
            Gains up to this size are rounding error.
        """
        c, Kc = self.signs[j], self.image(j)
        diagonal = self.gram.diagonal()
        gain = diagonal - c * Kc
        # Deflation leaves only the rounding errors of K in rows that it has used up.
        largest = max(np.abs(Kc).max(), np.abs(diagonal).max())
        noise = max(16 * float(np.finfo(Kc.dtype).eps) * float(largest), self.gram.rounding())
        if gain.max() <= noise:
            return _NO_ROWS, c[:0], gain[:0], noise
        rows = np.arange(len(gain))
        count = near_count(int(np.count_nonzero(gain > 0)), len(gain))
        if count < len(gain):
            rows = np.sort(np.argpartition(-gain, count)[:count])
        return rows, c[rows], gain[rows], noise

    def _flipped(self, flips: list[Array]) -> list[Step | None]:
        """The steps that flip these rows, or None if no row flips."""
        moving = [j for j, rows in enumerate(flips) if len(rows)]
        images = self._images_of([(flips[j], -2 * self.signs[j][flips[j]]) for j in moving])
        found = dict(zip(moving, images, strict=True))
        return [(rows, found[j]) if j in found else None for j, rows in enumerate(flips)]

    def _changes(self) -> list[tuple[int, tuple[Array, Array]]]:
        return [(j, step) for j, step in enumerate(self._step) if step is not None]

    # How an image is represented: here, by all its entries.  A Gram with few columns does better.

    def _first_images(self, starts: Array) -> list[Array]:
        """K c for each start."""
        return list(np.ascontiguousarray(self.gram.apply(starts).T))

    def _images_of(self, changes: list[Change]) -> list[Array]:
        """K v for each v: from the nonzero rows of v if they are few, else all in one pass."""
        n = self.gram.n_samples
        few = tuning.FEW_FLIPS / max(1, len(changes)) * n
        many = [k for k, (rows, _) in enumerate(changes) if len(rows) > few]
        images = {
            k: self.gram.apply(values, at=rows)
            for k, (rows, values) in enumerate(changes)
            if k not in many
        }
        if many:
            block = np.zeros((n, len(many)), dtype=self.gram.dtype)
            for column, k in zip(block.T, many, strict=True):
                column[changes[k][0]] = changes[k][1]
            images |= zip(many, np.ascontiguousarray(self.gram.apply(block).T), strict=True)
        return [images[k] for k in range(len(changes))]

    def _steps_to(self, images: dict[int, Array]) -> list[Step | None]:
        """The steps to the signs of these images, each with the number of its search."""
        flips = [_NO_ROWS] * len(self.signs)
        for j, image in images.items():
            flips[j] = np.flatnonzero(image * self.signs[j] < 0)
        return self._flipped(flips)

    def _form(self, image: Array, change: Change, K_change: Array) -> float:
        """v^T K w, for the image of v and the change w with its image."""
        return float(change[1] @ image[change[0]])


def near_count(positive: int, n_samples: int) -> int:
    """How many rows single flips consider together: several for each whose flip gains."""
    most = min(n_samples // tuning.NEAR_SHARE, tuning.MOST_NEAR)
    count = max(tuning.FEWEST_NEAR, min(tuning.NEAR_FOR_EACH * positive, most))
    return n_samples if n_samples <= max(count, tuning.SMALL_ROWS) else count
