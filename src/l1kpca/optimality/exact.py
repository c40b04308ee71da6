"""The global optimum of a sign problem."""

from typing import Any

from l1kpca.directions.exact import MAX_NODES, MAX_SECONDS, ExactResult, ExactSearch, Plan
from l1kpca.optimality.problems import check_budget, problem_of
from l1kpca.threads import single_threaded_blas


def exact(
    K_or_model: Any, *, max_nodes: int = MAX_NODES, max_seconds: float = MAX_SECONDS
) -> ExactResult:
    r"""The sign vector with the largest :math:`c^T K c`, proven if the budget allows.

    The cheapest of three searches is taken: all sign vectors in Gray-code order (up to 26 rows);
    the cells of the arrangement of hyperplanes (K of rank up to 6, as far as their number allows);
    branch and bound with the semidefinite relaxation (up to 4000 rows, whatever the budget allows;
    some dozens of rows take a second).  `exact_plan` says beforehand which one, and its cost.

    Parameters
    ----------
    K_or_model : ndarray of shape (n, n), or a fitted L1KernelPCA
        A symmetric matrix, or a model whose first component is meant.
    max_nodes : int, default=100_000
        Nodes of branch and bound.
    max_seconds : float, default=60.0
        Time in all.

    Returns
    -------
    result : ExactResult
        ``signs``, ``value``, ``gap`` (0 when proven), ``status`` ("optimal", "stopped" by the
        budget, "refused" because too large) and a ``message`` that says what to do.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.optimality import exact
    >>> result = exact(np.array([[1.0, -0.5], [-0.5, 1.0]]))
    >>> result.value, result.gap, result.status
    (3.0, 0.0, 'optimal')
    """
    check_budget(max_nodes, max_seconds)
    gram = problem_of(K_or_model)
    with single_threaded_blas():
        return ExactSearch(max_nodes, float(max_seconds)).solve(gram)


def exact_plan(
    K_or_model: Any, *, max_nodes: int = MAX_NODES, max_seconds: float = MAX_SECONDS
) -> Plan:
    """What `exact` would do with the same arguments, and what it would cost.

    Parameters
    ----------
    K_or_model : ndarray of shape (n, n), or a fitted L1KernelPCA
        A symmetric matrix, or a model whose first component is meant.
    max_nodes : int, default=100_000
        Nodes of branch and bound.
    max_seconds : float, default=60.0
        Time in all.

    Returns
    -------
    plan : Plan
        ``method``, ``steps``, ``seconds`` and the ``reason`` for the method.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.optimality import exact_plan
    >>> exact_plan(np.eye(5)).method
    'enumeration'
    """
    check_budget(max_nodes, max_seconds)
    gram = problem_of(K_or_model)
    with single_threaded_blas():
        return ExactSearch(max_nodes, float(max_seconds)).plan(gram)
