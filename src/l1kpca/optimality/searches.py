r"""Searches that prove the optimum: branch and bound, and cells if K has a small rank.

Rows with fixed signs s are one row, with entries :math:`\sum_i s_i K_{ij}`: each node of branch and
bound is a smaller problem of the same kind, bounded by its semidefinite relaxation.

With :math:`K = F F^T`, F of r columns, the best c is :math:`\operatorname{sgn}(F w)` for some w: a
cell between the hyperplanes :math:`f_i^T w = 0`.  Each cell touches a plane on which some r - 2 of
the rows vanish, and in a plane the cells are sorted by angle.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, count, islice
from math import comb
from numbers import Real
from time import monotonic
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.checks import check_count
from l1kpca.loops import compiled

TOLERANCE = 1e-9  # relative: nearer values count as equal
ENUMERATED = 16  # rows of a node, which then takes a millisecond
_SWEEPS = 100
_DUAL_TOLERANCE = 1e-4
_SUBSETS = 512
_MOVE = 1e-12


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


def check_budget(max_nodes: Any, max_seconds: Any) -> None:
    """Refuse budgets that are not positive numbers."""
    check_count("max_nodes", max_nodes)
    if not isinstance(max_seconds, Real) or not float(max_seconds) > 0:
        raise ValueError(f"max_seconds={max_seconds!r} must be a positive number")


def branch_and_bound(K: Array, start: Array, V: Array, max_nodes: int, deadline: float) -> Outcome:
    """Search best bound first from these signs; V are unit rows of the relaxation."""
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
    merit = np.linalg.norm(K @ node.V, axis=1) * (1 - decided)
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
def mix_rows(K: Array, V: Array, dual: Array, sweeps: int, tolerance: float) -> None:
    """The mixing method: v_i <- sum_(j != i) K_ij v_j at length one, row after row, in place.

    ``dual`` becomes y_i = K_ii + |sum_(j != i) K_ij v_j|; a sweep that moves it by no more than
    ``tolerance`` of its sum is the last.
    """
    n, rank = V.shape
    pull = np.empty(rank)
    for _ in range(sweeps):
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
            return


def cell_steps(n: int, rank: int) -> int:
    """How many cells to look at."""
    return comb(n, rank - 2) * (n - rank + 2) * 2 ** (rank - 2) if rank > 1 else 1


def best_cell(F: Array, deadline: float) -> tuple[Array, bool]:
    """The sign vector with the largest |F^T c|^2, and whether all cells were seen in time."""
    rows, rank = np.flatnonzero(F.any(axis=1)), F.shape[1]
    signs = np.where(F[:, :1].sum(axis=1) < 0, -1.0, 1.0)
    if rank <= 1:
        return signs, True
    used = np.ascontiguousarray(F[rows])
    # Duplicates and the like are moved apart: no more than r - 2 rows may vanish on a plane.  The
    # values are those of the rows as they are.
    noise = np.random.default_rng(0).standard_normal(used.shape)
    moved = used + _MOVE * np.linalg.norm(used, axis=1, keepdims=True) * noise
    best, value, in_time = np.ones(len(rows)), -np.inf, True
    every = combinations(range(len(rows)), rank - 2)
    while in_time and (taken := list(islice(every, _SUBSETS))):
        subsets = np.array(taken, dtype=np.int64).reshape(len(taken), rank - 2)
        order, begin = _sweeps(moved, subsets)
        value = cell_search(used, order, begin, subsets, value, best)
        in_time = monotonic() <= deadline
    signs[rows] = best
    return signs, in_time


def _sweeps(rows: Array, subsets: Array) -> tuple[Array, Array]:
    """In which order w, turning orthogonal to a subset, crosses the rows; its first signs."""
    planes = np.eye(2)[np.newaxis]
    if subsets.shape[1]:
        planes = np.linalg.svd(np.swapaxes(rows[subsets], 1, 2), full_matrices=True)[0][:, :, -2:]
    g = rows @ np.ascontiguousarray(planes)  # (m, n, 2)
    angles = np.arctan2(-g[..., 0], g[..., 1]) % np.pi
    begin = np.where(np.where(g[..., 0] != 0, g[..., 0], g[..., 1]) < 0, -1.0, 1.0)
    np.put_along_axis(angles, subsets, np.inf, axis=1)
    np.put_along_axis(begin, subsets, 0.0, axis=1)
    return np.argsort(angles, axis=1), begin


@compiled
def cell_search(
    F: Array, order: Array, begin: Array, subsets: Array, least: float, best: Array
) -> float:
    """Best |F^T c|^2 over the cells that planes pass through; ``best`` becomes its c.

    Plane q crosses the rows in the ``order[q]``, from the signs ``begin[q]`` on.  ``subsets[q]``
    vanish on it: their signs are tried in all ways.
    """
    n, rank = F.shape
    free = subsets.shape[1]
    for q in range(order.shape[0]):
        signs = begin[q]
        total = signs @ F
        for i in order[q, : n - free]:
            for bits in range(1 << free):
                value = 0.0
                for k in range(rank):
                    entry = total[k]
                    for s in range(free):
                        entry += (2.0 * ((bits >> s) & 1) - 1.0) * F[subsets[q, s], k]
                    value += entry * entry
                if value > least:
                    least = value
                    best[:] = signs
                    for s in range(free):
                        best[subsets[q, s]] = 2.0 * ((bits >> s) & 1) - 1.0
            signs[i] = -signs[i]
            for k in range(rank):
                total[k] += 2.0 * signs[i] * F[i, k]
    return least
