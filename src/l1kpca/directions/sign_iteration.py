"""Algorithm 1 of Kim and Klabjan: the sign iteration."""

from dataclasses import dataclass

import numpy as np

from l1kpca.directions.base import (
    MAX_ITER,
    Limits,
    Searches,
    SignSearch,
    Status,
    why_it_stopped,
)


@dataclass(frozen=True)
class SignIteration(SignSearch):
    r"""Iterate :math:`c \leftarrow \operatorname{sgn}(K c)` until the direction no longer moves.

    The objective :math:`c^T K c` never decreases if K is positive semidefinite, and the iteration
    ends after finitely many steps.  After the first steps few signs flip; the Gram then updates
    ``K c`` from the flipped columns of K alone.

    With many rows the iteration behaves like a power iteration: it is slow where two directions are
    nearly as good.  Momentum helps, as it helps a gradient method:

    .. math:: c \leftarrow \operatorname{sgn}\bigl(K c + \tfrac{t}{t + 1} (K c - K c')\bigr)

    with c' the signs before the last step, after t steps.  A step that does not raise the objective
    is not taken; the next one is plain and t restarts at 0, so the result is a fixed point of the
    plain iteration.

    Parameters
    ----------
    max_iter : int, default=1000
        Maximum number of steps.
    tol : float, default=0.0
        End when a step gains no more than this share of the objective; 0 is the paper's rule.
    momentum : bool, default=False
        Whether to use momentum.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.stored import StoredGram
    >>> from l1kpca.threads import Workers
    >>> x = np.array([3.0, -1.0, 2.0])
    >>> gram = StoredGram(np.outer(x, x), Workers())
    >>> SignIteration().find(gram, np.ones((3, 1)))[0].coef
    array([ 1., -1.,  1.])
    """

    max_iter: int = MAX_ITER
    tol: float = 0.0
    momentum: bool = False

    @property
    def limits(self) -> Limits:
        """Of the compiled search."""
        return self.max_iter, self.tol, self.momentum, -1.0

    def search(self, searches: Searches) -> None:
        """Algorithm 1, for several sign vectors c side by side."""
        c = searches.followed
        searches.status = [Status.MAX_ITER] * len(searches)
        t = np.zeros(len(searches))
        moving = np.ones(len(searches), dtype=bool)
        for _ in range(self.max_iter):
            # c' = sgn(K c); moved = (c' - c)^T K (c' - c), zero at the end of Algorithm 1
            gain, moved = c.propose(t / (t + 1), moving)
            better = moving & (gain > 0)
            c.take(better)
            for j in moving.nonzero()[0].tolist():
                value = searches.traces[j][-1]
                if better[j]:
                    searches.traces[j].append(value + gain[j])
                if gain[j] <= self.tol * abs(value) and (t[j] == 0 or better[j]):
                    searches.status[j] = why_it_stopped(moved[j], value + gain[j])
                    moving[j] = False
            t = np.where(better & self.momentum, t + 1, 0)
            if not moving.any():
                return
