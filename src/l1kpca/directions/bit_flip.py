"""Bit flipping: change one sign at a time, always the one that gains most."""

from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Search, SingleStart, Status, side_by_side
from l1kpca.gram.base import Gram

_FLIPS_PER_ROW = 20


@dataclass(frozen=True)
class BitFlip(SingleStart):
    r"""Flip the best sign until no single flip raises :math:`c^T K c`.

    Flipping sign i gains :math:`4 (K_{ii} - c_i (K c)_i)`.  Where no flip gains,
    :math:`c_i (K c)_i \ge K_{ii} \ge 0`, so the result is also a fixed point of the sign iteration;
    the reverse is not true: with a narrow kernel nearly every sign vector is a fixed point.
    Each flip costs one column of K.

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
        return side_by_side(gram, [self._search(c.copy(), y.copy(), diagonal) for c, y in pairs])

    def _search(self, c: Signs, Kc: Array, diagonal: Array) -> Search:
        trace = [float(c @ Kc)]
        bound = _FLIPS_PER_ROW * len(c) if self.max_flips is None else self.max_flips
        noise = 16 * np.finfo(Kc.dtype).eps * max(np.abs(Kc).max(), np.abs(diagonal).max())
        status = Status.MAX_ITER
        for _ in range(bound):
            gain = diagonal - c * Kc
            best = int(np.argmax(gain))
            if gain[best] <= noise:
                status = Status.CONVERGED
                break
            change = np.zeros_like(c)
            change[best] = -2 * c[best]
            Kc += yield change
            c[best] = -c[best]
            trace.append(trace[-1] + 4 * float(gain[best]))
        return Direction(c, Kc, tuple(trace), status)
