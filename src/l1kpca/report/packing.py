"""Facts as text that is safe inside a page, and small enough for an e-mail."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

_SIGNIFICANT = 6
_LONGEST_TEXT = 120
_EXACT_IN_JAVASCRIPT = 2**53
# A page must not end its own script, begin a comment in it, or a new line in old engines.
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def packed(values: np.ndarray, kind: str) -> str:
    """An array as base64 of its little-endian bytes, which a page reads in no time.

    Parameters
    ----------
    values : ndarray
        Numbers.
    kind : {"f4", "u4"}
        Single precision, or whole numbers from 0.

    Returns
    -------
    text : str

    Examples
    --------
    >>> import numpy as np
    >>> packed(np.array([1, 2]), "u4")
    'AQAAAAIAAAA='
    """
    return base64.b64encode(np.asarray(values).astype(f"<{kind}").tobytes()).decode("ascii")


def embedded(facts: Any) -> str:
    r"""JSON that can stand inside a ``script`` element, whatever text it holds.

    Parameters
    ----------
    facts : object
        Numbers, texts, None, lists and dicts.

    Returns
    -------
    text : str

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # A lone surrogate, half of a letter, can be in a cell but not in a file.
    return text.translate(_ESCAPES).encode("utf-8", "replace").decode("utf-8")


def short(value: Any) -> Any:
    """A plain value without needless digits or endless text.

    Parameters
    ----------
    value : number, str, bool or None
        As ``plain_value`` gives it.

    Returns
    -------
    value : number, str, bool or None

    Examples
    --------
    >>> short(0.123456789), short("x" * 200)[-3:], short(10**20)
    (0.123457, '...', '100000000000000000000')
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return float(f"{value:.{_SIGNIFICANT}g}")
    if isinstance(value, int) and abs(value) > _EXACT_IN_JAVASCRIPT:
        return str(value)
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[: _LONGEST_TEXT - 3]}..."
    return value


def within(items: Iterable[Any], most_bytes: int) -> Iterator[Any]:
    """The first items that together take no more than so many bytes as JSON.

    Parameters
    ----------
    items : iterable
        Plain data; not more of it is made than needed.
    most_bytes : int
        The bound.

    Yields
    ------
    item : object

    Examples
    --------
    >>> list(within(["ab", "cd", "ef"], 10))
    ['ab', 'cd']
    """
    for item in items:
        most_bytes -= len(embedded(item).encode("utf-8")) + 1
        if most_bytes < 0:
            return
        yield item
