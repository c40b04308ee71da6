"""R1-PCA of Ding et al., in dual coordinates: the subspace nearest to most rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.base import Component, negligible_variance, signs_int8
from l1kpca.components.spectrum import leading_pairs
from l1kpca.components.subspace import Basis, orthonormal
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram

_NEARLY_L1 = 1e-4  # the threshold of "l1" as a share of the median residual


def huber(residuals: Array, threshold: float) -> tuple[Array, float]:
    """Weights c / max(s, c), and the sum of s^2 up to c and of 2 c s - c^2 beyond."""
    weights = threshold / np.maximum(residuals, threshold)
    loss = np.where(residuals <= threshold, residuals**2, threshold * (2 * residuals - threshold))
    return weights, float(loss.sum())


def cauchy(residuals: Array, threshold: float) -> tuple[Array, float]:
    """Weights 1 / (1 + s^2 / c^2), and the sum of c^2 log(1 + s^2 / c^2)."""
    ratio = (residuals / threshold) ** 2
    return 1 / (1 + ratio), float(threshold**2 * np.log1p(ratio).sum())


def nearly_l1(residuals: Array, threshold: float) -> tuple[Array, float]:
    """Weights proportional to 1 / s: Huber's, with a threshold below almost all rows."""
    return huber(residuals, _NEARLY_L1 * threshold)


Weighting = Callable[[Array, float], tuple[Array, float]]
"""Maps residuals and a threshold to the weights of the rows and the loss."""

WEIGHTINGS: dict[str, Weighting] = {"huber": huber, "cauchy": cauchy, "l1": nearly_l1}


@dataclass(frozen=True)
class R1Subspace:
    r"""The k directions with the least sum of robust distances :math:`\rho(s_i)` of the rows.

    The steps are those in `l1kpca.peers.R1KernelPCA`; each costs one product of K with k vectors.
    The loss never increases, and rotations within the subspace do not change it.  At the end the
    basis is rotated to the eigenvectors of :math:`S^T \operatorname{diag}(w) S`, largest first;
    these are the leading eigenvectors of the weighted covariance, as in the primal method.
    """

    weighting: Weighting
    memory: int
    tol: float = 1e-6
    max_iter: int = 1000

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield the directions of a subspace of ``limit`` dimensions."""
        pairs = leading_pairs(gram, limit, self.memory)
        if len(pairs.values) == 0:
            return
        roots = np.sqrt(pairs.values)
        start = orthonormal(pairs.vectors / roots, gram.apply(pairs.vectors / roots))
        basis = start or Basis(pairs.vectors / roots, pairs.vectors * roots)
        basis, trace, status = self._iterate(gram, basis)
        for coef, scores in list(zip(basis.coef.T, basis.scores.T, strict=True))[len(so_far) :]:
            yield Component(coef, scores, signs_int8(scores), trace, status).oriented()

    def _iterate(self, gram: Gram, basis: Basis) -> tuple[Basis, tuple[float, ...], Status]:
        diagonal = gram.diagonal()
        rounding = negligible_variance(gram) / gram.n_samples
        residuals = _residuals(diagonal, basis, rounding)
        threshold = float(np.median(residuals)) or float(np.sqrt(rounding))
        weights, loss = self.weighting(residuals, threshold)
        trace = [loss]
        size = float(np.abs(basis.scores).max())
        # If no residual is left, every weight is one and the start is the solution.
        status = Status.MAX_ITER if residuals.any() else Status.CONVERGED
        while status is Status.MAX_ITER and len(trace) <= self.max_iter:
            # K S is cubic in the rows; any multiple of it spans the same space.
            B = weights[:, np.newaxis] * (basis.scores / size)
            moved = orthonormal(B, gram.apply(B))
            if moved is None:  # some directions are rounding error: the start is as good
                status = Status.CONVERGED
                break
            if basis.projector_change(moved) <= self.tol:
                status = Status.CONVERGED
            basis = moved
            weights, loss = self.weighting(_residuals(diagonal, basis, rounding), threshold)
            trace.append(loss)
        _, R = np.linalg.eigh(basis.scores.T @ (weights[:, np.newaxis] * basis.scores))
        return basis.rotated(R[:, ::-1]), tuple(trace), status


def _residuals(diagonal: Array, basis: Basis, rounding: float) -> Array:
    """Distances of the rows from the subspace, zero where they are rounding error."""
    squares = diagonal - np.einsum("ij,ij->i", basis.scores, basis.scores)
    return np.sqrt(np.where(squares > rounding, squares, 0))
