"""How far from the optimum components can be at most."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Gram
from l1kpca.optimality.bounds import UpperBound, check_budget, matrix_of, spectral_bound
from l1kpca.optimality.branch import branch_and_bound
from l1kpca.optimality.sdp import relaxation, sdp_bound
from l1kpca.optimality.wedges import wedge_bound
from l1kpca.threads import computing

BOUNDS: dict[str, Callable[[Gram], UpperBound]] = {"spectral": spectral_bound, "sdp": sdp_bound}
_GOOD_ENOUGH = 1 + 1e-6  # a bound this near to the value is not tightened
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
    """Bounds the components of a greedy stack; its parameters are those of `certify`."""

    bound: str = "sdp"
    max_nodes: int = 1
    max_seconds: float = 60.0

    def certify(self, gram: Gram, coef: Array, signs: Array) -> Certificate:
        """Certify components, each in the problem that it was found in.

        ``gram`` is centered as it was for them; ``coef``, (n_samples, k), are their dual
        coefficients and ``signs``, (k, n_samples), their sign vectors.
        """
        scores = np.ascontiguousarray(gram.apply(coef).T) if coef.size else coef.T
        values, upper, proofs = [], [], []
        for a, s, c in zip(coef.T, scores, signs.astype(gram.dtype), strict=True):
            value, bound = float(c @ gram.apply(c)), BOUNDS[self.bound](gram)
            if self.max_nodes > 1 and bound.value > value * _GOOD_ENOUGH:
                bound = self._tightened(bound, gram, c, value)
            values.append(value)
            upper.append(max(bound.value, value))
            proofs.append(bound.proof)
            gram = gram.without(a, s)
        return Certificate(np.array(values), np.array(upper), tuple(proofs))

    def _tightened(self, bound: UpperBound, gram: Gram, c: Array, best: float) -> UpperBound:
        """Half of the time for fixing signs, where a single one can matter; half for wedges."""
        relaxed = relaxation(gram)
        if gram.n_samples <= _BRANCHED_ROWS:
            K, start = matrix_of(gram), c.astype(np.float64)
            deadline = monotonic() + self.max_seconds / 2
            found = branch_and_bound(K, start, relaxed.V, self.max_nodes, deadline)
            # No bound falls below the best vector that was met, however many wedges are cut.
            best = max(best, found.value)
            if max(found.upper_bound, found.value) < bound.value:
                bound = UpperBound(max(found.upper_bound, found.value), "branch and bound")
        if bound.value <= best * _GOOD_ENOUGH:
            return bound
        deadline = monotonic() + self.max_seconds / 2
        cut = wedge_bound(gram, relaxed, best * _GOOD_ENOUGH, self.max_nodes, deadline)
        return cut if cut.value < bound.value else bound


def certify(
    model: Any, *, bound: str = "sdp", max_nodes: int = 1, max_seconds: float = 60.0
) -> Certificate:
    r"""Bound how far each component of a fitted model can be from the best possible.

    A component maximizes :math:`c^T K_j c` over sign vectors c, where :math:`K_j` is the centered
    Gram matrix with the components before it taken out.  For each, the value reached is set beside
    a proven upper bound.  All goes through products with K; up to 4000 rows the bound is proven by
    a Cholesky factorization, beyond by a Lanczos iteration that fails with probability 1e-9.

    Parameters
    ----------
    model : L1KernelPCA
        Fitted.  Other kernel PCAs of the library can be certified too: what counts is the sign
        vector of each component.
    bound : {"sdp", "spectral"}, default="sdp"
        The semidefinite relaxation, or the cheaper and looser n times the largest eigenvalue.
    max_nodes : int, default=1
        Above 1, tighten the bound: up to 1000 rows, fix the signs of rows in so many nodes of
        branch and bound; then cut the directions into so many wedges at most.
    max_seconds : float, default=60.0
        Time for the tightening of one component, half for each of the two.

    Returns
    -------
    certificate : Certificate
        Arrays ``value``, ``upper_bound`` and ``gap`` = upper_bound / value - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.optimality import certify
    >>> X = np.array([[1.0, 1.1], [2.0, 1.9], [3.0, 3.1], [-6.0, 40.0]])
    >>> certificate = certify(L1KernelPCA(n_components=1).fit(X))
    >>> bool((certificate.value <= certificate.upper_bound).all())
    True
    """
    if bound not in BOUNDS:
        raise ValueError(f"bound={bound!r} must be one of {list(BOUNDS)}")
    check_budget(max_nodes, max_seconds)
    gram = model.training_gram()
    with computing():
        certifier = Certifier(bound, max_nodes, max_seconds)
        return certifier.certify(gram, model.dual_components_, model.signs_)
