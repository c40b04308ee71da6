"""A page that can be kept, sent and looked at."""

import base64
import copy
import hashlib
import html
import os
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from l1kpca.files import replacing
from l1kpca.report.values import embedded, shown_value

# In the order in which a page runs them.
_SCRIPTS = (
    "facts.js", "charts.js", "cutoff.js", "first.js", "table.js", "export.js", "detail.js",
    "columns.js", "maps.js", "methods.js", "reference.js", "main.js",
)  # fmt: skip


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
        # All scripts in one function, so that they share names among themselves alone.
        parts = "\n".join(map(_text, _SCRIPTS))
        script = f'(function () {{\n"use strict";\n{parts}\n}})();\n'
        # The browser runs the script with this very content and no other, should anything slip in.
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        page: str = templates().get_template("page.html").render(
            facts=self.facts, embedded=embedded(self.facts), style=_text("page.css"),
            script=script, digest=digest,
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
        raise ImportError(
            "a report needs jinja2, which is not installed; install it with:"
            " pip install 'l1kpca[report]'."
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["shown"] = shown_value
    return environment


@cache
def _text(name: str) -> str:
    return (resources.files("l1kpca.report") / "templates" / name).read_text(encoding="utf-8")
