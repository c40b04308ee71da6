"""The image K c of a sign vector, as a search sees it: its signs, and what flips do to it."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.gram.thin import Followed

Change = tuple[Array, Array]
"""A vector as the rows where it is not zero, and its values there."""

Asking = Generator[Change, Array, Any]
"""Yields a change of coefficients, is sent its image under K, returns that image."""


class Image(Protocol):
    """K v for some v; sums and multiples of images are images.

    An image that was made with `of_flips` also knows its v.
    """

    def __add__(self, other: Any) -> Any:
        """K (v + w)."""

    def __sub__(self, other: Any) -> Any:
        """K (v - w)."""

    def __rmul__(self, factor: float) -> Any:
        """K (factor v)."""

    def differing(self, c: Signs) -> Array:
        """The rows where sgn(K v) is not c; where K v is zero it is."""

    def of_flips(self, c: Signs, rows: Array) -> Asking:
        """K (c' - c) for a c' that is c with the signs of ``rows`` flipped."""

    def form(self, of_flips: Any) -> float:
        """w^T K v for the w of an image ``of_flips``."""

    def of_signs(self, c: Signs) -> float:
        """c^T K c, if this is the image of c."""

    def whole(self) -> Array:
        """K v, as an array."""


@dataclass(frozen=True)
class ArrayImage:
    """All entries of K v; K is asked for those of a change."""

    entries: Array

    def __add__(self, other: "ArrayImage") -> "ArrayImage":
        return ArrayImage(self.entries + other.entries)

    def __sub__(self, other: "ArrayImage") -> "ArrayImage":
        return ArrayImage(self.entries - other.entries)

    def __rmul__(self, factor: float) -> "ArrayImage":
        return ArrayImage(factor * self.entries)

    def differing(self, c: Signs) -> Array:
        """The rows where sgn(K v) is not c."""
        return np.flatnonzero(self.entries * c < 0)

    def of_flips(self, c: Signs, rows: Array) -> Asking:
        """K (c' - c), from K."""
        values = -2 * c[rows]
        entries = yield rows, values
        return ArrayOfFlips(entries, rows, values)

    def form(self, of_flips: "ArrayOfFlips") -> float:
        """w^T K v."""
        return float(of_flips.values @ self.entries[of_flips.rows])

    def of_signs(self, c: Signs) -> float:
        """c^T K c."""
        return float(c @ self.entries)

    def whole(self) -> Array:
        """K v."""
        return self.entries


@dataclass(frozen=True)
class ArrayOfFlips(ArrayImage):
    """K v, and what v is."""

    rows: Array
    values: Array
    """Of v in these rows; it is zero in all others."""


@dataclass(frozen=True)
class ThinImage:
    """K v = G b for rows G of few columns, through b = G^T v.

    The images of one search share what they know of the entries: those that cannot have changed
    their sign are not computed again.
    """

    followed: Followed
    b: Array

    def __add__(self, other: "ThinImage") -> "ThinImage":
        return ThinImage(self.followed, self.b + other.b)

    def __sub__(self, other: "ThinImage") -> "ThinImage":
        return ThinImage(self.followed, self.b - other.b)

    def __rmul__(self, factor: float) -> "ThinImage":
        return ThinImage(self.followed, self.b.dtype.type(factor) * self.b)

    def differing(self, c: Signs) -> Array:
        """The rows where sgn(K v) is not c."""
        return self.followed.differing(self.b, c)

    def of_flips(self, c: Signs, rows: Array) -> Asking:
        """K (c' - c), without a look at K."""
        yield from ()
        return ThinImage(self.followed, self.followed.thin.summed(-2 * c[rows], at=rows))

    def form(self, of_flips: "ThinImage") -> float:
        """w^T K v."""
        return float(self.b @ of_flips.b)

    def of_signs(self, c: Signs) -> float:
        """c^T K c."""
        return float(self.b @ self.b)

    def whole(self) -> Array:
        """K v."""
        return self.followed.thin.image(self.b)


def flipped(c: Signs, rows: Array) -> Signs:
    """The signs c, those of some rows flipped."""
    flipped = c.copy()
    flipped[rows] *= -1
    return flipped


def change_of(vector: Array) -> Change:
    """A vector as a change."""
    rows = np.flatnonzero(vector)
    return rows, vector[rows]
