"""Methods that find all components at once: that of Nie et al., and R1-PCA, in dual coordinates."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from l1kpca._typing import Array
from l1kpca.components.base import Component, ComponentSolver, negligible_variance, signs_int8
from l1kpca.components.spectrum import leading_count, leading_pairs
from l1kpca.directions.base import Status, signs_of
from l1kpca.gram.base import Gram

_DEPENDENT = 1e-9  # ratio of extreme eigenvalues at which sign vectors count as dependent
_PULL = 1e-4
_NEARLY_L1 = 1e-4  # the threshold of "l1" as a share of the median residual


@dataclass(frozen=True)
class Basis:
    """Orthonormal directions: dual coefficients A and scores K A, both (n_samples, k)."""

    coef: Array
    scores: Array

    def as_components(self, trace: Sequence[float], status: Status) -> Iterator[Component]:
        """One component for each direction."""
        for coef, scores in zip(self.coef.T, self.scores.T, strict=True):
            yield Component(coef, scores, signs_int8(scores), tuple(trace), status).oriented()

    def rotated(self, R: Array) -> "Basis":
        """The basis A R; orthonormal if R is."""
        return Basis(self.coef @ R, self.scores @ R)

    def projector_change(self, other: "Basis") -> float:
        r"""Frobenius norm of the difference of the projectors onto the two subspaces.

        :math:`\|P - P'\|^2 = 2 \|D\|^2` with D the part of the other basis that is orthogonal to
        this one.  Unlike a difference of bases, it ignores rotations within the subspace.
        """
        overlap = self.scores.T @ other.coef
        coef, scores = other.coef - self.coef @ overlap, other.scores - self.scores @ overlap
        return float(np.sqrt(max(0.0, 2 * np.sum(coef * scores))))


def orthonormal(B: Array, image: Array) -> Basis | None:
    r"""An orthonormal basis of the columns of B, or None if they are dependent.

    :math:`A = B L^{-T}` with :math:`B^T K B = L L^T`, applied twice: one Cholesky factor leaves an
    error that grows with the condition number of B.
    """
    for _ in range(2):
        lengths = np.sqrt(np.maximum(np.einsum("ij,ij->j", B, image), 0))
        if not lengths.all():
            return None
        B, image = B / lengths, image / lengths
        M = B.T @ image
        try:
            L = linalg.cholesky((M + M.T) / 2, lower=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        both = linalg.solve_triangular(L, np.vstack([B, image]).T, lower=True, check_finite=False)
        B, image = both[:, : len(B)].T, both[:, len(B) :].T
    return Basis(B, image)


@dataclass(frozen=True)
class Reaching:
    """Counts how many components reach a share of the variance, for methods that need the number.

    It starts at the number of leading eigenvectors that do: no other directions explain more.
    """

    solver: ComponentSolver
    share: float
    memory: int

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield the components for the smallest number that is enough."""
        wanted = self.share * float(gram.diagonal().sum())
        for count in range(min(limit, leading_count(gram, self.share, self.memory)), limit + 1):
            found = list(self.solver.components(gram, count))
            reached = sum(float(component.scores @ component.scores) for component in found)
            if reached >= wanted or len(found) < count:
                break
        yield from found


