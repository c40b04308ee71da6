"""Slow, obvious NumPy twins of what the library computes; they share no code with it."""

from itertools import product

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels


def centered(K, weights):
    """The Gram of phi(x_i) - sum_j w_j phi(x_j), by the explicit matrix I - 1 w^T."""
    H = np.eye(len(K)) - np.outer(np.ones(len(K)), weights)
    return H @ K @ H.T


def mean_centered(K):
    return centered(K, np.full(len(K), 1 / len(K)))


def joint_gram(kernel, X, X_new, **params):
    """Kernel matrix of the training rows followed by the new ones, in double precision."""
    rows = np.vstack([np.asarray(X, dtype=float), np.asarray(X_new, dtype=float)])
    return pairwise_kernels(rows, metric=kernel, **params)


def signs(image, previous):
    """sgn, where zero keeps the previous sign."""
    return np.where(image > 0, 1.0, np.where(image < 0, -1.0, previous))


def start_column(K):
    """Index of the column with the largest sum_i |K_ij| / sqrt(K_jj), zero rows left out."""
    usable = K.diagonal() > len(K) * np.finfo(float).eps * K.diagonal().max()
    norms = np.sqrt(np.where(usable, K.diagonal(), 1))
    return int(np.argmax(np.where(usable, np.abs(K).sum(axis=0) / norms, -1)))


def fixed_point(K, c, max_iter=1000, tol=0.0, momentum=False):
    """Every iterate of c <- sgn(K c), all of K c anew in each step.

    The search ends where (c' - c)^T K (c' - c) = 0 up to rounding, or where a step gains no more
    than a share ``tol`` of the objective.  With momentum, c' = sgn(K (c + t / (t + 1) (c - b)))
    after t steps from b to c to c'; a step that gains nothing is not taken and sets t to zero.
    """
    iterates, before, t = [c], c, 0
    for _ in range(max_iter):
        following = signs(K @ (c + t / (t + 1) * (c - before)), c)
        value = c @ K @ c
        gain = following @ K @ following - value
        if gain > 1e-13 * value:
            iterates.append(following)
            before, c = c, following
            if gain <= tol * value:
                break
            t = t + 1 if momentum else 0
        elif t == 0:
            break
        else:
            t = 0
    return iterates


def algorithm_1(K, n_components):
    """Algorithm 1 component by component; K is deflated explicitly, a new matrix each time."""
    found = []
    for _ in range(n_components):
        j = start_column(K)
        c = fixed_point(K, signs(K[:, j], np.ones(len(K))))[-1]
        found.append(c)
        K = deflated(K, c)
    return np.array(found)


def deflated(K, c):
    """K - (K c)(K c)^T / c^T K c."""
    image = K @ c
    return K - np.outer(image, image) / (c @ image)


def pca_l1(X, start, n_components):
    """PCA-L1 on the rows: w <- normalized sum_i sgn(x_i w) x_i; rows are then projected out."""
    X = X.copy()
    loadings, scores = [], []
    for _ in range(n_components):
        c = start(X)
        while True:
            w = X.T @ c
            w /= np.linalg.norm(w)
            following = signs(X @ w, c)
            if np.array_equal(following, c):
                break
            c = following
        loadings.append(w)
        scores.append(X @ w)
        X -= np.outer(X @ w, w)
    return np.array(loadings), np.array(scores)


def best_by_enumeration(K):
    """max c^T K c over all sign vectors; c and -c are the same, so the first sign is fixed."""
    candidates = np.array([(1, *rest) for rest in product((-1, 1), repeat=len(K) - 1)], dtype=float)
    values = np.einsum("ci,ij,cj->c", candidates, K, candidates, optimize=True)
    return values.max(), candidates[values.argmax()]


def largest_flip_gain(K, c):
    """The most that c^T K c rises when one sign is flipped, by evaluating every flip."""
    gains = []
    for i in range(len(c)):
        flipped = c.copy()
        flipped[i] = -flipped[i]
        gains.append(flipped @ K @ flipped - c @ K @ c)
    return max(gains)


def low_rank_rows(rng, n, d, rank, noise=0.0):
    """Gaussian rows near a subspace."""
    rows = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    return rows + noise * rng.normal(size=(n, d))


def standardized(X):
    """Columns with mean zero and variance one; constant columns dropped."""
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0)
