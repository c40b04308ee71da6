r"""The exact optimum by branch and bound: signs are fixed one by one, the relaxation cuts off.

With the signs s of some rows fixed, these are one row, with entries :math:`\sum_i s_i K_{ij}`: each
node is a smaller problem of the same kind, bounded by its semidefinite relaxation.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from time import monotonic

import numpy as np

from l1kpca._typing import Array
from l1kpca.optimality import loops
from l1kpca.optimality.bounds import row_lengths

TOLERANCE = 1e-9  # relative: nearer values count as equal
ENUMERATED = 16  # rows of a node, which then takes a millisecond
_SWEEPS = 100
_DUAL_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Node:
    """Rows whose signs are fixed, and where the search for a bound may begin."""

    rows: Array
    signs: Array
    V: Array  # unit rows of the parent's relaxation for all of K


@dataclass
class Outcome:
    """What a search has found so far."""

    signs: Array
    value: float
    upper_bound: float = np.inf
    n_nodes: int = 0

    @property
    def is_proven(self) -> bool:
        """Whether no sign vector can be better, up to 1e-9 of the value."""
        return self.upper_bound <= self.value + TOLERANCE * abs(self.value)


def branch_and_bound(K: Array, start: Array, V: Array, max_nodes: int, deadline: float) -> Outcome:
    """Search best bound first, until ``max_nodes`` or the ``deadline`` of ``time.monotonic``.

    The better the signs ``start``, the more is cut off; V are unit rows of the relaxation.
    """
    outcome = Outcome(start.copy(), float(start @ K @ start))
    first = int(np.argmax(np.abs(K).sum(axis=0)))
    root = Node(np.array([first]), np.ones(1), np.asarray(V, dtype=np.float64))
    tie = count()
    heap: list[tuple[float, int, Node]] = [(-np.inf, next(tie), root)]
    while heap:
        negative_bound, _, node = heap[0]
        outcome.upper_bound = max(-negative_bound, outcome.value)
        if outcome.is_proven or outcome.n_nodes >= max_nodes or monotonic() > deadline:
            return outcome
        heapq.heappop(heap)
        for child in _children(K, node) if outcome.n_nodes else [root]:
            bound, child = _bounded(K, child, outcome)
            bound = min(bound, -negative_bound)
            if bound > outcome.value + TOLERANCE * abs(outcome.value):
                heapq.heappush(heap, (-bound, next(tie), child))
    outcome.upper_bound = outcome.value
    return outcome


def _children(K: Array, node: Node) -> Iterator[Node]:
    """Fix one more sign, both ways: of a row that weighs much and is little decided."""
    decided = np.abs(node.V @ node.V[node.rows[0]])
    merit = row_lengths(K @ node.V) * (1 - decided)
    merit[node.rows] = -np.inf
    row = int(np.argmax(merit))
    for sign in (-1.0, 1.0):
        yield Node(np.append(node.rows, row), np.append(node.signs, sign), node.V)


def _bounded(K: Array, node: Node, outcome: Outcome) -> tuple[float, Node]:
    """An upper bound for the node; what its relaxation rounds to is kept if it is better."""
    outcome.n_nodes += 1
    M, free = reduced(K, node.rows, node.signs)
    if len(M) <= ENUMERATED:
        z, value = enumerate_signs(M)
        bound = value
    else:
        V = np.ascontiguousarray(node.V[np.append(node.rows[0], free)])
        V[0] *= node.signs[0]
        dual = np.zeros(len(M))
        loops.mix_rows(M, V, dual, _SWEEPS, _DUAL_TOLERANCE)
        z = np.where(V @ V[0] < 0, -1.0, 1.0)
        # sum(y) - n min eigenvalue of Diag(y) - M, with the rounding error of the eigenvalue.
        eigenvalues = np.linalg.eigvalsh(np.diag(dual) - M)
        rounding = 10 * len(M) * np.finfo(float).eps * float(np.abs(eigenvalues).max())
        bound = float(dual.sum()) - len(M) * (float(eigenvalues[0]) - rounding)
        value = float(z @ M @ z)
        full = node.V.copy()
        full[free], full[node.rows] = V[1:], np.outer(node.signs, V[0])
        node = Node(node.rows, node.signs, full)
    if value > outcome.value:
        outcome.signs, outcome.value = np.empty(len(K)), value
        outcome.signs[free], outcome.signs[node.rows] = z[1:], z[0] * node.signs
    return bound, node


def reduced(K: Array, rows: Array, signs: Array) -> tuple[Array, Array]:
    """K with the fixed rows made one, which comes first; and the places of the others."""
    free = np.setdiff1d(np.arange(len(K)), rows)
    M = np.empty((len(free) + 1, len(free) + 1))
    pulled = signs @ K[rows]
    M[0, 0] = pulled[rows] @ signs
    M[0, 1:] = M[1:, 0] = pulled[free]
    M[1:, 1:] = K[np.ix_(free, free)]
    return M, free


def enumerate_signs(K: Array) -> tuple[Array, float]:
    """The best of all 2^(n - 1) sign vectors, and its value."""
    best = loops.gray_code_search(K)
    return best, float(best @ K @ best)
