"""The five kernel PCAs of the paper behind one call, its data sets, and grids of tasks."""

import warnings
from functools import cache, lru_cache, partial
from itertools import product

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.preprocessing import KernelCenterer

from l1kpca import L1KernelPCA, datasets
from l1kpca.peers import KwakKernelPCA, L2KernelPCA, R1KernelPCA, XiaoKernelPCA
from paper.published import A1, KERNELS, KWAK, L2, POLISHED, R1, XIAO

METHODS = {
    A1: partial(L1KernelPCA, solver="fixed_point", start="column"),
    KWAK: KwakKernelPCA,
    XIAO: XiaoKernelPCA,
    R1: R1KernelPCA,
    L2: L2KernelPCA,
}
L1_METHODS = [A1, KWAK, XIAO]
ALL_METHODS = {**METHODS, POLISHED: L1KernelPCA}


def grid(**axes):
    """One task for each combination of the values: a dict, and the key of its result."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def kernel_parameters(kernel, sigma=None):
    """A linear kernel, or exp(-|x - y|^2 / (2 sigma^2)); without sigma, the number of columns."""
    if kernel == "linear":
        return {"kernel": "linear"}
    return {"kernel": "rbf", "gamma": "paper" if sigma is None else 1 / (2 * sigma**2)}


def kernel_matrix(X, kernel, sigma=None, center=False):
    if kernel == "linear":
        K = linear_kernel(X)
    else:
        K = rbf_kernel(X, gamma=1 / (2 * (sigma or X.shape[1]) ** 2))
    return KernelCenterer().fit_transform(K) if center else K


@cache
def warm_up():
    """Load the compiled loops, once in a process, so that no measured time holds them."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    with warnings.catch_warnings(action="ignore"):
        for method, kernel in product(ALL_METHODS, KERNELS):
            ALL_METHODS[method](2, gram="dense", **kernel_parameters(kernel)).fit(X)


def standardize(X):
    """Columns with mean 0 and deviation 1; constant ones are dropped."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    return (X - X.mean(axis=0)) / X.std(axis=0)


@lru_cache(maxsize=2)
def standardized(name, data_dir=None):
    X, y = datasets.load(name, data_dir, return_X_y=True)
    return standardize(X), y
