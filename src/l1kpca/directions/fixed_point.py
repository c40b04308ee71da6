"""Algorithm 1 of Kim and Klabjan: the sign iteration."""

from dataclasses import dataclass

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import (
    Direction,
    Search,
    SignSteps,
    Status,
    signs_of,
    why_it_stopped,
)


@dataclass(frozen=True)
class SignFixedPoint(SignSteps):
    r"""Iterate :math:`c \leftarrow \operatorname{sgn}(K c)` until the direction no longer moves.

    The objective :math:`c^T K c` never falls when K is positive semidefinite, and the iteration
    ends after finitely many steps.  After the first steps few signs flip; the image ``K c`` is then
    updated from the flipped columns of K alone.

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

    def _search(self, c: Signs, Kc: Array) -> Search:
        """Algorithm 1, in the paper's letters."""
        trace = [float(c @ Kc)]
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            change = signs_of(Kc, previous=c) - c
            if not change.any():
                status = Status.CONVERGED
                break
            K_change = yield change
            new, K_new = c + change, Kc + K_change
            # (c - c')^T K (c - c'), zero at the end of Algorithm 1
            moved, value = float(change @ K_change), float(new @ K_new)
            if moved == 0 or value <= trace[-1]:
                status = why_it_stopped(moved, value)
                break
            c, Kc = new, K_new
            trace.append(value)
        return Direction(c, Kc, tuple(trace), status)
