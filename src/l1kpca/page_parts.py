"""Parts of a page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

ABSENT = "\N{EN DASH}"


@dataclass(frozen=True)
class Table:
    """Cells as text; the first column names the line."""

    title: str
    columns: list[str]
    lines: list[list[str]]


@dataclass(frozen=True)
class Figure:
    """A picture by its name; whoever draws knows what belongs to it."""

    name: str
    caption: str


@dataclass(frozen=True)
class Section:
    """One experiment for a reader."""

    title: str
    text: list[str]
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def paragraphs(text: str) -> list[str]:
    r"""Paragraphs of a text, each in one line.

    Examples
    --------
    >>> paragraphs("one\nline\n\nanother\n")
    ['one line', 'another']
    """
    return [" ".join(part.split()) for part in text.split("\n\n")]


def shown(value: float | None, digits: int = 2) -> str:
    """A number, or a dash for none.

    Examples
    --------
    >>> shown(1.239), shown(float("inf")), shown(None) == ABSENT
    ('1.24', '> 1 day', True)
    """
    if value is None or math.isnan(value):
        return ABSENT
    if math.isinf(value):
        return "> 1 day"
    return f"{value:.{digits}f}"


def ratio(value: float | None) -> str:
    """A ratio with two significant digits.

    Examples
    --------
    >>> ratio(0.4321), ratio(7.891), ratio(1234.5)
    ('0.43', '7.9', '1234')
    """
    if value is None or math.isnan(value) or math.isinf(value):
        return shown(value)
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
