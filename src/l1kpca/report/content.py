"""From a fitted detector and rows to all that a page shows, as what JSON can hold."""

import platform
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy.stats import rankdata
from sklearn.utils.validation import check_is_fitted

from l1kpca import L1KernelPCA, __version__
from l1kpca.estimators.l2_kernel_pca import L2KernelPCA
from l1kpca.optimality.sdp import certified
from l1kpca.outliers import rule_name
from l1kpca.report.document import Report, packed, short, shown_value, within
from l1kpca.report.ranking import Cases, Summary, agreement, cases_of, summarize, suspects
from l1kpca.report.reasons import reasons
from l1kpca.threads import computing

_SHARED = ("n_rows", "n_flagged", "cutoff", "clear_line", "agreement", "notes")
_OF_COLUMNS = ("name", "kind", "usual", "low", "median", "high", "missing", "blame")
_OF_KINDS = ("says", "column", "n_rows")
SCHEMA = 1  # of ``Report.json``; a new one takes nothing away and renames nothing
MOST_LISTED = 100_000  # rows on a page, the most abnormal ones; all are ranked and counted
_BYTES_OF_IDS, _LONGEST_SOURCE, _MOST_NAMED = 800_000, 80, 20
_N_BINS, _TAIL_RANKS, _MOST_STEPS = 60, 200, 60
_MOST_DRAWN, _ALWAYS_DRAWN = 5000, 2000
_FAR_BEYOND = 200  # times the line: a score that needs a logarithmic axis
_COMPARED_ROWS = 2000  # of the training rows: more eigenvectors would take too long
_CERTIFIED_ROWS, _CERTIFIED_COMPONENTS = 500, 3


def report(
    detector: Any, X: Any, *, labels: Any = None, names: Sequence[Any] | None = None,
    source: str = "the data", top: int = 20, judged: Any = None,
) -> Report:  # fmt: skip
    """Make a page that shows which rows look wrong, why, and what to do next.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted.
    X : array-like or data frame of shape (n_rows, n_features)
        Rows, usually those of the fit.
    labels : array-like of shape (n_rows,), default=None
        The truth if it is known: 1 is an outlier, 0 is not.
    names : sequence of length n_rows, default=None
        Ids of the rows; None takes the index of a pandas frame, unless it just counts.
    source : str, default="the data"
        What the rows together are called.
    top : int, default=20
        Minimum number of rows to explain; more if it takes only seconds.
    judged : Judged, default=None
        What ``judge`` or ``fit_judge`` of the detector said about the rows; None asks it.

    Returns
    -------
    report : Report
        Shows itself in a notebook; ``save`` writes a file.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> from l1kpca.report import report
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> X[7] = 9.0
    >>> page = report(KernelPCAOutlierDetector(random_state=0).fit(X), X, source="sensors")
    >>> page.facts["n_rows"], page.to_html()[:15]
    (50, '<!DOCTYPE html>')
    """
    if not hasattr(detector, "outlier_map"):
        given = f"detector={type(detector).__name__}"
        raise ValueError(f"{given} must be a fitted KernelPCAOutlierDetector")
    check_is_fitted(detector)
    if getattr(detector.pca_, "kernel", None) == "precomputed":
        lacking = "the columns of the rows, which kernel='precomputed' does not have"
        raise ValueError(f"a report needs {lacking}: pass the rows and a kernel instead")
    return report_of(summarize(cases_of(detector, X, labels, names, judged), source, top=top))


