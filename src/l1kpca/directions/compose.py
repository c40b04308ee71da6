"""Finders made of other finders."""

from dataclasses import dataclass
from itertools import cycle, islice

from l1kpca import tuning
from l1kpca.directions.base import MAX_ITER, Limits, Searches, SignSearch
from l1kpca.directions.bit_flip import BitFlip
from l1kpca.directions.sign_iteration import SignIteration

_MAX_ROUNDS = 100


@dataclass(frozen=True)
class Then(SignSearch):
    """Alternate two finders until one of them no longer moves."""

    first: SignSearch
    second: SignSearch

    def search(self, searches: Searches) -> None:
        """Alternate."""
        self.first.search(searches)
        for finder in islice(cycle([self.second, self.first]), _MAX_ROUNDS):
            before = searches.n_steps
            finder.search(searches)
            if searches.n_steps == before:
                return


@dataclass(frozen=True)
class Polished(SignSearch):
    """Algorithm 1 with momentum, then single flips, until neither moves.

    Flips that together promise less than 1e-7 of the objective are skipped: with a hundred thousand
    rows they would take longer than all sign steps.

    Parameters
    ----------
    max_iter : int, default=1000
        Maximum number of sign steps.
    tol : float, default=0.0
        Relative gain below which the sign steps end.
    """

    max_iter: int = MAX_ITER
    tol: float = 0.0

    @property
    def limits(self) -> Limits:
        """Of the compiled search."""
        return self.max_iter, self.tol, True, tuning.NEGLIGIBLE_GAIN

    def search(self, searches: Searches) -> None:
        """Sign steps, then flips."""
        steps = SignIteration(self.max_iter, self.tol, momentum=True)
        Then(steps, BitFlip(tol=tuning.NEGLIGIBLE_GAIN)).search(searches)
