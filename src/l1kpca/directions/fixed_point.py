"""Algorithm 1 of Kim and Klabjan: the sign iteration."""

from dataclasses import dataclass

from l1kpca._typing import Signs
from l1kpca.directions.base import Direction, Search, SignSteps, Status, why_it_stopped
from l1kpca.directions.images import Image, flipped


@dataclass(frozen=True)
class SignFixedPoint(SignSteps):
    r"""Iterate :math:`c \leftarrow \operatorname{sgn}(K c)` until the direction no longer moves.

    The objective :math:`c^T K c` never falls when K is positive semidefinite, and the iteration
    ends after finitely many steps.  After the first steps few signs flip; the image ``K c`` is then
    updated from the flipped columns of K alone, and for the linear kernel only where it may change
    its sign.

    Parameters
    ----------
    max_iter : int, default=1000
        Bound on the number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> x = np.array([3.0, -1.0, 2.0])
    >>> gram = PrecomputedGram(np.outer(x, x), Workers())
    >>> SignFixedPoint().find(gram, np.array([1.0, 1.0, 1.0])).coef
    array([ 1., -1.,  1.])
    """

    max_iter: int = 1000

    def _search(self, c: Signs, Kc: Image) -> Search:
        """Algorithm 1, in the paper's letters: c' = sgn(K c)."""
        trace = [Kc.of_signs(c)]
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            flips = Kc.differing(c)
            if not len(flips):
                status = Status.CONVERGED
                break
            K_change = yield from Kc.of_flips(c, flips)
            # (c' - c)^T K (c' - c), zero at the end of Algorithm 1
            moved = K_change.form(K_change)
            gain = 2 * Kc.form(K_change) + moved
            if moved == 0 or gain <= 0:
                status = why_it_stopped(moved, trace[-1] + gain)
                break
            c, Kc = flipped(c, flips), Kc + K_change
            trace.append(trace[-1] + gain)
        return Direction(c, Kc.whole(), tuple(trace), status)
