"""KPCA-L1."""

from typing import Any

from l1kpca.components.projection_trick import ProjectionTrick
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.names import bound_of, make_start
from l1kpca.gram.memory import read_memory_limit


@parameters
class KwakKernelPCA(KernelPCABase):
    r"""KPCA-L1: L1-norm kernel PCA by the nonlinear projection trick.

    Maximises :math:`\sum_i |\phi(x_i)^T w|` over unit vectors, one after the other, as
    `L1KernelPCA` does.  The Gram matrix is decomposed, :math:`K = U \Lambda U^T`, and PCA-L1
    (Kwak 2008) runs on the rows of :math:`Y = U \Lambda^{1/2}`:

    .. math:: p = \operatorname{sgn}(Y w), \qquad w \leftarrow Y^T p / \|Y^T p\|.

    Since :math:`Y Y^T = K`, the signs are those of Algorithm 1 from the same start, step by step.
    The decomposition is computed once for all components.

    Parameters
    ----------
    n_components, kernel, gamma, degree, coef0, kernel_params : optional
        What is asked for, and the kernel: as in `L1KernelPCA`.
    max_iter : int, default=None
        Bound on the steps of each search; None is 1000.
    random_state : int, RandomState instance or None, default=None
        Seed of the small moves that leave a zero projection.
    alpha, fit_inverse_transform, copy_X, n_jobs, center, dtype, verbose : optional
        As in `L1KernelPCA`.
    gram, memory_limit : optional
        As in `L1KernelPCA`; unless K has a low rank, all of it must fit into ``memory_limit``.
    start : {"norm", "column", "sampled", "eigen", "random", "auto"} or array, default="norm"
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
    random and the search goes on, as in PCA-L1; the move is made shorter until the objective rises.
    A sign of zero counts as positive.

    The 2013 paper was not at hand.  What is here follows its description in later work and the
    public code of PCA-L1; each component is turned so that its largest score is positive.

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

    def _component_solver(self, n_samples: int, seed: int) -> ProjectionTrick:
        return ProjectionTrick(
            start=make_start(self.start, n_samples),
            memory=read_memory_limit(self.memory_limit),
            seed=seed,
            **bound_of(self.max_iter),
        )
