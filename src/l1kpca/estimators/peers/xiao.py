"""L1-KPCA."""

from typing import Any

from l1kpca.components.singular_systems import SingularSystems
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.names import bound_of, make_start
from l1kpca.gram.memory import read_memory_limit


@parameters
class XiaoKernelPCA(KernelPCABase):
    r"""L1-KPCA: L1-norm kernel PCA with a linear system in each step.

    Maximises :math:`\sum_i |\phi(x_i)^T w|` over unit vectors, one after the other, as
    `L1KernelPCA` does.  It begins at the L2 solution, and each step solves

    .. math:: K \eta = K c, \qquad c \leftarrow \operatorname{sgn}(K \eta).

    Parameters
    ----------
    n_components, kernel, gamma, degree, coef0, kernel_params : optional
        What is asked for, and the kernel: as in `L1KernelPCA`.
    max_iter : int, default=None
        Bound on the steps of each search; None is 1000.
    random_state : int, RandomState instance or None, default=None
        Seed of a random start.
    alpha, fit_inverse_transform, copy_X, n_jobs, center, dtype, verbose : optional
        As in `L1KernelPCA`.
    gram, memory_limit : optional
        As in `L1KernelPCA`; unless K has a low rank, all of it must fit into ``memory_limit``.
    start : {"eigen", "column", "sampled", "norm", "random", "auto"} or array, default="eigen"
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
    The system is singular: K has a null space, and after the first component the deflated K maps to
    zero all components before.  c itself is a solution, and so is c plus any null vector.  A plain
    elimination divides by pivots that are rounding error and returns a huge null vector, whose
    image is rounding error of the size of the true one, so that signs come out at random.  Here the
    solution within the positive eigenvalues is taken, :math:`\eta = U \Lambda^{-1} U^T K c`.  One
    decomposition of K serves all steps of all components, because the images of a deflated
    K are orthogonal to the components that were taken out.

    The paper was not at hand.  The start and the system are those that Kim and Klabjan report;
    assumed are deflation between components, the L2 solution of the deflated rows as the start of
    each, and sgn(0) as the sign before.

    References
    ----------
    Y. Xiao, H. Wang, W. Xu and J. Zhou, "L1 norm based KPCA for novelty detection", Pattern
    Recognition, 46(1), 2013.

    C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions
    on Pattern Analysis and Machine Intelligence, 42(8), 2020.

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

    def _component_solver(self, n_samples: int, seed: int) -> SingularSystems:
        return SingularSystems(
            start=make_start(self.start, n_samples),
            memory=read_memory_limit(self.memory_limit),
            seed=seed,
            **bound_of(self.max_iter),
        )
