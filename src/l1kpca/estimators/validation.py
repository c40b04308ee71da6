"""What users pass that a fit refuses, and what it warns them of; all below trusts its input."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from l1kpca.checks import check_count, check_number, is_int, validated, warn_user
from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram
from l1kpca.gram.choose import BUILDERS
from l1kpca.kernels import GAMMA_RULES, KERNEL_NAMES, NONNEGATIVE, Kernel, name_of

_PROBED_ROWS, _SPECTRUM_ROWS = 12, 256
_STALLED_SHARE = 0.25  # of rows whose flip would gain; a larger share means a stalled search
_KERNELS, _GRAMS = [*KERNEL_NAMES, "precomputed"], ["auto", *BUILDERS]
_SWITCH = bool | np.bool_


def check_parameters(pca: Any) -> None:
    """Refuse values that no fit could use, in one clear sentence each."""
    for name in ("max_components", "max_iter"):
        if getattr(pca, name) is not None:
            check_count(name, getattr(pca, name))
    for name, least in {"alpha": 0, "degree": 0, "coef0": -np.inf, "gamma": 0}.items():
        if name != "gamma" or not isinstance(pca.gamma, str | None):
            check_number(name, getattr(pca, name), at_least=least)
    share, kernel, gram = pca.n_components, pca.kernel, pca.gram
    # An array compares entry by entry, so values are compared with names only if they are names.
    must_be = {
        "n_components": (
            share is None
            or (share >= 1 if is_int(share) else isinstance(share, Real) and 0 < float(share) < 1),
            "an integer of at least 1, a share of the variance between 0 and 1, or None for all"),
        "kernel": (kernel in _KERNELS if isinstance(kernel, str) else callable(kernel),
                   f"one of {_KERNELS}, or a function of two rows"),
        "kernel_params": (isinstance(pca.kernel_params, Mapping | None),
                          "a dict of keyword arguments of the kernel, or None"),
        "gamma": (not isinstance(pca.gamma, str) or pca.gamma in GAMMA_RULES,
                  f"a number, None or one of {list(GAMMA_RULES)}"),
        "fit_inverse_transform": (isinstance(pca.fit_inverse_transform, _SWITCH), "True or False"),
        "copy_X": (isinstance(pca.copy_X, _SWITCH), "True or False"),
        "verbose": (isinstance(pca.verbose, int | np.integer) and int(pca.verbose) >= 0,
                    "0 or a positive integer"),
        "center": (pca.center == "median" if isinstance(pca.center, str)
                   else isinstance(pca.center, _SWITCH), "True, False or 'median'"),
        "gram": (gram in _GRAMS if isinstance(gram, str)
                 else isinstance(gram, Gram) or hasattr(gram, "build"),
                 f"one of {_GRAMS}, or a Gram or a builder of one"),
        "n_jobs": (pca.n_jobs is None or (is_int(pca.n_jobs) and pca.n_jobs != 0),
                   "None or an integer other than 0"),
        "dtype": (pca.dtype is None or pca.dtype in (np.dtype("float32"), np.dtype("float64")),
                  "None, 'float32' or 'float64'"),
    }  # fmt: skip
    for name, (is_good, said) in must_be.items():
        if not is_good:
            raise ValueError(f"{name}={getattr(pca, name)!r} must be {said}")
    if pca.fit_inverse_transform and isinstance(kernel, str):
        _check_inverse(kernel)


def _check_inverse(kernel: str) -> None:
    if kernel == "precomputed":
        way_out = "pass them, and a kernel instead of 'precomputed'"
        raise ValueError(f"fit_inverse_transform=True needs the rows: {way_out}")
    if kernel in NONNEGATIVE:
        what = f"kernel={kernel!r}, which takes no negative numbers, as scores may be"
        raise ValueError(f"fit_inverse_transform=True cannot use {what}: use another kernel")


def check_rows(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """X as a finite float array or CSR matrix; with ``reset``, records its columns."""
    precomputed = estimator.kernel == "precomputed"
    given, asked = X, estimator.dtype
    X = validated(
        estimator, X, reset=reset, accept_sparse=False if precomputed else "csr",
        dtype=[np.float64, np.float32] if asked is None else np.dtype(asked),
        # The symmetry check of a kernel matrix also finds NaN and infinity.
        ensure_all_finite=not (precomputed and reset),
    )  # fmt: skip
    if isinstance(given, np.memmap) and np.may_share_memory(X, given):
        return given  # on disk, perhaps larger than memory: not copied, and still a memory map
    if reset and not precomputed and estimator.copy_X:
        X = X.copy()
    if not reset and sparse.issparse(X) and not sparse.issparse(getattr(estimator, "X_fit_", None)):
        X = X.toarray()  # like the training rows
    return X


def check_kernel_function(kernel: Kernel, X: Any) -> None:
    """Refuse a kernel function that is not symmetric on a few rows."""
    rows = np.unique(np.linspace(0, X.shape[0] - 1, _PROBED_ROWS).astype(int))
    K = kernel(X[rows], X[rows].copy())  # a copy, since scikit-learn mirrors k(X, X)
    difference = float(np.abs(K - K.T).max())
    if difference > np.sqrt(np.finfo(X.dtype).eps) * float(np.abs(K).max()):
        what = f"not symmetric: k(x, y) and k(y, x) differ by up to {difference:.3g}"
        way_out = "return the same number for both"
        raise ValueError(f"kernel={name_of(kernel.function)} is {what}; {way_out}")


def warn_of_fit(gram: Gram, kernel: Kernel | None, ends: list[str], asked: Any) -> None:
    """Warn of an indefinite K, of missing components, and of searches cut short."""
    count, fell = len(ends), Status.NOT_POSITIVE.value in ends
    share = 0.0  # of the spectrum, in absolute value, that is negative
    if fell or kernel is None or not kernel.is_positive:
        rows = np.unique(np.linspace(0, gram.n_samples - 1, _SPECTRUM_ROWS).astype(int))
        values = np.linalg.eigvalsh(gram.columns(rows, rows))
        negative = values[values < -negligible_variance(gram)]
        share = float(-negative.sum() / (np.abs(values).sum() or 1.0))
    indefinite = share > np.sqrt(np.finfo(gram.dtype).eps)
    if indefinite:
        warn_user(
            f"the Gram matrix is not positive semidefinite: {share:.1%} of its spectrum is"
            " negative (seen on at most 256 rows); components were made only where the objective"
            " is positive. Use another kernel, or other kernel parameters"
        )
    if isinstance(asked, Integral) and int(asked) > count:
        why = "no direction has a positive objective" if indefinite else "only rounding error is"
        stopped = f"stopped after n_components_={count}, where {why} left"
        warn_user(f"n_components={asked} exceeds the rank of the data: {stopped}")
    for status in (Status.MAX_ITER, Status.NOT_PROVEN):
        if cut_short := ends.count(status.value):
            warn_user(f"{cut_short} of {count} components {status}", ConvergenceWarning)


def warn_if_stalled(gram: Gram, components: list[Component]) -> None:
    r"""Warn once if searches ended in poor fixed points because K is nearly diagonal.

    Each sign then confirms itself: :math:`c_i (K c)_i \ge 0`, although flipping sign i gains as
    long as :math:`c_i (K c)_i < K_{ii}`.
    """
    left = np.asarray(gram.diagonal(), dtype=np.float64).copy()
    stalled = 0
    for component in components:
        scores = component.scores.astype(np.float64)
        # For a fixed point c, c_i (K c)_i = |(K c)_i| and K c = scores * sqrt(c^T K c).
        support = np.abs(scores) * component.objective
        gains = support < left - 1e-9 * float(np.abs(left).max())
        stalled += gains.mean() > _STALLED_SHARE
        left -= scores**2
    if stalled:
        warn_user(
            f"{stalled} of {len(components)} components stopped at a poor fixed point: the Gram"
            " matrix is so close to diagonal that most signs only confirm themselves. Widen the"
            " kernel (a smaller gamma), or use solver='polished'",
            ConvergenceWarning,
        )
