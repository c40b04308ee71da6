"""From measurements to a folder with rows, figures and a page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from l1kpca.bench import read_results
from l1kpca.bench.page import COLUMNS, Page, make_page, shortfall, target_line
from l1kpca.bench.results import RESULTS
from l1kpca.cli.folders import FIGURE_FOLDER, PAGE, write_page
from l1kpca.cli.terminal import Terminal
from l1kpca.plots import bench as plots
from l1kpca.plots.files import draw
from l1kpca.report.performance import to_html


def write(folder: Path) -> Page:
    """Draw the figures and write the page, from the rows in a folder alone."""
    frame = read_results(folder)
    page = make_page(frame)
    return write_page(page, draw_figures(page, frame, folder / FIGURE_FOLDER), to_html, folder)


def draw_figures(page: Page, frame: pd.DataFrame, folder: Path) -> list[str]:
    """Draw every figure of a page; the names of those whose rows are there."""
    names = [figure.name for section in page.sections for figure in section.figures]
    return draw(names, plots.FIGURES, frame, folder)


def show(page: Page, terminal: Terminal, folder: Path) -> None:
    """Say what came out."""
    terminal.note(page.notes)
    columns = [*COLUMNS[:3], "reached#", *COLUMNS[4:]]
    terminal.table("Targets", columns, [target_line(judged) for judged in page.judged])
    for judged in page.judged:
        if judged.met is False:
            target = judged.target
            terminal.say(f"not met: {target.case}: {target.measure}. {shortfall(judged)}")
    terminal.say(f"page: {folder / PAGE}")
    terminal.result(
        {
            "tally": page.tally,
            "targets": [
                {
                    "case": judged.target.case,
                    "measure": judged.target.measure,
                    "target": judged.target.aim,
                    "reached": None if judged.reached is None else judged.reached.value,
                    "verdict": judged.verdict,
                }
                for judged in page.judged
            ],
            "notes": page.notes,
            "results": str(folder / RESULTS),
            "page": str(folder / PAGE),
        }
    )
