"""L1-norm kernel PCA as a scikit-learn transformer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from l1kpca.checks import check_count, check_number, is_dask
from l1kpca.components.base import Component, ComponentSolver
from l1kpca.components.deflation import Deflation
from l1kpca.directions import Finder, HomogeneousIteration, Polished, SignIteration, SignSearch
from l1kpca.directions.base import MAX_ITER
from l1kpca.directions.starts import make_start
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.checkpoint import Checkpointed, fingerprint
from l1kpca.estimators.validation import warn_if_stalled
from l1kpca.gram.base import Gram
from l1kpca.optimality import ExactSearch, SdpRounding
from l1kpca.optimality.sdp import certified

SOLVERS: dict[str, Callable[..., Finder]] = {
    "fixed_point": SignIteration,
    "polished": Polished,
    "sdp": lambda **limits: SdpRounding(Polished(**limits)),
    "exact": lambda **_: ExactSearch(),
}
"""Functions that build a finder from the limits on its sign steps."""


def make_finder(solver: Any, max_iter: int | None, tol: float = 0.0) -> Finder:
    """The finder named ``solver``, or ``solver`` itself if it has ``find``."""
    if hasattr(solver, "find") and not isinstance(solver, str | type):
        return solver
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"solver={solver!r} must be one of {list(SOLVERS)}, or a finder object")
    check_number("tol", tol, at_least=0)
    return SOLVERS[solver](max_iter=max_iter or MAX_ITER, tol=tol)


@parameters
class L1KernelPCA(KernelPCABase):
    r"""Robust, nonlinear principal components by L1-norm kernel PCA.

    Finds unit directions in the feature space of a kernel that maximize the sum of absolute
    projections, :math:`\sum_i |\phi(x_i)^T w|`, one after the other.  A drop-in for scikit-learn's
    ``KernelPCA``, which maximizes the sum of squares and so follows large rows.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of components, a share of the variance to reach, or None for all, up to the rank.
    max_components : int or None, default=None
        Limit on their number if ``n_components`` is a share or None.
    kernel : str or callable, default="linear"
        A kernel of scikit-learn's ``pairwise_kernels``, a function of two rows, or "precomputed".
    gamma : float, {"paper", "median", "narrow", "wide", "scale"} or None, default=None
        Kernel coefficient.  None is 1/n_features, "paper" 1/(2 n_features^2), "scale"
        1/(n_features var(X)), "median" 1/(2 m^2) with m the median distance of rows, "narrow"
        9/(2 m^2), "wide" 1/(8 m^2).
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    alpha : float, default=1.0
        Ridge parameter of the inverse transform.
    fit_inverse_transform : bool, default=False
        Learn the map from scores back to rows; the linear kernel does not need it.
    max_iter : int, default=None
        Limit on the steps of a search; None is 1000.  A finder given as ``solver`` has its own.
    random_state : int, RandomState instance or None, default=None
        Seed of random starts and landmarks; nothing else is random.
    copy_X : bool, default=True
        Keep a copy of X, so that later changes to X do not affect the model.
    n_jobs : int, default=None
        Threads; the result does not depend on it.  None is all CPUs this process may use, or what
        ``OMP_NUM_THREADS`` or a surrounding ``joblib.parallel_config`` says.
    center : bool or "median", default=True
        Center in feature space at the mean, at the spatial median, or not at all.
    gram : {"auto", "dense", "factor", "blocked", "nystroem"}, Gram or builder, default="auto"
        How to hold the Gram matrix.  A Gram must be that of the training rows, not centered.
    memory_limit : int, str or None, default=None
        Bytes the Gram matrix may take, or a string like "2GB"; None is half of the free memory.
    dtype : {"float32", "float64"} or None, default=None
        Precision; None keeps that of X.
    verbose : int, default=0
        1 shows a progress bar.
    solver : {"polished", "fixed_point", "sdp", "exact"} or finder, default="polished"
        "fixed_point" is the paper's Algorithm 1; "polished" adds momentum and single sign flips;
        "sdp" starts at the rounded semidefinite relaxation; "exact" proves the optimum of small
        problems.  A finder is an object such as ``l1kpca.directions.LpNorm(p=1.5)``, or your own.
    tol : float, default=0.0
        Sign steps end when one gains no more than this share of the objective; 0 is the paper's
        rule.  A finder given as ``solver`` has its own.
    start : {"auto", "column", "eigen", "norm", "random"} or array, default="auto"
        Where a search starts.  "column" is the paper's; "auto" takes the components of a sample of
        128 to 512 rows, always the same ones, as the paper's algorithm finds them.
    n_starts : int or "auto", default=1
        Searches per component; the best is kept, and all but one start at random signs, beyond
        4000 rows on a sample.  "auto" searches on all rows until 16 in a row have not raised
        c^T K c by more than 1e-4 of it.
    certify : bool, default=False
        Also bound how far each component can be from the optimum, as ``optimality_gap_``.
    checkpoint : str or path, default=None
        File for finished components; an interrupted fit resumes from it.

    Attributes
    ----------
    dual_components_ : ndarray of shape (n_samples, n_components_)
        Coefficients A of the components; A^T K A = I for the centered Gram matrix K.
    signs_ : ndarray of shape (n_components_, n_samples), int8
        The sign vectors found; with ``solver=LpNorm(...)``, the signs of the scores.
    objective_ : ndarray of shape (n_components_,)
        L1 norm of the training scores.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components_,)
        Sum of squared training scores over n_samples - 1, and its share of the total variance.
    total_variance_ : float
        Variance of the rows in feature space.
    n_components_, n_iter_ : int
        Number of components, and steps of the longest search.
    n_steps_, n_starts_ : ndarray of shape (n_components_,)
        Steps of each search, and number of searches for each component.
    objective_trace_ : list of ndarrays
        c^T K c of each search, step by step: the square of the norm that is maximized.
    optimality_gap_ : ndarray of shape (n_components_,)
        Proven bound on c^T K c over the value reached, minus 1; only with ``certify=True``.
    status_ : list of str
        How each search ended.
    seed_ : int
        The seed of all randomness in the fit.
    projection_ : Projection
        The map from new rows to scores, as plain arrays.
    gram_ : GramChoice
        How the Gram matrix was held, and why.
    gamma_ : float
        The kernel coefficient used.
    components_ : ndarray of shape (n_components_, n_features)
        Directions in the space of the rows; linear kernel only.
    X_fit_ : ndarray or sparse matrix
        Training rows.
    n_features_in_, feature_names_in_ : int and ndarray of str
        Number and names of the columns; names only if all are strings.

    Notes
    -----
    Components keep the orientation of the paper's start (the sign of the start row is positive)
    if ``start`` is "column" or an array; else the largest score in size is positive.

    References
    ----------
    C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions
    on Pattern Analysis and Machine Intelligence, 42(8), 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> X = np.array([[1.0, 1.1], [2.0, 1.9], [3.0, 3.1], [-6.0, 40.0]])
    >>> pca = L1KernelPCA(n_components=2).fit(X)
    >>> pca.transform(X).shape
    (4, 2)
    >>> np.round(pca.dual_components_.T @ pca.transform(X), 9) + 0
    array([[1., 0.],
           [0., 1.]])
    """

    solver: Any = "polished"
    tol: float = 0.0
    start: Any = "auto"
    n_starts: Any = 1
    certify: bool = False
    checkpoint: Any = None

    def _why_here(self) -> str:
        finder = make_finder(self.solver, self.max_iter, self.tol)
        if not isinstance(finder, SignSearch):
            return f"solver={self.solver!r} handles vectors of all rows"
        if not isinstance(self.start, str) or self.start not in ("auto", "norm", "random"):
            return f"start={self.start!r} handles vectors of all rows"
        if self.certify or (self.fit_inverse_transform and self.kernel != "linear"):
            return "certify and fit_inverse_transform compare all rows"
        return ""

    def _component_solver(self, X: Any) -> ComponentSolver:
        if not isinstance(self.certify, bool | np.bool_):
            raise ValueError(f"certify={self.certify!r} must be True or False")
        auto = isinstance(self.n_starts, str)
        if auto and self.n_starts != "auto":
            raise ValueError(f"n_starts={self.n_starts!r} must be an integer or 'auto'")
        if not auto:
            check_count("n_starts", self.n_starts)
        finder = make_finder(self.solver, self.max_iter, self.tol)
        if self.certify and isinstance(finder, HomogeneousIteration):
            other = f"the L1 objective, which solver={self.solver!r} does not maximize"
            raise ValueError(f"certify=True bounds {other}: use another solver, or certify=False")
        solver = Deflation(
            finder, start=make_start(self.start, X.shape[0]), seed=self.seed_,
            n_starts=None if auto else self.n_starts,
            orient=isinstance(self.start, str) and self.start != "column",
        )  # fmt: skip
        if self.checkpoint is None:
            return solver
        mark = fingerprint(X, self.get_params(deep=False))
        return Checkpointed(solver, Path(self.checkpoint), mark, self.seed_)

    def _conclude(self, gram: Gram, components: list[Component]) -> None:
        finder = make_finder(self.solver, self.max_iter)
        # With few columns and many rows on workers, K is never close to diagonal.
        if isinstance(finder, SignIteration) and not is_dask(self.X_fit_):
            warn_if_stalled(gram, components)
        if self.certify:
            self.optimality_gap_ = certified(gram, self.dual_components_, self.signs_).gap
