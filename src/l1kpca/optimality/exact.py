"""The global optimum: which search is affordable, what it found, and the problem as a graph."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from l1kpca._typing import Array, Signs
from l1kpca.checks import check_kernel_matrix
from l1kpca.components.spectrum import low_rank_factor
from l1kpca.directions.base import Direction, Status
from l1kpca.gram.base import Gram
from l1kpca.gram.stored import StoredGram
from l1kpca.optimality import searches
from l1kpca.optimality.sdp import DENSE_ROWS, SdpRounding, dual_bound, matrix_of, relaxation
from l1kpca.threads import Workers, computing

ENUMERATION_ROWS = 22  # up to here enumeration, of at most 0.05 s, beats branch and bound
_FLIPS_PER_SECOND = 4e7
_CELLS_PER_SECOND = 5e6
MAX_RANK = 6  # of cells
MAX_NODES = 100_000
MAX_SECONDS = 60.0


@dataclass(frozen=True)
class Plan:
    """How to search for the optimum, and at what cost."""

    method: str  #: "enumeration", "cells", "branch and bound" or "none".
    steps: float  #: Sign vectors, cells or nodes to look at; for branch and bound the budget.
    seconds: float  #: A rough estimate; for branch and bound the budget.
    reason: str
    #: F with K = F F^T, where the method is "cells".
    factor: Array | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.method}, up to {self.steps:.3g} steps, {self.seconds:.2g} s: {self.reason}"


@dataclass(frozen=True)
class ExactResult:
    """The best sign vector found, and how far from the optimum it can be."""

    signs: Array  #: c, of -1.0 and 1.0.
    value: float  #: c^T K c.
    upper_bound: float  #: No sign vector has a larger value.
    status: str  #: "optimal" if that is proven, "stopped" by the budget, or "refused" as too large.
    message: str  #: What was done, and what to do if it was not enough.
    n_nodes: int  #: Nodes of branch and bound.
    plan: Plan

    @property
    def gap(self) -> float:
        """upper_bound / value - 1; zero when the optimum is proven."""
        if self.status == "optimal":
            return 0.0
        return max(0.0, self.upper_bound / self.value - 1) if self.value > 0 else np.inf


@dataclass(frozen=True)
class ExactSearch:
    """The best of all sign vectors, by the cheapest method that fits the budget of `exact`."""

    max_nodes: int = MAX_NODES
    max_seconds: float = MAX_SECONDS

    def __post_init__(self) -> None:
        searches.check_budget(self.max_nodes, self.max_seconds)

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """The optimum, once for each column of ``starts``, whose values do not matter."""
        result = self.solve(gram)
        c = result.signs.astype(gram.dtype)
        image = gram.apply(c)
        value = float(c @ image)
        status = Status.CONVERGED if result.status == "optimal" else Status.NOT_PROVEN
        begin = np.einsum("ij,ij->j", starts, gram.apply(starts))
        return [Direction(c, image, (min(float(b), value), value), status) for b in begin]

    def plan(self, gram: Gram) -> Plan:
        """What `solve` would do; costs a few columns of K."""
        n = gram.n_samples
        if n <= ENUMERATION_ROWS:
            flips = 2.0 ** (n - 1)
            return Plan("enumeration", flips, flips / _FLIPS_PER_SECOND, f"only {n} rows")
        G = low_rank_factor(gram, MAX_RANK)
        if G is not None:
            cells = searches.cell_steps(n, len(G))
            seconds = cells / _CELLS_PER_SECOND
            if seconds <= self.max_seconds:
                return Plan("cells", cells, seconds, f"K has rank {len(G)}", G.T.astype(float))
        if n <= DENSE_ROWS:
            reason = f"{n} rows; the cost cannot be known beforehand"
            return Plan("branch and bound", self.max_nodes, self.max_seconds, reason)
        return Plan("none", 0, 0, f"{n} rows are more than the {DENSE_ROWS} of branch and bound")

    def solve(self, gram: Gram) -> ExactResult:
        """Search by the plan; the budget is counted from here."""
        deadline = monotonic() + self.max_seconds
        plan, complete, n_nodes = self.plan(gram), False, 0
        if plan.factor is not None:
            signs, complete = searches.best_cell(plan.factor, deadline)
        elif plan.method == "enumeration":
            signs, complete = searches.gray_code_search(matrix_of(gram)), True
        else:
            signs = SdpRounding().find(gram, np.ones((gram.n_samples, 1)))[0].coef
        c = signs.astype(gram.dtype)
        value = bound = float(c @ gram.apply(c))
        if not complete:
            relaxed = relaxation(gram)
            bound, _ = dual_bound(gram, relaxed.dual)
            if plan.method == "branch and bound":
                K, start = matrix_of(gram), signs.astype(np.float64)
                found = searches.branch_and_bound(K, start, relaxed.V, self.max_nodes, deadline)
                signs, value, n_nodes = found.signs, found.value, found.n_nodes
                bound = min(bound, found.upper_bound)
        if bound <= value + searches.TOLERANCE * abs(value):
            status, bound, message = "optimal", value, f"optimum proven by {plan.method}"
        elif plan.method == "none":
            what = "this is the rounded relaxation and its bound"
            status, message = "refused", f"{plan.reason}; {what}: take fewer rows"
        else:
            what = f"{plan.method} stopped after {n_nodes} nodes before the optimum was proven"
            way_out = "raise max_nodes or max_seconds, or take fewer rows"
            status, message = "stopped", f"{what}: {way_out}"
        return ExactResult(signs, value, bound, status, message, n_nodes, plan)


def problem_of(K_or_model: Any) -> Gram:
    """The Gram of the first component: of a symmetric matrix, or of a fitted model."""
    if hasattr(K_or_model, "training_gram"):
        return K_or_model.training_gram()
    K = check_array(K_or_model, dtype=[np.float64, np.float32], input_name="K")
    return StoredGram(check_kernel_matrix(K, Workers())[0], Workers())


def exact(
    K_or_model: Any, *, max_nodes: int = MAX_NODES, max_seconds: float = MAX_SECONDS
) -> ExactResult:
    r"""The sign vector with the largest :math:`c^T K c`, proven if the budget allows.

    We take the cheapest of three searches: all sign vectors (up to 22 rows); the cells of an
    arrangement of hyperplanes (rank up to 6: thousands of rows of rank 2, hundreds of rank 4);
    branch and bound (up to 4000 rows: 80 take seconds, more than 100 rarely end).

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

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.optimality import exact
    >>> result = exact(np.array([[1.0, -0.5], [-0.5, 1.0]]))
    >>> result.value, result.gap, result.status
    (3.0, 0.0, 'optimal')
    """
    search = ExactSearch(max_nodes, max_seconds)
    with computing():
        return search.solve(problem_of(K_or_model))


def exact_plan(
    K_or_model: Any, *, max_nodes: int = MAX_NODES, max_seconds: float = MAX_SECONDS
) -> Plan:
    """Which search `exact` would take with the same arguments, and what it would cost.

    Parameters
    ----------
    K_or_model, max_nodes, max_seconds
        As in `exact`.

    Returns
    -------
    plan : Plan
    """
    search = ExactSearch(max_nodes, max_seconds)
    with computing():
        return search.plan(problem_of(K_or_model))


@dataclass(frozen=True)
class MaxCut:
    r"""A complete graph with weights :math:`w_{ij} = -K_{ij}`.

    The side of a node is its sign, and :math:`c^T K c = 1^T K 1 + 4 \operatorname{cut}(c)`: the
    largest cut is the best direction.
    """

    weights: Array  #: (n, n), symmetric, zeros on the diagonal.
    total: float  #: 1^T K 1, the value of the empty cut.

    def cut(self, signs: Array) -> float:
        """Sum of the weights between the two sides."""
        left = np.asarray(signs) > 0
        return float(self.weights[np.ix_(left, ~left)].sum())

    def value(self, cut: float) -> float:
        """c^T K c of a cut of this weight."""
        return self.total + 4 * cut

    def edges(self) -> tuple[Array, Array, Array]:
        """Arrays i < j and w_ij of the edges whose weight is not zero."""
        i, j = np.nonzero(np.triu(self.weights, 1))
        return i, j, self.weights[i, j]


def as_maxcut(K_or_model: Any) -> MaxCut:
    """The graph whose maximum cut is the best sign vector; its weights have either sign.

    Parameters
    ----------
    K_or_model : ndarray of shape (n, n), or a fitted L1KernelPCA
        A symmetric matrix, or a model whose first component is meant.

    Returns
    -------
    graph : MaxCut

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.optimality import as_maxcut
    >>> graph = as_maxcut(np.array([[1.0, -0.5], [-0.5, 1.0]]))
    >>> graph.cut([1, -1]), graph.value(graph.cut([1, -1]))
    (0.5, 3.0)
    """
    K = matrix_of(problem_of(K_or_model))
    return MaxCut(np.diag(K.diagonal()) - K, float(K.sum()))
