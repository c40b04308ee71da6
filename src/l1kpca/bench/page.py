"""What a reader gets, as plain facts: targets, sections with text, tables and figures by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from l1kpca.bench import sections
from l1kpca.bench.targets import Judged, judge
from l1kpca.journal import FAILED, NO_DATA, NOT_RUN, QUICK
from l1kpca.page_parts import ABSENT, Section

COLUMNS = ["case", "measure", "target", "reached", "rounds: lowest to highest", ""]
"""Of the table of targets."""


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
    return Page(judge(frame), found, _about(frame), list(_notes(frame)))


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


def _about(frame: pd.DataFrame) -> list[tuple[str, str]]:
    facts = []
    for name in frame.columns:
        if name.startswith("version_") or name in ("machine", "cores", "started"):
            values = frame[name].dropna().unique()
            shown = ", ".join(f"{value:g}" if name == "cores" else str(value) for value in values)
            facts.append((name.removeprefix("version_"), shown))
    if "task_seconds" in frame:
        spent = frame.drop_duplicates(["part", "task_seconds"])["task_seconds"].sum()
        facts.append(("time of all tasks", f"{spent / 60:.1f} minutes"))
    return facts


def _notes(frame: pd.DataFrame) -> Iterable[str]:
    if (frame["size"] == QUICK).any():
        yield (
            "A quick run: everything is small, Mnist and Musk are replaced by a small data set,"
            " and no number says anything about speed."
        )
    by_status = frame["status"].value_counts()
    if by_status.get(NOT_RUN, 0):
        yield (
            f"This run is not complete: tasks that were not run yet: {by_status[NOT_RUN]}. The same"
            " command goes on where it stopped."
        )
    if by_status.get(NO_DATA, 0):
        names = sorted(frame.loc[frame["status"] == NO_DATA, "dataset"].unique())
        yield (
            f"Not on this machine, and left out: {', '.join(names)}. l1kpca datasets fetch gets"
            " them, or --data-dir names a folder that has them."
        )
    if by_status.get(FAILED, 0):
        texts = frame.loc[frame["status"] == FAILED, "message"].unique()
        yield f"Tasks that failed: {by_status[FAILED]}. {'; '.join(texts)}"
