"""Cells and arrays as text: for readers, for JSON, and safe inside a page."""

import base64
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

_SIGNIFICANT = 12  # all that was typed, without what rounding adds
_LONGEST_TEXT = 120
_LONGEST_CELL = 40
_EXACT_IN_JAVASCRIPT = 2**53
_LARGE = 1e4
_LEAST_WRITTEN_OUT, _MOST_WRITTEN_OUT = 1e-4, 1e12
# A page must not end its own script, begin a comment in it, or a new line in old engines.
_ESCAPES = str.maketrans(
    {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026", "\u2028": r"\u2028", "\u2029": r"\u2029"}
)


def plain_value(value: Any) -> Any:
    """A number, text, truth value or None that says the same."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    # pandas has its own markers, pd.NA and pd.NaT, which are like nothing, not even themselves
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return str(value).removesuffix(" 00:00:00")  # a day


def short(value: Any, digits: int = _SIGNIFICANT) -> Any:
    """A plain value without needless digits or endless text."""
    value = plain_value(value)
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, int) and abs(value) > _EXACT_IN_JAVASCRIPT:
        return str(value)
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[: _LONGEST_TEXT - 3]}..."
    return value


def shown_value(value: Any) -> str:
    """A cell for a reader: short numbers, no line breaks, no control characters."""
    value = plain_value(value)
    if value is None:
        return "missing"
    if isinstance(value, float):
        large = _LARGE <= abs(value) < _MOST_WRITTEN_OUT
        return f"{value:,.2f}".rstrip("0").rstrip(".") if large else f"{value:.4g}"
    text = printable(" ".join(str(value).split()))
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 3]}..."


def range_text(low: float, high: float) -> str:
    """A range with as many digits as tell its ends apart."""
    size = max(abs(low), abs(high), high - low)
    if math.isnan(size):
        return "missing"
    if size and not _LEAST_WRITTEN_OUT <= size < _MOST_WRITTEN_OUT:
        return f"{low:.3g} to {high:.3g}"
    digits = max(0, 1 - math.floor(math.log10(high - low))) if high > low else 4
    form = f"{',' if size >= _LARGE else ''}.{min(digits, 9)}f"  # years have no comma
    ends = format(round(low, digits), form), format(round(high, digits), form)
    return " to ".join(end.rstrip("0").rstrip(".") if digits else end for end in ends)


def printable(text: str) -> str:
    """The same text without characters that could command a terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def packed(values: np.ndarray, kind: str) -> str:
    """An array as base64 of its little-endian bytes ("f4" or "u4"), which a page reads at once."""
    return base64.b64encode(np.asarray(values).astype(f"<{kind}").tobytes()).decode("ascii")


def embedded(facts: Any) -> str:
    """JSON that can stand inside a ``script`` element, whatever text it holds."""
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # A lone surrogate, half of a letter, can be in a cell but not in a file.
    return text.translate(_ESCAPES).encode("utf-8", "replace").decode("utf-8")


def within(items: Iterable[Any], most_bytes: int) -> Iterator[Any]:
    """The first items that fit into ``most_bytes`` as JSON, all together."""
    for item in items:
        most_bytes -= len(embedded(item).encode("utf-8")) + 1
        if most_bytes < 0:
            return
        yield item
