"""What a command found, as tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from l1kpca import datasets
from l1kpca.cli.reducing import Reduction
from l1kpca.cli.terminal import Terminal
from l1kpca.report import Reason, Summary
from l1kpca.report.values import shown_value


def show_detection(summary: Summary, terminal: Terminal) -> None:
    """The most abnormal rows with their reasons, and how well the truth was met."""
    with_names = any(row.name is not None for row in summary.top)
    with_truth = summary.agreement is not None
    columns = ["rank#", "row#", *["id"] * with_names, "score#", "flag"]
    columns += [*["truth"] * with_truth, "most responsible columns (share of the score)"]
    rows = [
        [
            str(row.rank),
            str(row.row),
            *[shown_value(row.name)] * with_names,
            shown_value(row.score),
            "outlier" if row.flagged else "",
            *["outlier" if row.label else "inlier"] * with_truth,
            _shown_reasons(row.reasons),
        ]
        for row in summary.top
    ]
    terminal.table(f"The most abnormal rows of {summary.source}", columns, rows)
    terminal.say(
        f"{summary.n_flagged} of {summary.n_rows} rows are flagged: their score is above the"
        f" cut-off {summary.cutoff:.4g}."
    )
    found = summary.agreement
    if found is not None:
        terminal.say(
            f"Average precision {found.average_precision:.3f}, ROC-AUC {found.roc_auc:.3f}."
        )
        terminal.say(
            f"Precision among the top {found.n_outliers} rows, as many as there are outliers:"
            f" {found.precision_at_n:.3f}."
        )


def show_reduction(reduction: Reduction, source: str, terminal: Terminal) -> None:
    """The components and what they hold."""
    rows = [
        [component["name"], f"{component['variance_share']:.1%}", str(component["n_iterations"])]
        for component in reduction.to_plain()
    ]
    terminal.table(f"Components of {source}", ["component", "variance#", "steps#"], rows)


def show_datasets(terminal: Terminal) -> list[dict[str, object]]:
    """The data sets that can be given by name; returns the same as plain data."""
    here = datasets.available()
    facts = [datasets.info(name) for name in datasets.names()]
    terminal.table(
        "Data sets",
        ["name", "rows#", "columns#", "outliers#", "here", "description"],
        [
            [
                fact.name,
                str(fact.n_samples),
                str(fact.n_features),
                str(fact.n_outliers),
                "yes" if fact.name in here else "fetch it",
                fact.description,
            ]
            for fact in facts
        ],
    )
    return [
        {
            "name": fact.name,
            "n_samples": fact.n_samples,
            "n_features": fact.n_features,
            "n_outliers": fact.n_outliers,
            "available": fact.name in here,
            "description": fact.description,
        }
        for fact in facts
    ]


def _shown_reasons(reasons: Iterable[Reason]) -> str:
    return ", ".join(
        f"{shown_value(reason.column)} = {shown_value(reason.value)} ({reason.share:.0%})"
        for reason in reasons
    )
