"""All L1 components at once: the method of Nie et al., in dual coordinates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.base import Component, ComponentSolver, signs_int8
from l1kpca.components.subspace import Basis
from l1kpca.directions.base import Status, signs_of
from l1kpca.gram.base import Gram

_DEPENDENT = 1e-9  # ratio of extreme eigenvalues at which sign vectors count as dependent
_PULL = 1e-4


@dataclass(frozen=True)
class JointSigns:
    r"""Maximize :math:`\sum_{ij} |(K A)_{ij}|` over all orthonormal A at once.

    From the signs B, (n, k), of the scores, a step goes to :math:`B M^{-1/2}`, :math:`M = B^T K B`,
    the orthonormal basis that maximizes :math:`\sum_{ij} B_{ij} (K A)_{ij}`, so the objective never
    decreases.  Each step costs one product of K with k vectors.  The search starts at the solution
    of ``greedy``; components are sorted by their L1 norms.
    """

    greedy: ComponentSolver
    max_iter: int = 1000

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield ``limit`` components, or fewer if the rank is lower."""
        found = list(self.greedy.components(gram, limit))
        if not found:
            return
        start = Basis(
            np.column_stack([component.coef for component in found]),
            np.column_stack([component.scores for component in found]),
        )
        basis, trace, status = self._iterate(gram, start)
        order = np.argsort(-np.abs(basis.scores).sum(axis=0), kind="stable")
        for j in order[len(so_far) :]:
            coef, scores = basis.coef[:, j], basis.scores[:, j]
            yield Component(coef, scores, signs_int8(scores), trace, status).oriented()

    def _iterate(self, gram: Gram, basis: Basis) -> tuple[Basis, tuple[float, ...], Status]:
        B = np.zeros_like(basis.scores)
        trace = [float(np.abs(basis.scores).sum())]
        for _ in range(self.max_iter):
            signs = signs_of(basis.scores, previous=np.where(B == 0, 1, B))
            if np.array_equal(signs, B):
                return basis, tuple(trace), Status.CONVERGED
            moved = polar(signs, gram.apply(signs), near=basis)
            value = float(np.abs(moved.scores).sum())
            if value <= trace[-1]:
                return basis, tuple(trace), Status.CONVERGED
            B, basis = signs, moved
            trace.append(value)
        return basis, tuple(trace), Status.MAX_ITER


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
