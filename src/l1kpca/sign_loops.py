"""Compiled inner loops of the exact search over sign vectors: arrays in, arrays out."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.loops import compiled


@compiled
def gray_code_search(
    K: Array, c: Array, Kc: Array, first: int, last: int, value: float, best: Array
) -> tuple[float, float]:
    """Steps ``first`` to ``last`` of the enumeration in Gray-code order, one flip each.

    ``c``, ``Kc`` = K c and ``value`` = c^T K c are the state and go on; the last sign stays as it
    is.  ``best`` is overwritten where a better vector is met; returns the value reached and the
    best value of these steps.
    """
    n = K.shape[0]
    best_value = -np.inf
    for step in range(first, last):
        i, rest = 0, step
        while rest & 1 == 0:
            rest >>= 1
            i += 1
        value += 4 * (K[i, i] - c[i] * Kc[i])
        change = -2 * c[i]
        c[i] = -c[i]
        for j in range(n):
            Kc[j] += change * K[i, j]
        if value > best_value:
            best_value = value
            best[:] = c
    return value, best_value


@compiled
def cell_search(
    F: Array, moved: Array, planes: Array, subsets: Array, least: float, best: Array
) -> float:
    """Best |F^T c|^2 over the cells that touch a plane in which the rows of a subset vanish.

    ``planes`` (m, r, 2) holds a basis of the plane for each of the ``subsets`` (m, r - 2).  On the
    plane the boundaries of the other rows are lines, passed in the order of their angles; the signs
    of the subset itself are tried in all ways.  Boundaries come from the ``moved`` rows, values
    from F.  ``best`` is overwritten where a value above ``least`` is met; returns the best value.
    """
    n, rank = F.shape
    free = subsets.shape[1]
    g = np.empty((n, 2))
    angles = np.empty(n)
    signs = np.empty(n)
    total = np.empty(rank)
    for q in range(planes.shape[0]):
        total[:] = 0
        for i in range(n):
            g[i, 0] = 0.0
            g[i, 1] = 0.0
            for k in range(rank):
                g[i, 0] += moved[i, k] * planes[q, k, 0]
                g[i, 1] += moved[i, k] * planes[q, k, 1]
            angle = np.arctan2(-g[i, 0], g[i, 1])
            angles[i] = angle + np.pi if angle < 0 else angle
            first = g[i, 0] if g[i, 0] != 0 else g[i, 1]
            signs[i] = -1.0 if first < 0 else 1.0
        for k in range(free):
            angles[subsets[q, k]] = np.inf
            signs[subsets[q, k]] = 0.0
        for i in range(n):
            for k in range(rank):
                total[k] += signs[i] * F[i, k]
        order = np.argsort(angles)
        for position in range(n - free):
            for bits in range(1 << free):
                value = 0.0
                for k in range(rank):
                    entry = total[k]
                    for s in range(free):
                        row = F[subsets[q, s], k]
                        entry += row if (bits >> s) & 1 else -row
                    value += entry * entry
                if value > least:
                    least = value
                    best[:] = signs
                    for s in range(free):
                        best[subsets[q, s]] = 1.0 if (bits >> s) & 1 else -1.0
            i = order[position]
            signs[i] = -signs[i]
            for k in range(rank):
                total[k] += 2 * signs[i] * F[i, k]
    return least


@compiled
def mix_rows(K: Array, V: Array, dual: Array, sweeps: int, tolerance: float) -> int:
    """The mixing method: v_i <- sum_(j != i) K_ij v_j at length one, row after row, in place.

    ``dual`` becomes y_i = K_ii + |sum_(j != i) K_ij v_j|.  Ends when the dual moves by no more than
    ``tolerance`` of its sum in a sweep; returns the number of sweeps.
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
