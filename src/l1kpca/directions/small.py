"""Searches on a K of few rows, where calls from Python would take longer than the work."""

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Signs
from l1kpca.directions import loops
from l1kpca.directions.base import Direction, Status, why_it_stopped
from l1kpca.gram.base import Gram

Limits = tuple[int, float, bool]
"""Bound on the steps, tolerance, whether they have momentum."""


def find_small(
    gram: Gram, starts: Signs, limits: Limits, polish: float | None = None
) -> list[Direction]:
    """What `SignIteration` with these limits finds, alternating with `BitFlip(tol=polish)`."""
    K, minus = gram.written()
    diagonal, rounding = gram.diagonal(), gram.rounding()
    found = []
    for start, image in zip(starts.T, gram.apply(starts).T, strict=True):
        c, Kc = start.astype(gram.dtype), np.array(image)
        trace, left = [float(c @ Kc)], tuning.FLIPS_PER_ROW * len(c)
        count = 1
        while count > 0:
            steps = np.empty(limits[0] + 1)
            steps[0] = trace[-1]
            count, moved, ended = loops.sign_steps(K, minus, c, Kc, limits, steps)
            status = why_it_stopped(moved, steps[count]) if ended else Status.MAX_ITER
            first = len(trace) == 1
            trace += steps[1 : count + 1].tolist()
            if polish is None or (count == 0 and not first):
                break
            largest = max(np.abs(Kc).max(), np.abs(diagonal).max())
            noise = max(16 * float(np.finfo(K.dtype).eps) * float(largest), rounding)
            gains = np.empty(left)
            least = tuning.FEWEST_NEAR, noise, polish * abs(trace[-1])
            count = loops.best_flips(K, minus, c, Kc, diagonal, least, gains)
            trace += (trace[-1] + 4 * np.cumsum(gains[:count])).tolist()
            left -= count
            if count == 0 or left == 0:
                # Where no flip gains, no sign step does either, however many were allowed.
                status = Status.CONVERGED if left else Status.MAX_ITER
                break
        found.append(Direction(c, Kc, tuple(trace), status))
    return found
