"""What a reader gets, as plain facts: targets, sections with text, tables and figures by name."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from l1kpca.bench import sections
from l1kpca.bench.targets import Judged, judge
from l1kpca.page_parts import ABSENT, Section, about_run, notes_on_run

COLUMNS = ["case", "measure", "target", "reached", "rounds: lowest to highest", ""]
"""Of the table of targets."""

_IF_QUICK = (
    "A quick run: everything is small, Mnist and Musk are replaced by a small data set, and no"
    " number says anything about speed."
)


@dataclass(frozen=True)
class Page:
    """Everything on the page but the pictures themselves.

    Attributes
    ----------
    judged : list of Judged
        The targets.
    sections : list of Section
        What else was measured.
    about : list of pair
        Versions, machine and times.
    notes : list of str
        What keeps this run from being a complete one.
    """

    judged: list[Judged]
    sections: list[Section]
    about: list[tuple[str, str]]
    notes: list[str]

    @property
    def tally(self) -> dict[str, int]:
        """How many targets got each verdict."""
        verdicts = [judged.verdict for judged in self.judged]
        return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def make_page(frame: pd.DataFrame) -> Page:
    """Judge the targets and lay out the tables; reads rows, runs nothing.

    Parameters
    ----------
    frame : DataFrame
        The tidy rows of a run, complete or not.
    """
    found = [section for section in sections.all_sections(frame) if section.tables]
    return Page(judge(frame), found, about_run(frame), list(notes_on_run(frame, _IF_QUICK)))


def target_line(judged: Judged) -> list[str]:
    """A line of the table of targets, under `COLUMNS`."""
    target, reached = judged.target, judged.reached
    line = [target.case, target.measure, target.aim]
    if reached is None:
        return [*line, ABSENT, ABSENT, judged.verdict]
    spread = f"{reached.lowest:.2f} to {reached.highest:.2f} ({reached.repeats})"
    return [*line, f"{reached.value:.2f}", spread if reached.repeats else ABSENT, judged.verdict]


def shortfall(judged: Judged) -> str:
    """Why a target that was not met was not, and what the floor is."""
    floor = f" Measured floor: {judged.floor}." if judged.floor else ""
    return f"{judged.target.reason}{floor}"
