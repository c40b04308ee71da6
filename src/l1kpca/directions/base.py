"""The interface of a search for a direction, and what searches share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array, Signs
from l1kpca.directions import loops
from l1kpca.gram.base import Gram
from l1kpca.gram.followed import Followed

MAX_ITER = 1000
"""Default limit on the steps of a search."""


class Status(Enum):
    """How a search ended, and what to do about it."""

    CONVERGED = "converged"
    MAX_ITER = "stopped while still moving: raise max_iter"
    NOT_POSITIVE = "the objective fell because the Gram matrix is not positive semidefinite"
    NOT_PROVEN = (
        "stopped before the optimum was proven: use fewer rows, or solver=ExactSearch(...) with"
        " larger max_nodes and max_seconds"
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
    """Number of searches; this is the best of them."""

    @property
    def value(self) -> float:
        """coef^T K coef, the square of the L1 objective."""
        return float(self.coef @ self.image)

    def continued(self, later: "Direction") -> "Direction":
        """``later``, which started here, with the steps of both."""
        return replace(later, trace=self.trace + later.trace[1:])


class Finder(Protocol):
    """Finds directions, deterministically.  Any frozen dataclass with this method will do."""

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """One direction per column of ``starts``, (n_samples, k)."""


class Searches:
    """Searches side by side: their signs and images, and the objective so far."""

    def __init__(self, gram: Gram, starts: Signs | Followed):
        self.gram = gram
        self.followed = starts if isinstance(starts, Followed) else gram.follow(starts)
        self.traces = [[value] for value in self.followed.values]
        self.status = [Status.MAX_ITER] * len(self.traces)

    def __len__(self) -> int:
        return len(self.traces)

    @property
    def n_steps(self) -> int:
        """Steps of all searches together."""
        return sum(len(trace) for trace in self.traces)

    def directions(self) -> list[Direction]:
        """The results."""
        return [
            Direction(self.followed.signs[j], self.followed.image(j), tuple(trace), status)
            for j, (trace, status) in enumerate(zip(self.traces, self.status, strict=True))
        ]


Limits = tuple[int, float, bool, float]
"""Of a compiled search: the most sign steps, the tolerance, whether to use momentum, and the share
of the objective that single flips must promise together, negative for no flips."""


class SignSearch(ABC):
    """Base of the finders that flip signs; their starts may be followed already."""

    @property
    def limits(self) -> Limits | None:
        """Of the compiled search on few rows, if this is Algorithm 1, perhaps with flips."""
        return None

    @abstractmethod
    def search(self, searches: Searches) -> None:
        """Run the searches until they end."""

    def find(self, gram: Gram, starts: Signs | Followed) -> list[Direction]:
        """Search from each column of ``starts``, side by side."""
        if self.limits is not None and gram.n_samples <= gram.few_rows:
            return find_small(gram, starts, self.limits)
        searches = Searches(gram, starts)
        self.search(searches)
        return searches.directions()


def signs_of(image: Array, previous: Signs) -> Signs:
    """sgn(image), where zero keeps its previous sign; any other choice could loop forever."""
    signs = np.copysign(image.dtype.type(1), image)
    np.copyto(signs, previous, where=image == 0)
    return signs


def why_it_stopped(moved: float, value: float) -> Status:
    """A step that gains nothing is rounding error, unless K is indefinite."""
    negative = moved < -np.sqrt(np.finfo(float).eps) * abs(value)
    return Status.NOT_POSITIVE if negative else Status.CONVERGED


def search_limits(gram: Gram, limits: Limits) -> loops.SearchLimits:
    """What `loops.search` takes."""
    return *limits[:3], tuning.FEWEST_NEAR, limits[3], gram.rounding()


def longest_trace(limits: Limits, n_samples: int) -> int:
    """Numbers in the trace of a compiled search, at most."""
    return limits[0] + tuning.FLIPS_PER_ROW * n_samples + 1


def find_small(gram: Gram, starts: Signs | Followed, limits: Limits) -> list[Direction]:
    """What `SignIteration`, alternating with `BitFlip`, finds with these limits.

    Compiled: on few rows, calls from Python would take longer than the work.
    """
    K, minus = gram.written()
    followed = starts if isinstance(starts, Followed) else gram.follow(starts)
    found = []
    for j, start in enumerate(followed.signs):
        c, Kc = start.copy(), followed.image(j).copy()
        trace = np.empty(longest_trace(limits, len(c)))
        trace[0] = c @ Kc
        state = K, minus, c, Kc, gram.diagonal()
        taken, moved, ended = loops.search(*state, search_limits(gram, limits), trace)
        status = why_it_stopped(moved, trace[taken]) if ended else Status.MAX_ITER
        found.append(Direction(c, Kc, tuple(trace[: taken + 1].tolist()), status))
    return found
