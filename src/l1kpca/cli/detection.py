"""A detector with all it takes to judge a table, and what it says as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from l1kpca import KernelPCAOutlierDetector, TableEncoder
from l1kpca.cli.cluster import each
from l1kpca.cli.scoring import Tally
from l1kpca.cli.terminal import Outputs, Terminal
from l1kpca.outliers import Judged, is_one_curve, make_rule, rule_name, varying
from l1kpca.report.facts import Cases, Reason, Summary, SuspiciousRow, to_plain
from l1kpca.report.ranking import summarize
from l1kpca.report.values import short, shown_value
from l1kpca.tables.encoder import Encoded
from l1kpca.tables.kinds import KINDS, USED
from l1kpca.tables.table import Table, TableError, shown_list
from l1kpca.tables.totals import totals_among

_PLAIN = ("numbers", "dates", "0 and 1", "an array of numbers")
SAMPLE_ROWS = 200_000
"""Rows of a table that are kept in memory; a detector learns from them."""


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted detector, which keeps how the columns of a table become numbers."""

    detector: KernelPCAOutlierDetector
    id_column: str | None
    """The column that named the training rows."""
    names_given: bool
    """Whether the columns of the training rows had names of their own."""

    @property
    def encoder(self) -> TableEncoder:
        """From the columns of a table to numbers."""
        return self.detector.encoder_

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the model file."""
        from l1kpca import persistence

        attached = {"id_column": self.id_column, "names_given": self.names_given}
        persistence.save(self.detector, path, attached=attached, overwrite=overwrite)

    def check(self, table: Table) -> None:
        """Refuse a table without the columns that the detector looks at."""
        known = self.encoder.columns_
        lacking = [repr(name) for name in known if name not in table.feature_columns]
        if lacking:
            raise TableError(
                f"{table.source} lacks {'the column' if len(lacking) == 1 else 'columns'}"
                f" {shown_list(lacking)}; the model was fitted on {len(known)} columns:"
                f" {shown_list(known)}."
            )

    def judge(
        self,
        table: Table,
        n_kept: int,
        terminal: Terminal,
        judged: Judged | None = None,
        *,
        spread: bool = False,
    ) -> tuple[Cases, Judged]:
        """Judge all rows of a table, and keep the most abnormal ones.

        ``judged`` is what the fit said of the rows, if they are all in memory.  With ``spread`` the
        workers of a cluster judge them.
        """
        tally = Tally(table, n_kept)
        with terminal.work(table.source, "scoring rows") as progress:
            if judged is not None:
                tally.add(self.encoder.encode(table.frame), judged)
            batches = table.batches(progress) if judged is None else ()
            for frame, found in each(_judged, self.detector, batches, spread=spread):
                X, changes, judged = found
                tally.add(Encoded(X, self.encoder, frame, changes), judged)
        terminal.note(tally.notes())
        return tally.cases()

    def summary(
        self,
        cases: Cases,
        judged: Judged,
        source: str,
        top: int,
        terminal: Terminal,
        fdr: float | None,
        alpha: float | None,
    ) -> Summary:
        """What the detector says about rows; the first ``top`` are explained."""
        with terminal.work(source, "explaining rows"):
            summary = summarize(
                self.detector, cases, source, top=top, judged=judged, fdr=fdr, alpha=alpha
            )
        detector, pca = self.detector, self.detector.pca_
        rule, contamination = detector.rule, detector.contamination
        settings = {
            "rule": rule_name(rule, contamination) if isinstance(rule, str) else repr(rule),
            "contamination": contamination,
            "kernel": pca.kernel,
            "gamma": pca.gamma_,
            "components": pca.n_components_,
            "training_rows": pca.X_fit_.shape[0],
            "seed": detector.random_state,
        }
        return replace(summary, settings=settings, notes=tuple(terminal.notes))


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
) -> tuple[Model, Judged | None]:
    """Fit a detector to the rows of a table that are in memory.

    ``settings`` are parameters of the detector.  ``stated`` are parameters of its kernel PCA that
    the user gave; where they are None, the rule has its own.  Returns what the fit says of the
    rows, too, if they are all.
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
            return model, detector.fit_judge(encoded)
        detector.fit(encoded)
    n, n_rows = len(encoded), table.n_rows
    terminal.note([f"the model is learned from {n} of {n_rows} rows, drawn at random"])
    return model, None


