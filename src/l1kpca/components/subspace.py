"""Bases of a subspace, for methods that find all components at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from l1kpca._typing import Array
from l1kpca.components.base import Component, ComponentSolver
from l1kpca.components.spectrum import leading_count
from l1kpca.gram.base import Gram


@dataclass(frozen=True)
class Basis:
    """Orthonormal directions: dual coefficients A and scores K A, both (n_samples, k)."""

    coef: Array
    scores: Array

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
    """Finds how many components reach a share of the variance, for methods that need the number.

    No k directions explain more than the k leading eigenvectors, so the search starts at the number
    that these need, and counts up.
    """

    solver: ComponentSolver
    share: float
    memory: int

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield the components for the smallest number that is enough."""
        wanted = self.share * float(gram.diagonal().sum())
        for count in range(min(limit, leading_count(gram, self.share, self.memory)), limit + 1):
            found = list(self.solver.components(gram, count))
            reached = sum(float(component.scores @ component.scores) for component in found)
            if reached >= wanted or len(found) < count:
                break
        yield from found[len(so_far) :]
