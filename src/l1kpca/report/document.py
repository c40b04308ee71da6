"""A page that can be kept, sent and looked at; cells and arrays as the text in it."""

import base64
import copy
import hashlib
import html
import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np

from l1kpca.files import replacing

# The scripts in the order in which a page runs them.
_PARTS = (
    "page.html", "page.css", "facts.js", "charts.js", "cutoff.js", "first.js", "table.js",
    "export.js", "detail.js", "columns.js", "maps.js", "methods.js", "reference.js", "main.js",
)  # fmt: skip
_SIGNIFICANT = 12  # all that was typed, without what rounding adds
_LONGEST_TEXT, _LONGEST_CELL = 120, 40
_EXACT_IN_JAVASCRIPT = 2**53
_LEAST_WRITTEN_OUT, _LARGE, _MOST_WRITTEN_OUT = 1e-4, 1e4, 1e12
# A page must not end its own script, begin a comment in it, or a new line in old engines.
_ESCAPES = str.maketrans(
    {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026", "\u2028": r"\u2028", "\u2029": r"\u2029"}
)


@dataclass(frozen=True, eq=False)
class Report:
    """A page about the suspicious rows of a table."""

    facts: dict[str, Any]  #: All that the page shows; its form may change with every version.
    plain: dict[str, Any]  #: What ``json`` gives.

    def json(self) -> dict[str, Any]:
        """What was found, as JSON can hold it; the guide describes its form, which is stable."""
        return copy.deepcopy(self.plain)

    def to_html(self) -> str:
        """The page: one HTML document that needs nothing else; the data in it are escaped."""
        folder, read = resources.files("l1kpca.report"), methodcaller("read_text", encoding="utf-8")
        template, style, *scripts = map(read, map(folder.joinpath("templates").joinpath, _PARTS))
        # All scripts in one function, so that they share names among themselves alone.
        script = '(function () {\n"use strict";\n' + "\n".join(scripts) + "\n})();\n"
        # The browser runs the script with this very content and no other, should anything slip in.
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        page: str = templates().from_string(template).render(
            facts=self.facts, embedded=embedded(self.facts), style=style, script=script,
            digest=digest,
        )  # fmt: skip
        # The name of a file may hold bytes that are no letters.
        return page.encode("utf-8", "replace").decode("utf-8")

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the page; the file is complete or not there.

        Parameters
        ----------
        path : path-like
            The file, such as ``"report.html"``.
        overwrite : bool, default=True
            Whether an existing file may be replaced.
        """
        with replacing(path, overwrite=overwrite) as temporary:
            temporary.write_text(self.to_html(), encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        """The page in a frame of its own: a notebook and the page leave each other alone."""
        return (
            '<iframe sandbox="allow-scripts allow-downloads" style="width: 100%;'
            ' height: 900px; border: 0" title="Report"'
            f' srcdoc="{html.escape(self.to_html())}"></iframe>'
        )


@cache
def templates() -> Any:
    """The environment that pages are made in; fails early if jinja2 is not installed."""
    try:
        import jinja2  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        lacking = "a report needs jinja2, which is not installed; install it with:"
        raise ImportError(f"{lacking} pip install 'l1kpca[report]'.") from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["shown"] = shown_value
    return environment


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


def shown_value(value: Any, longest: int = _LONGEST_CELL) -> str:
    """A cell for a reader: short numbers, no line breaks, nothing that could command a terminal."""
    value = plain_value(value)
    if value is None:
        return "missing"
    if isinstance(value, float):
        large = _LARGE <= abs(value) < _MOST_WRITTEN_OUT
        return f"{value:,.2f}".rstrip("0").rstrip(".") if large else f"{value:.4g}"
    text = " ".join(str(value).split())
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def range_text(low: float, high: float) -> str:
    """A range with as many digits as tell its ends apart."""
    size = max(abs(low), abs(high), high - low)
    if math.isnan(size):
        return "missing"
    if size and not _LEAST_WRITTEN_OUT <= size < _MOST_WRITTEN_OUT:
        return f"{low:.3g} to {high:.3g}"
    digits = max(0, 1 - math.floor(math.log10(high - low))) if high > low else 4
    form = f"{',' if size >= _LARGE else ''}.{min(digits, 9)}f"  # years have no comma
    text = f"{round(low, digits):{form}} to {round(high, digits):{form}}"
    return re.sub(r"\.?0+(?= |$)", "", text) if digits else text


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