def report_of(
    summary: Summary, command: str | None = None, reference: Cases | None = None
) -> Report:
    """The page about rows that were judged before; it asks about suspicious reference rows."""
    plain, order = summary.plain, summary.order[:MOST_LISTED]
    where: Any = summary.cases.judged.outlier_map
    source = shown_value(plain["source"], longest=len(plain["source"]))
    if len(source) > _LONGEST_SOURCE:  # of a path the end says most
        source = f"...{source[3 - _LONGEST_SOURCE :]}"
    asked: list[dict[str, Any]] = []
    for row in () if reference is None else suspects(reference):
        why = [f"{shown_value(o['column'])} = {shown_value(o['value'])}" for o in row["reasons"]]
        asked.append({"row": row["row"], "score": short(row["score"]), "why": ", ".join(why)})
    facts: dict[str, Any] = {
        **dict(zip(_SHARED, map(plain.get, _SHARED), strict=True)),
        "source": source, "n_listed": len(order), "suspects": asked, **_rows(summary, order),
        "map": {"score_cutoff": where.score_cutoff, "orthogonal_cutoff": where.orthogonal_cutoff},
        **_scores(summary, len(order)), **reasons(summary, order), **_method(summary, command),
    }  # fmt: skip
    # What the schema has beside the facts of the command line.
    more: dict[str, Any] = {"schema": SCHEMA, "n_cells": facts["n_cells"]}
    for name, keys in (("columns", _OF_COLUMNS), ("kinds", _OF_KINDS)):
        more[name] = [dict(zip(keys, map(one.get, keys), strict=True)) for one in facts[name]]
    return Report(facts, plain | more)


def _scores(summary: Summary, n_listed: int) -> dict[str, Any]:
    """How scores are spread, and at some ranks beyond the listed rows, with the outliers before."""
    scores, labels, tail = summary.cases.scores, summary.cases.labels, None
    n, cutoff = len(scores), summary.plain["cutoff"]
    if n_listed < n:
        ranks = np.geomspace(n_listed, n, _TAIL_RANKS).astype(int)
        ranks = np.unique([*ranks, max(n_listed, summary.plain["n_flagged"])])
        there = np.partition(scores, n - ranks)[n - ranks]
        tail = {"rank": ranks.tolist(), "score": there.tolist(), "hits": None}
        if labels is not None:
            hits = np.cumsum(labels[np.argsort(-scores, kind="stable")])
            tail["hits"] = hits[ranks - 1].tolist()
    # Bins of equal width in the cube root of the score, or in asinh(score / unit) for far ones.
    unit = cutoff / 10 if 0 < cutoff < np.inf and scores.max() > _FAR_BEYOND * cutoff else None
    bent = np.cbrt(scores) if unit is None else np.arcsinh(scores / unit)
    counts, edges = np.histogram(bent, bins=min(_N_BINS, n))
    edges = edges**3 if unit is None else unit * np.sinh(edges)
    bins = {"edges": list(map(short, edges)), "counts": counts.tolist(), "unit": unit}
    return {"tail": tail, "histogram": bins}


def _rows(summary: Summary, order: np.ndarray) -> dict[str, Any]:
    """What is known of every listed row, in the order of the ranks, and of the components."""
    cases, judged, detector = summary.cases, summary.cases.judged, summary.cases.detector
    listed, labels, ids, comparison = cases.rows[order], cases.labels, None, None
    where: Any = judged.outlier_map
    components, classical = _quality(cases)
    if classical is not None:
        comparison = {"agreement": None if labels is None else agreement(labels, classical)}
        classical = rankdata(-classical, method="ordinal")[order]
    # The first rows of the ranking, and others at even distances.
    others = np.linspace(_ALWAYS_DRAWN, len(order) - 1, _MOST_DRAWN - _ALWAYS_DRAWN).astype(int)
    drawn = np.unique(np.r_[: min(len(order), _ALWAYS_DRAWN), others[others < len(order)]])
    if cases.names is not None:
        ids = list(within((shown_value(cases.names[int(row)]) for row in order), _BYTES_OF_IDS))
    rows = {
        "row": packed(listed + 1, "u4"), "drawn": packed(drawn, "u4"),
        "score": packed(judged.abnormality[order], "f4"),
        "x": packed(judged.scores[order[drawn], 0], "f4"),
        "y": packed(judged.scores[order[drawn], 1], "f4"),
        "score_distance": packed(where.score_distance[order[drawn]], "f4"),
        "orthogonal_distance": packed(where.orthogonal_distance[order[drawn]], "f4"),
        "label": None if labels is None else "".join(np.where(labels[listed], "1", "0")),
        "classical": None if classical is None else packed(classical, "u4"), "id": ids,
    }  # fmt: skip
    plane = {"ellipse": detector.rule_.ellipse(), "n_components": min(2, len(components))}
    said = summary.plain["promise"]
    promise = {"n_reference": said["n_reference"], "says": said["says"]}
    for name, kind in (("p_values", "f4"), ("most_false", "u4"), ("estimate", "f4")):
        values = summary.known.get(name)
        promise[name] = None if values is None else packed(values[listed], kind)
    known = {"comparison": comparison, "convergence": components, "promise": promise}
    return {"rows": rows, "plane": plane, **known}


