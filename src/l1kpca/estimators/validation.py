"""What users pass that a fit refuses, and what it warns them of; all below trusts its input."""

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from l1kpca.checks import check_number, is_int, validated, warn_user
from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram
from l1kpca.gram.choose import BUILDERS
from l1kpca.kernels import GAMMA_RULES, KERNEL_NAMES, NONNEGATIVE, Kernel, name_of

_PROBED_ROWS, _SPECTRUM_ROWS = 12, 256
_STALLED_SHARE = 0.25  # of rows whose flip would gain; a larger share means a stalled search
_KERNELS, _GRAMS = [*KERNEL_NAMES, "precomputed"], ["auto", *BUILDERS]

# An array compares entry by entry, so values are compared with names only if they are names.
_Check = tuple[Callable[[Any], bool], str]  # whether a value is valid, and what is, in words
_SWITCH: _Check = (lambda v: isinstance(v, bool | np.bool_), "True or False")
_COUNT: _Check = (lambda v: v is None or (is_int(v) and v >= 1), "an integer of at least 1")
_MUST_BE: Mapping[str, _Check] = {
    "n_components": (
        lambda v: _COUNT[0](v) or (isinstance(v, Real) and not is_int(v) and 0 < float(v) < 1),
        "an integer of at least 1, a share of the variance between 0 and 1, or None for all"),
    "max_components": _COUNT,
    "kernel": (lambda v: callable(v) or (isinstance(v, str) and v in _KERNELS),
               f"one of {_KERNELS}, or a function of two rows"),
    "kernel_params": (lambda v: isinstance(v, Mapping | None),
                      "a dict of keyword arguments of the kernel, or None"),
    "gamma": (lambda v: not isinstance(v, str) or v in GAMMA_RULES,
              f"a number, None or one of {list(GAMMA_RULES)}"),
    "fit_inverse_transform": _SWITCH,
    "copy_X": _SWITCH,
    "verbose": (lambda v: isinstance(v, int | np.integer) and int(v) >= 0,
                "0 or a positive integer"),
    "max_iter": _COUNT,
    "center": (lambda v: _SWITCH[0](v) or (isinstance(v, str) and v == "median"),
               "True, False or 'median'"),
    "gram": (
        lambda v: v in _GRAMS if isinstance(v, str) else isinstance(v, Gram) or hasattr(v, "build"),
        f"one of {_GRAMS}, or a Gram or a builder of one"),
    "n_jobs": (lambda v: v is None or (is_int(v) and v != 0), "None or an integer other than 0"),
    "dtype": (lambda v: v is None or v in (np.dtype("float32"), np.dtype("float64")),
              "None, 'float32' or 'float64'"),
}  # fmt: skip
_AT_LEAST = {"alpha": 0, "degree": 0, "coef0": -np.inf, "gamma": 0}


def check_parameters(pca: Any) -> None:
    """Refuse values that no fit could use, in one clear sentence each."""
    for name, (is_good, said) in _MUST_BE.items():
        value = getattr(pca, name)
        if not is_good(value):
            raise ValueError(f"{name}={value!r} must be {said}")
    for name, least in _AT_LEAST.items():
        if name != "gamma" or not isinstance(pca.gamma, str | None):
            check_number(name, getattr(pca, name), at_least=least)
    if pca.fit_inverse_transform and isinstance(pca.kernel, str):
        _check_inverse(pca.kernel)


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
