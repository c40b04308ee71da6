"""Bit flipping: change one sign at a time, always the one that gains most."""

from dataclasses import dataclass

import numpy as np

from l1kpca import loops
from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Search, SingleStart, Status, side_by_side
from l1kpca.gram.base import Gram

_FLIPS_PER_ROW = 20
_FEWEST_NEAR, _MOST_NEAR, _NEAR_FOR_EACH = 128, 2048, 16


@dataclass(frozen=True)
class BitFlip(SingleStart):
    r"""Flip signs, the best first, until no single flip raises :math:`c^T K c`.

    Flipping sign i gains :math:`4 (K_{ii} - c_i (K c)_i)`.  Where no flip gains,
    :math:`c_i (K c)_i \ge K_{ii} \ge 0`, so the result is also a fixed point of the sign iteration;
    the reverse is not true: with a narrow kernel nearly every sign vector is a fixed point.

    The 128 to 2048 signs that gain most, or lose least, are looked at together: among them the best
    is flipped again and again, which needs only their own block of K; then ``K c`` is updated for
    all flips at once.  A pass over K so serves hundreds of flips.

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
        largest = max(np.abs(Kc).max(), np.abs(diagonal).max())
        # Deflation leaves the rounding errors of K behind, in rows of which nothing else is left.
        noise = max(16 * np.finfo(Kc.dtype).eps * largest, gram.rounding())
        while left > 0:
            gain = diagonal - c * Kc
            if gain.max() <= noise:
                return Direction(c, Kc, tuple(trace), Status.CONVERGED)
            near = _largest(gain)
            block = gram.columns(near, rows=near)
            flipped, gains = c[near], np.empty(min(left, _FLIPS_PER_ROW * len(near)))
            count = loops.flip_within(block, flipped, gain[near], noise, gains)
            trace += (trace[-1] + 4 * np.cumsum(gains[:count])).tolist()
            left -= count
            rows = near[flipped != c[near]]
            Kc += yield rows, -2 * c[rows]
            c[rows] *= -1
        return Direction(c, Kc, tuple(trace), Status.MAX_ITER)


def _largest(gain: Array) -> Array:
    """Indices of the largest gains, in order of the rows: some for each that is positive."""
    wanted = _NEAR_FOR_EACH * int(np.count_nonzero(gain > 0))
    count = max(_FEWEST_NEAR, min(wanted, len(gain) // 32, _MOST_NEAR))
    if len(gain) <= count:
        return np.arange(len(gain))
    return np.sort(np.argpartition(-gain, count)[:count])
