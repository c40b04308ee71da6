"""L1-KPCA of Xiao and others: a linear system with K in each step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Signs
from l1kpca.components.base import Component, stacked
from l1kpca.components.deflation import deflate
from l1kpca.components.spectrum import Spectrum, all_pairs
from l1kpca.directions.base import Direction, Search, Status, side_by_side, signs_of
from l1kpca.directions.images import change_of
from l1kpca.directions.starts import Start
from l1kpca.gram.base import Gram
from l1kpca.gram.wrappers import Deflating


@dataclass(frozen=True)
class SingularSystems:
    r"""Greedy components; each step solves :math:`K_j \eta = K_j c` and sets c to the signs of it.

    :math:`K_j = K - C^T C` is singular: it maps to zero the dual vectors A of the components before
    it, and the null space of K.  The vector c solves the system, and so does c plus anything
    in that null space; elimination divides by pivots that are rounding error and adds a huge
    multiple of a null vector, whose image, again rounding error, drowns the signs.

    It is therefore solved with the positive eigenvalues alone,
    :math:`\eta = U \Lambda^{-1} U^T (K_j c)` with :math:`K = U \Lambda U^T`.  Because
    :math:`A K_j = 0`,

    .. math:: K_j \eta = (I - C^T A)\, K K^+ K_j c = K_j c,

    so this one decomposition of K serves the deflated systems of all components.
    """

    start: Start
    memory: int
    max_iter: int = 1000
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in all, going on after ``so_far``."""
        spectrum = all_pairs(gram, self.memory)

        def search(deflated: Gram, rng: np.random.Generator) -> Direction:
            c = self.start(deflated, rng)
            return side_by_side(deflated, [self._search(c, spectrum)])[0]

        stack = stacked(so_far, gram)
        for component in deflate(Deflating(gram), limit, stack, search, self.seed):
            yield component.oriented()

    def _search(self, c: Signs, spectrum: Spectrum) -> Search:
        Kc = yield change_of(c)
        trace = [float(c @ Kc)]
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            eta = spectrum.vectors @ ((spectrum.vectors.T @ Kc) / spectrum.values)
            K_eta = yield change_of(eta)
            change = signs_of(K_eta, previous=c) - c
            if not change.any():
                status = Status.CONVERGED
                break
            K_change = yield change_of(change)
            value = float((c + change) @ (Kc + K_change))
            if value <= trace[-1]:
                status = Status.CONVERGED
                break
            c, Kc = c + change, Kc + K_change
            trace.append(value)
        return Direction(c, Kc, tuple(trace), status)
