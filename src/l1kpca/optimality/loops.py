"""Compiled inner loops of the exact search over sign vectors: arrays in, arrays out."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.loops import compiled


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
