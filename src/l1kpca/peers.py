"""The kernel PCAs that the paper compares against, and the joint L1 method.

Each has the interface of `l1kpca.L1KernelPCA`: to switch methods, change the name.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from l1kpca.checks import check_count, check_number, read_memory_limit
from l1kpca.components.base import ComponentSolver
from l1kpca.components.decomposed import ProjectionTrick, SingularSystems
from l1kpca.components.deflation import Deflation
from l1kpca.components.subspace import WEIGHTINGS, JointSigns, R1Subspace
from l1kpca.directions.base import MAX_ITER
from l1kpca.directions.starts import make_start
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.l1_kernel_pca import make_finder
from l1kpca.estimators.l2_kernel_pca import L2KernelPCA

__all__ = ["JointL1KernelPCA", "KwakKernelPCA", "L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA"]


@parameters
class _Decomposed(KernelPCABase):
    """Finds components one by one, after decomposing K."""

    _page_home = "l1kpca.peers"
    start: Any = "auto"
    _method: ClassVar[Callable[..., ComponentSolver]]

    def _component_solver(self, X: Any) -> ComponentSolver:
        memory, start = read_memory_limit(self.memory_limit), make_start(self.start, X.shape[0])
        steps = self.max_iter or MAX_ITER
        return self._method(start=start, memory=memory, seed=self.seed_, max_iter=steps)


@parameters
class KwakKernelPCA(_Decomposed):
    r"""KPCA-L1: L1-norm kernel PCA by the nonlinear projection trick.

    Maximizes the same sum as `L1KernelPCA`, with the same attributes.  The Gram matrix is
    decomposed once, :math:`K = U \Lambda U^T`, and PCA-L1 runs on the rows of
    :math:`Y = U \Lambda^{1/2}`:

    .. math:: p = \operatorname{sgn}(Y w), \qquad w \leftarrow Y^T p / \|Y^T p\|.

    Since :math:`Y Y^T = K`, the signs are those of Algorithm 1 from the same start.

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`; unless K has low rank, all of it must fit into ``memory_limit``.
    start : {"norm", "column", "eigen", "random", "auto"} or array, default="norm"
        Where a search starts; "norm", the row with the largest norm, is the method's own.

    Notes
    -----
    If a search ends with :math:`w^T y_i = 0` for a nonzero row, w moves slightly at random, by
    ``random_state``.  We follow later descriptions and public code, not the 2013 paper itself.

    References
    ----------
    N. Kwak, "Nonlinear Projection Trick in Kernel Methods", IEEE TNNLS 24(12), 2013, and "Principal
    Component Analysis Based on L1-Norm Maximization", IEEE TPAMI 30(9), 2008.
    """

    start: Any = "norm"
    _method = ProjectionTrick


@parameters
class XiaoKernelPCA(_Decomposed):
    r"""L1-KPCA: L1-norm kernel PCA with a linear system in each step.

    Maximizes the same sum as `L1KernelPCA`, with the same attributes.  Each step solves

    .. math:: K \eta = K c, \qquad c \leftarrow \operatorname{sgn}(K \eta).

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`; unless K has low rank, all of it must fit into ``memory_limit``.
    start : {"eigen", "column", "norm", "random", "auto"} or array, default="eigen"
        Where a search starts; "eigen", the L2 solution, is the method's own.

    Notes
    -----
    The system is singular; we use :math:`\eta = U \Lambda^{-1} U^T K c`, with one decomposition of
    K for all components.  Start and system are as Kim and Klabjan report; deflation and sgn(0) are
    our assumptions.

    References
    ----------
    Y. Xiao, H. Wang, W. Xu and J. Zhou, "L1 norm based KPCA for novelty detection", Pattern
    Recognition, 46(1), 2013.
    """

    start: Any = "eigen"
    _method = SingularSystems


@parameters
class JointL1KernelPCA(KernelPCABase):
    r"""L1-norm kernel PCA with all components found at once.

    Maximizes :math:`\sum_{ij} |\phi(x_i)^T w_j|` over all sets of k orthonormal directions.  With B
    the (n, k) signs of the scores, a step is

    .. math:: M = B^T K B, \qquad S = K B M^{-1/2}, \qquad B \leftarrow \operatorname{sgn}(S).

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose, solver, start, n_starts : optional
        As in `L1KernelPCA`, but the components depend on how many there are.  The last three apply
        to the greedy solution where the search starts.

    Attributes
    ----------
    objective_trace_ : list of ndarrays
        The joint objective step by step, the same for all components; it never decreases.  All
        other attributes are as in `L1KernelPCA`.

    Notes
    -----
    Components are sorted by their L1 norms.  We follow two public implementations, not the paper;
    they start at random and keep the best of several runs.

    References
    ----------
    F. Nie, H. Huang, C. Ding, D. Luo and H. Wang, "Robust Principal Component Analysis with
    Non-Greedy L1-Norm Maximization", IJCAI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.peers import JointL1KernelPCA
    >>> X = np.random.default_rng(0).standard_t(3, size=(50, 6))
    >>> bool(JointL1KernelPCA(3).fit(X).objective_.sum() >= L1KernelPCA(3).fit(X).objective_.sum())
    True
    """

    _page_home = "l1kpca.peers"
    solver: Any = "polished"
    start: Any = "auto"
    n_starts: int = 1

    def _component_solver(self, X: Any) -> ComponentSolver:
        check_count("n_starts", self.n_starts)
        finder, start = make_finder(self.solver, self.max_iter), make_start(self.start, X.shape[0])
        greedy = Deflation(finder, start=start, n_starts=self.n_starts, seed=self.seed_)
        return self._reaching(JointSigns(greedy, max_iter=self.max_iter or MAX_ITER))


@parameters
class R1KernelPCA(KernelPCABase):
    r"""R1-KPCA: the subspace of feature space with the least sum of robust distances.

    Minimizes :math:`\sum_i \rho(s_i)` over subspaces of k dimensions, where :math:`s_i` is the
    distance of :math:`\phi(x_i)` from the subspace and :math:`\rho` grows like s for far rows.
    Each step weights the rows and takes one step of subspace iteration with their covariance.
    With :math:`S = K A` and :math:`A^T K A = I`,

    .. math:: s_i^2 = K_{ii} - \|S_i\|^2, \qquad B = \operatorname{diag}(w(s))\, S, \qquad
              A \leftarrow B L^{-T} \text{ with } B^T K B = L L^T.

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`, but the components depend on how many there are; all of them together
        are those of `L2KernelPCA`.  Only with more than a quarter of the rows must all of K fit.
    weights : {"huber", "cauchy", "l1"}, default="huber"
        With c the median distance of the rows from the L2 solution: "huber" is 1 up to c and c/s
        beyond, "cauchy" is 1 / (1 + s^2/c^2), "l1" is 1/s.
    tol : float, default=1e-6
        Stop when the projector on the subspace moves by no more than this (Frobenius norm).

    Attributes
    ----------
    signs_ : ndarray of shape (n_components_, n_samples), int8
        Signs of the scores.
    objective_trace_ : list of ndarrays
        The sum of :math:`\rho(s_i)` step by step, the same for all components; it never increases.
        All other attributes are as in `L1KernelPCA`.

    Notes
    -----
    The search starts at the L2 solution.  The components are the principal axes of the weighted
    rows, largest first; for "l1", distances are at least c / 10 000.  We follow four public
    implementations that agree, and later work for "cauchy" and "l1".

    References
    ----------
    C. Ding, D. Zhou, X. He and H. Zha, "R1-PCA: Rotational Invariant L1-norm Principal Component
    Analysis for Robust Subspace Factorization", ICML 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.peers import L2KernelPCA, R1KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) * [4.0, 1.0]
    >>> X[:3] = 15.0
    >>> R1KernelPCA(1).fit(X).components_.round(1)
    array([[1. , 0.2]])
    >>> L2KernelPCA(1).fit(X).components_.round(1)
    array([[0.9, 0.5]])
    """

    _page_home = "l1kpca.peers"
    weights: str = "huber"
    tol: float = 1e-6

    def _component_solver(self, X: Any) -> ComponentSolver:
        if self.weights not in WEIGHTINGS:
            raise ValueError(f"weights={self.weights!r} must be one of {list(WEIGHTINGS)}")
        check_number("tol", self.tol, at_least=0)
        memory, steps = read_memory_limit(self.memory_limit), self.max_iter or MAX_ITER
        return self._reaching(R1Subspace(WEIGHTINGS[self.weights], memory, self.tol, steps))
