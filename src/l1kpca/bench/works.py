"""The methods that are timed, ours and the others', and the rows that they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, KernelPCA

from l1kpca._typing import Array
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.gram.builders import Dense, Resources
from l1kpca.kernels import make_kernel
from l1kpca.peers import KwakKernelPCA
from l1kpca.threads import Workers, available_cores

OURS, DEFAULT = "Algorithm 1", "polished (default)"
READ, PLAIN, KWAK, LINEAR_PCA = "one read of K", "plain NumPy", "KwakKernelPCA", "PCA"
SKLEARN = {f"scikit-learn {solver}": solver for solver in ("dense", "arpack", "randomized")}
"""From the names of scikit-learn's kernel PCAs to their eigensolvers."""

_MOST_STEPS = 1000
_CORNER = 160  # rows; an eighth of it are enough components for all loops

Work = Callable[[], object]


def make_rows(n_samples: int, n_features: int, dtype: str = "float64") -> Array:
    r"""Gaussian rows whose columns have the variances :math:`1/j`, as those of real data fall.

    Parameters
    ----------
    n_samples, n_features : int
        Shape.
    dtype : str, default="float64"
        Precision.

    Examples
    --------
    >>> make_rows(100, 3).shape
    (100, 3)
    """
    rng = np.random.default_rng(0)
    scales = 1 / np.sqrt(np.arange(1, n_features + 1))
    return (rng.standard_normal((n_samples, n_features)) * scales).astype(dtype)


def gaussian_matrix(X: Array, gamma: float | None = None) -> Array:
    r"""K of the Gaussian kernel.

    Parameters
    ----------
    X : array (n, d)
        Rows.
    gamma : float, optional
        By default the inverse of the mean squared distance of two rows, so that a typical entry of
        K is :math:`e^{-1}`.

    Examples
    --------
    >>> gaussian_matrix(np.array([[0.0], [1.0]]), gamma=1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    if gamma is None:
        gamma = 1 / float(2 * X.var(axis=0).sum())
    kernel = make_kernel("rbf", {"gamma": gamma}, None)
    resources = Resources(memory=2**62, workers=Workers(available_cores()))
    gram, _, _ = Dense().build(X, kernel, resources)
    return gram.K  # type: ignore[attr-defined]


def ours(X: Array, n_components: int, **settings: Any) -> Work:
    """Algorithm 1; ``settings`` are parameters of `L1KernelPCA`."""
    model = L1KernelPCA(n_components, **{"solver": "fixed_point", "random_state": 0, **settings})
    return lambda: model.fit(X)


def load_compiled_code(K: Array) -> None:
    """Fit a corner of K in all ways, so that no measured fit is the first to need a loop."""
    corner = K[:_CORNER, :_CORNER].copy()
    for solver in ("fixed_point", "polished"):
        for start in ("column", "sampled"):
            ours(corner, _CORNER // 8, kernel="precomputed", start=start, solver=solver)()


def sklearn_kernel_pca(X: Array, n_components: int, solver: str, **settings: Any) -> Work:
    """scikit-learn's kernel PCA.

    Parameters
    ----------
    X : array
        Rows, or with ``kernel="precomputed"`` a matrix that it may center in place: it is spared
        the copy that it makes by default.
    n_components : int
        How many.
    solver : str
        Its eigensolver.
    **settings
        Its other parameters.
    """
    model = KernelPCA(n_components, eigen_solver=solver, random_state=0, copy_X=False, **settings)
    return lambda: model.fit(X)


def kwak(X: Array, n_components: int, **settings: Any) -> Work:
    """The peer that decomposes K and then iterates on its factor."""
    model = KwakKernelPCA(n_components, random_state=0, **settings)
    return lambda: model.fit(X)


def linear_pca(X: Array, n_components: int) -> Work:
    """scikit-learn's PCA by the covariance matrix: the quickest for many rows."""
    model = PCA(n_components, svd_solver="covariance_eigh")
    return lambda: model.fit(X)


def plain_algorithm(K: Array, n_components: int) -> Array:
    r"""Algorithm 1 as one writes it in NumPy: whole products, K deflated in place.

    Begins at the paper's start, the column with the largest
    :math:`\sum_i |K_{ij}| / \sqrt{K_{jj}}`, and iterates
    :math:`c \leftarrow \operatorname{sgn}(K c)`.

    Parameters
    ----------
    K : array (n, n)
        Not changed; centered here.
    n_components : int
        How many.

    Returns
    -------
    signs : array (n_components, n)

    Examples
    --------
    >>> x = np.array([3.0, -1.0, -2.0])
    >>> plain_algorithm(np.outer(x, x), 1)
    array([[ 1., -1., -1.]])
    """
    mean = K.mean(axis=0)
    K = K - mean - mean[:, np.newaxis] + mean.mean()
    return np.array([_plain_component(K) for _ in range(n_components)])


def _plain_component(K: Array) -> Array:
    diagonal = K.diagonal()
    usable = diagonal > np.finfo(K.dtype).eps * len(K) * diagonal.max()
    merit = np.abs(K).sum(axis=0) / np.sqrt(np.where(usable, diagonal, np.inf))
    c = np.where(K[:, np.argmax(merit)] < 0, -1, 1).astype(K.dtype)
    for _ in range(_MOST_STEPS):
        image = K @ c
        new = np.where(image == 0, c, np.sign(image))
        if (new == c).all():
            break
        c = new
    K -= np.outer(image, image) / (c @ image)
    return c
