"""A detector with all it takes to judge a table, here or on the workers of a cluster."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from l1kpca import KernelPCAOutlierDetector, TableEncoder
from l1kpca.cli.terminal import InputError, Terminal
from l1kpca.gram.cluster import the_cluster
from l1kpca.outliers import Judged, is_one_curve, make_rule, rule_name, varying
from l1kpca.report.ranking import Cases, Summary, summarize
from l1kpca.tables.encoder import Encoded, by_column
from l1kpca.tables.features import Change
from l1kpca.tables.kinds import KINDS, USED
from l1kpca.tables.table import Table, TableError, shown_list
from l1kpca.tables.totals import totals_among

_PLAIN = ("numbers", "dates", "0 and 1", "an array of numbers")
SAMPLE_ROWS = 200_000  # of a table, kept in memory; a detector learns from them
_TYPICAL_ROWS = 20_000
_SECONDS = 10  # to find a scheduler
_UNDER_WAY = 2  # batches for each thread of the workers
# A batch with its numbers, what was changed for that, and what a detector says of its rows.
_JudgedBatch = tuple[Any, tuple[np.ndarray, Sequence[Any], Judged]]
_PlacedRows = tuple[Encoded, Judged, np.ndarray]  # some rows, judged, and their places in the table


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted detector, which keeps how the columns of a table become numbers."""

    detector: KernelPCAOutlierDetector
    id_column: str | None  # the column that named the training rows
    names_given: bool  # whether the columns of the training rows had names of their own

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the model file."""
        from l1kpca import persistence

        attached = {"id_column": self.id_column, "names_given": self.names_given}
        persistence.save(self.detector, path, attached=attached, overwrite=overwrite)

    def check(self, table: Table) -> None:
        """Refuse a table without the columns that the detector looks at."""
        known = self.detector.encoder_.columns_
        lacking = [repr(name) for name in known if name not in table.feature_columns]
        if lacking:
            which = f"{'the column' if len(lacking) == 1 else 'columns'} {shown_list(lacking)}"
            fitted = f"the model was fitted on {len(known)} columns: {shown_list(known)}"
            raise TableError(f"{table.source} lacks {which}; {fitted}.")

    def judge(
        self, table: Table, n_kept: int, terminal: Terminal, parts: Iterable[_JudgedBatch] = (), *,
        spread: bool = False,
    ) -> Cases:  # fmt: skip
        """Judge all rows of a table, and keep the most abnormal ones.

        ``parts`` is what the fit said of consecutive rows; with ``spread`` the workers of a cluster
        do it.  Three numbers of every row stay in memory.
        """
        encoder, kept = self.detector.encoder_, list[_PlacedRows]()
        labels, changes = list[Any](), list[Change]()
        scores, flags = np.empty(table.n_rows), np.empty(table.n_rows, dtype=bool)
        holes, least, stop = np.zeros(len(encoder.columns_), dtype=int), -np.inf, 0
        with terminal.work(table.source, "scoring rows") as progress:
            if not parts:
                parts = each(_judged, self.detector, table.batches(progress), spread=spread)
            for frame, (X, changed, judged) in parts:
                start, stop = stop, stop + len(X)
                scores[start:stop], flags[start:stop] = judged.abnormality, judged.flagged
                labels.append(table.labels(frame))
                changes += changed
                holes += np.isnan(by_column(encoder, X, np.fmax)).sum(axis=0)
                part = Encoded(X, encoder, frame), judged, np.arange(start, stop)
                kept.append(taken([part], judged.abnormality >= least))
                if sum(len(rows) for *_, rows in kept) > 2 * n_kept:
                    best, least = _most_abnormal(kept, n_kept)
                    kept = [best]
            (encoded, judged, rows), _ = _most_abnormal(kept, n_kept)
            frame, used, ids = encoded.table, encoder.columns_, table.id_column
            sample = encoded if len(rows) == table.n_rows else _typical_rows(encoder, table.frame)
        terminal.note(_notes(changes, dict(zip(used, holes.tolist(), strict=True))))
        return Cases(
            detector=self.detector, X=encoded, judged=judged, rows=rows, columns=used,
            column_of=encoder.column_of_, scores=scores, flags=flags,
            labels=None if labels[0] is None else np.concatenate(labels),
            names=None if ids is None else frame[ids].to_numpy(dtype=object),
            cells={column: frame[column].array for column in table.feature_columns},
            sample=sample, sample_cells=sample.table,
        )  # fmt: skip


def summarized(
    cases: Cases, table: Table, top: int, terminal: Terminal, fdr: float | None,
    alpha: float | None,
) -> Summary:  # fmt: skip
    """What a detector says about rows; the first ``top`` are explained."""
    with terminal.work(table.source, "explaining rows"):
        summary = summarize(cases, table.source, top=top, fdr=fdr, alpha=alpha)
    detector, pca = cases.detector, cases.detector.pca_
    rule, contamination = detector.rule, detector.contamination
    summary.plain["notes"] = list(terminal.notes)
    summary.plain["settings"] = {
        "rule": rule_name(rule, contamination) if isinstance(rule, str) else repr(rule),
        "contamination": contamination, "kernel": pca.kernel, "gamma": pca.gamma_,
        "components": pca.n_components_, "training_rows": pca.X_fit_.shape[0],
        "seed": detector.random_state,
    }  # fmt: skip
    return summary


def changed(pca: Any, **options: Any) -> Any:
    """A kernel PCA with what the user stated; None leaves its own choice."""
    stated = {name: value for name, value in options.items() if value is not None}
    if stated.get("kernel", pca.kernel) != pca.kernel:
        # The width and the most components that are right for one kernel are not for another.
        stated = {"gamma": None, "max_components": None, **stated}
    return pca.set_params(**stated)


def fit_model(
    table: Table, settings: Mapping[str, Any], stated: Mapping[str, Any], terminal: Terminal
) -> tuple[Model, list[_JudgedBatch]]:
    """Fit a detector to the rows of a table that are in memory, and say what it says of them.

    ``settings`` are parameters of the detector, ``stated`` those of its kernel PCA; None leaves the
    choice to the rule.  If the rows are not all, nothing is said of them.
    """
    table.labels()  # refused before anything else
    encoded = learn(table, terminal)
    detector = KernelPCAOutlierDetector(**settings)
    if detector.scaling == "columns" and is_one_curve(encoded.X):
        hint = "if flat parts are noise, try --scaling common"
        terminal.note([f"neighboring columns look like one curve: {hint}"])
    with terminal.work(table.source):
        n_columns = int(varying(encoded.X).sum())
        own = make_rule(detector.rule, detector.contamination).kernel_pca(n_columns)
        own.set_params(verbose=int(terminal.is_watched))
        detector.set_params(pca=changed(own, **stated))
        model = Model(detector, table.id_column, table.names_given)
        if len(encoded) == table.n_rows:
            judged = detector.fit_judge(encoded)
            return model, [(table.frame, (encoded.X, encoded.changes, judged))]
        detector.fit(encoded)
    n, n_rows = len(encoded), table.n_rows
    terminal.note([f"the model is learned from {n} of {n_rows} rows, drawn at random"])
    return model, []


def learn(table: Table, terminal: Terminal) -> Encoded:
    """Decide how the columns of a table become numbers, and say it; gives the rows in memory."""
    terminal.note(table.notes)
    try:
        encoder = TableEncoder().fit(table.frame[table.feature_columns])
    except ValueError as error:
        raise TableError(f"{table.source}: {error}.") from error
    for kind in KINDS:
        names = [
            name if why in _PLAIN else f"{name} ({why})".replace("(dates (", "(").replace("))", ")")
            for name, why in encoder.reasons_.items()
            if encoder.kinds_[name] == kind
        ]
        about = kind if kind in USED else f"left out, {kind}"
        terminal.note([shown_list(names, 20)] if names else [], about)
    encoded = encoder.encode(table.frame)
    terminal.note(totals_among(encoded) if len(encoded) == table.n_rows else [])
    return encoded


def _judged(detector: KernelPCAOutlierDetector, frame: Any) -> tuple[Any, Any, Judged]:
    encoded = detector.encoder_.encode(frame)
    return encoded.X, encoded.changes, detector.judge(encoded)


def _most_abnormal(kept: Sequence[_PlacedRows], n_kept: int) -> tuple[_PlacedRows, float]:
    """The most abnormal of all rows, in their order, and how abnormal the last of them is."""
    known = np.concatenate([judged.abnormality for _, judged, _ in kept])
    best = np.argsort(-known, kind="stable")[:n_kept]
    return taken(kept, np.sort(best)), float(known[best].min())


def _typical_rows(encoder: TableEncoder, frame: pd.DataFrame) -> Encoded:
    """Rows spread over all that are in memory, which show what is usual."""
    return encoder.encode(frame.iloc[:: len(frame) // _TYPICAL_ROWS + 1])


def taken(values: Sequence[Any], rows: np.ndarray) -> Any:
    """Objects as one with some rows of all in each array; what has no rows is that of the first."""
    first, parts = values[0], {}
    if isinstance(first, np.ndarray):
        return np.concatenate(values)[rows]
    if isinstance(first, pd.DataFrame):
        return pd.concat(values, ignore_index=True).iloc[rows]
    if isinstance(first, tuple):
        return tuple(taken(places, rows) for places in zip(*values, strict=True))
    if not is_dataclass(first) or isinstance(first, type):
        return first
    for field in fields(first):
        parts[field.name] = taken([getattr(value, field.name) for value in values], rows)
    return replace(first, **parts)


def _notes(changes: Iterable[Change], holes: Mapping[str, int]) -> Iterator[str]:
    """Cells that are not taken as they are written, and those that are missing."""
    met: dict[tuple[str, str], Change] = {}
    for one in changes:
        first = met.get((one.column, one.what), replace(one, count=0))
        met[one.column, one.what] = replace(first, count=first.count + one.count)
    for one in met.values():
        cells = "cell is" if one.count == 1 else "cells are"
        yield f"{one.column!r}: {one.count:,} {cells} {one.what} (such as {one.example})"
    if total := sum(holes.values()):
        shown = shown_list([f"{name}: {count:,}" for name, count in holes.items() if count])
        what = f"{total:,} {'cell is' if total == 1 else 'cells are'} missing ({shown})"
        yield f"{what}: rows are judged by the cells that are there"


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
    cluster, waiting = the_cluster(), deque[tuple[Any, Any]]()
    sent = cluster.send(model)
    for batch in batches:
        waiting.append((batch, cluster.call(work, sent, batch)))
        if len(waiting) > _UNDER_WAY * cluster.n_threads:
            batch, task = waiting.popleft()
            yield batch, cluster.results([task])[0]
    for batch, task in waiting:
        yield batch, cluster.results([task])[0]
