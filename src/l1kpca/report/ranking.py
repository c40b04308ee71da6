"""The ranking of the rows: which are abnormal, why, and how many flags may be false."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

from l1kpca.outliers import Judged, promises
from l1kpca.outliers.calibration import too_few
from l1kpca.outliers.rules import check_level
from l1kpca.report.document import plain_value
from l1kpca.tables.encoder import unread_cells
from l1kpca.tables.kinds import NOT_READ
from l1kpca.tables.written import Dates

_N_REASONS = 3
_CONFIDENCE = 0.95
_DRIFT_LEVEL = 0.01
_HALF, _FEW = 0.5, 0.1  # estimates above the first are too rough for a number
_Promised = tuple[np.ndarray, float, dict[str, Any], dict[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Cases:
    """Rows that a detector has judged, of which perhaps only the most abnormal are at hand."""

    detector: Any
    X: Any  # rows at hand as the detector sees them: an array or an encoded table
    judged: Judged  # what the detector says about them
    columns: Sequence[str]  # names of the columns that are looked at
    column_of: np.ndarray  # for each feature, the place in `columns` it was made from
    cells: Mapping[str, Any]  # of the rows at hand, by column of the data, as a reader knows them
    rows: np.ndarray  # places of the rows at hand among all rows, from 0
    scores: np.ndarray  # of all rows, as are the flags
    flags: np.ndarray
    labels: np.ndarray | None  # the truth about all rows: 1 is an outlier, 0 is not
    sample: Any  # a uniform sample of all rows as the detector sees them
    sample_cells: Any  # the cells of the sample, by column
    names: Sequence[Any] | None = None  # ids of the rows at hand


@dataclass(frozen=True, eq=False)
class Summary:
    """All facts about one run of a detector."""

    cases: Cases  # with the flags that the user asked for
    plain: dict[str, Any]  # what JSON can hold; of single rows, only the top ones
    order: np.ndarray  # the rows at hand, the most abnormal first
    contributions: np.ndarray  # what each column adds to the scores of the first of these
    ranks: np.ndarray  # of all rows: 1 is the most abnormal, the first one of equals
    # Of all rows, with reference rows, "p_values" and "most_false": with 95% confidence, of a row
    # and all more abnormal ones no more are ordinary.  Without, "estimate": the share of these.
    known: dict[str, np.ndarray]


def cases_of(
    detector: Any, X: Any, labels: Any = None, names: Sequence[Any] | None = None,
    judged: Judged | None = None,
) -> Cases:  # fmt: skip
    """Rows of an array or a data frame, with labels and names that fit to them."""
    rows, encoder = np.asarray(X), detector.encoder_
    n_rows, n_columns = rows.shape
    framed = hasattr(X, "columns")
    columns = [str(name) for name in X.columns] if framed else [f"x{j}" for j in range(n_columns)]
    index = getattr(X, "index", None) if framed else None
    if names is None and index is not None and type(index).__name__ != "RangeIndex":
        names = list(index)
    if names is not None and len(names) != n_rows:
        raise ValueError(f"names has {len(names)} entries, but X has {n_rows} rows: give one each")
    if labels is not None:
        labels = np.asarray(labels)
        if labels.shape != (n_rows,):
            given = f"labels has shape {labels.shape}, but X has {n_rows} rows"
            raise ValueError(f"{given}: give one label for each row")
        found = np.unique(labels).tolist()
        if found != [0, 1]:
            shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
            wanted = "labels must hold 1 for outliers and 0 for other rows, and both must occur"
            raise ValueError(f"{wanted}: found {shown}")
        labels = labels.astype(np.int64)
    seen = rows if encoder is None else encoder.encode(X)
    cells = dict(zip(columns, rows.T, strict=True))
    judged = detector.judge(seen) if judged is None else judged
    if len(judged.abnormality) != n_rows:
        about = f"judged is about {len(judged.abnormality)} rows, but X has {n_rows}"
        raise ValueError(f"{about}: pass what detector.judge(X) gives")
    return Cases(
        detector=detector, X=seen, judged=judged, rows=np.arange(n_rows), names=names,
        columns=columns if encoder is None else encoder.columns_, cells=cells,
        column_of=np.arange(n_columns) if encoder is None else encoder.column_of_,
        scores=judged.abnormality, flags=judged.flagged, labels=labels,
        sample=seen, sample_cells=cells,
    )  # fmt: skip


def summarize(
    cases: Cases,
    source: str,
    *,
    top: int = 20,
    fdr: float | None = None,
    alpha: float | None = None,
) -> Summary:
    """Rank rows, and explain the most abnormal ones.

    With reference rows, ``fdr`` flags by a false discovery rate, ``alpha`` each row for itself with
    this chance of a false flag; without both, the rule flags.
    """
    flags, cutoff, promise, known = _promised(cases, fdr, alpha)
    judged = replace(cases.judged, flagged=flags[cases.rows])
    cases = replace(cases, flags=flags, judged=judged)
    order = np.argsort(-judged.abnormality, kind="stable")
    rows, contributions = _top(cases, order[:top], known.get("p_values"))
    plain = {
        "source": source, "n_rows": len(flags), "n_flagged": int(flags.sum()),
        "cutoff": plain_value(cutoff), "clear_line": cases.detector.clear_line_, "promise": promise,
        "columns": list(cases.columns), "settings": {}, "notes": [],
        "agreement": None if cases.labels is None else agreement(cases.labels, cases.scores),
        "top": rows,
    }  # fmt: skip
    ranks = rankdata(-cases.scores, method="ordinal").astype(np.uint32)
    return Summary(cases, plain, order, contributions, ranks, known)


def suspects(cases: Cases, top: int = 20) -> list[dict[str, Any]]:
    """The most abnormal reference rows that have no label, of the table that they are from."""
    return _top(cases, cases.detector.calibration_.suspects(top), None)[0]


def _top(
    cases: Cases, order: np.ndarray, p_values: np.ndarray | None
) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Rows with the columns that add most to their scores, and what each column adds."""
    if not len(order):
        return [], np.zeros((0, len(cases.columns)))
    contributions, found = np.asarray(cases.detector.explain(cases.X[order])), []
    _, expected, _, not_read = cells_of(cases, order)
    for place, row in enumerate(order.tolist()):
        adds, reasons, among_all = contributions[place], [], int(cases.rows[row])
        for j in np.argsort(-adds, kind="stable")[:_N_REASONS].tolist():
            if adds[j] > 0:
                column, why = cases.columns[j], not_read[place, j]
                value = cases.cells[column][row]
                reasons.append({
                    "column": plain_value(column),
                    "value": str(value) if why else plain_value(value),
                    **({"unread": why} if why else {}),
                    "contribution": float(adds[j]), "share": float(adds[j] / adds[adds > 0].sum()),
                    "expected": plain_value(expected[place, j]),
                })  # fmt: skip
        found.append({
            "rank": place + 1, "row": among_all + 1,
            "name": None if cases.names is None else plain_value(cases.names[row]),
            "score": float(cases.scores[among_all]),
            "p_value": None if p_values is None else float(p_values[among_all]),
            "flagged": bool(cases.flags[among_all]),
            "label": None if cases.labels is None else int(cases.labels[among_all]),
            "reasons": reasons,
        })  # fmt: skip
    return found, contributions


