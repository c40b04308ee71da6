"""L1-KPCA of Xiao et al.: a linear system with K in each step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Signs
from l1kpca.components.base import Component
from l1kpca.components.deflation import Deflation
from l1kpca.components.spectrum import Spectrum, all_pairs
from l1kpca.directions.base import Direction, Status, signs_of
from l1kpca.directions.starts import Start
from l1kpca.gram.base import Gram


@dataclass(frozen=True)
class SystemSteps:
    r"""Each step solves :math:`K_j \eta = K_j c` and sets c to the signs of :math:`K_j \eta`.

    :math:`K_j = K - C^T C` is singular: `l1kpca.peers.XiaoKernelPCA` says why only the positive
    eigenvalues are used to solve the system, :math:`\eta = U \Lambda^{-1} U^T (K_j c)` with
    :math:`K = U \Lambda U^T`.  Because :math:`A K_j = 0` for the dual vectors A of earlier
    components,

    .. math:: K_j \eta = (I - C^T A)\, K K^+ K_j c = K_j c,

    so one decomposition of K serves the deflated systems of all components.
    """

    spectrum: Spectrum
    max_iter: int

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """Search from each column of ``starts``."""
        return [self._search(gram, c) for c in starts.T]

    def _search(self, gram: Gram, c: Signs) -> Direction:
        values, U = self.spectrum.values, self.spectrum.vectors
        Kc = gram.apply(c)
        trace = [float(c @ Kc)]
        for _ in range(self.max_iter):
            eta = U @ ((U.T @ Kc) / values)
            new = signs_of(gram.apply(eta), previous=c)
            flips = np.flatnonzero(new != c)
            K_new = Kc + gram.apply((new - c)[flips], at=flips) if len(flips) else Kc
            if float(new @ K_new) <= trace[-1]:
                return Direction(c, Kc, tuple(trace))
            c, Kc = new, K_new
            trace.append(float(c @ Kc))
        return Direction(c, Kc, tuple(trace), Status.MAX_ITER)


@dataclass(frozen=True)
class SingularSystems:
    """Greedy components by `SystemSteps`."""

    start: Start
    memory: int
    max_iter: int = 1000
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in total, continuing after ``so_far``."""
        steps = SystemSteps(all_pairs(gram, self.memory), self.max_iter)
        return Deflation(steps, self.start, seed=self.seed).components(gram, limit, so_far)
