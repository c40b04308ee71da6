"""The global optimum: which search is affordable, and what it found."""

from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, SingleStart, Status
from l1kpca.directions.bounds import DENSE_ROWS, dual_bound, matrix_of
from l1kpca.directions.exact_branch import TOLERANCE, branch_and_bound, enumerate_signs
from l1kpca.directions.exact_cells import best_cell, cell_steps, small_factor
from l1kpca.directions.sdp import SdpRounding, relaxation, sdp_bound
from l1kpca.gram.base import Gram

ENUMERATION_ROWS = 26
_SURELY_CHEAP_ROWS = 16
_FLIPS_PER_SECOND = 4e7
_CELLS_PER_SECOND = 5e6
MAX_NODES = 100_000
MAX_SECONDS = 60.0


@dataclass(frozen=True)
class Plan:
    """How the optimum would be searched for, and at what cost."""

    method: str
    """"enumeration", "cells", "branch and bound" or "none"."""
    steps: float
    """Sign vectors, cells or nodes to look at; for branch and bound the budget."""
    seconds: float
    """A rough estimate; for branch and bound the budget."""
    reason: str
    factor: Array | None = field(default=None, repr=False)
    """F with K = F F^T, where the method is "cells"."""

    def __str__(self) -> str:
        """Say it in one sentence."""
        return f"{self.method}, up to {self.steps:.3g} steps, {self.seconds:.2g} s: {self.reason}"


@dataclass(frozen=True)
class ExactResult:
    """The best sign vector found, and how far from the optimum it can be."""

    signs: Array
    """(n_samples,), -1.0 and 1.0."""
    value: float
    """c^T K c."""
    upper_bound: float
    """No sign vector has a larger value."""
    status: str
    """"optimal" when that is proven, else "stopped" (by the budget) or "refused" (too large)."""
    message: str
    """What was done, and what to do if it was not enough."""
    n_nodes: int
    """Nodes of branch and bound."""
    plan: Plan

    @property
    def gap(self) -> float:
        """upper_bound / value - 1; zero when the optimum is proven."""
        if self.status == "optimal" or self.value <= 0:
            return 0.0 if self.status == "optimal" else np.inf
        return max(0.0, self.upper_bound / self.value - 1)


@dataclass(frozen=True)
class ExactSearch(SingleStart):
    """The best of all sign vectors, by the cheapest method that fits the budget.

    Parameters
    ----------
    max_nodes : int, default=100_000
        Nodes of branch and bound.
    max_seconds : float, default=60.0
        Time for one direction.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> gram = PrecomputedGram(np.array([[1.0, -0.5], [-0.5, 1.0]]), Workers())
    >>> ExactSearch().solve(gram).value
    3.0
    """

    max_nodes: int = MAX_NODES
    max_seconds: float = MAX_SECONDS

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """The optimum, once for each column of ``starts``; these do not matter."""
        images = gram.apply(starts) if images is None else images
        result = self.solve(gram)
        c = result.signs.astype(gram.dtype)
        image = gram.apply(c)
        value = float(c @ image)
        status = Status.CONVERGED if result.status == "optimal" else Status.NOT_PROVEN
        begin = np.einsum("ij,ij->j", starts, images)
        return [Direction(c, image, (min(float(b), value), value), status) for b in begin]

    def plan(self, gram: Gram) -> Plan:
        """What `solve` would do; costs a few columns of K."""
        n = gram.n_samples
        flips = 2.0 ** min(n - 1, 1000)
        if n <= _SURELY_CHEAP_ROWS:
            return Plan("enumeration", flips, flips / _FLIPS_PER_SECOND, f"only {n} rows")
        F = small_factor(gram)
        if F is not None:
            cells = cell_steps(n, F.shape[1])
            seconds = cells / _CELLS_PER_SECOND
            if seconds <= self.max_seconds and (n > ENUMERATION_ROWS or cells < flips):
                return Plan("cells", cells, seconds, f"K has rank {F.shape[1]}", F)
        if n <= ENUMERATION_ROWS and flips / _FLIPS_PER_SECOND <= self.max_seconds:
            return Plan("enumeration", flips, flips / _FLIPS_PER_SECOND, f"only {n} rows")
        if n <= DENSE_ROWS:
            reason = f"{n} rows; the cost cannot be known beforehand"
            return Plan("branch and bound", self.max_nodes, self.max_seconds, reason)
        return Plan("none", 0, 0, f"{n} rows are more than the {DENSE_ROWS} of branch and bound")

    def solve(self, gram: Gram) -> ExactResult:
        """Search by the plan; the budget is counted from here."""
        deadline = monotonic() + self.max_seconds
        plan = self.plan(gram)
        if plan.factor is not None:
            signs, complete = best_cell(plan.factor, deadline)
            return _result(plan, gram, signs, complete)
        if plan.method == "enumeration":
            signs, _, complete = enumerate_signs(matrix_of(gram), deadline)
            return _result(plan, gram, signs, complete)
        first = SdpRounding().find(gram, np.ones(gram.n_samples)).coef
        if plan.method == "none":
            return _result(plan, gram, first, complete=False)
        relaxed = relaxation(gram)
        outcome = branch_and_bound(
            matrix_of(gram), first.astype(np.float64), relaxed.V, self.max_nodes, deadline
        )
        bound = min(outcome.upper_bound, dual_bound(gram, relaxed.dual).value)
        return _finished(plan, outcome.signs, outcome.value, bound, outcome.n_nodes)


def _result(plan: Plan, gram: Gram, signs: Array, complete: bool) -> ExactResult:
    c = signs.astype(gram.dtype)
    value = float(c @ gram.apply(c))
    bound = value if complete else sdp_bound(gram).value
    return _finished(plan, signs, value, bound, 0)


def _finished(plan: Plan, signs: Array, value: float, bound: float, n_nodes: int) -> ExactResult:
    if bound <= value + TOLERANCE * abs(value):
        message = f"optimum proven by {plan.method}"
        return ExactResult(signs, value, value, "optimal", message, n_nodes, plan)
    if plan.method == "none":
        message = f"{plan.reason}; this is the rounded relaxation and its bound: take fewer rows"
        return ExactResult(signs, value, bound, "refused", message, n_nodes, plan)
    message = (
        f"{plan.method} stopped after {n_nodes} nodes before the optimum was proven: raise"
        " max_nodes or max_seconds, or take fewer rows"
    )
    return ExactResult(signs, value, bound, "stopped", message, n_nodes, plan)
