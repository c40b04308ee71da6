"""What each column of a frame is."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.tables.written import ERRORS, NO_NUMBER, NO_VALUE, Dates, Numbers, matched, shortened

USED = ("number", "category", "boolean", "date")  # the others are left out of the score
KINDS = (*USED, "id", "text", "constant", "empty")
NOT_READ = {"number": "not a number", "date": "not a date"}  # of cells that cannot be read
_TRUE = ("true", "yes", "y", "t", "on", "ja", "1")
_FALSE = ("false", "no", "n", "f", "off", "nein", "0")
TRUTH = {**dict.fromkeys(_TRUE, "true"), **dict.fromkeys(_FALSE, "false")}
_PAIRS = [{true, false} for true, false in zip(_TRUE, _FALSE, strict=True)]
_ID_NAME = re.compile(
    r"(?:^|[^A-Za-z])(?:id|ids|ID|IDs|uuid|guid)$|[a-z](?:ID|Id|UUID)$|^(?:row.?names?|[Uu]nnamed.*)$"
)
_CODE_NAME = re.compile(
    r"(?:^|[^a-z])(?:zip|zip.?code|post(?:al)?.?code|plz|(?:tele)?phone(?:.?n\w+)?|fax|ssn|isbn|ean"
    r"|upc|fips(?:.?code)?|iban)$",
    re.IGNORECASE,
)
_NINES = re.compile(r"-?9{2,}|-?9{2,}\.9+|-9")
_FEWEST = 12  # rows that tell a counter, or a typo; levels, before they are too many


@dataclass(frozen=True)
class Kind:
    """What a column was taken for, why, and how its cells are read."""

    kind: str
    reason: str
    reader: Numbers | Dates | None = None
    missing: float | None = None  # a number that stands for "no value"
    as_number: bool = False  # treat a boolean as 0 and 1, in a table without numbers


def is_frame(X: Any) -> bool:
    """Whether X is an eager frame of pandas, polars, pyarrow or the like."""
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def is_table(X: Any) -> bool:
    """Whether X is a frame or an array of text, whose columns have kinds."""
    return is_frame(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OSU")


def as_columns(X: Any, names: Collection[str] = ()) -> dict[str, Array]:
    """Columns as floats with NaN for holes, text with None, or pairs of seconds as in `Dates`.

    Those of an array are called ``names``, if there are as many, or x0, x1, ...
    """
    if not is_frame(X):
        columns = map(_text, X.T.tolist()) if is_table(X) else X.T
        names = names if len(names) == len(X.T) else [f"x{i}" for i in range(len(X.T))]
        return dict(zip(names, columns, strict=True))
    found = {}
    for series in nw.from_native(X, eager_only=True).iter_columns():
        kind = series.dtype
        if kind.is_numeric() or kind == nw.Boolean:
            wide = kind in (nw.Int128, nw.UInt128)  # which NumPy does not have
            cells = (series.cast(nw.Float64) if wide else series).to_numpy()
            if cells.dtype.kind not in "fiub":  # Python's objects among them, for holes
                cells = series.cast(nw.Float64).to_numpy()
            cells = cells.astype(np.float64, copy=False)
        elif kind == nw.Duration:
            cells = series.dt.total_microseconds().cast(nw.Float64).to_numpy() / 1e6
        elif kind in (nw.Date, nw.Datetime):
            moments = series.cast(nw.Datetime("us")) if kind == nw.Date else series
            zoned = getattr(moments.dtype, "time_zone", None)
            both = [moments, moments.dt.replace_time_zone(None) if zoned else moments]
            seconds = [m.dt.timestamp("us").cast(nw.Float64).to_numpy() / 1e6 for m in both]
            cells = np.stack(seconds, axis=1)
        else:
            cells = _text(series.to_list())
        found[str(series.name)] = cells
    return found


def _text(values: list[Any]) -> Array:
    """Cells as text; None for those that say that there is no value."""
    try:
        distinct = {*values} - {None}
    except TypeError:  # lists and the like
        values = list(map(str, values))
        distinct = {*values}
    known = {value: str(value).strip() for value in distinct}
    read = {value: cell for value, cell in known.items() if cell.lower() not in NO_VALUE}
    return np.array([*map(read.get, values)], dtype=object)


@np.errstate(over="ignore")  # differences of numbers near the largest of all
def kind_of(name: str, cells: Array, said: str | None) -> Kind:
    """What a column is; ``said`` is the user's word."""
    if cells.dtype == object:
        found = _kind_of_text(name, cells.tolist())
    elif cells.ndim == 1:
        found = _kind_of_numbers(name, cells)
    else:
        found = Kind("empty", "it has no values")
        seconds = cells[np.isfinite(cells[:, 0]), 0]
        if seconds.size:
            varies = np.ptp(seconds) > 0
            found = Kind("date", "dates") if varies else Kind("constant", "one date in every row")
    if said is None or said == found.kind:
        return found
    readers: dict[str, Any] = {"number": Numbers, "date": Dates}
    counts = Counter(filter(None, cells.tolist()) if cells.dtype == object else ())
    return Kind(said, "as you said", readers[said].learn(counts) if said in readers else None)


