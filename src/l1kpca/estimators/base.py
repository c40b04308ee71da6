"""How every kernel PCA of the library is fitted: rows, Gram, center, components."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from l1kpca._typing import Array
from l1kpca.components.base import Component, ComponentSolver, negligible_variance
from l1kpca.directions.base import Status
from l1kpca.estimators.inverse import loadings, ridge_inverse
from l1kpca.estimators.notices import warn_user
from l1kpca.estimators.progress import ProgressBar
from l1kpca.estimators.scale import check_scale
from l1kpca.estimators.using import FittedKernelPCA
from l1kpca.estimators.validation import (
    check_kernel_function,
    check_kernel_matrix,
    check_parameters,
    check_rows,
    check_seed,
)
from l1kpca.gamma_rules import resolve_gamma
from l1kpca.gram.base import DataGram, Gram
from l1kpca.gram.builders import Resources
from l1kpca.gram.centers import mean_weights, spatial_median_weights
from l1kpca.gram.choose import GramChoice, choose
from l1kpca.gram.dask import Dask, cluster_memory, distributed_rows, in_chunks_of, is_dask
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.gram.memory import read_memory_limit
from l1kpca.kernels import Kernel, make_kernel
from l1kpca.threads import Workers, reporting_to, single_threaded_blas, thread_count

_SPECTRUM_ROWS = 256


# scikit-learn reads the parameters off the signature of __init__, which may only store them: a
# dataclass writes just that.  Its fields, unlike a constructor, are inherited, so that each
# parameter and its default has one home.
parameters = dataclass(eq=False, repr=False, kw_only=True)
"""Decorator of every kernel PCA: its fields are its parameters."""


@parameters
class KernelPCABase(FittedKernelPCA):
    """Base of the kernel PCAs, with the parameters of all; a subclass adds its own and a solver."""

    n_components: Any = field(default=None, kw_only=False)
    kernel: Any = "linear"
    gamma: Any = None
    degree: float = 3
    coef0: float = 1
    kernel_params: Any = None
    alpha: float = 1.0
    fit_inverse_transform: bool = False
    max_iter: int | None = None
    random_state: Any = None
    copy_X: bool = True
    n_jobs: int | None = None
    center: Any = True
    gram: Any = "auto"
    memory_limit: Any = None
    dtype: Any = None
    verbose: int = 0

    @abstractmethod
    def _component_solver(self, n_samples: int, seed: int) -> ComponentSolver:
        """The method that makes the components."""

    def fit(self, X: Any, y: Any = None) -> "KernelPCABase":
        """Find the components of the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Training rows; the kernel matrix between them if ``kernel="precomputed"``.  A memory map
            is not copied.  With a Dask array, K is held by the cluster of the current client.
        y : ignored
            For the interface alone.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the components and return the scores of the training rows.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Training rows; the kernel matrix between them if ``kernel="precomputed"``.  A memory map
            is not copied.  With a Dask array, K is held by the cluster of the current client.
        y : ignored
            For the interface alone.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)
            A Dask array if X is one.
        """
        scores = self._fit(X)
        return in_chunks_of(X, scores) if is_dask(X) else scores

    def _fit(self, X: Any) -> Array:
        self._forget()
        try:
            return self._fit_rows(X)
        except BaseException:
            # Also after Ctrl-C, and at whatever point: half-fitted counts as not fitted.
            self._forget()
            raise

    def _forget(self) -> None:
        """Drop what an earlier fit left behind: not every fit sets every attribute."""
        fitted = [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]
        for name in fitted:
            delattr(self, name)

    def _fit_rows(self, X: Any) -> Array:
        check_parameters(self)
        cluster = distributed_rows(X) if is_dask(X) else None
        X = check_rows(self, X if cluster is None else cluster.collect(), reset=True)
        workers = Workers(thread_count(self.n_jobs))
        seed = self._seed()
        limit = cluster_memory() if cluster and self.memory_limit is None else self.memory_limit
        resources = Resources(read_memory_limit(limit), workers, seed)
        solver = self._resumable(self._component_solver(X.shape[0], seed), X, seed)
        bar = ProgressBar(type(self).__name__) if self.verbose else None
        with single_threaded_blas(), reporting_to(bar.hear if bar else None):
            gram, kernel, choice = self._hold(X, resources, cluster)
            weights = self._center_weights(gram)
            gram = gram if weights is None else gram.center(weights)
            self._gram_seed = seed
            components = list(self._take(solver, gram, bar))
            scores = self._keep(X, gram, components)
            self._inverse = self._make_inverse(X, kernel, weights, scores)
            self._warn(gram, kernel, components)
        self.gram_ = choice
        return scores

    def training_gram(self) -> DataGram:
        """The Gram of the training rows in the centered feature space, built as ``fit`` built it.

        Returns
        -------
        gram : DataGram
            Products with the matrix K of which ``dual_components_`` are components.
        """
        check_is_fitted(self)
        workers = Workers(thread_count(self.n_jobs))
        resources = Resources(read_memory_limit(self.memory_limit), workers, self._gram_seed)
        with single_threaded_blas():
            gram, _, _ = self._hold(self.X_fit_, resources, None)
            weights = self._center_weights(gram)
            return gram if weights is None else gram.center(weights)

    def _seed(self) -> int:
        """The one number from which all randomness of a fit comes."""
        return int(check_seed(self.random_state).randint(2**31 - 1))

    def _resumable(self, solver: ComponentSolver, X: Any, seed: int) -> ComponentSolver:
        """The solver, wrapped if finished components are to be kept on disk."""
        return solver

    def _hold(
        self, X: Any, resources: Resources, cluster: Dask | None
    ) -> tuple[DataGram, Kernel | None, GramChoice]:
        """The Gram of the rows, not centered yet."""
        if self.kernel == "precomputed":
            K, sums = check_kernel_matrix(X, resources.workers)
            choice = GramChoice("precomputed", "given by the user", len(K), K.nbytes)
            given = PrecomputedGram(K, resources.workers, sums)
            given.spare = min(given.spare, resources.memory)
            return given, None, choice
        self.gamma_ = resolve_gamma(self.gamma, X)
        params = {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
        kernel = make_kernel(self.kernel, params, self.kernel_params)
        check_scale(X, kernel)
        gram, choice = choose(self.gram, X, kernel, resources, cluster)
        check_kernel_function(kernel, X)
        return gram, kernel, choice

    def _center_weights(self, gram: DataGram) -> Array | None:
        if isinstance(self.center, str):
            return spatial_median_weights(gram)
        return mean_weights(gram) if self.center else None

    def _take(
        self, solver: ComponentSolver, gram: Gram, bar: ProgressBar | None
    ) -> Iterator[Component]:
        """As many components as were asked for."""
        asked = self.n_components
        by_number = isinstance(asked, Integral)
        most = asked if by_number else self._most_components
        limit = gram.n_samples if most is None else min(most, gram.n_samples)
        wanted = np.inf if asked is None or by_number else asked * float(gram.diagonal().sum())
        found = solver.components(gram, limit)
        reached = 0.0
        for component in bar.over(found, limit if by_number else None) if bar else found:
            yield component
            reached += float(component.scores @ component.scores)
            if reached >= wanted:
                return

    def _keep(self, X: Any, gram: DataGram, components: list[Component]) -> Array:
        """Set the fitted attributes; returns the scores of the training rows."""
        n_samples, dtype = gram.n_samples, gram.dtype
        scores = np.empty((n_samples, len(components)), dtype=dtype)
        coef = np.empty((n_samples, len(components)), dtype=dtype)
        signs = np.empty((len(components), n_samples), dtype=np.int8)
        for j, component in enumerate(components):
            scores[:, j], coef[:, j], signs[j] = component.scores, component.coef, component.signs
        squares = np.einsum("ij,ij->j", scores, scores, dtype=np.float64)
        total = float(gram.diagonal().sum(dtype=np.float64))
        degrees = max(n_samples - 1, 1)
        self.dual_components_ = coef
        self.signs_ = signs
        self.objective_ = np.abs(scores).sum(axis=0, dtype=np.float64)
        self.explained_variance_ = squares / degrees
        self.explained_variance_ratio_ = squares / total if total > 0 else np.zeros_like(squares)
        self.total_variance_ = total / degrees
        self.n_components_ = len(components)
        self.objective_trace_ = [np.array(component.trace) for component in components]
        self.status_ = [str(component.status) for component in components]
        self.X_fit_ = X
        self._projection = gram.projection(coef)
        return scores

    def _make_inverse(
        self, X: Any, kernel: Kernel | None, weights: Array | None, scores: Array
    ) -> Any:
        if kernel is None:
            return None
        if kernel.function == "linear":
            inverse = loadings(X, self.dual_components_.T, weights)
            self.components_ = inverse.weights
            return inverse
        return ridge_inverse(kernel, scores, X, self.alpha) if self.fit_inverse_transform else None

    def _warn(self, gram: Gram, kernel: Kernel | None, components: list[Component]) -> None:
        """Say once what a user should know; the searches themselves never warn."""
        fell = any(component.status is Status.NOT_POSITIVE for component in components)
        if fell or kernel is None or not kernel.is_positive:
            share = negative_share(gram)
            if share > np.sqrt(np.finfo(gram.dtype).eps):
                warn_user(
                    f"the Gram matrix is not positive semidefinite: {share:.1%} of its spectrum is"
                    " negative (seen on at most 256 rows); components were made only where the"
                    " objective is positive. Use another kernel, or other kernel parameters",
                )
        if isinstance(self.n_components, int | np.integer) and self.n_components > len(components):
            warn_user(
                f"n_components={self.n_components} is more than the data has: stopped after"
                f" n_components_={len(components)}, where nothing but rounding error is left",
            )
        stopped = [c.status for c in components if c.status is Status.MAX_ITER]
        if stopped:
            warn_user(
                f"{len(stopped)} of {len(components)} components {stopped[0]}",
                ConvergenceWarning,
            )


def negative_share(gram: Gram) -> float:
    """Share of the spectrum, in absolute value, that is negative, on at most 256 rows.

    A principal submatrix of a positive semidefinite matrix is one too: what is seen here is real,
    unless it is rounding error.
    """
    n = gram.n_samples
    rows = np.unique(np.linspace(0, n - 1, _SPECTRUM_ROWS).astype(int))
    values = np.linalg.eigvalsh(gram.columns(rows, rows))
    size = np.abs(values).sum()
    negative = values[values < -negligible_variance(gram)]
    return float(-negative.sum() / size) if size > 0 else 0.0
