"""How far from the optimum components can be."""

from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Gram
from l1kpca.optimality.exact import check_budget
from l1kpca.optimality.sdp import dual_bound, matrix_of, relaxation
from l1kpca.optimality.searches import branch_and_bound
from l1kpca.threads import computing

_GOOD_ENOUGH = 1 + 1e-6  # a bound this near to the value is not tightened
_BRANCHED_ROWS = 1000


@dataclass(frozen=True)
class Certificate:
    """Values of components and proven bounds on the best possible, one entry for each."""

    value: Array  #: c^T K c, the square of the L1 norm of the scores.
    upper_bound: Array  #: No sign vector has a larger c^T K c.
    proof: tuple[str, ...]
    """"cholesky", "lanczos" (fails with probability 1e-9 at most), or "branch and bound"."""

    @property
    def gap(self) -> Array:
        """upper_bound / value - 1: the optimum is larger than the value by no more than this."""
        return np.maximum(self.upper_bound / self.value - 1, 0)


def certified(
    gram: Gram,
    coef: Array,
    signs: Array,
    bound: str = "sdp",
    max_nodes: int = 1,
    max_seconds: float = 60.0,
) -> Certificate:
    """Certify greedy components, dual coefficients (n, k) and signs (k, n), as in `certify`."""
    scores = np.ascontiguousarray(gram.apply(coef).T) if coef.size else coef.T
    rows: list[tuple[float, float, str]] = []
    for a, s, c in zip(coef.T, scores, signs.astype(gram.dtype), strict=True):
        value = float(c @ gram.apply(c))
        relaxed = relaxation(gram) if bound == "sdp" or max_nodes > 1 else None
        dual = np.zeros(len(c)) if bound == "spectral" or relaxed is None else relaxed.dual
        upper, proof = dual_bound(gram, dual)
        loose = gram.n_samples <= _BRANCHED_ROWS and upper > value * _GOOD_ENOUGH
        if loose and max_nodes > 1 and relaxed is not None:
            start, deadline = c.astype(float), monotonic() + max_seconds
            best = branch_and_bound(matrix_of(gram), start, relaxed.V, max_nodes, deadline)
            if (tighter := max(best.upper_bound, best.value)) < upper:
                upper, proof = tighter, "branch and bound"
        rows.append((value, max(upper, value), proof))
        gram = gram.without(a, s)
    values, bounds, proofs = zip(*rows, strict=True) if rows else ((), (), ())
    return Certificate(np.array(values), np.array(bounds), tuple(proofs))


def certify(
    model: Any, *, bound: str = "sdp", max_nodes: int = 1, max_seconds: float = 60.0
) -> Certificate:
    r"""Bound how far each component of a fitted model can be from the best possible.

    A component maximizes :math:`c^T K_j c` over sign vectors c, where :math:`K_j` is the centered
    Gram matrix without the components before it.  Up to 4000 rows a Cholesky factorization proves
    the bound, beyond a Lanczos iteration that fails with probability 1e-9.

    Parameters
    ----------
    model : L1KernelPCA
        Fitted; or another kernel PCA of the library, for its sign vectors.
    bound : {"sdp", "spectral"}, default="sdp"
        The semidefinite relaxation, or the cheaper and looser n times the largest eigenvalue.
    max_nodes : int, default=1
        Above 1, and up to 1000 rows, tighten the bound by this many nodes of branch and bound.
    max_seconds : float, default=60.0
        Time to tighten the bound of one component.

    Returns
    -------
    certificate : Certificate
        Arrays ``value``, ``upper_bound`` and ``gap`` = upper_bound / value - 1.

    Examples
    --------
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.optimality import certify
    >>> bool(certify(L1KernelPCA(1).fit([[1.0, 1.1], [2.0, 1.9], [-6.0, 40.0]])).gap[0] < 1e-6)
    True
    """
    if bound not in ("spectral", "sdp"):
        raise ValueError(f"bound={bound!r} must be one of ['spectral', 'sdp']")
    check_budget(max_nodes, max_seconds)
    gram = model.training_gram()
    with computing():
        coef, signs = model.dual_components_, model.signs_
        return certified(gram, coef, signs, bound, max_nodes, max_seconds)