def agreement(labels: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    """Compare scores with the truth: 1 is an outlier, 0 is not; both must occur."""
    n_outliers = int(labels.sum())
    highest = np.argsort(-scores, kind="stable")[:n_outliers]
    return {
        "n_outliers": n_outliers,
        "average_precision": float(average_precision_score(labels, scores)),
        "roc_auc": float(roc_auc_score(labels, scores)),
        "precision_at_n": float(labels[highest].mean()),
    }


def cells_of(cases: Cases, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cells of some rows: residuals, what is expected where they stand out, whether they do.

    And why they could not be read, such as "not a number"; nothing is expected of those.
    """
    X, encoder, columns = cases.X[rows], cases.detector.encoder_, cases.columns
    found = cases.detector.cells(X)
    wrong = np.asarray(found.flagged)
    not_read = np.full(wrong.shape, "", dtype=object)
    if encoder is not None:
        unread = unread_cells(encoder, np.asarray(X))
        for j, name in enumerate(columns):
            not_read[unread[:, j], j] = NOT_READ.get(encoder.kinds_[name], "")
    told = wrong & (not_read == "")
    expected = np.where(told, np.asarray(found.expected, dtype=object), np.array(None))
    for row, j in zip(*told.nonzero(), strict=True):
        reader = None if encoder is None else encoder.plan_[columns[j]].reader
        if isinstance(reader, Dates) and expected[row, j] is not None:
            expected[row, j] = reader.written(expected[row, j])
    return np.asarray(found.residual, dtype=float), expected, wrong, not_read


def _promised(cases: Cases, fdr: float | None, alpha: float | None) -> _Promised:
    """The flags, their cut-off, what can be said of them, and what is known of each row."""
    if hasattr(cases.detector, "calibration_"):
        return _compared(cases, fdr, alpha)
    if fdr is not None or alpha is not None:
        lacking = "a promise about false flags needs reference rows, and there are none"
        way_out = "calibrate first (detect --reference, or the command calibrate)"
        raise ValueError(f"{lacking}: {way_out}")
    scores, flags, says, known = cases.scores, cases.flags, list[str](), {}
    try:
        share = known["estimate"] = promises.estimated_false_share(scores)
        if flags.any():
            ranked = share[np.argsort(-np.where(flags, scores, -np.inf))][: flags.sum()]
            says = [f"By a rough estimate, {_estimated(ranked)}"]
    except ValueError:  # too few rows, or scores with a heavy tail
        says = ["How many flags are false cannot be estimated without reference rows."]
    promise = {"n_reference": 0, "drift": None, "says": says}
    return flags, -float(cases.detector.offset_), promise, known


def _estimated(share: np.ndarray) -> str:
    """What the shares of ordinary rows down to each flagged row say; also in cutoff.js."""
    sure = int(np.max(np.flatnonzero(share <= _FEW) + 1, initial=0))
    if share[-1] <= _HALF:
        return f"{share[-1]:.0%} of the flagged rows are ordinary."
    if not sure:
        return "most of the flagged rows may be ordinary: begin with the first ones."
    first = "row is not" if sure == 1 else f"{sure:,} rows are unlikely to be"
    return f"the first {first} ordinary, but most of the other flagged rows may be."


def _compared(cases: Cases, fdr: float | None, alpha: float | None) -> _Promised:
    """The same by reference rows."""
    calibration, scores, flags = cases.detector.calibration_, cases.scores, cases.flags
    reference, cutoff = calibration.compared, -float(cases.detector.offset_)
    p, most = calibration.p_values(scores), promises.most_false(reference, scores, _CONFIDENCE)
    drift = promises.look_for_drift(reference, scores, _DRIFT_LEVEL)
    says, advice = [f"Rows were compared with {len(reference):,} reference rows."], ""
    if fdr is not None:
        check_level("fdr", fdr)
        flags, advice = promises.benjamini_hochberg(p, fdr), calibration.advice(scores, fdr)
        says.append(f"On average, at most {fdr:.0%} of the flags of such a selection are false.")
    elif alpha is not None:
        check_level("alpha", alpha)
        flags, advice = p <= alpha * (1 + 1e-12), too_few("alpha", alpha, len(reference))
        says.append(f"An ordinary row is flagged with a chance of at most {alpha:.2g}.")
    if fdr is not None or alpha is not None:  # the line is between the flagged rows and the others
        above, below = scores[flags], scores[~flags]
        highest = below.max() if len(below) else 0.0
        cutoff = float((above.min() + highest) / 2 if len(above) else highest)
    if advice:
        says.append(f"{advice[0].upper()}{advice[1:]}.")
    if flags.any():
        at_most, count = int(most[flags].max()), int(flags.sum())
        false = "is false" if at_most == 1 else "are false"
        says.append(f"With 95% confidence, at most {at_most:,} of the {count:,} flags {false}.")
    elif not advice and fdr is not None:
        says.append("Too few rows stand out from the reference; outliers among it may hide them.")
    promise = {
        "n_reference": len(reference), "says": [*says, str(drift)],
        "drift": {"found": drift.found, "evidence": drift.evidence},
    }  # fmt: skip
    return flags, cutoff, promise, {"p_values": p, "most_false": most}
