"""Bit flipping: change one sign at a time, always the one that gains most."""

from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Search, SingleStart, Status, side_by_side
from l1kpca.gram.base import Gram

_FLIPS_PER_ROW = 20
_CANDIDATES = 128


@dataclass(frozen=True)
class BitFlip(SingleStart):
    r"""Flip signs, the best first, until no single flip raises :math:`c^T K c`.

    Flipping sign i gains :math:`4 (K_{ii} - c_i (K c)_i)`.  Where no flip gains,
    :math:`c_i (K c)_i \ge K_{ii} \ge 0`, so the result is also a fixed point of the sign iteration;
    the reverse is not true: with a narrow kernel nearly every sign vector is a fixed point.

    The 128 signs that gain most are looked at together: among them the best is flipped again and
    again, which needs only their own block of K; then ``K c`` is updated for all flips at once.

    Parameters
    ----------
    max_flips : int, default=None
        Bound on the number of flips; None is 20 times the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> gram = PrecomputedGram(np.array([[1.0, -0.5], [-0.5, 1.0]]), Workers())
    >>> BitFlip().find(gram, np.array([1.0, 1.0])).coef
    array([-1.,  1.])
    """

    max_flips: int | None = None

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """Flip from each column of ``starts``, side by side."""
        images = gram.apply(starts) if images is None else images
        diagonal = gram.diagonal()
        pairs = zip(starts.T, images.T, strict=True)
        searches = [self._search(gram, c.copy(), y.copy(), diagonal) for c, y in pairs]
        return side_by_side(gram, searches)

    def _search(self, gram: Gram, c: Signs, Kc: Array, diagonal: Array) -> Search:
        trace = [float(c @ Kc)]
        left = _FLIPS_PER_ROW * len(c) if self.max_flips is None else self.max_flips
        noise = 16 * np.finfo(Kc.dtype).eps * max(np.abs(Kc).max(), np.abs(diagonal).max())
        while left > 0:
            gain = diagonal - c * Kc
            candidates = _largest(gain, noise)
            if not candidates.size:
                return Direction(c, Kc, tuple(trace), Status.CONVERGED)
            block = gram.columns(candidates, rows=candidates)
            flipped, gains = _flip_among(c[candidates], gain[candidates], block, noise, left)
            trace += (trace[-1] + 4 * np.cumsum(gains)).tolist()
            left -= len(gains)
            change = np.zeros_like(c)
            change[candidates] = flipped - c[candidates]
            Kc += yield change
            c += change
        return Direction(c, Kc, tuple(trace), Status.MAX_ITER)


def _largest(gain: Array, noise: float) -> Array:
    """Indices of the largest gains that are more than rounding error."""
    useful = np.flatnonzero(gain > noise)
    if len(useful) <= _CANDIDATES:
        return useful
    order = np.argpartition(-gain[useful], _CANDIDATES)[:_CANDIDATES]
    return np.sort(useful[order])


def _flip_among(
    c: Signs, gain: Array, block: Array, noise: float, limit: int
) -> tuple[Signs, list[float]]:
    """Flip the best sign within a block of K until none gains; the signs, and each gain / 4."""
    c, gain = c.copy(), gain.copy()
    gains: list[float] = []
    while len(gains) < limit:
        best = int(np.argmax(gain))
        gained = float(gain[best])
        if gained <= noise:
            break
        gains.append(gained)
        gain += 2 * c[best] * c * block[best]
        c[best] = -c[best]
        gain[best] = -gained
    return c, gains
