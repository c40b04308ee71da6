"""From facts to JSON and to one HTML page that needs nothing else."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from l1kpca.report.summarize import Summary

_CHART_WIDTH, _CHART_HEIGHT = 720, 180


def to_plain(summary: Summary) -> dict[str, Any]:
    """The facts as what JSON can hold; scores of single rows only for the top ones.

    Parameters
    ----------
    summary : Summary
        The facts.

    Returns
    -------
    plain : dict
    """
    agreement = summary.agreement
    return {
        "source": summary.source,
        "n_rows": summary.n_rows,
        "n_flagged": summary.n_flagged,
        "cutoff": plain_value(summary.cutoff),
        "columns": list(summary.columns),
        "settings": {name: plain_value(value) for name, value in summary.settings.items()},
        "notes": list(summary.notes),
        "agreement": None if agreement is None else asdict(agreement),
        "top": [_plain_row(asdict(row)) for row in summary.top],
    }


def to_html(summary: Summary) -> str:
    """The facts as one HTML page; everything that comes from the data is escaped.

    Parameters
    ----------
    summary : Summary
        The facts.

    Returns
    -------
    page : str

    Raises
    ------
    ImportError
        If the extra ``report`` is not installed.
    """
    template = templates().get_template("detection.html")
    return template.render(summary=summary, chart=_histogram(summary))


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


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    reasons = [{**reason, "value": plain_value(reason["value"])} for reason in row["reasons"]]
    return {**row, "name": plain_value(row["name"]), "reasons": reasons}


@cache
def templates() -> Any:
    """The environment that the pages are made in; fails early if jinja2 is not installed."""
    try:
        import jinja2  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        raise ImportError(
            "a report needs jinja2, which is not installed; install it with:"
            " pip install 'l1kpca[report]'."
        ) from error
    folder = resources.files("l1kpca.report") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown_value
    return environment


def _histogram(summary: Summary) -> dict[str, Any]:
    """Places of bars and cut-off in a chart, in pixels."""
    edges, counts = summary.bin_edges, summary.bin_counts
    low, high = edges[0], max(edges[-1], summary.cutoff)
    per_unit = _CHART_WIDTH / (high - low if high > low else 1.0)
    most = max(counts)
    bars = [
        {
            "x": (left - low) * per_unit,
            "width": max((right - left) * per_unit - 1, 0.5),
            # the square root keeps the few outliers visible beside the many others
            "height": math.sqrt(count / most) * _CHART_HEIGHT,
            "count": count,
            "beyond": left >= summary.cutoff,
            "left": left,
            "right": right,
        }
        for left, right, count in zip(edges, edges[1:], counts, strict=False)
    ]
    return {
        "width": _CHART_WIDTH,
        "height": _CHART_HEIGHT,
        "bars": bars,
        "cutoff": (summary.cutoff - low) * per_unit if summary.cutoff >= low else 0.0,
        "low": low,
        "high": high,
    }
