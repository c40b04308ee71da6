"""Compiled searches on an explicit K, one call per search.

Plain scalar loops: array expressions would take ten times as long to compile.
"""

from functools import partial

import numpy as np

from l1kpca._typing import Array
from l1kpca.loops import Factors, add_weighted_rows, compiled

SearchLimits = tuple[int, float, bool, int, float, float]
"""max_iter, tol, momentum; how many rows single flips consider together, the share of the objective
that they must promise (no flips if it is negative), and the rounding error."""


@compiled
def add_columns(K: Array, minus: Factors, at: Array, values: Array, out: Array) -> None:
    """out += (K - L^T R)[:, at] @ values."""
    left, right = minus
    weights, terms = np.zeros(len(left), dtype=out.dtype), np.empty(len(left), np.int64)
    for r in range(len(left)):
        terms[r] = r
        for k in range(len(at)):
            weights[r] -= values[k] * right[r, at[k]]
    add_weighted_rows(K, at, values, 0, len(out), out)
    add_weighted_rows(left, terms, weights, 0, len(out), out)


@compiled
def gathered(rows: Array, at: Array) -> Array:
    """rows[:, at]."""
    out = np.empty((len(rows), len(at)), dtype=rows.dtype)
    for r in range(len(rows)):
        for k in range(len(at)):
            out[r, k] = rows[r, at[k]]
    return out


