"""From measurements to a folder with rows, figures and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from l1kpca.bench import Settings, read_results, run
from l1kpca.bench.page import COLUMNS, Page, make_page, shortfall, target_line
from l1kpca.bench.results import RESULTS
from l1kpca.cli.terminal import Terminal
from l1kpca.outputs import replacing
from l1kpca.plots.bench import draw
from l1kpca.report.performance import to_html

_FIGURES = "figures"


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
    try:
        run(names, folder, settings, lambda done, total, doing: advance(round(done), round(total)))
    except KeyboardInterrupt:
        write_page(read_results(folder), folder)  # what there is can be looked at
        raise
    return write_page(read_results(folder), folder)


def write_page(frame: pd.DataFrame, folder: Path) -> Page:
    """Draw the figures and write ``index.html``.

    Parameters
    ----------
    frame : DataFrame
        Tidy rows.
    folder : Path
        An existing folder.
    """
    page = make_page(frame)
    figures = draw_figures(page, frame, folder / _FIGURES)
    addresses = {name: f"{_FIGURES}/{name}" for name in figures}
    with replacing(folder / "index.html", overwrite=True) as temporary:
        temporary.write_text(to_html(page, addresses), encoding="utf-8")
    return page


def draw_figures(page: Page, frame: pd.DataFrame, folder: Path) -> list[str]:
    """Draw every figure of a page; the names of those whose rows are there."""
    folder.mkdir(parents=True, exist_ok=True)
    named = [figure.name for section in page.sections for figure in section.figures]
    return [name for name in named if draw(name, frame, folder)]


def show(page: Page, terminal: Terminal, folder: Path) -> None:
    """Say what came out."""
    terminal.note(page.notes)
    columns = [*COLUMNS[:3], "reached#", *COLUMNS[4:]]
    terminal.table("Targets", columns, [target_line(judged) for judged in page.judged])
    for judged in page.judged:
        if judged.met is False:
            target = judged.target
            terminal.say(f"not met: {target.case}: {target.measure}. {shortfall(judged)}")
    terminal.say(f"page: {folder / 'index.html'}")
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
            "page": str(folder / "index.html"),
        }
    )
