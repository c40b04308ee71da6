"""The table of every direction finder, and the problems they are tried on."""

import numpy as np
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from l1kpca.directions import BitFlip, MomentumSigns, SignFixedPoint, Then
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.threads import Workers
from oracles import low_rank_rows, mean_centered

FINDERS = {
    "fixed point": SignFixedPoint(),
    "bit flip": BitFlip(),
    "polished": Then(SignFixedPoint(), BitFlip()),
    "flips first": Then(BitFlip(), SignFixedPoint()),
    "momentum": MomentumSigns(),
    "momentum polished": Then(MomentumSigns(), BitFlip()),
}
FLIPPING = ("bit flip", "polished", "flips first", "momentum polished")


def _rows(rng, n):
    return rng.normal(size=(n, 5)) * [5, 3, 2, 1, 0.5]


def _with_ties(rng, n):
    """Whole numbers, duplicate rows and zero rows: K c is often exactly zero."""
    X = rng.integers(-1, 2, size=(n, 3)).astype(float)
    X[n // 2 :] = X[: n - n // 2]
    return X @ X.T


def _contaminated(rng, n):
    X = low_rank_rows(rng, n, 8, 2, noise=0.3)
    X[:3] *= 30
    return X @ X.T


PROBLEMS = {
    "linear": lambda rng, n: linear_kernel(_rows(rng, n)),
    "centered linear": lambda rng, n: mean_centered(linear_kernel(_rows(rng, n))),
    "wide": lambda rng, n: mean_centered(rbf_kernel(_rows(rng, n), gamma=0.01)),
    "narrow": lambda rng, n: mean_centered(rbf_kernel(_rows(rng, n), gamma=1.0)),
    "diagonal": lambda rng, n: np.diag(rng.uniform(0, 1, n)),
    "laplacian": lambda rng, n: laplacian_kernel(_rows(rng, n), gamma=0.1),
    "polynomial": lambda rng, n: polynomial_kernel(_rows(rng, n), degree=2),
    "ties": _with_ties,
    "contaminated": _contaminated,
    "rank one": lambda rng, n: linear_kernel(rng.normal(size=(n, 1))),
    "zero": lambda rng, n: np.zeros((n, n)),
}


def problem(name, n, seed):
    """A positive semidefinite matrix and a random start."""
    rng = np.random.default_rng([seed, n])
    K = PROBLEMS[name](rng, n)
    return (K + K.T) / 2, rng.choice([-1.0, 1.0], n)


def held(K):
    """K as a Gram."""
    return PrecomputedGram(np.ascontiguousarray(K), Workers())
