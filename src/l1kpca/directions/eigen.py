"""Leading eigenvectors of a Gram matrix, the same on every call."""

import inspect

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from l1kpca._typing import Array
from l1kpca.gram.base import Gram

# If an eigenvalue repeats, the iteration continues from a random vector.  Before SciPy 1.17, its
# seed could not be set and differed from call to call.
_TAKES_SEED = "rng" in inspect.signature(eigsh).parameters


def lanczos(gram: Gram, count: int) -> tuple[Array, Array]:
    """The ``count`` largest eigenvalues and their unit eigenvectors, from products with K alone."""
    n = gram.n_samples
    operator = LinearOperator((n, n), matvec=lambda v: gram.apply(np.ravel(v)), dtype=gram.dtype)
    # K 1 vanishes for a centered K, so the iteration must not start with ones.
    begin = np.cos(np.arange(n)).astype(gram.dtype)
    seed = {"rng": np.random.default_rng(0)} if _TAKES_SEED else {}
    return eigsh(operator, k=count, which="LA", v0=begin, **seed)
