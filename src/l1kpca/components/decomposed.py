"""Methods that decompose K first: KPCA-L1 of Kwak, and L1-KPCA of Xiao et al."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from l1kpca._typing import Signs
from l1kpca.components.base import Component
from l1kpca.components.deflation import Deflation
from l1kpca.components.spectrum import Spectrum, leading_pairs
from l1kpca.directions.base import Direction, Status, signs_of
from l1kpca.directions.sign_iteration import SignIteration
from l1kpca.directions.starts import Start
from l1kpca.gram.base import Gram
from l1kpca.gram.factor import FactorGram
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers

_SHAKE_LENGTHS = [0.01 / 2**k for k in range(20)]


@dataclass(frozen=True)
class ProjectionTrick:
    r"""PCA-L1 on the coordinates :math:`Y = U \Lambda^{1/2}`, with :math:`K = U \Lambda U^T`.

    If a search ends at a direction that is orthogonal to some row, the direction is moved slightly
    at random and the search continues.
    """

    start: Start
    memory: int
    max_iter: int = 1000
    seed: int = 0

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield up to ``limit`` components."""
        values, U = leading_pairs(gram, gram.n_samples, self.memory)
        Y = FactorGram(np.ascontiguousarray(U * np.sqrt(values)), Workers(), Kernel("linear"))
        return Deflation(self, self.start, seed=self.seed).components(Y, min(limit, len(values)))

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """Search from each column of ``starts``, in the coordinates."""
        iteration = SignIteration(self.max_iter)
        every = iteration.find(gram, starts)
        for j, found in enumerate(every):
            rng = np.random.default_rng(self.seed)
            while (shaken := _shaken(gram, found, rng)) is not None:
                found = found.continued(iteration.find(gram, shaken[:, np.newaxis])[0])
            every[j] = found
        return every


def _shaken(gram: Gram, found: Direction, rng: np.random.Generator) -> Signs | None:
    """Better signs near those found, if any; None if no row is orthogonal to w."""
    if not found.value > 0:
        return None
    norms = np.sqrt(np.maximum(gram.diagonal(), 0))
    noise = 10 * np.finfo(gram.dtype).eps * np.sqrt(gram.n_samples)
    projections = found.image / np.sqrt(found.value)
    counts = norms > np.sqrt(noise) * norms.max()
    if not (counts & (np.abs(projections) <= noise * norms)).any():
        return None
    for length in _SHAKE_LENGTHS:
        random = rng.standard_normal(gram.n_samples).astype(gram.dtype)
        image = gram.apply(random)
        moved = projections + length * image / np.sqrt(random @ image)
        signs = signs_of(moved, previous=found.coef)
        if float(signs @ gram.apply(signs)) > (1 + noise) * found.value:
            return signs
    return None


@dataclass(frozen=True)
class SingularSystems:
    r"""Each step solves :math:`K_j \eta = K_j c` and sets c to the signs of :math:`K_j \eta`.

    With :math:`K = U \Lambda U^T`, :math:`\eta = U \Lambda^{-1} U^T K_j c` over the positive
    eigenvalues.  Because :math:`A K_j = 0` for the dual vectors A of earlier components,
    :math:`K_j \eta = (I - C^T A)\, K K^+ K_j c = K_j c`: one decomposition serves all components.
    """

    start: Start
    memory: int
    max_iter: int = 1000
    seed: int = 0
    spectrum: Spectrum | None = None
    """Of K, once it is decomposed."""

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield up to ``limit`` components."""
        steps = replace(self, spectrum=leading_pairs(gram, gram.n_samples, self.memory))
        return Deflation(steps, self.start, seed=self.seed).components(gram, limit)

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """Search from each column of ``starts``."""
        return [self._search(gram, c) for c in starts.T]

    def _search(self, gram: Gram, c: Signs) -> Direction:
        values, U = self.spectrum or leading_pairs(gram, gram.n_samples, self.memory)
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
