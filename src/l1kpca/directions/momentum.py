"""The sign iteration with momentum: the same fixed points in a fraction of the steps."""

from dataclasses import dataclass

from l1kpca._typing import Signs
from l1kpca.directions.base import Direction, Search, SignSteps, Status, why_it_stopped
from l1kpca.directions.images import Image, flipped


@dataclass(frozen=True)
class MomentumSigns(SignSteps):
    r"""Iterate :math:`c \leftarrow \operatorname{sgn}(y + \beta (y - y'))` with :math:`y = K c`.

    For many rows the sign iteration behaves like a power iteration: it creeps where two directions
    are nearly as good.  Momentum, with y' the image before the last step and
    :math:`\beta = t / (t + 3)` after t steps, helps it as it helps a gradient method.  A step that
    does not raise :math:`c^T K c` is not taken; the next one is then plain and the count t begins
    anew, so the objective never falls and the end is a fixed point of the sign iteration.

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
    >>> MomentumSigns().find(gram, np.array([1.0, 1.0, 1.0])).coef
    array([ 1., -1.,  1.])
    """

    max_iter: int = 1000

    def _search(self, c: Signs, Kc: Image) -> Search:
        trace, status = [Kc.of_signs(c)], Status.MAX_ITER
        before, since = Kc, 0
        while len(trace) <= self.max_iter:
            ahead = Kc + since / (since + 3) * (Kc - before)
            flips, gain, moved = ahead.differing(c), 0.0, 0.0
            if len(flips):
                K_change = yield from Kc.of_flips(c, flips)
                moved = K_change.form(K_change)
                gain = 2 * Kc.form(K_change) + moved
            if gain > 0:
                c, before, Kc = flipped(c, flips), Kc, Kc + K_change
                trace.append(trace[-1] + gain)
                since += 1
            elif since > 0:
                since = 0
            else:
                status = why_it_stopped(moved, trace[-1])
                break
        return Direction(c, Kc.whole(), tuple(trace), status)
