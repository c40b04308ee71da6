"""The one table of strings: what the names of a solver and of a start stand for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from l1kpca._typing import Signs
from l1kpca.directions import HomogeneousPowerIteration, LpNorm, Polished, SignFixedPoint
from l1kpca.directions.base import Finder
from l1kpca.directions.exact import ExactSearch
from l1kpca.directions.sdp import SdpRounding
from l1kpca.directions.starts import STARTS, Start
from l1kpca.estimators.validation import check_number
from l1kpca.gram.base import Gram

Bound = dict[str, int]
"""``{"max_iter": ...}``, or nothing where the default of the finder holds."""

SOLVERS: dict[str, Callable[[Bound, float], Finder]] = {
    "fixed_point": lambda bound, p: SignFixedPoint(**bound),
    "polished": lambda bound, p: Polished(**bound),
    "sdp": lambda bound, p: SdpRounding(Polished(**bound)),
    "exact": lambda bound, p: ExactSearch(),
    "lp": lambda bound, p: HomogeneousPowerIteration(LpNorm(float(p)), **bound),
}
"""Makers of a finder, from the bound on its steps and the norm."""


def make_finder(solver: Any, max_iter: int | None, p: float = 1.0) -> Finder:
    """The finder called ``solver``; an object with ``find_each`` stands for itself."""
    if hasattr(solver, "find_each"):
        return solver
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"solver={solver!r} must be one of {list(SOLVERS)}, or a finder object")
    check_number("p", p, at_least=1)
    return SOLVERS[solver](bound_of(max_iter), p)


def bound_of(max_iter: int | None) -> Bound:
    """The argument ``max_iter``, left out if it is None."""
    return {} if max_iter is None else {"max_iter": max_iter}


def make_start(start: Any, n_samples: int) -> Start:
    """The start called ``start``, or one that always gives the user's signs."""
    if isinstance(start, str):
        if start not in STARTS:
            raise ValueError(f"start={start!r} must be one of {list(STARTS)}, or an array of signs")
        return STARTS[start]
    signs = np.asarray(start)
    if signs.shape != (n_samples,) or not np.isin(signs, (-1, 1)).all():
        raise ValueError(
            f"start, given as an array, must hold n_samples={n_samples} signs, each -1 or 1;"
            f" got shape {signs.shape}"
        )

    def given(gram: Gram, rng: np.random.Generator) -> Signs:
        return signs.astype(gram.dtype)

    return given
