"""A table as it was read, and its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Progress = Callable[[float, float], None]
"""Called with done and total."""

_OUTLIER_WORDS = {
    "1", "true", "yes", "y", "t", "outlier", "anomaly", "anomalous", "abnormal", "fraud",
    "attack", "malicious", "bad", "defect", "positive",
}  # fmt: skip


_NO_LABEL = ""


class TableError(ValueError):
    """A table cannot be used; the text is one sentence that names the place and the way out."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as they were read: all columns, in the order of the source.

    ``frame`` holds all of the ``n_rows`` rows, or a uniform sample of them.  The id, the label and
    what is ignored are no features, nor is ``truth_column``, which the source itself marks as the
    truth.
    """

    frame: pd.DataFrame
    source: str
    id_column: str | None = None
    label_column: str | None = None
    truth_column: str | None = None
    ignored: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    names_given: bool = True
    notes: tuple[str, ...] = ()
    n_rows: int = 0
    label_counts: Mapping[str, int] | None = None
    again: Callable[[Progress], Iterator[pd.DataFrame]] | None = None

    def batches(self, progress: Progress = lambda done, total: None) -> Iterator[pd.DataFrame]:
        """All rows, one batch after the other; those in memory if they are all."""
        if self.again is None or len(self.frame) == self.n_rows:
            yield self.frame
        else:
            yield from self.again(progress)

    @property
    def feature_columns(self) -> list[str]:
        """Columns that describe the rows."""
        apart = {self.id_column, self.label_column, self.truth_column, *self.ignored}
        names = self.only or self.frame.columns
        return [name for name in names if name not in apart]

    def labels(self, frame: pd.DataFrame | None = None) -> np.ndarray | None:
        """The label column of rows as 0 (inlier) and 1 (outlier), None without one.

        Of two values that say nothing by themselves the rarer one of all rows is the outlier.
        """
        name = self.label_column
        if name is None:
            return None
        values = (self.frame if frame is None else frame)[name]
        words = values.map(label_word)
        known = [word for word, _ in Counter(self.label_counts or words).most_common()]
        where = f"{self.source}: the label column {name!r}"
        if _NO_LABEL in known:
            holes = values.isna().to_numpy()
            row = f"row {holes.argmax() + 1}" if holes.any() else "some rows"
            raise TableError(f"{where} has no value in {row}; fill it, or leave --label out.")
        if len(known) > 2:
            shown = ", ".join(map(repr, sorted(known)[:4]))
            raise TableError(
                f"{where} has more than two values ({shown}); give a column with one for outliers"
                " and one for the other rows."
            )
        if len(known) == 1:
            raise TableError(
                f"{where} is {known[0]!r} in every row, so there is nothing to compare; leave"
                " --label out."
            )
        told = [word for word in known if word in _OUTLIER_WORDS]
        told = ["-1"] if "-1" in known else told  # as scikit-learn writes outliers
        outlier = told[0] if len(told) == 1 else known[-1]
        return (words == outlier).to_numpy().astype(np.int8)


def label_word(cell: Any) -> str:
    """A label in one way of writing: 1, 1.0 and "1 " are the same."""
    return ("" if pd.isna(cell) else str(cell)).strip().casefold().removesuffix(".0")


def shown_option(option: str, name: str) -> str:
    """An option of the command line for a column, as it is typed."""
    return f'--{option} "{name}"' if " " in name else f"--{option} {name}"


def shortened(text: str) -> str:
    """The beginning of a text, in quotes."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def shown_list(names: list[str], at_most: int = 8) -> str:
    """Names for a message, the last ones left out if there are many."""
    shown = ", ".join(names[:at_most])
    return f"{shown} and {len(names) - at_most} more" if len(names) > at_most else shown
