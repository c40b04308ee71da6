"""Parts of a page that is made of the rows of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import pandas as pd

from l1kpca.journal import CUT_OFF, FAILED, NO_DATA, NOT_RUN, QUICK

ABSENT = "\N{EN DASH}"


@dataclass(frozen=True)
class Table:
    """Cells as text; the first column names the line."""

    title: str
    columns: list[str]
    lines: list[list[str]]


@dataclass(frozen=True)
class Figure:
    """A picture by its name; whoever draws knows what belongs to it."""

    name: str
    caption: str


@dataclass(frozen=True)
class Section:
    """One experiment for a reader."""

    title: str
    text: list[str]
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def paragraphs(text: str) -> list[str]:
    r"""Paragraphs of a text, each in one line.

    Examples
    --------
    >>> paragraphs("one\nline\n\nanother\n")
    ['one line', 'another']
    """
    return [" ".join(part.split()) for part in text.split("\n\n")]


def shown(value: float | None, digits: int = 2) -> str:
    """A number, or a dash for none.

    Examples
    --------
    >>> shown(1.239), shown(float("inf")), shown(None) == ABSENT
    ('1.24', '> 1 day', True)
    """
    if value is None or math.isnan(value):
        return ABSENT
    if math.isinf(value):
        return "> 1 day"
    return f"{value:.{digits}f}"


def ratio(value: float | None) -> str:
    """A ratio with two significant digits.

    Examples
    --------
    >>> ratio(0.4321), ratio(7.891), ratio(1234.5)
    ('0.43', '7.9', '1234')
    """
    if value is None or math.isnan(value) or math.isinf(value):
        return shown(value)
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def about_run(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Versions, machine and times of the rows of a run, by name."""
    facts = []
    for name in frame.columns:
        if name.startswith("version_") or name in ("machine", "cores", "started"):
            values = frame[name].dropna().unique()
            text = ", ".join(f"{value:g}" if name == "cores" else str(value) for value in values)
            facts.append((name.removeprefix("version_"), text))
    if "task_seconds" in frame:
        tasks = frame.drop_duplicates(["experiment", "part", "task_seconds"])
        facts.append(("time of all tasks", f"{tasks['task_seconds'].sum() / 60:.1f} minutes"))
    if "seed" in frame:
        seeds = frame["seed"].dropna()
        facts.append(("seeds", f"{seeds.min():.0f} to {seeds.max():.0f}, see the rows"))
    return facts


def notes_on_run(frame: pd.DataFrame, if_quick: str) -> Iterator[str]:
    """What keeps a run from being a complete one, a sentence or two for each.

    Parameters
    ----------
    frame : DataFrame
        Tidy rows.
    if_quick : str
        What a reader of a quick run is told first.
    """
    if (frame["size"] == QUICK).any():
        yield if_quick
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
    if by_status.get(CUT_OFF, 0):
        yield f"Fits cut off by the time budget: {by_status[CUT_OFF]}; --budget gives them more."
    if by_status.get(FAILED, 0):
        texts = frame.loc[frame["status"] == FAILED, "message"].unique()
        yield f"Tasks that failed: {by_status[FAILED]}. {'; '.join(texts)}"
