"""The reproduction as a page of HTML and as a page of the documentation."""

from __future__ import annotations

from l1kpca.experiments.page import Page
from l1kpca.report.markdown import article, grid, section_of, tally_of
from l1kpca.report.render import templates

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
    return template.render(
        title=_TITLE,
        page=page,
        sections=[judged.section for judged in page.sections],
        verdicts=[judged.verdicts for judged in page.sections],
        figures=figures,
    )


def to_markdown(page: Page, figures: dict[str, str]) -> str:
    """The same as a page of the documentation.

    Parameters
    ----------
    page : Page
        The facts.
    figures : dict
        From the name of a figure that was drawn to the address of its PNG, without the suffix.
    """
    opening = (
        f"Every figure and table of {page.reference}, run again by `l1kpca reproduce all`, with a"
        " verdict on each claim that is computed from the rows by the criterion beside it."
    )
    parts = [
        f"# {_TITLE}",
        "<!-- Written by scripts/write_reproduction.py from results.parquet; do not edit. -->",
        opening,
        tally_of(page.tally, "claims"),
        *(f"> {note}" for note in page.notes),
    ]
    for judged in page.sections:
        lines = [
            [claim.statement, f"**{finding.verdict}**", finding.evidence, claim.criterion]
            for claim, finding in judged.verdicts
        ]
        columns = ["claim", "verdict", "what the rows say", "criterion"]
        parts += section_of(judged.section, figures, grid(columns, lines))
    return article(parts, page.about)
