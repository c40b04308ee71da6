"""The methods of other papers, written down plainly on a stored matrix; no code of the library."""

import numpy as np
from scipy import linalg

from oracles import signs, start_column


def positive_eigenpairs(K):
    """Eigenvalues above rounding error, the largest first, and their vectors."""
    values, vectors = np.linalg.eigh(K)
    kept = np.flatnonzero(values > 10 * np.finfo(float).eps * np.sqrt(len(K)) * np.trace(K))[::-1]
    return values[kept], vectors[:, kept]


def kwak(K, n_components):
    """KPCA-L1: one decomposition, then PCA-L1 on coordinates that are deflated explicitly."""
    values, U = positive_eigenpairs(K)
    Y = U * np.sqrt(values)
    found, scores = [], []
    for _ in range(n_components):
        w = Y[np.argmax(np.einsum("ij,ij->i", Y, Y))]
        p = signs(Y @ w, np.ones(len(K)))
        while True:
            w = Y.T @ p
            w /= np.linalg.norm(w)
            following = signs(Y @ w, p)
            if np.array_equal(following, p):
                break
            p = following
        found.append(p)
        scores.append(Y @ w)
        Y = Y - np.outer(Y @ w, w)
    return np.array(found), np.array(scores).T


def xiao(K, n_components):
    """L1-KPCA: the L2 start, and K eta = K c by one pseudo-inverse for each deflated K."""
    found, scores = [], []
    for _ in range(n_components):
        values, U = positive_eigenpairs(K)
        c = signs(U[:, 0], np.ones(len(K)))
        while True:
            eta = U @ ((U.T @ (K @ c)) / values)
            following = signs(K @ eta, c)
            if np.array_equal(following, c):
                break
            c = following
        found.append(c)
        scores.append(K @ c / np.sqrt(c @ K @ c))
        K = K - np.outer(scores[-1], scores[-1])
    return np.array(found), np.array(scores).T


def huber(s, c):
    return np.where(s <= c, 1.0, c / np.where(s <= c, 1.0, s))


def cauchy(s, c):
    return 1 / (1 + (s / c) ** 2)


def pure_l1(s, c):
    return 1 / np.maximum(s, 1e-4 * c)


def r1_primal(X, k, n_steps, weight=huber):
    """R1-PCA on the rows themselves: the subspace after a number of steps, as a projector."""
    U = np.linalg.svd(X, full_matrices=False)[2][:k].T
    residuals = np.linalg.norm(X - X @ U @ U.T, axis=1)
    c = np.median(residuals)
    for _ in range(n_steps):
        w = weight(np.linalg.norm(X - X @ U @ U.T, axis=1), c)
        U = np.linalg.qr(X.T @ (w[:, None] * (X @ U)))[0]
    w = weight(np.linalg.norm(X - X @ U @ U.T, axis=1), c)
    _, R = np.linalg.eigh(U.T @ X.T @ (w[:, None] * (X @ U)))
    return U @ R[:, ::-1]


def r1_dual(K, k, tol=1e-6, max_iter=1000):
    """R1-PCA in dual coordinates, Huber weights: the scores, up to a rotation."""
    n = len(K)
    values, V = linalg.eigh(K, subset_by_index=(n - k, n - 1))
    A = V / np.sqrt(values)
    S = K @ A
    residuals = np.sqrt(np.maximum(np.diag(K) - np.sum(S**2, axis=1), 0))
    c = np.median(residuals)
    for _ in range(max_iter):
        B = huber(residuals, c)[:, None] * S
        image = K @ B
        L = linalg.cholesky(B.T @ image, lower=True)
        A = linalg.solve_triangular(L, B.T, lower=True).T
        moved = np.sqrt(max(0, 2 * (k - np.sum((S.T @ A) ** 2))))
        S = linalg.solve_triangular(L, image.T, lower=True).T
        residuals = np.sqrt(np.maximum(np.diag(K) - np.sum(S**2, axis=1), 0))
        if moved <= tol:
            break
    return S


def l2(K, k):
    """Kernel PCA: scores of the leading eigenvectors."""
    values, V = linalg.eigh(K, subset_by_index=(len(K) - k, len(K) - 1))
    return (V * np.sqrt(values))[:, ::-1]


def greedy(K, n_components):
    """Algorithm 1 with single flips after it, from the paper's start: the scores."""
    scores = []
    for _ in range(n_components):
        j = start_column(K)
        c = signs(K[:, j], np.ones(len(K)))
        image = K @ c
        while True:
            following = signs(image, c)
            if np.array_equal(following, c):
                gain = np.diag(K) - c * image
                best = np.argmax(gain)
                if gain[best] <= 1e-12 * np.abs(image).max():
                    break
                c[best] = -c[best]
                image = image + 2 * c[best] * K[:, best]
            else:
                c, image = following, K @ following
        scores.append(image / np.sqrt(c @ image))
        K = K - np.outer(scores[-1], scores[-1])
    return np.array(scores).T


def joint(K, S):
    """All components at once from the scores S of others: every objective, and the last scores."""
    trace, B = [np.abs(S).sum()], None
    while True:
        following = np.where(S < 0, -1.0, 1.0)
        if B is not None and np.array_equal(following, B):
            return np.array(trace), S
        B = following
        image = K @ B
        values, Q = np.linalg.eigh(B.T @ image)
        moved = image @ ((Q / np.sqrt(np.maximum(values, 1e-12 * values[-1]))) @ Q.T)
        if np.abs(moved).sum() <= trace[-1]:
            return np.array(trace), S
        S = moved
        trace.append(np.abs(S).sum())
