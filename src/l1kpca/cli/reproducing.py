"""From experiments to a folder with rows, figures and a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from l1kpca.cli.terminal import Terminal
from l1kpca.experiments import Settings, read_results, run
from l1kpca.experiments.page import Page, make_page
from l1kpca.outputs import replacing
from l1kpca.plots.experiments import draw
from l1kpca.report.reproduction import to_html

_FIGURES = "figures"


def reproduce(
    names: list[str], folder: Path, settings: Settings, advance: Callable[[int, int], None]
) -> Page:
    """Run what is not there yet, then draw and write the page from the rows alone.

    Parameters
    ----------
    names : list of str
        Experiments.
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
    folder.mkdir(exist_ok=True)
    drawn = []
    for judged in page.sections:
        rows = frame[frame["experiment"] == judged.experiment].dropna(axis="columns", how="all")
        drawn += [f.name for f in judged.section.figures if draw(f.name, rows, folder)]
    return drawn


def show(page: Page, terminal: Terminal, folder: Path) -> None:
    """Say what came out."""
    terminal.note(page.notes)
    verdicts = [(claim, finding) for judged in page.sections for claim, finding in judged.verdicts]
    terminal.table(
        "The paper's claims",
        ["verdict", "claim", "what the rows say"],
        [[finding.verdict, claim.statement, finding.evidence] for claim, finding in verdicts],
    )
    terminal.say(f"page: {folder / 'index.html'}")
    terminal.result(
        {
            "tally": page.tally,
            "verdicts": [
                {
                    "experiment": claim.experiment,
                    "claim": claim.statement,
                    "verdict": finding.verdict,
                    "evidence": finding.evidence,
                    "criterion": claim.criterion,
                }
                for claim, finding in verdicts
            ],
            "notes": page.notes,
            "page": str(folder / "index.html"),
        }
    )