def learn(table: Table, terminal: Terminal) -> Encoded:
    """Decide how the columns of a table become numbers, and say it; gives the rows in memory."""
    terminal.note(table.notes)
    try:
        encoder = TableEncoder().fit(table.frame[table.feature_columns])
    except ValueError as error:
        raise TableError(f"{table.source}: {error}.") from error
    for kind in KINDS:
        reasons = {n: r for n, r in encoder.reasons_.items() if encoder.kinds_[n] == kind}
        names = [
            name if why in _PLAIN else f"{name} ({why})".replace("(dates (", "(").replace("))", ")")
            for name, why in reasons.items()
        ]
        about = kind if kind in USED else f"left out, {kind}"
        terminal.note([shown_list(names, 20)] if names else [], about)
    encoded = encoder.encode(table.frame)
    terminal.note(totals_among(encoded) if len(encoded) == table.n_rows else [])
    return encoded


def write_scores(summary: Summary, table: Table, outputs: Outputs, terminal: Terminal) -> None:
    """Write the rows as read, with score, rank and flag beside them, and p-values if known."""
    added = {"score": summary.whole.scores, "rank": summary.ranks}
    added["flag"] = summary.whole.flags.astype("int8")
    if summary.promise.p_values is not None:
        added["p_value"] = summary.promise.p_values
    outputs.write_table(table, added, terminal)


def cells_of(top: Sequence[SuspiciousRow]) -> list[dict[str, str]]:
    """Rows as they are shown, with their reasons."""
    with_names = any(row.name is not None for row in top)
    with_truth = any(row.label is not None for row in top)
    rows = []
    for row in top:
        cells = {"rank#": str(row.rank), "row#": str(row.row)}
        if with_names:
            cells["id"] = shown_value(row.name)
        cells["score#"] = shown_value(row.score)
        if row.p_value is not None:
            cells["p#"] = shown_value(row.p_value)
        cells |= {"flag": "outlier" if row.flagged else ""}
        if with_truth:
            cells["truth"] = "outlier" if row.label else "inlier"
        reasons = ", ".join(map(_reason, row.reasons))
        cells["most responsible columns (share of the score)"] = reasons
        rows.append(cells)
    return rows


def _reason(reason: Reason) -> str:
    """A column with its cell, what it should have been if it stands out, and its share."""
    value, about = shown_value(reason.value), ""
    if reason.expected is not None:
        about = f", expected about {shown_value(short(reason.expected, 3))}"
    return f"{shown_value(reason.column)} = {value}{about} ({reason.share:.0%})"


def show(summary: Summary, outputs: Outputs, terminal: Terminal) -> None:
    """The most abnormal rows with their reasons, how well the truth was met, what was written."""
    terminal.show_notes()
    terminal.table(f"The most abnormal rows of {summary.source}", cells_of(summary.top))
    flagged = f"{summary.n_flagged} of {summary.n_rows} rows are flagged: their score is above the"
    none = f"None of the {summary.n_rows} rows is flagged: no score is above the"
    terminal.say(
        f"{flagged if summary.n_flagged else none} cut-off {summary.cutoff:.4g}."
        f"{'' if summary.clear_line else ' There is no clear line: many rows are near it.'}"
    )
    for sentence in summary.promise.says:
        terminal.say(sentence)
    found = summary.agreement
    if found is not None:
        terminal.say(
            f"Average precision {found.average_precision:.3f}, ROC-AUC {found.roc_auc:.3f}."
        )
        terminal.say(
            f"Precision among the top {found.n_outliers} rows, as many as there are outliers:"
            f" {found.precision_at_n:.3f}."
        )
    outputs.finish(to_plain(summary), terminal)
