"""How far from the optimum components can be at most."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from l1kpca._typing import Array
from l1kpca.directions.bounds import UpperBound, matrix_of, spectral_bound
from l1kpca.directions.exact_branch import branch_and_bound
from l1kpca.directions.sdp import relaxation, sdp_bound
from l1kpca.directions.wedges import wedge_bound
from l1kpca.gram.base import Gram
from l1kpca.gram.wrappers import Deflated

BOUNDS: dict[str, Callable[[Gram], UpperBound]] = {"spectral": spectral_bound, "sdp": sdp_bound}
_GOOD_ENOUGH = 1e-6  # a gap below which no node is looked at
_BRANCHED_ROWS = 1000


@dataclass(frozen=True)
class Certificate:
    """Values of components and proven bounds on the best possible, one entry for each."""

    value: Array
    """c^T K c, the square of the L1 norm of the scores."""
    upper_bound: Array
    """No sign vector has a larger c^T K c."""
    proof: tuple[str, ...]
    """"cholesky", "lanczos" (fails with probability 1e-9 at most), either of them "of wedges", or
    "branch and bound"."""

    @property
    def gap(self) -> Array:
        """upper_bound / value - 1: the optimum is larger than the value by no more than this."""
        return np.maximum(self.upper_bound / self.value - 1, 0)


@dataclass(frozen=True)
class Certifier:
    """Bounds the components of a greedy stack, each in the problem that it was found in.

    Parameters
    ----------
    bound : {"sdp", "spectral"}, default="sdp"
        The semidefinite relaxation, or n times the largest eigenvalue.
    max_nodes : int, default=1
        Above 1, tighten the bound: cut the directions into wedges, so many at most, and then, up
        to 1000 rows, fix the signs of rows in so many nodes of branch and bound.
    max_seconds : float, default=60.0
        Time for the tightening of one component, half for each of the two.
    """

    bound: str = "sdp"
    max_nodes: int = 1
    max_seconds: float = 60.0

    def certify(self, gram: Gram, coef: Array, signs: Array) -> Certificate:
        """Certify components.

        Parameters
        ----------
        gram : Gram
            K, centered as it was for the components.
        coef : ndarray of shape (n_samples, n_components)
            Dual coefficients A, with A^T K A = I.
        signs : ndarray of shape (n_components, n_samples)
            The sign vectors.

        Returns
        -------
        certificate : Certificate
        """
        scores = np.ascontiguousarray(gram.apply(coef).T) if coef.size else coef.T
        found = []
        for j, c in enumerate(signs):
            problem = Deflated(gram, scores[:j]) if j else gram
            found.append(self._certify_one(problem, c.astype(gram.dtype)))
        values, bounds, proofs = zip(*found, strict=True) if found else ((), (), ())
        return Certificate(np.array(values), np.array(bounds), proofs)

    def _certify_one(self, gram: Gram, c: Array) -> tuple[float, float, str]:
        value = float(c @ gram.apply(c))
        bound = BOUNDS[self.bound](gram)
        enough = value * (1 + _GOOD_ENOUGH)
        if self.max_nodes > 1 and bound.value > enough:
            by_signs, best = self._by_signs(gram, c)
            bound = min(bound, by_signs, key=_value)
            # No bound falls below the best vector that was met, however many wedges are cut.
            enough = max(enough, best * (1 + _GOOD_ENOUGH))
            if bound.value > enough:
                bound = min(bound, self._by_wedges(gram, enough), key=_value)
        return value, max(bound.value, value), bound.proof

    def _by_wedges(self, gram: Gram, enough: float) -> UpperBound:
        """Half of the time for cuts through all rows."""
        deadline = monotonic() + self.max_seconds / 2
        return wedge_bound(gram, relaxation(gram), enough, self.max_nodes, deadline)

    def _by_signs(self, gram: Gram, c: Array) -> tuple[UpperBound, float]:
        """Half of the time for fixing signs, where a single sign can matter; the best value met."""
        if gram.n_samples > _BRANCHED_ROWS:
            return UpperBound(np.inf, "none"), 0.0
        deadline = monotonic() + self.max_seconds / 2
        start, V = c.astype(np.float64), relaxation(gram).V
        outcome = branch_and_bound(matrix_of(gram), start, V, self.max_nodes, deadline)
        bound = UpperBound(max(outcome.upper_bound, outcome.value), "branch and bound")
        return bound, outcome.value


def _value(bound: UpperBound) -> float:
    return bound.value
