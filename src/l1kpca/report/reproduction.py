"""The reproduction as a page of HTML and as a page of the documentation."""

from __future__ import annotations

from l1kpca.experiments.page import Judged, Page
from l1kpca.experiments.verdicts import HELD, NOT_HELD, NOT_JUDGED, PARTLY
from l1kpca.report.markdown import cell, grid, table_of
from l1kpca.report.render import templates

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
    template = templates().get_template("reproduction.html")
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
    parts += ["## Where it ran", grid(["", ""], [list(fact) for fact in page.about])]
    return "\n\n".join(parts) + "\n"


def _section(judged: Judged, figures: dict[str, str]) -> list[str]:
    section = judged.section
    lines = [
        [cell(claim.statement), f"**{finding.verdict}**", cell(finding.evidence), claim.criterion]
        for claim, finding in judged.verdicts
    ]
    parts = [f"## {section.title}", *section.text]
    parts += ["### Verdicts", grid(["claim", "verdict", "what the rows say", "criterion"], lines)]
    for figure in section.figures:
        if figure.name in figures:
            parts.append(f"![{figure.caption}]({figures[figure.name]}.png)\n\n*{figure.caption}*")
    parts += [table_of(table) for table in section.tables if table.lines]
    return parts