@compiled
def nth_largest(values: Array, n: int) -> float:
    """The n-th largest value, by quickselect."""
    left, low, high, place = values.copy(), 0, len(values) - 1, len(values) - n
    while low < high:
        pivot, i, j = left[(low + high) // 2], low, high
        while i <= j:
            while left[i] < pivot:
                i += 1
            while left[j] > pivot:
                j -= 1
            if i <= j:
                left[i], left[j] = left[j], left[i]
                i, j = i + 1, j - 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return left[place]


@compiled
def flip_within(
    K: Array, at: Array, minus: Factors, c: Array, gain: Array, noise: float, gains: Array
) -> int:
    """Flip the sign that gains most, among the rows ``at`` of K - L^T R, until none gains.

    ``minus``, c and gain = diag K - c * (K c) refer to these rows; updates c and gain.  Writes each
    gain to ``gains``, no more than fit, and returns how many.
    """
    left, right = minus
    count, size, row = 0, len(c), np.empty_like(gain)
    while count < len(gains):
        best = 0
        for i in range(1, size):
            if gain[i] > gain[best]:
                best = i
        gained = gain[best]
        if gained <= noise:
            break
        gains[count] = gained
        count += 1
        whole = K[at[best]]
        for i in range(size):
            row[i] = whole[at[i]]
        for r in range(len(left)):
            weight, factor = left[r, best], right[r]
            for i in range(size):
                row[i] -= weight * factor[i]
        twice = c[best] + c[best]  # 2 * c would be in double precision
        for i in range(size):
            gain[i] += twice * c[i] * row[i]
        c[best] = -c[best]
        gain[best] = -gained
    return count


@partial(compiled, once=True)
def best_flips(
    K: Array, minus: Factors, c: Array, Kc: Array, diagonal: Array,
    limits: tuple[int, float, float], gains: Array,
) -> int:  # fmt: skip
    """Single flips on K - L^T R until none gains: `BitFlip.search` in one call.

    Updates c and its image Kc.  ``limits`` holds how many rows to consider together, the rounding
    error, and the gain that the flips together must promise.  Writes each gain and returns how
    many.
    """
    n, count, gain, at, values = len(c), 0, Kc.copy(), np.empty(len(c), np.int64), Kc.copy()
    while count < len(gains):
        largest = -np.inf
        for i in range(n):
            gain[i] = diagonal[i] - c[i] * Kc[i]
            largest = max(largest, gain[i])
        if largest <= limits[1]:
            break
        least, size, promised = nth_largest(gain, min(limits[0], n)), 0, 0.0
        for i in range(n):
            if gain[i] >= least:
                at[size] = i
                size += 1
                promised += max(gain[i], 0.0)
        if 4 * promised <= limits[2]:
            break
        signs, near = np.empty(size, dtype=c.dtype), np.empty(size, dtype=c.dtype)
        for k in range(size):
            signs[k], near[k] = c[at[k]], gain[at[k]]
        within = gathered(minus[0], at[:size]), gathered(minus[1], at[:size])
        count += flip_within(K, at[:size], within, signs, near, limits[1], gains[count:])
        flipped = 0
        for k in range(size):
            if signs[k] != c[at[k]]:
                values[flipped] = signs[k] + signs[k]
                c[at[k]] = signs[k]
                at[flipped] = at[k]
                flipped += 1
        add_columns(K, minus, at[:flipped], values[:flipped], Kc)
    return count


@compiled
def sign_steps(
    K: Array, minus: Factors, c: Array, Kc: Array, limits: tuple[int, float, bool], trace: Array
) -> tuple[int, float, bool]:
    """Algorithm 1 on K - L^T R: `SignIteration.search` in one call.

    Updates c and its image Kc.  ``limits`` holds max_iter, tol, momentum; ``trace`` begins with
    c^T K c.  Returns the number of steps, (c' - c)^T K (c' - c) of the last, and whether it ended.
    """
    n, before, change, values = len(c), Kc.copy(), Kc.copy(), Kc.copy()
    rows, taken, t, moved = np.empty(n, np.int64), 0, 0, 0.0
    for _ in range(limits[0]):
        beta, count = Kc.dtype.type(t / (t + 1.0)), 0
        for i in range(n):
            change[i] = 0
            if (Kc[i] + beta * (Kc[i] - before[i])) * c[i] < 0:
                rows[count], values[count] = i, -(c[i] + c[i])
                count += 1
        add_columns(K, minus, rows[:count], values[:count], change)
        moved = gain = 0.0
        for k in range(count):
            moved += values[k] * change[rows[k]]
            gain += 2 * values[k] * Kc[rows[k]]
        gain += moved
        value = trace[taken]
        if gain > 0:
            for i in range(n):
                before[i] = Kc[i]
                Kc[i] += change[i]
            for k in range(count):
                c[rows[k]] = -c[rows[k]]
            taken += 1
            trace[taken] = value + gain
        if gain <= limits[1] * abs(value) and (t == 0 or gain > 0):
            return taken, moved, True
        t = t + 1 if gain > 0 and limits[2] else 0
    return taken, moved, False


@partial(compiled, once=True)
def search(
    K: Array, minus: Factors, c: Array, Kc: Array, diagonal: Array, limits: SearchLimits,
    trace: Array,
) -> tuple[int, float, bool]:  # fmt: skip
    """`sign_steps` and `best_flips` in turns, until neither moves; returns what the first does."""
    max_iter, tol, momentum, near, share, rounding = limits
    taken, flipped, eps, most = 0, 0, 16 * np.finfo(K.dtype).eps, len(trace) - max_iter - 1
    while True:
        left = min(max_iter, len(trace) - 1 - taken), tol, momentum
        count, moved, ended = sign_steps(K, minus, c, Kc, left, trace[taken:])
        first, taken = taken == 0, taken + count
        if share < 0 or (count == 0 and not first):
            return taken, moved, ended
        largest = 0.0
        for i in range(len(c)):
            largest = max(largest, abs(Kc[i]), abs(diagonal[i]))
        promise = near, max(eps * largest, rounding), share * abs(trace[taken])
        room = trace[taken + 1 : min(len(trace), taken + 1 + most - flipped)]
        count = best_flips(K, minus, c, Kc, diagonal, promise, room)
        for k in range(count):
            trace[taken + 1 + k] = trace[taken + k] + 4 * trace[taken + 1 + k]
        taken, flipped = taken + count, flipped + count
        if count == 0 or count == len(room):
            # Where no flip gains, no sign step gains either, even if max_iter was reached.
            return taken, 0.0, count < len(room)


@compiled
def remove(K: Array, scores: Array, sums: Array) -> float:
    """Subtract the outer product of the scores from K; return what is left of its trace.

    Writes the L1 norms of the columns.
    """
    trace = 0.0
    sums[:] = 0
    for i in range(len(K)):
        for k in range(len(K)):
            K[i, k] -= scores[i] * scores[k]
            sums[k] += abs(K[i, k])
        trace += K[i, i]
    return trace


@compiled
def greedy(K: Array, limits: tuple[int, float, bool], signs: Array, scores: Array) -> int:
    """Components of K by Algorithm 1 from the paper's start, until rounding error is left.

    Writes the signs and scores of each, and returns how many.  K is overwritten with what is left.
    """
    n, none, eps = len(K), np.empty((0, len(K)), dtype=K.dtype), np.finfo(K.dtype).eps
    trace, rows, sums = np.empty(limits[0] + 1), np.empty(n, np.int64), np.zeros(n, dtype=K.dtype)
    noise = n * eps * abs(remove(K, np.zeros(n, dtype=K.dtype), sums))
    for j in range(len(signs)):
        best, merit, largest = -1, 0.0, 0.0
        for i in range(n):
            largest = max(largest, K[i, i])
        for i in range(n):
            if K[i, i] > n * eps * largest and sums[i] > merit * np.sqrt(K[i, i]):
                best, merit = i, sums[i] / np.sqrt(K[i, i])
        if best < 0:
            return j
        c, Kc, trace[0] = signs[j], scores[j], 0.0
        for i in range(n):
            c[i], Kc[i], rows[i] = -1 if K[best, i] < 0 else 1, 0, i
        add_weighted_rows(K, rows, c, 0, n, Kc)
        for i in range(n):
            trace[0] += c[i] * Kc[i]
        taken = sign_steps(K, (none, none), c, Kc, limits, trace)[0]
        if not trace[taken] > noise:
            return j
        for i in range(n):
            Kc[i] /= np.sqrt(trace[taken])
        remove(K, Kc, sums)
    return len(signs)
