"""What a reader gets, as plain facts: sections with text, tables, figures by name, and verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from l1kpca.experiments import paper
from l1kpca.experiments.claims import ALL_CLAIMS
from l1kpca.experiments.sections import beyond, outliers, robustness, runtime, toys
from l1kpca.experiments.verdicts import HELD, NOT_HELD, NOT_JUDGED, PARTLY, Claim, Finding
from l1kpca.journal import FAILED
from l1kpca.page_parts import Section, about_run, notes_on_run

_IF_QUICK = "A quick run: its verdicts are about a small part of what the paper speaks of."
_MAKERS: dict[str, Callable[[pd.DataFrame], Section]] = {
    "robustness": robustness.section,
    "toys": toys.section,
    "outliers": outliers.section,
    "runtime": runtime.section,
    "beyond": beyond.section,
}


@dataclass(frozen=True)
class Judged:
    """A section with the claims that its rows decide."""

    experiment: str
    section: Section
    verdicts: list[tuple[Claim, Finding]] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """Everything on the page but the pictures themselves.

    Attributes
    ----------
    sections : list of Judged
        One for each experiment that has rows.
    tally : dict
        How many claims got each verdict.
    about : list of pair
        Versions, machine and times.
    notes : list of str
        What is missing from a complete run.
    """

    sections: list[Judged]
    tally: dict[str, int]
    about: list[tuple[str, str]]
    notes: list[str]
    reference: str = paper.REFERENCE


def make_page(frame: pd.DataFrame) -> Page:
    """Judge the claims and lay out the tables; reads rows, runs nothing.

    Parameters
    ----------
    frame : DataFrame
        The tidy rows of a run, complete or not.
    """
    present = [name for name in _MAKERS if (frame["experiment"] == name).any()]
    sections = []
    for name in present:
        own = frame[frame["experiment"] == name].dropna(axis="columns", how="all")
        own = own.reindex(columns=own.columns.union(["status", "message", "budget"], sort=False))
        if not (own["status"] == "done").any():
            continue
        verdicts = [(claim, claim.decide(own)) for claim in ALL_CLAIMS if claim.experiment == name]
        sections.append(Judged(name, _MAKERS[name](own[own["status"] != FAILED]), verdicts))
    findings = [finding for judged in sections for _, finding in judged.verdicts]
    tally = {
        verdict: sum(finding.verdict == verdict for finding in findings)
        for verdict in (HELD, PARTLY, NOT_HELD, NOT_JUDGED)
    }
    return Page(sections, tally, about_run(frame), list(notes_on_run(frame, _IF_QUICK)))
