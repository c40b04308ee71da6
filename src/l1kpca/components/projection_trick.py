"""KPCA-L1 of Kwak: the nonlinear projection trick, then PCA-L1 on coordinates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Signs
from l1kpca.components.base import Component
from l1kpca.components.deflation import Deflation
from l1kpca.components.spectrum import all_pairs
from l1kpca.directions.base import Direction, signs_of
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

    PCA-L1 is the sign iteration with the linear kernel of the rows of Y.  One decomposition serves
    all components.
    """

    start: Start
    memory: int
    max_iter: int = 1000
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in total, continuing after ``so_far``."""
        spectrum = all_pairs(gram, self.memory)
        Y = np.ascontiguousarray(spectrum.vectors * np.sqrt(spectrum.values))
        coordinates = FactorGram(Y, Workers(), Kernel("linear"))
        search = ShakenSigns(self.max_iter, self.seed)
        solver = Deflation(search, self.start, seed=self.seed)
        return solver.components(coordinates, min(limit, Y.shape[1]), so_far)


@dataclass(frozen=True)
class ShakenSigns:
    """The sign iteration with Kwak's rule for zeros.

    If a search ends at a direction that is orthogonal to some row, the direction is moved slightly
    at random and the search continues.
    """

    max_iter: int = 1000
    seed: int = 0

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """Search from each column of ``starts``."""
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
