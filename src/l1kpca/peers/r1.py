"""R1-KPCA."""

from typing import Any

from l1kpca.checks import check_number
from l1kpca.components.base import ComponentSolver
from l1kpca.components.r1 import WEIGHTINGS, R1Subspace
from l1kpca.directions.base import MAX_ITER
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.gram.choose import read_memory_limit


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
    n_components, max_components, kernel, gamma, degree, coef0, kernel_params, alpha : optional
        As in `L1KernelPCA`, but the components depend on how many there are; all of them together
        are those of `L2KernelPCA`.
    fit_inverse_transform, max_iter, random_state, copy_X, n_jobs, center, gram
    memory_limit, dtype, verbose : optional
        As in `L1KernelPCA`; all of K must fit only if the components are more than a quarter of
        the rows.
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
        The sum of :math:`\rho(s_i)` step by step, the same for all components; it never rises.  All
        other attributes are as in `L1KernelPCA`.

    Notes
    -----
    The start is the L2 solution, which also sets c.  The components are the principal axes of the
    weighted rows, largest first.  To keep "l1" finite, rows nearer than c / 10 000 count as that
    far.  We follow four public implementations that agree, and later work for "cauchy" and "l1".

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

    weights: str = "huber"
    tol: float = 1e-6

    def _component_solver(self, X: Any) -> ComponentSolver:
        if self.weights not in WEIGHTINGS:
            raise ValueError(f"weights={self.weights!r} must be one of {list(WEIGHTINGS)}")
        check_number("tol", self.tol, at_least=0)
        memory, steps = read_memory_limit(self.memory_limit), self.max_iter or MAX_ITER
        return self._reaching(R1Subspace(WEIGHTINGS[self.weights], memory, self.tol, steps))
