"""Cells for readers and for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain_value(value: Any) -> Any:
    """A number, text, truth value or None that says the same.

    Examples
    --------
    >>> import numpy as np
    >>> plain_value(np.int64(3)), plain_value(float("nan")), plain_value(np.bool_(True))
    (3, None, True)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    return None if _is_missing(value) else str(value)


def shown_value(value: Any) -> str:
    r"""A cell for a reader: short numbers, no line breaks, no control characters.

    Examples
    --------
    >>> shown_value(0.123456789), shown_value("two\nlines"), shown_value(None)
    ('0.1235', 'two lines', 'missing')
    """
    value = plain_value(value)
    if value is None:
        return "missing"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    text = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    return text if len(text) <= 40 else f"{text[:37]}..."


def printable(text: str) -> str:
    r"""The same text without characters that could command a terminal.

    Examples
    --------
    >>> printable("red \x1b[31m")
    'red \ufffd[31m'
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _is_missing(value: Any) -> bool:
    # pandas has its own markers, pd.NA and pd.NaT, which are like nothing, not even themselves
    return type(value).__name__ in ("NAType", "NaTType")
