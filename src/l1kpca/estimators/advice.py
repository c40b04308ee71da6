"""Warnings about a fit, given once, with what to do about it."""

import inspect
import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram
from l1kpca.kernels import Kernel

_SPECTRUM_ROWS = 256
_STALLED_SHARE = 0.25  # of rows whose flip would gain; a larger share means a stalled search
_NOT_THE_USER = ("l1kpca", "sklearn")


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost frame that is neither ours nor scikit-learn's."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _NOT_THE_USER:
            break
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, category, stacklevel=depth)


def warn_of_fit(gram: Gram, kernel: Kernel | None, ends: list[str], asked: Any) -> None:
    """Warn of an indefinite K, of missing components, and of searches cut short."""
    count, fell = len(ends), Status.NOT_POSITIVE.value in ends
    share = negative_share(gram) if fell or kernel is None or not kernel.is_positive else 0.0
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


def negative_share(gram: Gram) -> float:
    """Share of the spectrum, in absolute value, that is negative, on at most 256 rows."""
    rows = np.unique(np.linspace(0, gram.n_samples - 1, _SPECTRUM_ROWS).astype(int))
    values = np.linalg.eigvalsh(gram.columns(rows, rows))
    size = np.abs(values).sum()
    negative = values[values < -negligible_variance(gram)]
    return float(-negative.sum() / size) if size > 0 else 0.0
