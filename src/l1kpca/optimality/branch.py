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
from l1kpca.loops import compiled
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
        z = gray_code_search(M)
        bound = value = float(z @ M @ z)
    else:
        V = np.ascontiguousarray(node.V[np.append(node.rows[0], free)])
        V[0] *= node.signs[0]
        dual = np.zeros(len(M))
        mix_rows(M, V, dual, _SWEEPS, _DUAL_TOLERANCE)
        z = np.where(V @ V[0] < 0, -1.0, 1.0)
        value = float(z @ M @ z)
        # sum(y) - n min eigenvalue of Diag(y) - M, with the rounding error of the eigenvalue.
        eigenvalues = np.linalg.eigvalsh(np.diag(dual) - M)
        rounding = 10 * len(M) * np.finfo(float).eps * float(np.abs(eigenvalues).max())
        bound = float(dual.sum()) - len(M) * (float(eigenvalues[0]) - rounding)
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


@compiled
def gray_code_search(K: Array) -> Array:
    """The best of all sign vectors whose last sign is 1, in Gray-code order, one flip a step."""
    n = K.shape[0]
    c = np.ones(n)
    Kc = K @ c
    value = best_value = c @ Kc
    best = c.copy()
    for step in range(1, 1 << (n - 1)):
        i = 0
        while (step >> i) & 1 == 0:
            i += 1
        value += 4 * (K[i, i] - c[i] * Kc[i])
        change = -2 * c[i]
        c[i] = -c[i]
        for j in range(n):
            Kc[j] += change * K[i, j]
        if value > best_value:
            best_value = value
            best[:] = c
    return best


@compiled
def mix_rows(K: Array, V: Array, dual: Array, sweeps: int, tolerance: float) -> int:
    """The mixing method: v_i <- sum_(j != i) K_ij v_j at length one, row after row, in place.

    ``dual`` becomes y_i = K_ii + |sum_(j != i) K_ij v_j|; a sweep that moves it by no more than
    ``tolerance`` of its sum is the last.  Returns the number of sweeps.
    """
    n, rank = V.shape
    pull = np.empty(rank)
    for sweep in range(sweeps):
        total, moved = 0.0, 0.0
        for i in range(n):
            pull[:] = 0
            for j in range(n):
                if j != i:
                    weight = K[i, j]
                    for k in range(rank):
                        pull[k] += weight * V[j, k]
            length = 0.0
            for k in range(rank):
                length += pull[k] * pull[k]
            length = np.sqrt(length)
            moved += abs(K[i, i] + length - dual[i])
            dual[i] = K[i, i] + length
            total += abs(dual[i])
            if length > 0:
                for k in range(rank):
                    V[i, k] = pull[k] / length
        if moved <= tolerance * total:
            return sweep + 1
    return sweeps
