"""From facts to JSON and to one HTML page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

from l1kpca.report.facts import Summary
from l1kpca.report.packing import embedded
from l1kpca.report.values import plain_value, shown_value

SCRIPTS = (
    "facts.js",
    "charts.js",
    "cutoff.js",
    "table.js",
    "maps.js",
    "detail.js",
    "methods.js",
    "main.js",
)
"""In the order in which a page runs them."""


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


def render(facts: Mapping[str, Any]) -> str:
    """Facts as one HTML page; everything that comes from the data is escaped.

    Parameters
    ----------
    facts : mapping
        As ``page_facts`` gives them.

    Returns
    -------
    page : str

    Raises
    ------
    ImportError
        If the extra ``report`` is not installed.
    """
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    # The browser runs the script with this very content and no other, should anything slip in.
    return (
        templates()
        .get_template("page.html")
        .render(
            facts=facts,
            embedded=embedded(facts),
            style=_text("page.css"),
            script=script,
            digest=digest,
        )
    )


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
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown_value
    return environment


def _script() -> str:
    """All scripts in one function, so that they share names among themselves alone."""
    parts = "\n".join(_text(name) for name in SCRIPTS)
    return f'(function () {{\n"use strict";\n{parts}\n}})();\n'


@cache
def _text(name: str) -> str:
    return (resources.files("l1kpca.report") / "templates" / name).read_text(encoding="utf-8")


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    reasons = [{**reason, "value": plain_value(reason["value"])} for reason in row["reasons"]]
    return {**row, "name": plain_value(row["name"]), "reasons": reasons}
