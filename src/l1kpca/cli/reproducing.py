"""From experiments to a folder with rows, figures and a page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from l1kpca.cli.folders import FIGURE_FOLDER, PAGE, write_page
from l1kpca.cli.terminal import Terminal
from l1kpca.experiments import read_results
from l1kpca.experiments.page import Page, make_page
from l1kpca.plots import experiments as plots
from l1kpca.plots.files import draw
from l1kpca.report.reproduction import to_html


def write(folder: Path) -> Page:
    """Draw the figures and write the page, from the rows in a folder alone."""
    frame = read_results(folder)
    page = make_page(frame)
    return write_page(page, draw_figures(page, frame, folder / FIGURE_FOLDER), to_html, folder)


def draw_figures(page: Page, frame: pd.DataFrame, folder: Path) -> list[str]:
    """Draw every figure of a page; the names of those whose rows are there."""
    drawn = []
    for judged in page.sections:
        rows = frame[frame["experiment"] == judged.experiment].dropna(axis="columns", how="all")
        names = [figure.name for figure in judged.section.figures]
        drawn += draw(names, plots.FIGURES, rows, folder)
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
    terminal.say(f"page: {folder / PAGE}")
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
            "page": str(folder / PAGE),
        }
    )
