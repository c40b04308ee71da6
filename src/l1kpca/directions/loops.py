"""Compiled searches on a K that is written out, one call for each."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.loops import Factors, add_weighted_rows, compiled


@compiled
def flip_within(
    K: Array, at: Array, minus: Factors, c: Array, gain: Array, noise: float, gains: Array
) -> int:
    """Flip the sign that gains most, among the rows ``at`` of K - L^T R, until none gains.

    ``minus``, c and gain = diag K - c * (K c) are those of these rows; c and gain change.  Writes
    each gain and returns how many there were, no more than fit into ``gains``.
    """
    left, right = minus
    count, size, row, terms = 0, len(c), np.empty_like(gain), np.arange(len(left))
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
        add_weighted_rows(right, terms, -left[:, best], 0, size, row)
        twice = c[best] + c[best]  # 2 * c would be in double precision
        for i in range(size):
            gain[i] += twice * c[i] * row[i]
        c[best] = -c[best]
        gain[best] = -gained
    return count


@compiled
def best_flips(
    K: Array, minus: Factors, c: Array, Kc: Array, diagonal: Array,
    limits: tuple[int, float, float], gains: Array,
) -> int:  # fmt: skip
    """Single flips on K - L^T R until none gains, in one call: the twin of `BitFlip.search`.

    Changes c and its image Kc.  ``limits`` are how many rows are looked at together, the size of
    rounding errors, and what the flips must promise together.  Writes each gain and returns how
    many there were.
    """
    left, right = minus
    n, terms, count = len(c), np.arange(len(left)), 0
    size, noise = min(limits[0], n), limits[1]
    while count < len(gains):
        gain = diagonal - c * Kc
        if gain.max() <= noise:
            break
        at = np.flatnonzero(gain >= np.partition(gain, n - size)[n - size])
        factors, before = (left[:, at], right[:, at]), c[at]
        signs, near = before.copy(), gain[at]
        if 4 * near[near > 0].sum() <= limits[2]:
            break
        count += flip_within(K, at, factors, signs, near, noise, gains[count:])
        changed = np.flatnonzero(signs != before)
        flips, values = at[changed], signs[changed] - before[changed]
        c[at] = signs
        add_weighted_rows(K, flips, values, 0, n, Kc)
        weights = np.zeros(len(left), dtype=Kc.dtype)
        for r in range(len(left)):
            for k in range(len(flips)):
                weights[r] -= values[k] * right[r, flips[k]]
        add_weighted_rows(left, terms, weights, 0, n, Kc)
    return count


@compiled
def sign_steps(
    K: Array, minus: Factors, c: Array, Kc: Array, limits: tuple[int, float, bool], trace: Array
) -> tuple[int, float, bool]:
    """Algorithm 1 on K - L^T R, in one call: the twin of `SignIteration.search`.

    Changes c and its image Kc.  ``limits`` are max_iter, tol, momentum; ``trace`` begins with
    c^T K c.  Returns how many steps, (c' - c)^T K (c' - c) of the last, and whether it was the end.
    """
    left, right = minus
    n, before, change = K.shape[0], Kc.copy(), np.empty_like(Kc)
    rows, terms, weights = np.empty(n, np.int64), np.arange(len(left)), left[:, 0].copy()
    taken, t, moved = 0, 0, 0.0
    for _ in range(limits[0]):
        beta, count = Kc.dtype.type(t / (t + 3.0)), 0
        for i in range(n):
            if (Kc[i] + beta * (Kc[i] - before[i])) * c[i] < 0:
                rows[count] = i
                count += 1
        flips = rows[:count]
        values = -(c[flips] + c[flips])  # 2 * c would be in double precision
        for r in range(len(left)):
            weights[r] = 0
            for k in range(count):
                weights[r] -= values[k] * right[r, flips[k]]
        change[:] = 0
        add_weighted_rows(K, flips, values, 0, n, change)
        add_weighted_rows(left, terms, weights, 0, n, change)
        moved = gain = 0.0
        for k in range(count):
            moved += values[k] * change[flips[k]]
            gain += 2 * values[k] * Kc[flips[k]]
        gain += moved
        value = trace[taken]
        if gain > 0:
            before[:] = Kc
            Kc += change
            c[flips] = -c[flips]
            taken += 1
            trace[taken] = value + gain
        if gain <= limits[1] * abs(value) and (t == 0 or gain > 0):
            return taken, moved, True
        t = t + 1 if gain > 0 and limits[2] else 0
    return taken, moved, False