def _kind_of_numbers(name: str, numbers: Array, reader: Numbers | None = None) -> Kind:
    distinct, counts = np.unique(numbers[np.isfinite(numbers)], return_counts=True)
    if len(distinct) < 2:
        value = f"every value is {distinct[0]:g}" if len(distinct) else "it has no values"
        return Kind("constant" if len(distinct) else "empty", value, reader)
    if distinct.tolist() == [0, 1]:
        return Kind("boolean", "0 and 1", reader)
    if (distinct == np.round(distinct)).all():
        if _CODE_NAME.search(name) or _ID_NAME.search(name):
            return Kind("id", "by the name of the column", reader)
        times = next((f for f in (1, 10**4, 10**6) if 19e6 * f < distinct[0] < 21.1e6 * f), 0)
        inside = times and distinct[-1] < 21.1e6 * times
        if inside and np.isfinite([Dates()(f"{day:.0f}")[0] for day in distinct]).all():
            return Kind("date", f"numbers such as {distinct[0]:.0f}", Dates())
        years = distinct[0] >= 1500 and distinct[-1] <= 2100
        if counts.sum() == len(numbers) >= _FEWEST and not years and _counts_rows(numbers):
            return Kind("id", "it counts the rows", reader)
    shown = "" if reader is None else reader.shown
    return Kind("number", f"numbers{shown}", reader, _missing_code(distinct, counts))


def _kind_of_text(name: str, cells: list[str | None]) -> Kind:
    counts = Counter(cell for cell in cells if cell and cell.lower() not in ERRORS)
    few = max(tuning.UNREAD_SHARE * counts.total(), counts.total() >= _FEWEST)  # a typo at least
    if len(counts) == 1 or all(cell.lower() in NO_NUMBER for cell in counts):
        some = f"every value is {shortened(next(iter(counts)))}" if counts else "it has no values"
        return Kind("constant" if counts else "empty", some)
    if {cell.casefold() for cell in counts} in _PAIRS:
        return Kind("boolean", "two words for true and false")
    numbers = Numbers.learn(counts)
    unread = {cell: k for cell, k in counts.items() if np.isinf(numbers(cell))}
    if sum(unread.values()) <= few:
        if sum(k for cell, k in counts.items() if re.fullmatch(r"0\d+", cell)) > few:
            found = _kind_of_words(name, counts, "; codes with leading zeros")
            return replace(found, kind="id") if found.kind == "text" else found
        read = np.array([np.nan if cell is None else numbers(cell) for cell in cells])
        return _kind_of_numbers(name, read, numbers)
    dates = Dates.learn(counts)
    undated = {cell: k for cell, k in counts.items() if np.isinf(dates(cell)[0])}
    if sum(undated.values()) <= few:
        return Kind("date", f"dates ({dates.shown})", dates)
    why = ""
    for what, none in (("number", unread), ("date", undated)):
        share = sum(none.values()) / counts.total()
        if share <= 0.5:
            why = f"; no {what}, as {share:.0%} are none, such as {shortened(next(iter(none)))}"
    units = [*filter(None, numbers.units), *numbers.beside]
    if 1 < len(units) < 6 and sum(k for cell, k in unread.items() if not matched(cell)) <= few:
        why = f"; no number, as units are mixed ({units[0]!r}, {units[1]!r})"
    return _kind_of_words(name, counts, why)


def _kind_of_words(name: str, counts: Counter[str], why: str) -> Kind:
    n, distinct = counts.total(), len(counts)
    words = sum(len(cell.split()) * k for cell, k in counts.items()) / n
    if distinct >= max(3, 0.9 * n):
        return Kind("id" if words < 1.5 else "text", f"nearly every row has its own{why}")
    if _CODE_NAME.search(name) or (_ID_NAME.search(name) and distinct > _FEWEST):
        return Kind("id", f"by the name of the column{why}")
    many = distinct > max(2 * _FEWEST, min(n // 5, tuning.MOST_LEVELS))
    return Kind("text" if many or words > 8 else "category", f"{distinct} different values{why}")


def _counts_rows(numbers: Array) -> bool:
    """Whether each row has the next whole number, or these are a sample of such rows."""
    steps, n = np.diff(numbers), len(numbers)
    length = abs(float(numbers[-1] - numbers[0]))
    if np.ptp(steps) == 0:
        return length == n - 1
    if n < 5 * _FEWEST or not ((steps > 0).all() or (steps < 0).all()):
        return False
    # A uniform sample of a counter strays from even steps by about a half over sqrt(n).
    stray = np.abs(np.linspace(numbers[0], numbers[-1], n) - numbers).max()
    return bool(stray <= 1.5 / np.sqrt(n) * length)


def _missing_code(distinct: Array, counts: Array) -> float | None:
    """A number of nines that occurs more than once, further from the others than they spread."""
    for end, others in ((0, distinct[1:]), (-1, distinct[:-1])):
        spread = max(np.ptp(others), abs(others[0]), abs(others[-1]))
        far = abs(distinct[end] - others[end]) > spread
        if counts[end] > 1 and far and _NINES.fullmatch(f"{distinct[end]:.10g}"):
            return float(distinct[end])
    return None
