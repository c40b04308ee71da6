"""Scores of all rows of a table that is read in batches, here or on the workers of a cluster."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from l1kpca.cli.terminal import InputError
from l1kpca.outliers import Judged
from l1kpca.report.ranking import Cases, Whole
from l1kpca.tables.encoder import Encoded, by_column
from l1kpca.tables.table import Table, shown_list

_SECONDS = 10  # to find a scheduler
_UNDER_WAY = 2  # batches for each thread of the workers
_TYPICAL_ROWS = 20_000


class Tally:
    """What was found so far: three numbers of every row, and all about the most abnormal ones."""

    def __init__(self, table: Table, n_kept: int) -> None:
        self._table, self._n_kept = table, n_kept
        self._scores, self._flags = np.empty(table.n_rows), np.empty(table.n_rows, dtype=bool)
        self._labels = None if table.label_column is None else np.empty(table.n_rows, dtype=np.int8)
        self._kept: list[tuple[Encoded, Judged, np.ndarray]] = []
        self._least, self._n_rows = -np.inf, 0
        self._holes: Counter[str] = Counter()
        self._changes: dict[tuple[str, str], tuple[int, str]] = {}

    def add(self, encoded: Encoded, judged: Judged) -> None:
        """Consecutive rows, and what the detector says of them."""
        encoder = encoded.encoder
        rows = slice(self._n_rows, self._n_rows + len(encoded))
        self._scores[rows], self._flags[rows] = judged.abnormality, judged.flagged
        labels = self._table.labels(encoded.table)
        if self._labels is not None and labels is not None:
            self._labels[rows] = labels
        holes = np.isnan(by_column(encoder, encoded.X, np.fmax)).sum(axis=0).tolist()
        self._holes.update(dict(zip(encoder.columns_, holes, strict=True)))
        for change in encoded.changes:
            what = change.column, change.what
            count, example = self._changes.get(what, (0, change.example))
            self._changes[what] = count + change.count, example
        high = np.flatnonzero(judged.abnormality >= self._least)
        self._kept.append((encoded[high], taken([judged], high), self._n_rows + high))
        self._n_rows += len(encoded)
        if sum(map(len, next(zip(*self._kept, strict=True)))) > 2 * self._n_kept:
            self._kept = [self._best()]

    def notes(self) -> Iterator[str]:
        """Cells that are not taken as they are written, and those that are missing."""
        for (column, what), (count, example) in self._changes.items():
            cells = "cell is" if count == 1 else "cells are"
            yield f"{column!r}: {count:,} {cells} {what} (such as {example})"
        total = self._holes.total()
        if total:
            shown = shown_list([f"{name}: {count:,}" for name, count in (+self._holes).items()])
            what = f"{total:,} {'cell is' if total == 1 else 'cells are'} missing ({shown})"
            yield f"{what}: rows are judged by the cells that are there"

    def cases(self) -> tuple[Cases, Judged]:
        """The most abnormal rows, with the whole table behind them if they are not all."""
        table, whole = self._table, None
        encoded, judged, rows = self._best()
        frame, encoder = encoded.table, encoded.encoder
        if len(rows) < self._n_rows:
            typical = table.frame.iloc[:: len(table.frame) // _TYPICAL_ROWS + 1]
            found = self._scores, self._flags, self._labels, rows, encoder.encode(typical).X
            whole = Whole(*found, lambda column: typical[column].array)
        ids = table.id_column
        cases = Cases(
            X=encoded, columns=encoder.columns_, column_of=encoder.column_of_,
            values=lambda column: frame[column].array,
            names=None if ids is None else frame[ids].to_numpy(dtype=object),
            labels=table.labels(frame), whole=whole,
            left_out=[name for name in table.feature_columns if name not in encoder.columns_],
        )  # fmt: skip
        return cases, judged

    def _best(self) -> tuple[Encoded, Judged, np.ndarray]:
        """The most abnormal rows so far, in the order of the table."""
        parts, found, places = zip(*self._kept, strict=True)
        scores = np.concatenate([judged.abnormality for judged in found])
        best = np.sort(np.argsort(-scores, kind="stable")[: self._n_kept])
        self._least = scores[best].min() if len(best) == self._n_kept else -np.inf
        tables = [part.table for part in parts]
        encoded = Encoded(
            np.concatenate([part.X for part in parts]),
            parts[0].encoder,
            tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True),
        )
        return encoded[best], taken(found, best), np.concatenate(places)[best]


def taken(values: Sequence[Any], rows: np.ndarray) -> Any:
    """Objects as one with some rows of all in each array; what is no array is that of the first."""
    first, parts = values[0], {}
    if isinstance(first, np.ndarray):
        return np.concatenate(values)[rows]
    if not is_dataclass(first) or isinstance(first, type):
        return first
    for field in fields(first):
        parts[field.name] = taken([*map(attrgetter(field.name), values)], rows)
    return type(first)(**parts)


def robust_scaling(X: np.ndarray, *, scale: bool = True) -> Callable[[np.ndarray], np.ndarray]:
    """Columns at median 0 and quartile distance 1; a missing number becomes the median.

    Where the quartiles agree up to rounding, the unit is kept.  Unlike scikit-learn's RobustScaler,
    this compares with the size of the column, so that its unit makes no difference.
    """
    half = X / 2  # differences of halves never overflow
    low, median, high = np.nanpercentile(half, [25, 50, 75], axis=0)
    spread = high - low
    rounding = 10 * np.finfo(half.dtype).eps * np.nanmax(np.abs(half), axis=0)
    spread = np.where(spread > rounding, spread, 0.5)

    def scaled(rows: np.ndarray) -> np.ndarray:
        known = np.where(np.isnan(rows), median, rows / 2)
        return (known - median) / spread if scale else known * 2

    return scaled


@contextmanager
def connected(address: str | None) -> Iterator[bool]:
    """Whether there is a cluster to work on; it is left when the command ends."""
    if address is None:
        yield False
        return
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        lacking = "--cluster needs dask, which is not installed; install it with: "
        raise InputError(f"{lacking}pip install 'l1kpca[dask]'.") from error
    # Batches travel within their tasks, so that the scheduler can repeat what a lost worker did.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        try:
            client = Client(address, timeout=_SECONDS)
        except (OSError, ValueError) as error:
            silent = f"--cluster {address}: no Dask scheduler answers"
            way_out = "give the address of one that runs, such as tcp://host:8786."
            raise InputError(f"{silent}; {way_out}") from error
        with client:
            yield True


def each(
    work: Callable[[Any, Any], Any], model: Any, batches: Iterable[Any], *, spread: bool
) -> Iterator[tuple[Any, Any]]:
    """Batches with what ``work(model, batch)`` gives, in their order; by workers if ``spread``."""
    if not spread:
        for batch in batches:
            yield batch, work(model, batch)
        return
    from l1kpca.gram.cluster import the_cluster

    cluster, waiting = the_cluster(), deque[tuple[Any, Any]]()
    sent = cluster.send(model)
    for batch in batches:
        waiting.append((batch, cluster.call(work, sent, batch)))
        if len(waiting) > _UNDER_WAY * cluster.n_threads:
            batch, task = waiting.popleft()
            yield batch, cluster.results([task])[0]
    for batch, task in waiting:
        yield batch, cluster.results([task])[0]
