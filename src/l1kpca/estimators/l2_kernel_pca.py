"""Ordinary kernel PCA, as in scikit-learn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy import linalg
from scipy.sparse.linalg import eigsh
from sklearn.utils.extmath import randomized_svd

from l1kpca.checks import check_count, check_number, read_memory_limit
from l1kpca.components.base import Component, negligible_variance, signs_int8
from l1kpca.components.spectrum import whole_matrix
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.gram.base import Gram

EIGEN_SOLVERS = ["auto", "dense", "arpack", "randomized"]
_FEW, _MANY_ROWS = 10, 200  # "auto" as in scikit-learn: arpack for few components of many rows


@parameters
class L2KernelPCA(KernelPCABase):
    r"""Kernel PCA in the L2 norm: the components of scikit-learn's ``KernelPCA``.

    Maximizes :math:`\sum_i (\phi(x_i)^T w)^2` over orthonormal w: the eigenvectors u of the
    centered Gram matrix, with dual coefficients :math:`u / \sqrt\lambda` and scores
    :math:`\sqrt\lambda\, u`.

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`, but all of K must fit into ``memory_limit``, and ``max_iter`` and
        ``random_state`` are those of "arpack" and "randomized".
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "auto" is "arpack" for fewer than 10 components of more than 200 rows, else "dense",
        which also replaces "arpack" for as many components as rows.
    tol : float, default=0
        Tolerance of "arpack"; 0 is its default.
    iterated_power : int or "auto", default="auto"
        Power iterations of "randomized".

    Attributes
    ----------
    signs_ : ndarray of shape (n_components_, n_samples), int8
        Signs of the scores.
    eigenvalues_ : ndarray of shape (n_components_,)
        Eigenvalues of the centered Gram matrix, largest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components_)
        Unit eigenvectors, turned so that the largest entry in size is positive.
    objective_trace_ : list of ndarrays
        One eigenvalue each.  All other attributes are as in `L1KernelPCA`.

    Notes
    -----
    The routines are those of scikit-learn's ``KernelPCA``.  If K is indefinite, we keep the
    components of its positive eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import KernelPCA
    >>> from l1kpca.peers import L2KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> ours = L2KernelPCA(2, kernel="rbf").fit_transform(X)
    >>> bool(np.allclose(ours, KernelPCA(2, kernel="rbf").fit_transform(X)))
    True
    """

    _page_home = "l1kpca.peers"
    eigen_solver: str = "auto"
    tol: float = 0
    iterated_power: Any = "auto"

    def _component_solver(self, X: Any) -> "Eigenvectors":
        if self.eigen_solver not in EIGEN_SOLVERS:
            raise ValueError(f"eigen_solver={self.eigen_solver!r} must be one of {EIGEN_SOLVERS}")
        check_number("tol", self.tol, at_least=0)
        if self.iterated_power != "auto":
            check_count("iterated_power", self.iterated_power, at_least=0)
        settings = self.eigen_solver, self.tol, self.max_iter, self.iterated_power, self.seed_
        return Eigenvectors(read_memory_limit(self.memory_limit), *settings)

    def _conclude(self, gram: Gram, components: list[Component]) -> None:
        self.eigenvalues_ = np.ravel(self.objective_trace_).astype(self.dual_components_.dtype)
        self.eigenvectors_ = self.dual_components_ * np.sqrt(self.eigenvalues_)


@dataclass(frozen=True)
class Eigenvectors:
    """The leading eigenvectors of K, with the settings of scikit-learn's ``KernelPCA``."""

    memory: int
    eigen_solver: str
    tol: float = 0
    max_iter: int | None = None
    iterated_power: Any = "auto"
    seed: int = 0

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield up to ``limit`` components, largest eigenvalue first, as ``KernelPCA`` does."""
        K, solver, rng = whole_matrix(gram, self.memory), self.eigen_solver, RandomState(self.seed)
        n = len(K)
        if max(K.max(), -K.min()) <= negligible_variance(gram) / n:
            return  # arpack rejects a matrix of zeros
        if solver == "auto":
            solver = "arpack" if n > _MANY_ROWS and limit < _FEW else "dense"
        if solver == "dense" or (solver == "arpack" and limit >= n):
            values, vectors = linalg.eigh(K, subset_by_index=(n - limit, n - 1))
        elif solver == "arpack":
            begin = rng.uniform(-1, 1, n).astype(K.dtype)
            values, vectors = eigsh(
                K, limit, which="LA", tol=self.tol, maxiter=self.max_iter, v0=begin
            )
        else:
            vectors, sizes, rows = randomized_svd(
                K, limit, n_iter=self.iterated_power, random_state=rng, flip_sign=False
            )
            # A singular value is an eigenvalue up to its sign, which the two singular vectors show.
            values = sizes * np.sign(np.einsum("ij,ji->j", vectors, rows))
        order = np.argsort(values)[::-1]
        for j in order[values[order] > negligible_variance(gram)]:
            root, vector = np.sqrt(values[j]), vectors[:, j]
            trace = (float(values[j]),)
            yield Component(vector / root, vector * root, signs_int8(vector), trace).oriented()
