"""The table of every direction finder, and the problems they are tried on.

To have a new finder tested, add one line to `FINDERS`, and its name to the families that it is of.
"""

import numpy as np
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from l1kpca.directions import BitFlip, LpNorm, Polished, SignIteration, Then
from l1kpca.gram.stored import StoredGram
from l1kpca.optimality import ExactSearch, SdpRounding
from l1kpca.threads import Workers
from oracles import low_rank_rows, mean_centered
from toys.sweeps import Sweeps

FINDERS = {
    "signs": SignIteration(),
    "momentum": SignIteration(momentum=True),
    "tolerance": SignIteration(tol=1e-2),
    "momentum, tolerance": SignIteration(tol=1e-2, momentum=True),
    "flips": BitFlip(),
    "signs then flips": Then(SignIteration(), BitFlip()),
    "flips then signs": Then(BitFlip(), SignIteration()),
    "polished": Polished(),
    "sdp": SdpRounding(),
    "exact": ExactSearch(),
    "p=1": LpNorm(1.0),
    "p=1.5": LpNorm(1.5),
    "p=2": LpNorm(2.0),
    "toy": Sweeps(),
}
NORM = {"p=1.5": 1.5, "p=2": 2.0}
"""Finders of another norm than L1, whose dual vectors are not signs."""
EXACT = ("exact",)
"""Finders of the global optimum, whatever the start."""
SIGNS = tuple(name for name in FINDERS if name not in NORM)
LOCAL = tuple(name for name in SIGNS if name not in (*EXACT, "sdp"))
"""Finders whose steps lead from the start to the end."""
STATIONARY = tuple(name for name in SIGNS if "tolerance" not in name)
FLIPPING = (
    "flips",
    "signs then flips",
    "flips then signs",
    "polished",
    "sdp",
    "exact",
    "toy",
)
"""Finders at whose end no single flip gains."""
SIZES = (1, 2, 17, 60)


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
    return StoredGram(np.ascontiguousarray(K), Workers())


def find(finder, K, start):
    """What the finder finds on the matrix K from one start."""
    return finder.find(held(K), start[:, np.newaxis])[0]
