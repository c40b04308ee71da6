"""All L1 components at once."""

from numbers import Integral
from typing import Any

from l1kpca.components.base import ComponentSolver
from l1kpca.components.deflation import Deflation
from l1kpca.components.joint import JointSigns
from l1kpca.components.subspace import Reaching
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.names import bound_of, make_finder, make_start
from l1kpca.estimators.validation import check_count
from l1kpca.gram.memory import read_memory_limit


@parameters
class JointL1KernelPCA(KernelPCABase):
    r"""L1-norm kernel PCA with all components found at once.

    Maximises :math:`\sum_{ij} |\phi(x_i)^T w_j|` over all sets of k orthonormal directions, where
    `L1KernelPCA` takes one direction after the other and never changes the first ones.  The kernel
    form of the non-greedy method: with B the signs of the scores, (n, k),

    .. math:: M = B^T K B, \qquad S = K B M^{-1/2}, \qquad B \leftarrow \operatorname{sgn}(S).

    Parameters
    ----------
    n_components, kernel, gamma, degree, coef0, kernel_params : optional
        What is asked for, and the kernel: as in `L1KernelPCA`.  Here the components depend on how
        many there are.
    max_iter : int, default=None
        Bound on the steps, of the greedy searches and of the joint one; None is 1000.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    alpha, fit_inverse_transform, copy_X, n_jobs, center : optional
        As in `L1KernelPCA`.
    gram, memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`.
    solver, start, n_starts : optional
        How the greedy solution that the search begins with is found: as in `L1KernelPCA`.

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

    def _component_solver(self, n_samples: int, seed: int) -> ComponentSolver:
        check_count("n_starts", self.n_starts)
        greedy = Deflation(
            finder=make_finder(self.solver, self.max_iter),
            start=make_start(self.start, n_samples),
            n_starts=self.n_starts,
            seed=seed,
        )
        joint = JointSigns(greedy, **bound_of(self.max_iter))
        if self.n_components is None or isinstance(self.n_components, Integral):
            return joint
        return Reaching(joint, self.n_components, read_memory_limit(self.memory_limit))
