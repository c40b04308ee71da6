"""Warnings about components that are poor or not proven, with what to do about it."""

from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from l1kpca.components.base import Component
from l1kpca.directions.base import Status
from l1kpca.estimators.notices import warn_user
from l1kpca.gram.base import Gram

STALLED_SHARE = 0.25
"""Share of rows whose single flip would raise the objective, above which a search has stalled."""


def held_shares(gram: Gram, components: list[Component]) -> Iterator[float]:
    r"""For each component, the share of rows that only their own diagonal entry holds in place.

    A fixed point needs :math:`c_i (K c)_i \ge 0`, but flipping sign i gains as long as
    :math:`c_i (K c)_i < K_{ii}`.  When K is nearly diagonal, :math:`(K c)_i` is little else than
    :math:`K_{ii} c_i`: the sign repeats itself whatever the other rows say, and about half of the
    rows would gain by a flip.
    """
    left = np.asarray(gram.diagonal(), dtype=np.float64).copy()
    for component in components:
        scores = component.scores.astype(np.float64)
        # For a fixed point c, c_i (K c)_i = |(K c)_i| and K c = scores * sqrt(c^T K c).
        support = np.abs(scores) * component.objective
        noise = 1e-9 * float(np.abs(left).max())
        yield float((support < left - noise).mean())
        left -= scores**2


def warn_if_stalled(gram: Gram, components: list[Component]) -> None:
    """One warning if searches ended in poor fixed points because K is nearly diagonal."""
    stalled = sum(share > STALLED_SHARE for share in held_shares(gram, components))
    if stalled:
        warn_user(
            f"{stalled} of {len(components)} components stopped at a poor fixed point: the Gram"
            " matrix is so close to diagonal that most signs only confirm themselves. Widen the"
            " kernel (a smaller gamma), or use solver='polished'",
            ConvergenceWarning,
        )


def warn_if_not_proven(components: list[Component]) -> None:
    """One warning if the exact search ran out of its budget."""
    stopped = sum(component.status is Status.NOT_PROVEN for component in components)
    if stopped:
        warn_user(
            f"{stopped} of {len(components)} components {Status.NOT_PROVEN}",
            ConvergenceWarning,
        )
