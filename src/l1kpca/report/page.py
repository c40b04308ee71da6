"""All facts of a page, as one object that JSON can hold."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy
import sklearn

from l1kpca import __version__
from l1kpca.report.comparison import classical_scores
from l1kpca.report.convergence import convergence
from l1kpca.report.details import details
from l1kpca.report.facts import Cases, Summary
from l1kpca.report.geometry import Places, locate
from l1kpca.report.packing import packed, short, within
from l1kpca.report.summarize import agreement
from l1kpca.report.values import plain_value, printable, shown_value

MOST_LISTED = 100_000
"""A page lists so many rows, the most abnormal first; all are ranked and counted."""
_BYTES_OF_IDS = 800_000
_LONGEST_SOURCE = 80


def page_facts(
    detector: Any, cases: Cases, summary: Summary, command: str | None = None
) -> dict[str, Any]:
    """Gather what a page shows.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted.
    cases : Cases
        The rows.
    summary : Summary
        What the detector says about them.
    command : str, optional
        The command line that made the page.

    Returns
    -------
    facts : dict
        Numbers, texts, None, lists and dicts; arrays of all rows as base64.
    """
    order = np.argsort(summary.ranks)[:MOST_LISTED]
    places = locate(detector, cases.X)
    classical = classical_scores(detector, cases.X)
    found = details(detector, cases, order, len(summary.top))
    return {
        "source": _source(summary.source),
        "n_rows": summary.n_rows,
        "n_listed": len(order),
        "n_flagged": summary.n_flagged,
        "cutoff": summary.cutoff,
        "rows": _rows(cases, summary, order, places, classical),
        "map": {"score_cutoff": places.cutoffs[0], "orthogonal_cutoff": places.cutoffs[1]},
        "plane": {"ellipse": places.ellipse, "n_components": places.n_components},
        "histogram": {
            "edges": [short(edge) for edge in summary.bin_edges],
            "counts": list(summary.bin_counts),
        },
        "n_explained": found.n_explained,
        "details": found.rows,
        "columns": found.columns,
        "agreement": None if summary.agreement is None else asdict(summary.agreement),
        "comparison": _comparison(cases, classical),
        "convergence": convergence(detector.pca_),
        "method": _method(detector),
        "data": _data(detector, cases),
        "notes": list(summary.notes),
        "reproduce": _reproduce(detector, summary, command),
    }


def _source(name: str) -> str:
    """Of a long path the end says most."""
    text = printable(" ".join(name.split()))
    return text if len(text) <= _LONGEST_SOURCE else f"...{text[3 - _LONGEST_SOURCE :]}"


def _rows(
    cases: Cases, summary: Summary, order: np.ndarray, places: Places, classical: np.ndarray | None
) -> dict[str, Any]:
    """What is known of every listed row, in the order of the ranks."""
    names, labels = cases.names, cases.labels
    ids = None
    if names is not None:
        ids = list(within((shown_value(names[int(row)]) for row in order), _BYTES_OF_IDS))
    return {
        "row": packed(order + 1, "u4"),
        "score": packed(summary.scores[order], "f4"),
        "x": packed(places.plane[order, 0], "f4"),
        "y": packed(places.plane[order, 1], "f4"),
        "score_distance": packed(places.score_distance[order], "f4"),
        "orthogonal_distance": packed(places.orthogonal_distance[order], "f4"),
        "classical": None if classical is None else packed(ranks(classical)[order], "u4"),
        "label": None if labels is None else "".join("1" if labels[r] else "0" for r in order),
        "id": ids,
    }


def ranks(scores: np.ndarray) -> np.ndarray:
    """1 for the highest score; ties in the order of the rows.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Higher is more abnormal.

    Returns
    -------
    ranks : ndarray of int

    Examples
    --------
    >>> import numpy as np
    >>> ranks(np.array([0.5, 2.0, 1.0])).tolist()
    [3, 1, 2]
    """
    out = np.empty(len(scores), dtype=np.int64)
    out[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return out


def _comparison(cases: Cases, classical: np.ndarray | None) -> dict[str, Any] | None:
    if classical is None:
        return None
    found = None if cases.labels is None else asdict(agreement(cases.labels, classical))
    return {"agreement": found}


def _method(detector: Any) -> dict[str, Any]:
    pca = detector.pca_
    kernel = pca.kernel if isinstance(pca.kernel, str) else getattr(pca.kernel, "__name__", "own")
    return {
        "pca": type(pca).__name__,
        "kernel": kernel,
        "gamma": short(plain_value(pca.gamma_)),
        "n_components": pca.n_components_,
        "n_training": len(pca.X_fit_),
        "rule": detector.rule,
        "by_share": detector.contamination != "auto",
    }


def _data(detector: Any, cases: Cases) -> dict[str, Any]:
    used = np.bincount(cases.column_of[detector.columns_.used], minlength=len(cases.columns)) > 0
    constant = [name for name, looked_at in zip(cases.columns, used, strict=True) if not looked_at]
    return {
        "n_columns": len(cases.columns) - len(constant),
        "n_filled": sum(cases.filled.values()),
        "n_left_out": len(cases.left_out) + len(constant),
        "left_out": [shown_value(name) for name in [*cases.left_out, *constant][:20]],
    }


def _reproduce(detector: Any, summary: Summary, command: str | None) -> dict[str, Any]:
    with sklearn.config_context(print_changed_only=True):
        code = repr(detector)
    pca = detector.pca_
    settings = {name: plain_value(value) for name, value in summary.settings.items()}
    return {
        "command": command,
        "code": code,
        "settings": settings,
        "gram": str(pca.gram_),
        "versions": {
            "l1kpca": __version__,
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "SciPy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
