"""Certify a fitted model."""

from typing import Any

from l1kpca.components.certificate import BOUNDS, Certificate, Certifier
from l1kpca.optimality.problems import check_budget
from l1kpca.threads import single_threaded_blas


def certify(
    model: Any, *, bound: str = "sdp", max_nodes: int = 1, max_seconds: float = 60.0
) -> Certificate:
    r"""Bound how far each component of a fitted model can be from the best possible.

    A component maximises :math:`c^T K_j c` over sign vectors c, where :math:`K_j` is the centered
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
        Above 1, tighten the bound: cut the directions into wedges, so many at most, and then, up
        to 1000 rows, fix the signs of rows in so many nodes of branch and bound.
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
    with single_threaded_blas():
        certifier = Certifier(bound, max_nodes, max_seconds)
        return certifier.certify(gram, model.dual_components_, model.signs_)
