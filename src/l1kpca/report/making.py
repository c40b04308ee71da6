"""From a fitted detector and rows to a page that can be kept, sent and looked at."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from l1kpca.outputs import replacing
from l1kpca.report.facts import Cases, Summary
from l1kpca.report.page import page_facts
from l1kpca.report.render import render
from l1kpca.report.summarize import summarize

_FRAME_HEIGHT = 900


@dataclass(frozen=True, eq=False)
class Report:
    """A page about the suspicious rows of a table.

    Attributes
    ----------
    facts : dict
        All that the page shows, as what JSON can hold.
    """

    facts: dict[str, Any]

    def to_html(self) -> str:
        """The page: one HTML document that needs nothing else.

        Returns
        -------
        page : str
        """
        return render(self.facts)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the page; the file is complete or not there.

        Parameters
        ----------
        path : path-like
            The file, such as ``"report.html"``.
        overwrite : bool, default=True
            Whether a file that is there may be replaced.

        Returns
        -------
        path : Path
            The file.
        """
        with replacing(path, overwrite=overwrite) as temporary:
            temporary.write_text(self.to_html(), encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        """The page in a frame of its own: a notebook and the page leave each other alone."""
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: {_FRAME_HEIGHT}px;'
            f' border: 0" title="Report" srcdoc="{html.escape(self.to_html())}"></iframe>'
        )


def report(
    detector: Any,
    X: Any,
    *,
    labels: Any = None,
    names: Sequence[Any] | None = None,
    source: str = "the data",
    top: int = 20,
) -> Report:
    """Make a page that shows which rows are suspicious, why, and how sure one can be.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted.
    X : array-like or data frame of shape (n_rows, n_features)
        Rows, usually those of the fit.
    labels : array-like of shape (n_rows,), default=None
        The truth if it is known: 1 is an outlier, 0 is not.
    names : sequence of length n_rows, default=None
        What the rows are called.
    source : str, default="the data"
        What the rows together are called.
    top : int, default=20
        So many rows are explained at least; more are if it takes but seconds.

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
        raise ValueError(
            f"detector={type(detector).__name__} must be a fitted KernelPCAOutlierDetector"
        )
    check_is_fitted(detector)
    cases = make_cases(detector, X, labels, names)
    summary = summarize(detector, cases, source, top=top)
    return report_of(detector, cases, summary)


def report_of(detector: Any, cases: Cases, summary: Summary, command: str | None = None) -> Report:
    """The page about rows that were judged before.

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
    report : Report
    """
    return Report(page_facts(detector, cases, summary, command))


def make_cases(detector: Any, X: Any, labels: Any, names: Sequence[Any] | None) -> Cases:
    """Rows of an array or a data frame, with labels and names that fit to them."""
    if getattr(detector.pca_, "kernel", None) == "precomputed":
        raise ValueError(
            "a report needs the columns of the rows, which kernel='precomputed' does not have:"
            " pass the rows and a kernel instead"
        )
    n_rows, n_columns = np.shape(X)
    framed = hasattr(X, "columns")
    columns = [str(name) for name in X.columns] if framed else [f"x{j}" for j in range(n_columns)]
    rows = np.asarray(X)
    place = {name: at for at, name in enumerate(columns)}
    if names is not None and len(names) != n_rows:
        raise ValueError(f"names has {len(names)} entries, but X has {n_rows} rows: give one each")
    return Cases(
        X=X if framed else rows,
        columns=columns,
        column_of=np.arange(n_columns),
        values=lambda column: rows[:, place[column]],
        names=names,
        labels=None if labels is None else _checked_labels(labels, n_rows),
    )


def _checked_labels(labels: Any, n_rows: int) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {labels.shape}, but X has {n_rows} rows: give one label for each row"
        )
    found = np.unique(labels).tolist()
    if found != [0, 1]:
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        raise ValueError(
            f"labels must hold 1 for outliers and 0 for other rows, and both must occur: found"
            f" {shown}"
        )
    return labels.astype(np.int64)
