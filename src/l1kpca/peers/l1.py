"""Other ways to maximize the L1 norm: KPCA-L1, L1-KPCA, and all components at once."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

from l1kpca.checks import check_count
from l1kpca.components.base import ComponentSolver
from l1kpca.components.deflation import Deflation
from l1kpca.components.joint import JointSigns
from l1kpca.components.projection_trick import ProjectionTrick
from l1kpca.components.singular_systems import SingularSystems
from l1kpca.components.subspace import Reaching
from l1kpca.directions.base import MAX_ITER
from l1kpca.directions.starts import make_start
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.l1_kernel_pca import make_finder
from l1kpca.gram.choose import read_memory_limit


@parameters
class _Decomposed(KernelPCABase):
    """One component after the other, with K decomposed first."""

    start: Any = "auto"
    _method: ClassVar[Callable[..., ComponentSolver]]

    def _component_solver(self, X: Any) -> ComponentSolver:
        return self._method(
            start=make_start(self.start, X.shape[0]),
            memory=read_memory_limit(self.memory_limit),
            seed=self.seed_,
            max_iter=self.max_iter or MAX_ITER,
        )


@parameters
class KwakKernelPCA(_Decomposed):
    r"""KPCA-L1: L1-norm kernel PCA by the nonlinear projection trick.

    Maximizes :math:`\sum_i |\phi(x_i)^T w|` over unit vectors, one after the other, as
    `L1KernelPCA` does.  The Gram matrix is decomposed, :math:`K = U \Lambda U^T`, and PCA-L1
    (Kwak 2008) runs on the rows of :math:`Y = U \Lambda^{1/2}`:

    .. math:: p = \operatorname{sgn}(Y w), \qquad w \leftarrow Y^T p / \|Y^T p\|.

    Since :math:`Y Y^T = K`, the signs are those of Algorithm 1 from the same start, step by step.
    The decomposition is computed once for all components.

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha : optional
        As in `L1KernelPCA`.
    fit_inverse_transform, max_iter : optional
        As in `L1KernelPCA`.
    random_state : int, RandomState instance or None, default=None
        Seed of the small moves that leave a zero projection.
    copy_X, n_jobs, center, gram, memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`; unless K has a low rank, all of it must fit into ``memory_limit``.
    start : {"norm", "column", "eigen", "random", "auto"} or array, default="norm"
        Where a search begins; "norm", the row with the largest norm, is the method's own.

    Attributes
    ----------
    dual_components_, signs_, objective_, explained_variance_, explained_variance_ratio_ : ndarray
        As in `L1KernelPCA`, and so are all others.

    See Also
    --------
    L1KernelPCA : The same objective without a decomposition.

    Notes
    -----
    Where a search ends at a w with :math:`w^T y_i = 0` for some nonzero row, w is moved a little at
    random, less until the objective rises, and the search goes on, as in PCA-L1.  The 2013 paper
    was not at hand: this follows its description in later work and the public code of PCA-L1.

    References
    ----------
    N. Kwak, "Nonlinear Projection Trick in Kernel Methods: An Alternative to the Kernel Trick",
    IEEE Transactions on Neural Networks and Learning Systems, 24(12), 2013.

    N. Kwak, "Principal Component Analysis Based on L1-Norm Maximization", IEEE Transactions on
    Pattern Analysis and Machine Intelligence, 30(9), 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.peers import KwakKernelPCA
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> kwak = KwakKernelPCA(2, kernel="rbf").fit(X)
    >>> algorithm_1 = L1KernelPCA(2, kernel="rbf", solver="fixed_point", start="norm").fit(X)
    >>> bool(np.all(kwak.signs_ == algorithm_1.signs_))
    True
    """

    start: Any = "norm"
    _method = ProjectionTrick


@parameters
class XiaoKernelPCA(_Decomposed):
    r"""L1-KPCA: L1-norm kernel PCA with a linear system in each step.

    Maximizes :math:`\sum_i |\phi(x_i)^T w|` over unit vectors, one after the other, as
    `L1KernelPCA` does.  It begins at the L2 solution, and each step solves

    .. math:: K \eta = K c, \qquad c \leftarrow \operatorname{sgn}(K \eta).

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha : optional
        As in `L1KernelPCA`.
    fit_inverse_transform, max_iter : optional
        As in `L1KernelPCA`.
    random_state : int, RandomState instance or None, default=None
        Seed of a random start.
    copy_X, n_jobs, center, gram, memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`; unless K has a low rank, all of it must fit into ``memory_limit``.
    start : {"eigen", "column", "norm", "random", "auto"} or array, default="eigen"
        Where a search begins; "eigen", the L2 solution, is the method's own.

    Attributes
    ----------
    dual_components_, signs_, objective_, explained_variance_, explained_variance_ratio_ : ndarray
        As in `L1KernelPCA`, and so are all others.

    See Also
    --------
    L1KernelPCA : The same objective; the solution c of the system is known without solving it.

    Notes
    -----
    The system is singular: c plus any null vector solves it.  A plain elimination divides by pivots
    that are rounding error and returns a huge null vector, so that signs come out at random.  Here
    the solution within the positive eigenvalues is taken, :math:`\eta = U \Lambda^{-1} U^T K c`.
    One decomposition of K serves all steps of all components, because the images of a deflated K
    are orthogonal to the components that were taken out.

    The paper was not at hand.  The start and the system are those that Kim and Klabjan report;
    assumed are deflation, the L2 solution of the deflated rows as the start of each component, and
    sgn(0) as the sign before.

    References
    ----------
    Y. Xiao, H. Wang, W. Xu and J. Zhou, "L1 norm based KPCA for novelty detection", Pattern
    Recognition, 46(1), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.peers import XiaoKernelPCA
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> xiao = XiaoKernelPCA(2, kernel="rbf").fit(X)
    >>> algorithm_1 = L1KernelPCA(2, kernel="rbf", solver="fixed_point", start="eigen").fit(X)
    >>> bool(np.all(xiao.signs_ == algorithm_1.signs_))
    True
    """

    start: Any = "eigen"
    _method = SingularSystems


@parameters
class JointL1KernelPCA(KernelPCABase):
    r"""L1-norm kernel PCA with all components found at once.

    Maximizes :math:`\sum_{ij} |\phi(x_i)^T w_j|` over all sets of k orthonormal directions, where
    `L1KernelPCA` takes one direction after the other and never changes the first ones.  The kernel
    form of the non-greedy method: with B the signs of the scores, (n, k),

    .. math:: M = B^T K B, \qquad S = K B M^{-1/2}, \qquad B \leftarrow \operatorname{sgn}(S).

    Parameters
    ----------
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha : optional
        As in `L1KernelPCA`; here the components depend on how many there are.
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram : optional
        As in `L1KernelPCA`.
    memory_limit, dtype, verbose, solver, start, n_starts : optional
        As in `L1KernelPCA`; the last three are for the greedy solution that the search begins with.

    Attributes
    ----------
    dual_components_, signs_, objective_, explained_variance_, explained_variance_ratio_ : ndarray
        As in `L1KernelPCA`, and so are all others but this.
    objective_trace_ : list of ndarrays
        The joint objective step by step, the same for all components; it never falls, and its first
        entry is that of the greedy solution.

    Notes
    -----
    The components come in the order of their L1 norms.  The paper was not at hand; the iteration is
    that of two public implementations, which begin at random and keep the best of several runs.

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
    >>> joint = JointL1KernelPCA(3).fit(X)
    >>> greedy = L1KernelPCA(3).fit(X)
    >>> bool(joint.objective_.sum() >= greedy.objective_.sum())
    True
    """

    solver: Any = "polished"
    start: Any = "auto"
    n_starts: int = 1

    def _component_solver(self, X: Any) -> ComponentSolver:
        check_count("n_starts", self.n_starts)
        greedy = Deflation(
            finder=make_finder(self.solver, self.max_iter),
            start=make_start(self.start, X.shape[0]),
            n_starts=self.n_starts,
            seed=self.seed_,
        )
        joint = JointSigns(greedy, max_iter=self.max_iter or MAX_ITER)
        if self.n_components is None or isinstance(self.n_components, Integral):
            return joint
        return Reaching(joint, self.n_components, read_memory_limit(self.memory_limit))
