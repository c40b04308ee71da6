"""A detector with all it takes to judge a table, and what it says as tables on the terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from l1kpca import KernelPCAOutlierDetector, TableEncoder
from l1kpca.cli import cluster
from l1kpca.cli.terminal import Terminal
from l1kpca.outliers import Judged, is_one_curve, make_rule, rule_name, varying
from l1kpca.report.document import short, shown_value
from l1kpca.report.ranking import Cases, Summary, Whole, summarize
from l1kpca.tables.encoder import Encoded, by_column
from l1kpca.tables.kinds import KINDS, USED
from l1kpca.tables.table import Table, TableError, shown_list
from l1kpca.tables.totals import totals_among

_PLAIN = ("numbers", "dates", "0 and 1", "an array of numbers")
SAMPLE_ROWS = 200_000  # of a table, kept in memory; a detector learns from them
_TYPICAL_ROWS = 20_000
_Part = tuple[Encoded, Judged, np.ndarray]  # rows, what is said of them, and their places


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
        self, table: Table, n_kept: int, terminal: Terminal,
        parts: Iterable[tuple[Encoded, Judged]] = (), *, spread: bool = False,
    ) -> tuple[Cases, Judged]:  # fmt: skip
        """Judge all rows of a table, and keep the most abnormal ones.

        ``parts`` is what the fit said of them; with ``spread`` the workers of a cluster do it.
        """
        encoder = self.detector.encoder_
        with terminal.work(table.source, "scoring rows") as progress:
            if not parts:
                found = cluster.each(_judged, self.detector, table.batches(progress), spread=spread)
                parts = ((Encoded(X, encoder, rows, how), said) for rows, (X, how, said) in found)
            cases, judged, notes = tallied(table, parts, n_kept)
        terminal.note(notes)
        return cases, judged

    def summary(
        self, cases: Cases, judged: Judged, source: str, top: int, terminal: Terminal,
        fdr: float | None, alpha: float | None,
    ) -> Summary:  # fmt: skip
        """What the detector says about rows; the first ``top`` are explained."""
        with terminal.work(source, "explaining rows"):
            summary = summarize(
                self.detector, cases, source, top=top, judged=judged, fdr=fdr, alpha=alpha
            )
        detector, pca = self.detector, self.detector.pca_
        rule, contamination = detector.rule, detector.contamination
        summary.plain["notes"] = terminal.notes
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


def _judged(detector: KernelPCAOutlierDetector, frame: Any) -> tuple[Any, Any, Judged]:
    """Rows as numbers, what was changed for that, and what the detector says of them."""
    encoded = detector.encoder_.encode(frame)
    return encoded.X, encoded.changes, detector.judge(encoded)


def fit_model(
    table: Table, settings: Mapping[str, Any], stated: Mapping[str, Any], terminal: Terminal
) -> tuple[Model, list[tuple[Encoded, Judged]]]:
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
            return model, [(encoded, detector.fit_judge(encoded))]
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
    frame, used, ids = encoded.table, encoded.encoder.columns_, table.id_column
    cases = Cases(
        X=encoded, columns=used, column_of=encoded.encoder.column_of_,
        values=lambda column: frame[column].array,
        names=None if ids is None else frame[ids].to_numpy(dtype=object),
        labels=table.labels(frame), whole=whole,
        left_out=[name for name in table.feature_columns if name not in used],
    )  # fmt: skip
    return cases, judged, _notes(changes, holes)


def _best(kept: list[_Part], n_kept: int) -> _Part:
    """The most abnormal rows so far, in the order of the table."""
    parts, found, places = zip(*kept, strict=True)
    abnormality = np.concatenate([*map(attrgetter("abnormality"), found)])
    best = np.sort(np.argsort(-abnormality, kind="stable")[:n_kept])
    return taken(parts, best), taken(found, best), taken(places, best)


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


def cells_of(top: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Rows as they are shown, with their reasons."""
    with_names, rows = {row["name"] for row in top} != {None}, []
    for row in top:
        cells = {"rank#": str(row["rank"]), "row#": str(row["row"])}
        if with_names:
            cells["id"] = shown_value(row["name"])
        cells["score#"] = shown_value(row["score"])
        if row["p_value"] is not None:
            cells["p#"] = shown_value(row["p_value"])
        cells["flag"] = "outlier" if row["flagged"] else ""
        if row["label"] is not None:
            cells["truth"] = "outlier" if row["label"] else "inlier"
        reasons = []
        for one in row["reasons"]:
            value, more = shown_value(one["value"]), ""
            if "unread" in one:
                value, more = repr(value), f": {one['unread']}"
            elif one["expected"] is not None:
                more = f", expected about {shown_value(short(one['expected'], 3))}"
            reasons.append(f"{shown_value(one['column'])} = {value}{more} ({one['share']:.0%})")
        cells["most responsible columns (share of the score)"] = ", ".join(reasons)
        rows.append(cells)
    return rows


def show(summary: Summary, table: Table, terminal: Terminal) -> None:
    """Write scores, ranks and flags; show the most abnormal rows, and how well they fit the truth.

    The file has the rows as read, and p-values if there are reference rows.
    """
    plain = summary.plain
    added = {"score": summary.whole.scores, "rank": summary.ranks}
    added["flag"] = summary.whole.flags.astype("int8")
    if "p_values" in summary.known:
        added["p_value"] = summary.known["p_values"]
    terminal.write_table(table, added)
    terminal.table(f"The most abnormal rows of {plain['source']}", cells_of(plain["top"]))
    n, n_rows = plain["n_flagged"], plain["n_rows"]
    flagged = f"{n:,} of {n_rows:,} rows are flagged: their score is above the"
    none = f"None of the {n_rows:,} rows is flagged: no score is above the"
    unclear = "" if plain["clear_line"] else " There is no clear line: many rows are near it."
    terminal.say(f"{flagged if n else none} cut-off {plain['cutoff']:.4g}.{unclear}")
    for sentence in plain["promise"]["says"]:
        terminal.say(sentence)
    found = plain["agreement"]
    if found is not None:
        precision, area = found["average_precision"], found["roc_auc"]
        terminal.say(f"Average precision {precision:.3f}, ROC-AUC {area:.3f}.")
        many = found["n_outliers"]
        first = f"Precision among the top {many:,} rows, as many as there are outliers"
        terminal.say(f"{first}: {found['precision_at_n']:.3f}.")
    terminal.finish(plain)
