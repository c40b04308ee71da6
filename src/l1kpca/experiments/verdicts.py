"""Claims and what the rows say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd

HELD, PARTLY, NOT_HELD = "held", "partly held", "did not hold"
NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Finding:
    """A verdict and the numbers behind it."""

    verdict: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A statement that rows can decide.

    Attributes
    ----------
    experiment : str
        Whose rows decide.
    statement : str
        What the paper says.
    criterion : str
        When it counts as held and as partly held, in words.
    judge : callable
        The same criterion in code: from rows to a finding.
    """

    experiment: str
    statement: str
    criterion: str
    judge: Callable[[pd.DataFrame], Finding]

    def decide(self, rows: pd.DataFrame) -> Finding:
        """Judge the finished rows of the experiment; without any, nothing is judged."""
        own = rows[(rows["experiment"] == self.experiment) & (rows["status"] != "failed")]
        if own.empty or not (own["status"] == "done").any():
            return Finding(NOT_JUDGED, "no rows")
        try:
            return self.judge(own)
        except MissingRowsError as missing:
            return Finding(NOT_JUDGED, str(missing))
        except KeyError as missing:  # a table of an incomplete run lacks a line or a column
            return Finding(NOT_JUDGED, f"no rows yet: {missing.args[0]}")


class MissingRowsError(LookupError):
    """Rows that a claim needs were not run."""


def by_share(decisions: Iterable[bool], partly: float, held: float = 1.0) -> tuple[str, str]:
    """A verdict from the share of cases in which something is so, and that share in words.

    Examples
    --------
    >>> by_share([True, True, False], partly=0.5)
    ('partly held', '2 of 3')
    """
    cases = list(decisions)
    if not cases:
        raise MissingRowsError("no case was run to its end")
    share = sum(cases) / len(cases)
    verdict = HELD if share >= held else PARTLY if share >= partly else NOT_HELD
    return verdict, f"{sum(cases)} of {len(cases)}"


def require(rows: pd.DataFrame, what: str) -> pd.DataFrame:
    """The rows, unless there are none."""
    if rows.empty:
        raise MissingRowsError(f"no rows: {what}")
    return rows
