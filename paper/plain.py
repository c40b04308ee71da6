"""The five kernel PCAs in plain array code on rows Y with Y Y^T = K, apart from the library.

They serve the searches over readings, where a few thousand small fits are needed. With the linear
kernel Y is X; else it is U sqrt(L) of K = U L U^T.
"""

import numpy as np

from paper.methods import A1, KWAK, L2, R1, XIAO


def loadings(Y, p):
    """Orthonormal loadings of each method, as columns."""
    first = axes_of(Y, p)
    return {
        **{method: one_by_one(Y, p, start) for method, start in STARTS.items()},
        R1: r1(Y, first),
        L2: first,
    }


def axes_of(Y, p):
    return np.linalg.eigh(Y.T @ Y)[1][:, : -p - 1 : -1]


def best_row(Y):
    """The paper's start: the row with the largest objective, once brought to length 1."""
    norms = np.linalg.norm(Y, axis=1)
    usable = norms > 1e-7 * norms.max()
    merit = np.abs(Y @ Y[usable].T).sum(axis=0) / norms[usable]
    return Y[usable][np.argmax(merit)]


def longest_row(Y):
    return Y[np.argmax(np.linalg.norm(Y, axis=1))]


def sign_steps(image_of, start):
    """Signs and their image at each step, from the signs of a start until none moves."""
    signs, following = None, np.where(start < 0, -1.0, 1.0)
    while signs is None or (following != signs).any():
        signs, image = following, image_of(following)
        yield signs, image
        following = np.where(image == 0, signs, np.sign(image))


def one_by_one(Y, p, start):
    """Sign steps from a start, then the same on what is left of the rows."""
    found = []
    for _ in range(p):
        *_, (signs, _) = sign_steps(lambda c, Y=Y: Y @ (Y.T @ c), Y @ start(Y))
        w = Y.T @ signs
        found.append(w / np.linalg.norm(w))
        Y = Y - np.outer(Y @ found[-1], found[-1])
    return np.column_stack(found)


def r1(Y, W, steps=200):
    """Huber weights about the median distance from the L2 solution; subspace iteration."""
    squares, c = (Y**2).sum(axis=1), None
    for _ in range(steps):
        distance = np.sqrt(np.maximum(squares - ((Y @ W) ** 2).sum(axis=1), 0))
        c = np.median(distance) if c is None else c
        weights = c / np.maximum(distance, c) if c > 0 else np.ones(len(Y))
        following = np.linalg.qr(Y.T @ (weights[:, None] * (Y @ W)))[0]
        moved = 2 * W.shape[1] - 2 * ((W.T @ following) ** 2).sum()  # of the projector, squared
        W = following
        if moved < 1e-12:
            break
    return W


STARTS = {A1: best_row, KWAK: longest_row, XIAO: lambda Y: axes_of(Y, 1)[:, 0]}
