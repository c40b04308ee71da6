"""Bit flipping: change one sign at a time, always the one that gains most."""

from dataclasses import dataclass

import numpy as np

from l1kpca import tuning
from l1kpca.directions import loops
from l1kpca.directions.base import Searches, SignSearch, Status


@dataclass(frozen=True)
class BitFlip(SignSearch):
    r"""Flip signs, the best first, until no single flip raises :math:`c^T K c`.

    Flipping sign i gains :math:`4 (K_{ii} - c_i (K c)_i)`.  Where no flip gains,
    :math:`c_i (K c)_i \ge K_{ii} \ge 0`, so the result is also a fixed point of the sign iteration;
    the reverse is not true: with a narrow kernel nearly every sign vector is a fixed point.

    The 128 to 2048 signs that gain most, or lose least, are considered together: the best of them
    is flipped again and again, which needs only their own block of K; then ``K c`` is updated for
    all flips at once.  One pass over K thus serves hundreds of flips.

    Parameters
    ----------
    max_flips : int, default=None
        Maximum number of flips; None is 20 times the number of rows.
    tol : float, default=0.0
        End when all flips together promise no more than this share of the objective.
    """

    max_flips: int | None = None
    tol: float = 0.0

    def search(self, searches: Searches) -> None:
        """Flip in all searches side by side."""
        gram, followed = searches.gram, searches.followed
        most = tuning.FLIPS_PER_ROW * gram.n_samples if self.max_flips is None else self.max_flips
        left = [most] * len(searches)
        nothing = (np.empty((0, 1), dtype=gram.dtype),) * 2
        moving = [j for j in range(len(searches)) if most > 0]
        searches.status = [Status.MAX_ITER] * len(searches)
        while moving:
            flips = [np.empty(0, dtype=np.intp)] * len(searches)
            for j in moving:
                near, before, gain, noise = followed.near(j)
                promised = 4 * float(gain.clip(0).sum())
                if not near.size or promised <= self.tol * abs(searches.traces[j][-1]):
                    searches.status[j] = Status.CONVERGED
                    continue
                signs = before.copy()
                gains = np.empty(min(left[j], tuning.FLIPS_PER_ROW * len(near)))
                block = gram.columns(near, rows=near)
                everyone = np.arange(len(near))
                count = loops.flip_within(block, everyone, nothing, signs, gain, noise, gains)
                trace = searches.traces[j]
                trace += (trace[-1] + 4 * np.cumsum(gains[:count])).tolist()
                left[j] -= count
                flips[j] = near[signs != before]
            followed.flip(flips)
            moving = [j for j in moving if searches.status[j] is not Status.CONVERGED and left[j]]
