"""The reproduction as a page of HTML and as a page of the documentation."""

from __future__ import annotations

from importlib import resources
from typing import Any

from l1kpca.experiments.page import Judged, Page
from l1kpca.experiments.verdicts import HELD, NOT_HELD, NOT_JUDGED, PARTLY
from l1kpca.page_parts import Table

_CLASSES = {HELD: "held", PARTLY: "partly", NOT_HELD: "not-held", NOT_JUDGED: "not-judged"}
_TITLE = "The paper, reproduced"


def to_html(page: Page, figures: dict[str, str]) -> str:
    """The page with its pictures beside it.

    Parameters
    ----------
    page : Page
        The facts.
    figures : dict
        From the name of a figure that was drawn to the address of its SVG, without the suffix.

    Returns
    -------
    text : str
        Everything that comes from the rows is escaped.
    """
    template = _template("reproduction.html")
    return template.render(title=_TITLE, page=page, figures=figures, classes=_CLASSES)


def to_markdown(page: Page, figures: dict[str, str]) -> str:
    """The same as a page of the documentation.

    Parameters
    ----------
    page : Page
        The facts.
    figures : dict
        From the name of a figure that was drawn to the address of its PNG, without the suffix.
    """
    tally = ", ".join(f"{count} {verdict}" for verdict, count in page.tally.items() if count)
    opening = (
        f"Every figure and table of {page.reference}, run again by `l1kpca reproduce all`, with a"
        " verdict on each claim that is computed from the rows by the criterion beside it."
    )
    parts = [
        f"# {_TITLE}",
        "<!-- Written by scripts/write_reproduction.py from results.parquet; do not edit. -->",
        opening,
        f"**Of {sum(page.tally.values())} claims: {tally}.**",
        *(f"> {note}" for note in page.notes),
    ]
    for judged in page.sections:
        parts += _section(judged, figures)
    parts += ["## Where it ran", _grid(["", ""], [list(fact) for fact in page.about])]
    return "\n\n".join(parts) + "\n"


def _section(judged: Judged, figures: dict[str, str]) -> list[str]:
    section = judged.section
    lines = [
        [_cell(claim.statement), f"**{finding.verdict}**", _cell(finding.evidence), claim.criterion]
        for claim, finding in judged.verdicts
    ]
    parts = [f"## {section.title}", *section.text]
    parts += ["### Verdicts", _grid(["claim", "verdict", "what the rows say", "criterion"], lines)]
    for figure in section.figures:
        if figure.name in figures:
            parts.append(f"![{figure.caption}]({figures[figure.name]}.png)\n\n*{figure.caption}*")
    parts += [_table(table) for table in section.tables if table.lines]
    return parts


def _table(table: Table) -> str:
    return f"### {table.title}\n\n{_grid(table.columns, table.lines)}"


def _grid(columns: list[str], lines: list[list[str]]) -> str:
    rows = [columns, ["---"] * len(columns), *lines]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)


def _cell(text: str) -> str:
    return text.replace("\\|", "|").replace("|", "\\|")


def _template(name: str) -> Any:
    try:
        import jinja2  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        raise ImportError(
            "the page needs jinja2, which is not installed; install it with:"
            " pip install 'l1kpca[experiments]'."
        ) from error
    text = (resources.files("l1kpca.report") / "templates" / name).read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(text)