@dataclass(frozen=True)
class JointSigns:
    r"""Maximize :math:`\sum_{ij} |(K A)_{ij}|` over all orthonormal A at once.

    From the signs B, (n, k), of the scores, a step goes to :math:`B M^{-1/2}`, :math:`M = B^T K B`,
    the orthonormal basis that maximizes :math:`\sum_{ij} B_{ij} (K A)_{ij}`, so the objective never
    decreases.  The search starts at the solution of ``greedy``.
    """

    greedy: ComponentSolver
    max_iter: int = 1000

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield ``limit`` components, or fewer if the rank is lower."""
        found = list(self.greedy.components(gram, limit))
        if not found:
            return
        coef = np.column_stack([component.coef for component in found])
        basis = Basis(coef, np.column_stack([component.scores for component in found]))
        trace, status = [float(np.abs(basis.scores).sum())], Status.MAX_ITER
        B = np.ones_like(basis.scores)
        for step in range(self.max_iter):
            signs = signs_of(basis.scores, previous=B)
            same = step > 0 and np.array_equal(signs, B)
            moved = basis if same else polar(signs, gram.apply(signs), near=basis)
            value = float(np.abs(moved.scores).sum())
            if value <= trace[-1]:
                status = Status.CONVERGED
                break
            B, basis = signs, moved
            trace.append(value)
        order = np.argsort(-np.abs(basis.scores).sum(axis=0), kind="stable")
        every = list(basis.as_components(trace, status))
        yield from (every[j] for j in order)


def polar(B: Array, image: Array, near: Basis) -> Basis:
    r"""The orthonormal basis nearest to B in feature space, :math:`B (B^T K B)^{-1/2}`.

    If the columns of B are dependent, as when two components agree in every sign, many bases are
    nearest.  B is then pulled slightly toward ``near``, which settles the choice without lowering
    the objective.
    """
    values, Q = _eigenpairs(B, image)
    if values[0] <= _DEPENDENT * values[-1]:
        pull = float(_PULL * np.sqrt(values[-1]))
        B, image = B + pull * near.coef, image + pull * near.scores
        values, Q = _eigenpairs(B, image)
        if values[0] <= 0:
            return near
    basis = Basis(B, image).rotated((Q / np.sqrt(values)) @ Q.T)
    # One Newton step toward A^T K A = I removes the error from the condition number of B.
    overlap = basis.coef.T @ basis.scores
    return basis.rotated(1.5 * np.eye(len(overlap), dtype=B.dtype) - 0.25 * (overlap + overlap.T))


def _eigenpairs(B: Array, image: Array) -> tuple[Array, Array]:
    M = B.T @ image
    return np.linalg.eigh((M + M.T) / 2)


def huber(residuals: Array, threshold: float) -> tuple[Array, float]:
    """Weights c / max(s, c), and the sum of s^2 up to c and of 2 c s - c^2 beyond."""
    weights = threshold / np.maximum(residuals, threshold)
    loss = np.where(residuals <= threshold, residuals**2, threshold * (2 * residuals - threshold))
    return weights, float(loss.sum())


def cauchy(residuals: Array, threshold: float) -> tuple[Array, float]:
    """Weights 1 / (1 + s^2 / c^2), and the sum of c^2 log(1 + s^2 / c^2)."""
    ratio = (residuals / threshold) ** 2
    return 1 / (1 + ratio), float(threshold**2 * np.log1p(ratio).sum())


Weighting = Callable[[Array, float], tuple[Array, float]]
"""Maps residuals and a threshold to the weights of the rows and the loss."""

WEIGHTINGS: dict[str, Weighting] = {
    "huber": huber,
    "cauchy": cauchy,
    "l1": lambda residuals, threshold: huber(residuals, _NEARLY_L1 * threshold),
}


@dataclass(frozen=True)
class R1Subspace:
    r"""The k directions with the least sum of robust distances :math:`\rho(s_i)` of the rows.

    The steps are those in `l1kpca.peers.R1KernelPCA`.  Rotations within the subspace do not change
    the loss: at the end, the basis is rotated to the eigenvectors of the weighted covariance.
    """

    weighting: Weighting
    memory: int
    tol: float = 1e-6
    max_iter: int = 1000

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield the directions of a subspace of ``limit`` dimensions."""
        values, U = leading_pairs(gram, limit, self.memory)
        if len(values) == 0:
            return
        coef = U / np.sqrt(values)
        basis = orthonormal(coef, gram.apply(coef)) or Basis(coef, U * np.sqrt(values))
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
            # None: some directions are rounding error, so the start is as good.
            if moved is None or basis.projector_change(moved) <= self.tol:
                status = Status.CONVERGED
            basis = moved or basis
            weights, loss = self.weighting(_residuals(diagonal, basis, rounding), threshold)
            trace.append(loss)
        _, R = np.linalg.eigh(basis.scores.T @ (weights[:, np.newaxis] * basis.scores))
        yield from basis.rotated(R[:, ::-1]).as_components(trace, status)


def _residuals(diagonal: Array, basis: Basis, rounding: float) -> Array:
    """Distances of the rows from the subspace, zero where they are rounding error."""
    squares = diagonal - np.einsum("ij,ij->i", basis.scores, basis.scores)
    return np.sqrt(np.where(squares > rounding, squares, 0))
