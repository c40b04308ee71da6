"""How every kernel PCA in the library is fitted: rows, Gram, center, components."""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS
from sklearn.utils.validation import check_is_fitted, validate_data

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.checks import check_kernel_matrix, check_scale, check_seed, is_dask, read_memory_limit
from l1kpca.components.base import Component, ComponentSolver
from l1kpca.components.subspace import Reaching
from l1kpca.estimators.checkpoint import saved_seed
from l1kpca.estimators.fitted import FittedKernelPCA
from l1kpca.estimators.inverse import loadings, ridge_inverse
from l1kpca.estimators.progress import ProgressBar
from l1kpca.estimators.validation import (
    check_kernel_function,
    check_parameters,
    check_rows,
    warn_of_fit,
)
from l1kpca.gram.base import Gram
from l1kpca.gram.centers import spatial_median_weights
from l1kpca.gram.choose import Factor, GramChoice, Nystroem, Resources, choose
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.collections import DaskRows, dask_array, example_of, in_chunks_of
from l1kpca.gram.dask import Dask, exact_is_possible
from l1kpca.gram.stored import StoredGram
from l1kpca.kernels import Kernel, resolve_gamma
from l1kpca.threads import Workers, computing

# scikit-learn reads the parameters from __init__, which may only store them.  A dataclass does just
# that, and subclasses inherit its fields, so each default is defined once.
parameters = dataclass(eq=False, repr=False, kw_only=True)


