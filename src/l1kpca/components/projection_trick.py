"""KPCA-L1 of Kwak: the nonlinear projection trick, then PCA-L1 on coordinates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.components.base import (
    Component,
    negligible_variance,
    signs_int8,
    stacked,
)
from l1kpca.components.spectrum import all_pairs
from l1kpca.directions.base import Status
from l1kpca.directions.starts import Start
from l1kpca.gram.base import Gram
from l1kpca.gram.wrappers import Deflated

_SHAKES = 20
_SHAKE_LENGTH = 1e-2


@dataclass(frozen=True)
class Axis:
    """A unit vector of coordinates, found by PCA-L1."""

    w: Array
    signs: Signs
    trace: tuple[float, ...]
    status: Status


@dataclass(frozen=True)
class ProjectionTrick:
    r"""PCA-L1 on the coordinates :math:`Y = U \Lambda^{1/2}`, with :math:`K = U \Lambda U^T`.

    One decomposition serves all components.  A search iterates

    .. math:: p = \operatorname{sgn}(Y w), \qquad w = Y^T p / \|Y^T p\|

    with :math:`\operatorname{sgn}(0) = 1`, in the complement of the axes found before.  Where it
    ends at a w that is orthogonal to some row, w is moved a little at random and the search goes
    on.  The component of w has dual coefficients :math:`U \Lambda^{-1/2} w`.
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
        roots = np.sqrt(spectrum.values)
        Y = spectrum.vectors * roots
        stack = stacked(so_far, gram)
        axes = stack.coef @ Y
        negligible = negligible_variance(gram)
        while stack.size < min(limit, len(roots)):
            rng = np.random.default_rng([self.seed, stack.size])
            deflated = Deflated(gram, stack.scores)
            norms = np.sqrt(np.maximum(deflated.diagonal(), 0))
            found = PcaL1(Y, axes, norms, self.max_iter).search(self.start(deflated, rng), rng)
            scores = Y @ found.w
            if scores @ scores <= negligible:
                return
            coef = spectrum.vectors @ (found.w / roots)
            axes = np.vstack([axes, found.w])
            stack.push(coef, scores)
            yield Component(
                coef, scores, signs_int8(found.signs), found.trace, found.status
            ).oriented()


@dataclass(frozen=True)
class PcaL1:
    """PCA-L1 (Kwak 2008) of the rows of ``Y`` in the complement of the orthonormal ``axes``."""

    Y: Array
    axes: Array
    norms: Array
    """Of the rows, in the complement."""
    max_iter: int

    def search(self, p: Signs, rng: np.random.Generator) -> Axis:
        """Iterate from the polarities ``p``."""
        total = self._complement(self.Y.T @ p)
        trace = [float(total @ total)]
        status = Status.MAX_ITER
        for _ in range(self.max_iter):
            projections = self.Y @ _unit(total)
            step = self._step(p, np.where(projections < 0, -1, 1), total)
            if step is None or step[2] <= trace[-1]:
                step = self._shaken(p, projections, total, rng)
                if step is None:
                    status = Status.CONVERGED
                    break
            p, total, value = step
            trace.append(value)
        return Axis(_unit(total), p, tuple(trace), status)

    def _step(self, p: Signs, new: Signs, total: Array) -> tuple[Signs, Array, float] | None:
        """Polarities ``new``, their sum Y^T p from the rows that changed, and its square."""
        changed = np.flatnonzero(new != p)
        if changed.size == 0:
            return None
        new = new.astype(p.dtype)
        change = (new - p)[changed]
        total = self._complement(total + self.Y[changed].T @ change)
        return new, total, float(total @ total)

    def _shaken(
        self, p: Signs, projections: Array, total: Array, rng: np.random.Generator
    ) -> tuple[Signs, Array, float] | None:
        """The zero-projection rule: a step from near w that gains, if a row is orthogonal to w."""
        noise = 10 * np.finfo(self.Y.dtype).eps * np.sqrt(self.Y.shape[1])
        counts = self.norms > np.sqrt(noise) * self.norms.max()
        if not (np.abs(projections) <= noise * self.norms)[counts].any():
            return None
        length = _SHAKE_LENGTH
        for _ in range(_SHAKES):
            random = rng.standard_normal(self.Y.shape[1:]).astype(self.Y.dtype)
            shake = self._complement(random)
            shaken = projections + self.Y @ (length * _unit(shake))
            step = self._step(p, np.where(shaken < 0, -1, 1), total)
            if step is not None and step[2] > (1 + noise) * float(total @ total):
                return step
            length /= 2
        return None

    def _complement(self, v: Array) -> Array:
        """``v`` without its part along the axes; twice, for orthogonality to rounding."""
        v = v - self.axes.T @ (self.axes @ v)
        return v - self.axes.T @ (self.axes @ v)


def _unit(v: Array) -> Array:
    length = float(np.linalg.norm(v))
    return v / length if length > 0 else v
