"""The benchmark as a page of HTML and as a page of the documentation."""

from __future__ import annotations

from l1kpca.bench.page import COLUMNS, Page, shortfall, target_line
from l1kpca.bench.sections import method_text
from l1kpca.bench.targets import Judged
from l1kpca.page_parts import Section
from l1kpca.report.markdown import grid, table_of
from l1kpca.report.render import templates

_TITLE = "Performance"
_OPENING = (
    "Speed and memory against the peers, as ratios measured in one run on one machine by"
    " l1kpca bench."
)
_CLASSES = {
    verdict: verdict.replace(" ", "-")
    for verdict in ("met", "not met", "not measured", "not judged")
}


def to_html(page: Page, figures: dict[str, str]) -> str:
    """The page with its pictures beside it.

    Parameters
    ----------
    page : Page
        The facts.
    figures : dict
        From the name of a figure that was drawn to the address of its SVG, without the suffix.
    """
    return (
        templates()
        .get_template("performance.html")
        .render(
            title=_TITLE,
            opening=_OPENING,
            page=page,
            figures=figures,
            classes=_CLASSES,
            columns=COLUMNS,
            lines=[(judged, target_line(judged)) for judged in page.judged],
            missed=_missed(page),
            method=method_text(),
        )
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
    tally = ", ".join(f"{count} {verdict}" for verdict, count in page.tally.items())
    parts = [
        f"# {_TITLE}",
        "<!-- Written by scripts/write_performance.py from benchmarks/results/speed.json. -->",
        _OPENING.replace("l1kpca bench", "`l1kpca bench`"),
        *(f"> {note}" for note in page.notes),
        "## Targets",
        f"**Of {len(page.judged)} targets: {tally}.**",
        grid(COLUMNS, [_marked(target_line(judged)) for judged in page.judged]),
    ]
    missed = _missed(page)
    if missed:
        parts.append("### Why some are not met")
    for judged, text in missed:
        target = judged.target
        parts.append(f"* **{target.case}: {target.measure} {target.aim}.** {text}")
    for section in page.sections:
        parts += _section(section, figures)
    parts += ["## How it is measured", *method_text()]
    parts += ["## Where it ran", grid(["", ""], [list(fact) for fact in page.about])]
    return "\n\n".join(parts) + "\n"


def _missed(page: Page) -> list[tuple[Judged, str]]:
    return [(judged, shortfall(judged)) for judged in page.judged if judged.met is False]


def _marked(line: list[str]) -> list[str]:
    """A line whose verdict is seen at a glance."""
    return [*line[:-1], line[-1] if line[-1] == "met" else f"**{line[-1]}**"]


def _section(section: Section, figures: dict[str, str]) -> list[str]:
    parts = [f"## {section.title}", *section.text]
    parts += [
        f"![{figure.caption}]({figures[figure.name]}.png)\n\n*{figure.caption}*"
        for figure in section.figures
        if figure.name in figures
    ]
    return parts + [table_of(table) for table in section.tables if table.lines]
