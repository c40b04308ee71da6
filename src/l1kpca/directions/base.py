"""What a search for a direction takes and gives, and how searches share each pass over K."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, TypeAlias

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.images import ArrayImage, Change, Image, ThinImage
from l1kpca.gram.base import Gram

_FEW = 0.5
"""Share of changed rows below which K[:, changed] is cheaper than a pass over the triangle of K; a
pass that serves k searches costs little more than one for a single search, so it is shared out."""


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
    """A direction ``sum_i coef_i phi(x_i)`` in feature space, not normalised."""

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
    """Finds a direction from a start; deterministic."""

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """Search from each column of ``starts`` (n, k); ``images`` is ``K @ starts`` if known."""

    def find(self, gram: Gram, start: Signs) -> Direction:
        """Search from one start, (n,)."""


class SingleStart:
    """Gives a finder the method `find`."""

    def find(self: Finder, gram: Gram, start: Signs) -> Direction:
        """Search from one start, (n,)."""
        return self.find_each(gram, np.asarray(start, dtype=gram.dtype)[:, np.newaxis])[0]


Search: TypeAlias = Generator[Change, Array, Direction]
"""One search: yields a change of its coefficients, is sent ``K @ change``, returns a direction."""


class SignSteps(SingleStart, ABC):
    """Base of the finders whose search needs nothing but the signs c and their image K c."""

    @abstractmethod
    def _search(self, c: Signs, Kc: Image) -> Search:
        """The search from c, as a generator."""

    def find_each(self, gram: Gram, starts: Signs, images: Array | None = None) -> list[Direction]:
        """Iterate from each column of ``starts``, side by side."""
        columns = [c.copy() for c in starts.T]
        # A search with a known image goes on where another ended, so it has few steps to go.
        thin = gram.thin() if images is None else None
        seen: list[Image]
        if thin is None:
            images = gram.apply(starts) if images is None else images
            seen = [ArrayImage(image.copy()) for image in images.T]
        else:
            lengths = thin.lengths(gram.diagonal())
            seen = [ThinImage(thin.follow(lengths), thin.summed(c)) for c in columns]
        return side_by_side(gram, [self._search(*pair) for pair in zip(columns, seen, strict=True)])


def side_by_side(gram: Gram, searches: list[Search]) -> list[Direction]:
    """Run searches in step, so that one pass over K serves all that are still moving."""
    found: dict[int, Direction] = {}
    images: dict[int, Array | None] = dict.fromkeys(range(len(searches)))
    while images:
        changes = {}
        for k, image in images.items():
            try:
                changes[k] = searches[k].send(image)  # type: ignore[arg-type]
            except StopIteration as stop:
                found[k] = stop.value
        images = dict(zip(changes, _images_of(gram, list(changes.values())), strict=True))
    return [found[k] for k in range(len(searches))]


def _images_of(gram: Gram, changes: list[Change]) -> list[Array]:
    """K @ change for each change: through its own rows if these are few, else all in one pass."""
    few = _FEW / max(1, len(changes)) * gram.n_samples
    many = [k for k, (rows, _) in enumerate(changes) if len(rows) > few]
    images = {
        k: gram.apply(values, at=rows) for k, (rows, values) in enumerate(changes) if k not in many
    }
    if many:
        block = np.zeros((gram.n_samples, len(many)), dtype=gram.dtype)
        for column, k in zip(block.T, many, strict=True):
            column[changes[k][0]] = changes[k][1]
        images |= zip(many, np.ascontiguousarray(gram.apply(block).T), strict=True)
    return [images[k] for k in range(len(changes))]


def signs_of(image: Array, previous: Signs) -> Signs:
    """sgn(image), where zero keeps its previous sign: the choice under which the loop ends."""
    signs = np.copysign(image.dtype.type(1), image)
    np.copyto(signs, previous, where=image == 0)
    return signs


def why_it_stopped(moved: float, value: float) -> Status:
    """A step that gains nothing is rounding error, unless K has a negative direction."""
    negative = moved < -np.sqrt(np.finfo(float).eps) * abs(value)
    return Status.NOT_POSITIVE if negative else Status.CONVERGED


def row_lengths(W: Array) -> Array:
    """Euclidean length of each row; no square overflows or vanishes, whatever the unit of W."""
    largest = float(np.abs(W).max(initial=0))
    # A power of two: dividing by it costs no digit.
    unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0
    return unit * np.linalg.norm(W / unit, axis=1)
