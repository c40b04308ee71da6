"""The compiled twin of `Deflation` on few rows: one call for a batch of starts."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.directions.loops import SearchLimits, search
from l1kpca.loops import Factors, add_weighted_rows, compiled

Made = tuple[Array, Array, Array, Array]
"""Coefficients and scores of earlier components, and of those of a batch."""


@compiled
def finish(made: Made, j: int, c: Array, Kc: Array, noise: float) -> bool:
    """Make the direction c the component ``j`` of the batch; False if it is rounding error."""
    A, C, coefs, scores = made
    n, coef, image, terms, zero = len(c), coefs[j], scores[j], len(A) + j, c[0] * 0
    both, left = np.empty(terms, dtype=c.dtype), np.empty(terms, dtype=c.dtype)
    index = np.empty(terms, np.int64)
    value, square = 0.0, 0.0
    for i in range(n):
        coef[i], image[i] = c[i], Kc[i]
    for of, by, count in ((A, C, len(A)), (coefs, scores, j)):
        for k in range(count):
            a, s, along, in_coef = of[k], by[k], zero, zero
            for i in range(n):
                along += a[i] * image[i]
                in_coef += s[i] * coef[i]
            left[k], both[k], index[k] = -along, -along - in_coef, k
        add_weighted_rows(of, index[:count], both, 0, n, coef)
        add_weighted_rows(by, index[:count], left, 0, n, image)
    for i in range(n):
        value += coef[i] * image[i]
    if not value > noise:
        return False
    length = np.sqrt(value)
    for i in range(n):
        coef[i], image[i] = coef[i] / length, image[i] / length
        square += image[i] * image[i]
    return square > noise


@compiled
def deflate(
    K: Array, minus: Factors, made: Made, known: int, state: tuple[Array, Array, Array],
    limits: SearchLimits, out: tuple[Array, Array, Array],
) -> int:  # fmt: skip
    """`Deflation` of K - L^T R from a batch of starts; returns how many have a component.

    The first of the batch are ``known``, the others are written to ``made``; for each a row waits
    at the end of L and R.  ``state`` holds signs, images, and the diagonal.  ``out`` holds the
    negligible variance, and the share of a component's that is; then how each `search` ended, and
    its trace.
    """
    (signs, images, diagonal), (noise, ends, traces) = state, out
    rank, n = len(minus[0]) - len(signs), len(diagonal)
    for j in range(len(ends)):
        c, Kc, s, left, square = signs[j], images[j], made[3][j], 0.0, 0.0
        if j >= known:
            for i in range(n):
                square += c[i] * Kc[i]
            traces[j, 0] = square
            now = minus[0][: rank + j], minus[1][: rank + j]
            taken, moved, ended = search(K, now, c, Kc, diagonal, limits, traces[j])
            ends[j, 0], ends[j, 1], ends[j, 2], square = taken, moved, ended, 0.0
            if not finish(made, j, c, Kc, noise[0]):
                return j
        for i in range(n):
            minus[0][rank + j, i] = minus[1][rank + j, i] = s[i]
            diagonal[i] -= s[i] * s[i]
            left += abs(diagonal[i])
            square += s[i] * s[i]
        for k in range(j + 1, len(signs)):
            c, Kc, along = signs[k], images[k], s[0] * 0
            for i in range(n):
                along += c[i] * s[i]
            for i in range(n):
                Kc[i] -= along * s[i]
        noise[0] = max(noise[0], noise[1] * square)
        if 0 < left <= noise[0]:
            return j + 1
    return len(ends)