def _quality(cases: Cases) -> tuple[list[dict[str, Any]], np.ndarray | None]:
    """Facts of each component, and the abnormality of rows, if any, by classical components."""
    pca = cases.detector.pca_
    gaps, classical = getattr(pca, "optimality_gap_", np.zeros(0)), None
    compared = pca.n_components_ and not isinstance(pca, L2KernelPCA)
    if compared and len(pca.X_fit_) <= _COMPARED_ROWS:
        gram = pca.training_gram()
        # The Gram is centered already.
        twin = L2KernelPCA(
            pca.n_components_, kernel=pca.kernel, gamma=pca.gamma_, degree=pca.degree,
            coef0=pca.coef0, kernel_params=pca.kernel_params, n_jobs=pca.n_jobs, dtype=pca.dtype,
            gram=gram, center=False, random_state=0,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to say was said of the detector itself
            if len(cases.X) == len(cases.scores):  # all rows are at hand
                classical = cases.detector.judge_with(twin, cases.X).abnormality
        # What is certified is the L1 norm; a search for another one has another optimum.
        maximizes_l1 = isinstance(pca, L1KernelPCA) and getattr(pca.solver, "p", 1) == 1
        if maximizes_l1 and not len(gaps) and len(pca.X_fit_) <= _CERTIFIED_ROWS:
            few = slice(_CERTIFIED_COMPONENTS)
            with computing():
                found = certified(gram, pca.dual_components_[:, few], pca.signs_[few])
            gaps = found.gap
    parts = []
    for j, trace in enumerate(pca.objective_trace_):
        # The first and the last step are among those that are drawn.
        steps = np.linspace(0, len(trace) - 1, min(len(trace), _MOST_STEPS)).round().astype(int)
        parts.append({
            "share": short(pca.explained_variance_ratio_[j]), "objective": short(pca.objective_[j]),
            "steps": int(pca.n_steps_[j]), "status": str(pca.status_[j]),
            "gap": short(gaps[j]) if j < len(gaps) else None,
            "trace": list(map(short, trace[steps])),
        })  # fmt: skip
    return parts, classical


def _method(summary: Summary, command: str | None) -> dict[str, Any]:
    """How it was done, with what, and how to do it again."""
    cases, detector = summary.cases, summary.cases.detector
    pca, kernel = detector.pca_, detector.pca_.kernel
    used = np.bincount(cases.column_of[detector.columns_.used], minlength=len(cases.columns)) > 0
    unread = [name for name in cases.cells if name not in cases.columns]
    left_out = [*unread, *np.array(cases.columns, dtype=object)[~used]]
    with sklearn.config_context(print_changed_only=True):
        code = " ".join(repr(detector).split())
    versions = {"l1kpca": __version__, "Python": platform.python_version()}
    versions |= {"NumPy": np.__version__, "SciPy": scipy.__version__}
    versions["scikit-learn"] = sklearn.__version__
    robust = isinstance(pca, L1KernelPCA)
    method = {
        "pca": "robust kernel PCA (L1 norm)" if robust else type(pca).__name__,
        "kernel": kernel if isinstance(kernel, str) else getattr(kernel, "__name__", "own"),
        "n_components": pca.n_components_, "n_training": len(pca.X_fit_),
        "rule": rule_name(detector.rule, detector.contamination),
        "by_share": detector.contamination != "auto",
    }  # fmt: skip
    again = {"command": command, "code": code, "gram": str(pca.gram_), "versions": versions}
    again["settings"] = summary.plain["settings"]
    named = list(map(shown_value, left_out[:_MOST_NAMED]))
    data = {"n_columns": int(used.sum()), "n_left_out": len(left_out), "left_out": named}
    return {"method": method, "data": data, "reproduce": again}
