"""What a search for a direction takes and gives."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.gram.base import Gram

MAX_ITER = 1000
"""Bound on the steps of a search unless one is given."""


class Status(Enum):
    """How a search ended; the text says what to do about it."""

    CONVERGED = "converged"
    MAX_ITER = "stopped while still moving: raise max_iter"
    NOT_POSITIVE = "the objective fell because the Gram matrix is not positive semidefinite"
    NOT_PROVEN = (
        "stopped before the optimum was proven: take fewer rows, or give ExactSearch a larger"
        " max_nodes and max_seconds as the solver"
    )

    def __str__(self) -> str:
        """The text."""
        return self.value


@dataclass(frozen=True)
class Direction:
    """A direction ``sum_i coef_i phi(x_i)`` in feature space, not normalized."""

    coef: Array
    """Dual vector; signs for the L1 methods."""
    image: Array
    """K @ coef."""
    trace: tuple[float, ...]
    """The objective before the first step and after each one."""
    status: Status = Status.CONVERGED
    n_starts: int = 1
    """Searches of which this is the best."""

    @property
    def value(self) -> float:
        """coef^T K coef, the square of the L1 objective."""
        return float(self.coef @ self.image)

    def continued(self, later: "Direction") -> "Direction":
        """``later``, found from here, with the steps of both."""
        return replace(later, trace=self.trace + later.trace[1:])


class Finder(Protocol):
    """Finds directions; deterministic.  To write one, write a frozen dataclass with this method."""

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """One direction for each column of ``starts``, (n_samples, k)."""


class Searches:
    """Searches side by side: signs and images, and what each search has gained so far."""

    def __init__(self, gram: Gram, starts: Signs):
        self.gram = gram
        self.followed = gram.follow(starts)
        self.traces = [[value] for value in self.followed.values]
        self.status = [Status.MAX_ITER] * len(self.traces)

    def __len__(self) -> int:
        return len(self.traces)

    @property
    def n_steps(self) -> int:
        """Steps of all searches together."""
        return sum(len(trace) for trace in self.traces)

    def directions(self) -> list[Direction]:
        """What was found."""
        return [
            Direction(self.followed.signs[j], self.followed.image(j), tuple(trace), status)
            for j, (trace, status) in enumerate(zip(self.traces, self.status, strict=True))
        ]


class SignSearch(ABC):
    """Base of the finders that flip signs."""

    @abstractmethod
    def search(self, searches: Searches) -> None:
        """Go on with the searches until they end."""

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """Search from each column of ``starts``, side by side."""
        searches = Searches(gram, starts)
        self.search(searches)
        return searches.directions()


def signs_of(image: Array, previous: Signs) -> Signs:
    """sgn(image), where zero keeps its previous sign: the choice under which the loop ends."""
    signs = np.copysign(image.dtype.type(1), image)
    np.copyto(signs, previous, where=image == 0)
    return signs


def why_it_stopped(moved: float, value: float) -> Status:
    """A step that gains nothing is rounding error, unless K has a negative direction."""
    negative = moved < -np.sqrt(np.finfo(float).eps) * abs(value)
    return Status.NOT_POSITIVE if negative else Status.CONVERGED
