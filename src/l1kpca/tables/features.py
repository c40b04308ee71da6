"""Columns as numbers and words: cells read by their kinds, and what stands for odd ones."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.tables.kinds import NOT_READ, TRUTH, USED, Kind
from l1kpca.tables.written import DAY, ERRORS, Dates, Numbers, shortened

PARTS = ("", "day", "weekday", "hour")  # of a date, all but the first
Part = tuple[str, str]  # a column, and what of it
Words = dict[Part, list[str | None]]
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SIZE: dict[str | None, float] = {"true": 1.0, "false": 0.0}
_MOST = (0.01, 0.5, 0.99)  # ends and middle of most numbers
_FAR = 3 * math.pi  # times the range of most numbers: not a number that a cell could have


@dataclass(frozen=True)
class Change:
    """Cells of a column that are not taken at face value, with one ``example``."""

    column: str
    what: str
    count: int
    example: str


def read_columns(
    columns: Mapping[str, Array], plan: Mapping[str, Kind], unread: Mapping[str, float]
) -> tuple[dict[Part, Array], Words, list[Change]]:
    """Read columns by a plan as numbers and words; with what is not taken at face value.

    A number or a date that cannot be read is infinite; ``unread`` is what will stand for it.
    """
    numbers: dict[Part, Array] = {}
    words: Words = {}
    changes: list[Change] = []
    for name, kind in plan.items():
        if kind.kind in NOT_READ:
            hole = np.isnan(unread.get(name, np.nan))
            what = f"{NOT_READ[kind.kind]}: taken as {'missing' if hole else 'far out'}"
            if kind.kind == "number":
                numbers[name, ""] = _numbers(name, columns[name], kind, what, changes)
            else:
                found = _dates(name, columns[name], kind, what, changes)
                numbers[name, "day"], words[name, "weekday"], words[name, "hour"] = found
        elif kind.kind in USED:
            words[name, ""] = _words(columns[name], kind.kind == "boolean")
            if kind.as_number:
                numbers[name, ""] = np.array([_SIZE.get(w, np.nan) for w in words.pop((name, ""))])
    return numbers, words, changes


def _numbers(name: str, cells: Array, kind: Kind, what: str, changes: list[Change]) -> Array:
    numbers = cells[:, 0] if cells.ndim == 2 else cells
    if cells.dtype == object:
        numbers = _read(cells, kind.reader or Numbers(), np.nan)
    numbers = np.where(np.isinf(numbers), np.inf, numbers)
    code = numbers == (np.nan if kind.missing is None else kind.missing)
    _note(changes, name, what, cells, np.isinf(numbers))
    _note(changes, name, "apparently a code for missing: taken as missing", cells, code)
    return np.where(code, np.nan, numbers)


def _dates(
    name: str, cells: Array, kind: Kind, what: str, changes: list[Change]
) -> tuple[Array, list[str | None], list[str | None]]:
    """Days since 1970, weekdays and hours; infinity, or NaN and None for holes."""
    moments = cells
    if cells.ndim == 1:
        if cells.dtype != object:
            cells = np.array([f"{day:.0f}" if day == day else None for day in cells], dtype=object)
        moments = _read(cells, kind.reader or Dates(), (np.nan, np.nan)).reshape(-1, 2)
        _note(changes, name, what, cells, np.isinf(moments[:, 0]))
    wall = moments[:, 1].tolist()
    weekdays = [_WEEK[int(s // DAY + 3) % 7] if s == s else None for s in wall]
    hours = [str(int(s % DAY // 3600)) if s == s else None for s in wall]
    return moments[:, 0] / DAY, weekdays, hours


def _read(cells: Array, reader: Callable[[str], Any], hole: Any) -> Array:
    known = {cell: reader(cell) for cell in {*cells.tolist()} - {None}}
    return np.array([known.get(cell, hole) for cell in cells.tolist()])


def _note(changes: list[Change], name: str, what: str, cells: Array, which: Array) -> None:
    if which.any():
        example = shortened(str(cells[which.argmax()]))
        changes.append(Change(name, what, int(which.sum()), example))


def _words(cells: Array, truth: bool) -> list[str | None]:
    """Levels of a column, None for holes; words for the ``truth`` are made "true" and "false"."""
    values: list[Any] = (cells[:, 0] if cells.ndim == 2 else cells).tolist()
    if cells.dtype != object:
        values = [f"{value:.12g}" if value == value else None for value in values]
    known = {value: value for value in {*values} - {None} if value.lower() not in ERRORS}
    if truth:
        known = {value: TRUTH.get(value.casefold(), value) for value in known}
    return [known.get(value) for value in values]


def far_out(numbers: Array) -> float:
    """What stands for infinity, a cell that cannot be read: a number far beyond most others.

    It is NaN, a hole, if more than a few cells cannot be read.
    """
    known, n_unread = numbers[np.isfinite(numbers)], int(np.isinf(numbers).sum())
    if not len(known) or n_unread > max(1, tuning.UNREAD_SHARE * (len(known) + n_unread)):
        return np.nan
    low, middle, high = np.quantile(known, _MOST, method="inverted_cdf").tolist()
    with np.errstate(over="ignore"):
        far = middle + _FAR * (high - low or np.ptp(known) or 1.0)
    return float(far) if np.isfinite(far) else np.nan


def gaps(days: Array, times: Array) -> Array:
    """The logarithm of the seconds since the last of ``times`` before.

    If that one stands alone itself, at least half as long after its own last, the gap belongs to
    it: then the time to the next of ``times`` counts, if it is shorter.  So it does if there is
    none before.
    """
    times = np.concatenate([[np.nan, np.nan], times, [np.nan]])
    place = np.searchsorted(times[2:-1], days)
    since = days - times[place + 1]
    earlier = times[place + 1] - times[place]
    until = times[2:][np.searchsorted(times[2:-1], days, side="right")] - days
    alone = ~(earlier < since / 2)
    return np.log10(1 + np.where(alone, np.fmin(since, until), since) * DAY).round(6)
