"""The benchmark as a page of HTML and as a page of the documentation."""

from __future__ import annotations

from l1kpca.bench.page import COLUMNS, Page, shortfall, target_line
from l1kpca.bench.sections import method_text
from l1kpca.bench.targets import Judged
from l1kpca.report.markdown import article, grid, section_of, tally_of
from l1kpca.report.render import templates

_TITLE = "Performance"
_OPENING = (
    "Speed and memory against the peers, as ratios: what is compared was measured in turn, in the"
    " same run on one machine, by l1kpca bench."
)


def to_html(page: Page, figures: dict[str, str]) -> str:
    """The page with its pictures beside it.

    Parameters
    ----------
    page : Page
        The facts.
    figures : dict
        From the name of a figure that was drawn to the address of its SVG, without the suffix.
    """
    template = templates().get_template("performance.html")
    return template.render(
        title=_TITLE,
        opening=_OPENING,
        page=page,
        sections=page.sections,
        figures=figures,
        columns=COLUMNS,
        lines=[target_line(judged) for judged in page.judged],
        missed=_missed(page),
        method=method_text(),
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
    parts = [
        f"# {_TITLE}",
        "<!-- Written by scripts/write_performance.py from benchmarks/results/speed.json. -->",
        _OPENING.replace("l1kpca bench", "`l1kpca bench`"),
        *(f"> {note}" for note in page.notes),
        "## Targets",
        tally_of(page.tally, "targets"),
        grid(COLUMNS, [_marked(target_line(judged)) for judged in page.judged]),
    ]
    missed = _missed(page)
    if missed:
        parts.append("### Why some are not met")
    for judged, text in missed:
        target = judged.target
        parts.append(f"* **{target.case}: {target.measure} {target.aim}.** {text}")
    for section in page.sections:
        parts += section_of(section, figures)
    return article([*parts, "## How it is measured", *method_text()], page.about)


def _missed(page: Page) -> list[tuple[Judged, str]]:
    return [(judged, shortfall(judged)) for judged in page.judged if judged.met is False]


def _marked(line: list[str]) -> list[str]:
    """A line whose verdict is seen at a glance."""
    return [*line[:-1], line[-1] if line[-1] == "met" else f"**{line[-1]}**"]
