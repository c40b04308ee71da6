"""L1-norm kernel PCA as a scikit-learn transformer."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.base import Component, ComponentSolver
from l1kpca.components.certificate import Certifier
from l1kpca.components.deflation import Deflation
from l1kpca.estimators.advice import warn_if_not_proven, warn_if_stalled
from l1kpca.estimators.base import KernelPCABase, parameters
from l1kpca.estimators.checkpoint import Checkpoint, Checkpointed, fingerprint
from l1kpca.estimators.names import make_finder, make_start
from l1kpca.estimators.validation import check_count
from l1kpca.gram.base import DataGram, Gram
from l1kpca.gram.memory import read_memory_limit
from l1kpca.kernels import Kernel
from l1kpca.threads import single_threaded_blas


@parameters
class L1KernelPCA(KernelPCABase):
    r"""Robust, nonlinear principal components by L1-norm kernel PCA.

    Finds directions of unit length in the feature space of a kernel that maximise the sum of
    absolute projections, :math:`\sum_i |\phi(x_i)^T w|`, one after the other.  A drop-in for
    scikit-learn's ``KernelPCA``, which maximises the sum of squares and so follows large rows.

    Parameters
    ----------
    n_components : int, float or None, default=None
        How many components; a float between 0 and 1 is the share of the total variance to reach,
        None is all, up to the rank.
    kernel : str or callable, default="linear"
        A kernel of scikit-learn's ``pairwise_kernels``, a function of two rows, or "precomputed".
    gamma : float, {"paper", "median", "scale"} or None, default=None
        Coefficient of the kernels that have one.  None is 1/n_features, "paper" 1/(2 n_features^2),
        "scale" 1/(n_features var(X)), "median" 1/(2 m^2) with m the median distance of rows.
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    alpha : float, default=1.0
        Ridge parameter of the inverse transform.
    fit_inverse_transform : bool, default=False
        Learn the way back from scores to rows; the linear kernel always can.
    max_iter : int, default=None
        Bound on the steps of each search; None is 1000.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    copy_X : bool, default=True
        Keep a copy of X, so that later changes of it do not change the model.
    n_jobs : int, default=None
        Threads; None is all cores.  The result does not depend on it.
    center : bool or "median", default=True
        Center in feature space: at the mean, at the spatial median, or not at all.
    solver : {"polished", "fixed_point", "sdp", "exact", "lp"} or finder, default="polished"
        "fixed_point" is the paper's Algorithm 1, "polished" goes on with single sign flips, "sdp"
        begins at the rounded semidefinite relaxation, "exact" proves the optimum of small problems.
        "lp" maximises the Lp norm of the scores instead, by the same kind of iteration.
    p : float, default=1.0
        The norm of ``solver="lp"``, at least 1; the other solvers do not look at it.  1 is
        Algorithm 1, 2 is kernel PCA by the power iteration, and between them outliers count less
        than in kernel PCA.
    start : {"auto", "column", "sampled", "eigen", "norm", "random"} or array, default="auto"
        Where a search begins.  "column" is the paper's; "sampled" looks at 64 random columns
        instead of all; "auto" is "column" up to 2000 rows and "sampled" beyond.
    n_starts : int or "auto", default=1
        Searches per component, side by side; the best is kept.  The others begin at random signs;
        with more than 4000 rows they compete on a sample of the rows first.
        "auto" tries more until 16 in a row have not raised c^T K c by more than 1e-4 of it.
    certify : bool, default=False
        Also bound how far each component can be from the best possible, as ``optimality_gap_``.
    gram : {"auto", "dense", "factor", "blocked", "nystroem"} or builder, default="auto"
        How the Gram matrix is held.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as "2GB", that the Gram matrix may take; None is half of what is free.
    dtype : {"float32", "float64"} or None, default=None
        Precision; None keeps that of X.
    checkpoint : str or path, default=None
        File in which finished components are kept; an interrupted fit goes on from it.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    dual_components_ : ndarray of shape (n_samples, n_components_)
        Coefficients A of the components; A^T K A = I for the centered Gram matrix K.
    signs_ : ndarray of shape (n_components_, n_samples), int8
        The sign vectors that were found; with ``solver="lp"``, the signs of the scores.
    objective_ : ndarray of shape (n_components_,)
        L1 norm of the training scores of each component.
    explained_variance_ : ndarray of shape (n_components_,)
        Sum of squared training scores over n_samples - 1.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Share of each component in the total variance.
    total_variance_ : float
        Variance of the rows in feature space.
    n_components_ : int
        How many components there are.
    n_iter_ : ndarray of shape (n_components_,)
        Steps of each search.
    objective_trace_ : list of ndarrays
        c^T K c of each search, step by step: the square of the norm that is maximised.
    n_starts_ : ndarray of shape (n_components_,)
        Searches of which each component is the best.
    optimality_gap_ : ndarray of shape (n_components_,)
        Bound on c^T K c by the semidefinite relaxation over the value reached, minus 1; only with
        ``certify=True``.  `l1kpca.optimality.certify` gives the parts.
    status_ : list of str
        How each search ended.
    gram_ : GramChoice
        How the Gram matrix was held, and why.
    gamma_ : float
        Coefficient that was used.
    components_ : ndarray of shape (n_components_, n_features)
        Directions in the space of the rows; linear kernel only.
    X_fit_ : ndarray or sparse matrix
        Training rows.
    n_features_in_ : int
        Number of columns at fit.
    feature_names_in_ : ndarray of str
        Names of the columns at fit, if all are strings.

    Notes
    -----
    Components keep the orientation of the paper's start (the sign of the start row is positive)
    when ``start`` is "column" or an array; otherwise each is turned so that its largest score in
    absolute value is positive.

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
    p: float = 1.0
    start: Any = "auto"
    n_starts: Any = 1
    certify: bool = False
    checkpoint: Any = None

    def _seed(self) -> int:
        if self.checkpoint is not None and not isinstance(self.checkpoint, str | os.PathLike):
            raise ValueError(f"checkpoint={self.checkpoint!r} must be the path of a file, or None")
        saved = None if self.checkpoint is None else Checkpoint(Path(self.checkpoint)).seed()
        return super()._seed() if saved is None else saved

    def _resumable(self, solver: ComponentSolver, X: Any, seed: int) -> ComponentSolver:
        if self.checkpoint is None:
            return solver
        mark = fingerprint(X, self.get_params(deep=False))
        return Checkpointed(solver, Checkpoint(Path(self.checkpoint)), mark, seed)

    def _component_solver(self, n_samples: int, seed: int) -> Deflation:
        self._check_search(n_samples)
        as_the_paper = not isinstance(self.start, str) or self.start == "column"
        return Deflation(
            finder=make_finder(self.solver, self.max_iter, self.p),
            start=make_start(self.start, n_samples),
            n_starts=None if isinstance(self.n_starts, str) else self.n_starts,
            orient=not as_the_paper,
            seed=seed,
        )

    def _check_search(self, n_samples: int) -> None:
        if isinstance(self.n_starts, str):
            if self.n_starts != "auto":
                raise ValueError(f"n_starts={self.n_starts!r} must be an integer or 'auto'")
        else:
            check_count("n_starts", self.n_starts)
            self._check_memory_of_starts(n_samples)
        if not isinstance(self.certify, bool | np.bool_):
            raise ValueError(f"certify={self.certify!r} must be True or False")
        if self.certify and self.solver == "lp":
            raise ValueError(
                "certify=True bounds the L1 objective, which solver='lp' does not maximise: use"
                " another solver, or certify=False"
            )

    def _check_memory_of_starts(self, n_samples: int) -> None:
        needed, limit = 8 * self.n_starts * n_samples, read_memory_limit(self.memory_limit)
        if self.n_starts > 1 and needed > limit:
            raise ValueError(
                f"n_starts={self.n_starts} needs {needed} bytes for the signs of {n_samples} rows,"
                f" more than the {limit} allowed: use fewer, or n_starts='auto'"
            )

    def _fit_rows(self, X: Any) -> Array:
        scores = super()._fit_rows(X)
        if self.certify:
            gram = self.training_gram()
            with single_threaded_blas():
                found = Certifier().certify(gram, self.dual_components_, self.signs_)
            self.optimality_gap_ = found.gap
        return scores

    def _keep(self, X: Any, gram: DataGram, components: list[Component]) -> Array:
        self.n_starts_ = np.array([component.n_starts for component in components], dtype=int)
        return super()._keep(X, gram, components)

    def _warn(self, gram: Gram, kernel: Kernel | None, components: list[Component]) -> None:
        super()._warn(gram, kernel, components)
        if self.solver == "fixed_point":
            warn_if_stalled(gram, components)
        warn_if_not_proven(components)
