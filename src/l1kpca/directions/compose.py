"""Finders made from finders, and the best of several starts."""

from dataclasses import dataclass, replace
from itertools import cycle, islice

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Finder, SingleStart
from l1kpca.directions.bit_flip import BitFlip
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.directions.momentum import MomentumSigns
from l1kpca.gram.base import Gram

_MAX_ROUNDS = 100
FEW_ROWS = 4000


@dataclass(frozen=True)
class Then(SingleStart):
    """Alternate two finders until one of them no longer moves.

    Examples
    --------
    >>> from l1kpca.directions import BitFlip, SignFixedPoint, Then
    >>> Then(SignFixedPoint(), BitFlip()).second
    BitFlip(max_flips=None)
    """

    first: Finder
    second: Finder

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """Search from each column of ``starts``."""
        directions = self.first.find_each(gram, starts, images)
        for finder in islice(cycle([self.second, self.first]), _MAX_ROUNDS):
            coefs = np.column_stack([d.coef for d in directions])
            images = np.column_stack([d.image for d in directions])
            later = finder.find_each(gram, coefs, images)
            directions = [d.continued(r) for d, r in zip(directions, later, strict=True)]
            if all(len(direction.trace) == 1 for direction in later):
                break
        return directions


@dataclass(frozen=True)
class Polished(SingleStart):
    """Algorithm 1, then single flips, until neither moves.

    With more than 4000 rows the sign steps have momentum, see `MomentumSigns`: they end as well, in
    a third to a tenth of the steps.

    Parameters
    ----------
    max_iter : int, default=1000
        Bound on the number of sign steps.

    Examples
    --------
    >>> from l1kpca.directions import Polished
    >>> Polished().max_iter
    1000
    """

    max_iter: int = 1000

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """Search from each column of ``starts``."""
        steps = SignFixedPoint if gram.n_samples <= FEW_ROWS else MomentumSigns
        return Then(steps(self.max_iter), BitFlip()).find_each(gram, starts, images)


def best_direction(finder: Finder, gram: Gram, starts: Signs) -> Direction:
    """The best of what ``finder`` finds from the columns of ``starts``."""
    best = max(finder.find_each(gram, starts), key=lambda direction: direction.value)
    return replace(best, n_starts=starts.shape[1])
