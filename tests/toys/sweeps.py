"""A finder in one file: go over the rows again and again, flipping every sign that gains.

``L1KernelPCA(solver=Sweeps())`` uses it.
"""

from dataclasses import dataclass

import numpy as np

from l1kpca.directions import Direction, Status


@dataclass(frozen=True)
class Sweeps:
    max_sweeps: int = 1000

    def find(self, gram, starts):
        return [self._search(gram, c.astype(gram.dtype)) for c in starts.T]

    def _search(self, gram, c):
        Kc, diagonal = gram.apply(c), gram.diagonal()
        trace = [float(c @ Kc)]
        for _ in range(self.max_sweeps):
            before = len(trace)
            for i in range(len(c)):
                gain = diagonal[i] - c[i] * Kc[i]
                if gain > 1e-14 * abs(Kc[i]) + gram.rounding():
                    trace.append(trace[-1] + 4 * float(gain))
                    Kc = Kc + gram.apply(np.array([-2 * c[i]]), at=np.array([i]))
                    c[i] = -c[i]
            if len(trace) == before:
                return Direction(c, Kc, tuple(trace))
        return Direction(c, Kc, tuple(trace), Status.MAX_ITER)
