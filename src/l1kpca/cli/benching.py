"""From measurements to a folder with rows, figures and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pandas as pd

from l1kpca.bench import Settings, read_results, run
from l1kpca.bench.page import COLUMNS, Page, make_page, shortfall, target_line
from l1kpca.bench.results import RESULTS
from l1kpca.cli.folders import FIGURE_FOLDER, PAGE, run_to_page, write_page
from l1kpca.cli.terminal import Terminal
from l1kpca.plots import bench as plots
from l1kpca.plots.files import draw
from l1kpca.report.performance import to_html


def bench(
    names: Iterable[str], folder: Path, settings: Settings, advance: Callable[[int, int], None]
) -> Page:
    """Measure what is not there yet, then draw and write the page from the rows alone.

    Parameters
    ----------
    names : iterable of str
        Parts of the benchmark.
    folder : Path
        An existing folder.
    settings : Settings
        How large the run is.
    advance : callable
        Told what is done of how much.
    """
    return run_to_page(partial(run, names, folder, settings), partial(_page, folder), advance)


def _page(folder: Path) -> Page:
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
