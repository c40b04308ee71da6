"""The columns of a table: what is usual, what is missing, and what the flagged rows have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca.report.facts import Cases, Whole
from l1kpca.report.values import range_text, short, shown_value

USUAL = (0.05, 0.5, 0.95)
"""The usual range holds 90% of the rows."""
_N_BINS = 24
_MOST_LEVELS = 8
_DAY = 86_400


@dataclass(frozen=True, eq=False)
class Column:
    """What is usual in one column: a range of numbers or days, or its most frequent value."""

    name: str
    kind: str
    feature: int
    """Of the numbers that the detector sees, the first one that is made from the column."""
    missing: float  # share of the rows
    low: float
    median: float
    high: float
    usual: str  # the range, or the most frequent value, as a reader sees it
    share: float | None  # of the most frequent value; None where there is a range

    def side(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """1 above the usual range, -1 below, 0 within; and whether it is far from it.

        Without a range, 1, and not far.
        """
        if self.share is not None:
            return np.ones(len(rows), dtype=int), np.zeros(len(rows), dtype=bool)
        values = rows[:, self.feature]
        beyond = np.maximum(values - self.high, self.low - values)
        return np.where(values > self.high, 1, -1) * (beyond > 0), beyond > self.high - self.low

    def says(self, above: bool, far: bool) -> str:
        """What is wrong with rows that are all on one side."""
        if self.share is not None:
            return f"{self.name} does not fit the rest of the row (usually {self.usual})"
        words = ("before", "after") if self.kind == "date" else ("below", "above")
        return f"{self.name} is {'far ' if far else ''}{words[above]} the usual {self.usual}"

    def facts(self, blame: float) -> dict[str, Any]:
        """For a page, with the share of the blame for all flagged rows."""
        range_or_share: dict[str, Any] = {"share": short(self.share)}
        if self.kind == "number":
            range_or_share = {
                name: short(getattr(self, name)) for name in ("low", "median", "high")
            }
        known = {"name": self.name, "kind": self.kind, "usual": self.usual}
        return known | range_or_share | {"missing": short(self.missing), "blame": short(blame)}


def columns_of(cases: Cases, whole: Whole) -> list[Column]:
    """What is usual in each column of a table."""
    encoder, sample = getattr(cases.X, "encoder", None), np.asarray(whole.sample)
    quantiles = np.nanquantile(sample, USUAL, axis=0)
    found = []
    for j, name in enumerate(cases.columns):
        kind = "number" if encoder is None else encoder.kinds_[name]
        features = np.flatnonzero(cases.column_of == j)
        low, median, high = quantiles[:, features[0]].tolist()
        usual, share = range_text(low, high), None
        if kind == "date":
            days = (np.array([low, high]) * _DAY).astype("datetime64[s]").astype("datetime64[D]")
            usual = f"{days[0]} to {days[1]}"
        elif kind != "number":
            cells = Counter(map(shown_value, whole.cells(name)))
            usual, count = cells.most_common(1)[0]
            share = count / cells.total()
        missing = float(np.isnan(sample[:, features]).all(axis=1).mean())
        found.append(
            Column(
                shown_value(name), kind, int(features[0]), missing, low, median, high, usual, share
            )
        )
    return found


def chart(
    column: Column, cells: tuple[Any, Any], sample: np.ndarray, rows: np.ndarray
) -> dict[str, Any]:
    """How often values occur in all rows and in the flagged ones.

    ``cells`` are what readers see of both, ``sample`` and ``rows`` what the detector sees.
    """
    if column.share is None:
        values, flagged = (part[:, column.feature] for part in (sample, rows))
        width = column.high - column.low
        low = max(np.nanmin(values), column.low - width)
        high = min(np.nanmax(values), column.high + width)
        edges = np.linspace(low, high if high > low else low + 1, _N_BINS + 1)
        counts = [
            np.histogram(np.clip(part[~np.isnan(part)], edges[0], edges[-1]), edges)[0].tolist()
            for part in (values, flagged)
        ]
        ends = range_text(low, high).split(" to ") if column.kind == "number" else None
        return {"counts": counts, "ends": ends}
    found = [Counter(map(shown_value, part)) for part in cells]
    levels = [level for level, _ in found[0].most_common(_MOST_LEVELS)]
    counts = [[one[level] for level in levels] for one in found]
    if len(found[0]) > len(levels):
        levels.append("other")
        counts = [[*few, one.total() - sum(few)] for few, one in zip(counts, found, strict=True)]
    return {"counts": counts, "levels": levels}
