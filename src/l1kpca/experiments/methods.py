"""The five kernel PCAs of the paper behind one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from l1kpca import L1KernelPCA
from l1kpca.peers import KwakKernelPCA, L2KernelPCA, R1KernelPCA, XiaoKernelPCA

ALGORITHM_1, KPCA_L1, L1_KPCA, R1_KPCA, L2_KPCA = (
    "Algorithm 1",
    "KPCA-L1",
    "L1-KPCA",
    "R1-KPCA",
    "L2-KPCA",
)
POLISHED = "Polished"
"""The library's default: Algorithm 1, then single flips."""


def algorithm_1(n_components: int | None = None, **parameters: Any) -> L1KernelPCA:
    """The paper's algorithm to the letter."""
    settings = {"solver": "fixed_point", "start": "column", **parameters}
    return L1KernelPCA(n_components, **settings)


METHODS: dict[str, Callable[..., Any]] = {
    ALGORITHM_1: algorithm_1,
    KPCA_L1: KwakKernelPCA,
    L1_KPCA: XiaoKernelPCA,
    R1_KPCA: R1KernelPCA,
    L2_KPCA: L2KernelPCA,
}
"""From the paper's name of a method to an estimator."""

L1_METHODS = (ALGORITHM_1, KPCA_L1, L1_KPCA)
ALL_METHODS = {**METHODS, POLISHED: L1KernelPCA}


def kernel_parameters(kernel: str, sigma: float | None = None) -> dict[str, Any]:
    r"""Parameters of a linear kernel, or of a Gaussian one of width sigma.

    .. math:: k(x, y) = \exp(-\|x - y\|^2 / (2 \sigma^2))

    Without a sigma it is the number of columns, as in the paper's outlier detection.

    Examples
    --------
    >>> kernel_parameters("gaussian", 10.0)
    {'kernel': 'rbf', 'gamma': 0.005}
    """
    if kernel == "linear":
        return {"kernel": "linear"}
    return {"kernel": "rbf", "gamma": "paper" if sigma is None else 1 / (2 * sigma**2)}


@contextmanager
def expected_warnings() -> Iterator[None]:
    """Silence what the experiments provoke on purpose: more components than the rank, stalling."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def warm_up(*methods: str) -> None:
    """Load the compiled loops, once in a process, so that no measured time holds their compilation.

    Parameters
    ----------
    *methods : str
        Keys of `ALL_METHODS`; all of them if none is named.
    """
    X = np.random.default_rng(0).standard_normal((40, 3))
    with expected_warnings():
        for method in methods or ALL_METHODS:
            for kernel in ("linear", "rbf"):
                ALL_METHODS[method](2, kernel=kernel, gram="dense").fit(X)