@parameters
class KernelPCABase(FittedKernelPCA):
    """The parameters of all kernel PCAs; a subclass adds its own, and a solver."""

    n_components: Any = field(default=None, kw_only=False)
    max_components: int | None = None
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
    checkpoint = None  # a parameter of the methods that can resume a fit

    @abstractmethod
    def _component_solver(self, X: Any) -> ComponentSolver:
        """The solver for the components of the rows X."""

    def _reaching(self, solver: ComponentSolver) -> ComponentSolver:
        """Wrap a solver that needs the number of components, if a share of variance is given."""
        if self.n_components is None or isinstance(self.n_components, Integral):
            return solver
        return Reaching(solver, self.n_components, read_memory_limit(self.memory_limit))

    def fit(self, X: Any, y: Any = None) -> "KernelPCABase":
        """Find the components of the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Training rows; their kernel matrix if ``kernel="precomputed"``.  A memory map is not
            copied.  With a Dask array, the cluster of the current client holds K.
        y : ignored

        Returns
        -------
        self : object
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the components and return the scores of the training rows.

        Parameters
        ----------
        X, y
            As in `fit`.

        Returns
        -------
        scores : ndarray or Dask array of shape (n_samples, n_components_)
        """
        return self._fit(X)

    def _fit(self, X: Any) -> Array:
        unfitted = dict(vars(self))
        for name in vars(self):  # not every fit sets all attributes of an earlier one
            if name.endswith("_") and not name.startswith("_"):
                del unfitted[name]
        self.__dict__ = dict(unfitted)
        try:
            check_parameters(self)
            checked = self._dask_rows(X) if is_dask(X) else (check_rows(self, X, reset=True), None)
            X, cluster = checked
            drawn = int(check_seed(self.random_state).randint(2**31 - 1))
            self.seed_ = drawn if self.checkpoint is None else saved_seed(self.checkpoint, drawn)
            solver = self._component_solver(X)
            bar = ProgressBar(type(self).__name__) if self.verbose else None
            with computing(self.n_jobs, bar.hear if bar else None) as workers:
                gram, weights, kernel = self._hold(X, workers, cluster)
                components = self._solve(solver, gram, bar)
                scores = self._keep(X, gram, kernel, weights, components)
                warn_of_fit(gram, kernel, self.status_, self.n_components)
                self._conclude(gram, components)
        except BaseException:
            self.__dict__ = unfitted  # also after Ctrl-C: half fitted is not fitted
            raise
        return scores if cluster is None else in_chunks_of(cluster.rows, scores)

    def _dask_rows(self, X: Any) -> tuple[Any, Dask | None]:
        """Rows that stay on the workers, or rows collected here and the builder that holds K."""
        array = dask_array(X, self.dtype)
        validate_data(self, example_of(X), skip_check_array=True, reset=True)
        rows = DaskRows(array)
        factor = self.gram in ("factor", "nystroem") or isinstance(self.gram, Factor | Nystroem)
        if self.gram == "auto":
            limit = the_cluster().memory if self.memory_limit is None else self.memory_limit
            sizes = rows.shape[0], rows.dtype.itemsize, read_memory_limit(limit)
            factor = self.kernel == "linear" or not exact_is_possible(*sizes)
        stays = factor and self.kernel != "precomputed" and not self._why_here()
        if stays and rows.shape[0] > tuning.SMALL_ROWS:
            return rows, None
        array = array.persist()
        return check_rows(self, DaskRows(array).here(), reset=True), Dask(array)

    def _why_here(self) -> str:
        """Why a fit must collect the rows of a Dask array; empty if it need not."""
        return f"{type(self).__name__} handles vectors of all rows"

    def training_gram(self) -> Gram:
        """The centered Gram of the training rows, built as ``fit`` built it.

        Returns
        -------
        gram : Gram
        """
        check_is_fitted(self)
        with computing(self.n_jobs) as workers:
            X = DaskRows(self.X_fit_) if is_dask(self.X_fit_) else self.X_fit_
            return self._hold(X, workers, None)[0]

    def _hold(
        self, X: Any, workers: Workers, cluster: Dask | None
    ) -> tuple[Gram, Array | None, Kernel | None]:
        """The centered Gram, the weights of the center, and the kernel."""
        on_cluster = self.memory_limit is None and (cluster is not None or isinstance(X, DaskRows))
        limit = the_cluster().memory if on_cluster else self.memory_limit
        resources = Resources(read_memory_limit(limit), workers, self.seed_)
        kernel = None
        if self.kernel == "precomputed":
            K, sums = check_kernel_matrix(X, workers)
            gram: Gram = StoredGram(K, workers, row_sums=sums, spare=resources.memory)
            self.gram_ = GramChoice("precomputed", "given by the user", len(K), K.nbytes)
        else:
            self.gamma_ = resolve_gamma(self.gamma, X)
            params = dict(self.kernel_params or {})
            if not callable(self.kernel):
                params = {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
                for name in params.keys() - KERNEL_PARAMS[self.kernel]:
                    del params[name]
            kernel = Kernel(self.kernel, params)
            check_scale(X.extremes if isinstance(X, DaskRows) else X, kernel, X.shape[0])
            gram, chosen = choose(self.gram, X, kernel, resources, cluster)
            if cluster is not None and chosen.name in ("factor", "nystroem"):
                why = self._why_here() or "it has few rows"
                chosen = replace(chosen, reason=f"{chosen.reason}; X was collected, as {why}")
            self.gram_ = chosen
            if callable(kernel.function):
                check_kernel_function(kernel, X)
        if not self.center:
            return gram, None, kernel
        median = isinstance(self.center, str)
        weights = spatial_median_weights(gram) if median else gram.equal_weights()
        return gram.center(weights), weights, kernel

    def _solve(
        self, solver: ComponentSolver, gram: Gram, bar: ProgressBar | None
    ) -> list[Component]:
        """The components: as many as asked for, or until they reach the share of the variance."""
        asked, by_number = self.n_components, isinstance(self.n_components, Integral)
        most = asked if by_number else self.max_components
        limit = gram.n_samples if most is None else min(most, gram.n_samples)
        wanted, reached, components = np.inf, 0.0, list[Component]()
        if asked is not None and not by_number:
            wanted = asked * float(gram.diagonal().sum())
        found = solver.components(gram, limit)
        for component in bar.over(found, limit if by_number else None) if bar else found:
            components.append(component)
            reached += float(component.scores @ component.scores)
            if reached >= wanted:
                break
        return components

    def _keep(
        self, X: Any, gram: Gram, kernel: Kernel | None, weights: Any, components: list[Component]
    ) -> Array:
        """Set the fitted attributes and return the scores of the training rows."""
        scores = gram.table([component.scores for component in components])
        coef = gram.table([component.coef for component in components])
        signs = gram.table([component.signs for component in components])
        squares = np.array([(s := c.scores.astype(float, copy=False)) @ s for c in components])
        total, degrees = float(gram.diagonal().sum(dtype=np.float64)), max(gram.n_samples - 1, 1)
        self.dual_components_ = gram.shown(coef)
        self.signs_ = gram.shown(signs).T.astype(np.int8)
        self.objective_ = np.array([component.objective for component in components])
        self.explained_variance_ = squares / degrees
        self.explained_variance_ratio_ = squares / total if total > 0 else np.zeros_like(squares)
        self.total_variance_ = total / degrees
        self.n_components_ = len(components)
        self.n_steps_ = np.array([max(1, len(c.trace) - 1) for c in components], dtype=int)
        self.n_iter_ = int(self.n_steps_.max(initial=1))
        self.objective_trace_ = [np.array(component.trace) for component in components]
        self.status_ = [component.status.value for component in components]
        self.n_starts_ = np.array([component.n_starts for component in components], dtype=int)
        self.X_fit_ = X.array if isinstance(X, DaskRows) else X
        self.projection_ = gram.projection(coef)
        self.inverse_: Any = None
        shown = gram.shown(scores)
        if kernel is not None and kernel.function == "linear":
            self.inverse_ = loadings(X, self.dual_components_.T, weights, self.projection_)
            self.components_ = self.inverse_.weights
        elif kernel is not None and self.fit_inverse_transform:
            self.inverse_ = ridge_inverse(kernel, shown, X, self.alpha)
        return shown

    def _conclude(self, gram: Gram, components: list[Component]) -> None:
        """Set what only this method sets, and warn of what only it can meet."""
