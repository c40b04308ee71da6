"""Scores of all rows of a table that is read in batches, here or on the workers of a cluster."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_Part = tuple[Encoded, Judged, np.ndarray]  # rows, what is said of them, and their places


def tallied(
    table: Table, parts: Iterable[tuple[Encoded, Judged]], n_kept: int
) -> tuple[Cases, Judged, Iterator[str]]:
    """The most abnormal of all rows, what is said of them, and notes on the cells of all.

    ``parts`` are consecutive rows; three numbers of every row stay in memory.
    """
    scores, flags = np.empty(table.n_rows), np.empty(table.n_rows, dtype=bool)
    kept: list[_Part] = []
    labels: list[Any] = []
    holes: Counter[str] = Counter()
    changes: dict[tuple[str, str], tuple[int, str]] = {}
    least, stop = -np.inf, 0
    for encoded, judged in parts:
        start, stop = stop, stop + len(encoded)
        scores[start:stop], flags[start:stop] = judged.abnormality, judged.flagged
        labels.append(table.labels(encoded.table))
        empty = np.isnan(by_column(encoded.encoder, encoded.X, np.fmax)).sum(axis=0).tolist()
        holes.update(dict(zip(encoded.encoder.columns_, empty, strict=True)))
        for change in encoded.changes:
            count, example = changes.get((change.column, change.what), (0, change.example))
            changes[change.column, change.what] = count + change.count, example
        high = np.flatnonzero(judged.abnormality >= least)
        kept.append((encoded[high], taken([judged], high), start + high))
        if sum(map(len, next(zip(*kept, strict=True)))) > 2 * n_kept:
            kept = [_best(kept, n_kept)]
            least = kept[0][1].abnormality.min()
    encoded, judged, rows = _best(kept, n_kept)
    whole, typical = None, table.frame.iloc[:: len(table.frame) // _TYPICAL_ROWS + 1]
    if len(rows) < table.n_rows:
        found = scores, flags, None if labels[0] is None else np.concatenate(labels), rows
        sample = encoded.encoder.encode(typical).X
        whole = Whole(*found, sample, lambda column: typical[column].array)
    return _cases(table, encoded, whole), judged, _notes(changes, holes)


def _best(kept: list[_Part], n_kept: int) -> _Part:
    """The most abnormal rows so far, in the order of the table."""
    parts, found, places = zip(*kept, strict=True)
    abnormality = np.concatenate([*map(attrgetter("abnormality"), found)])
    best = np.sort(np.argsort(-abnormality, kind="stable")[:n_kept])
    return taken(parts, best), taken(found, best), taken(places, best)


def _cases(table: Table, encoded: Encoded, whole: Whole | None) -> Cases:
    frame, used, ids = encoded.table, encoded.encoder.columns_, table.id_column
    return Cases(
        X=encoded, columns=used, column_of=encoded.encoder.column_of_,
        values=lambda column: frame[column].array,
        names=None if ids is None else frame[ids].to_numpy(dtype=object),
        labels=table.labels(frame), whole=whole,
        left_out=[name for name in table.feature_columns if name not in used],
    )  # fmt: skip


def _notes(changes: Mapping[Any, tuple[int, str]], holes: Counter[str]) -> Iterator[str]:
    """Cells that are not taken as they are written, and those that are missing."""
    for (column, what), (count, example) in changes.items():
        cells = "cell is" if count == 1 else "cells are"
        yield f"{column!r}: {count:,} {cells} {what} (such as {example})"
    total = holes.total()
    if total:
        shown = shown_list([f"{name}: {count:,}" for name, count in (+holes).items()])
        what = f"{total:,} {'cell is' if total == 1 else 'cells are'} missing ({shown})"
        yield f"{what}: rows are judged by the cells that are there"


def taken(values: Sequence[Any], rows: np.ndarray) -> Any:
    """Objects as one with some rows of all in each array; what has no rows is that of the first."""
    first, parts = values[0], {}
    if isinstance(first, np.ndarray):
        return np.concatenate(values)[rows]
    if isinstance(first, pd.DataFrame):
        return pd.concat(values, ignore_index=True).iloc[rows]
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
def connected(address: str) -> Iterator[bool]:
    """True, with a cluster to work on, which is left when the command ends."""
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
