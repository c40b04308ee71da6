"""Two pages from rows alone: one that is read in five minutes, and one with everything else.

An experiment is a module. Its docstring is the text of its section; that of a claim says what is
claimed, how it is judged, and, if that is known, why it does not hold. FIGURES and TABLES hold
titles, functions of rows, and more arguments; the first page shows the first figure, or the first
table where MAIN says so, and what SHORT says of it.
"""

import math
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import pandas as pd

from benchmarks import results
from paper import figures
from paper.claims import HELD, NOT_HELD, NOT_JUDGED, PARTLY, decide, paragraphs

PAPER = 'C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE'
OPENING = (
    f"Every figure and table of {PAPER} Transactions on Pattern Analysis and Machine Intelligence,"
    " 42(8), 2020, run again by `make paper`. Verdicts are computed from the rows; the criteria,"
    " all tables and what was searched are in [the details](reproduction_details.md), every row in"
    " [reproduction.csv](reproduction.csv)."
)
CHANGES = (
    "No criterion was loosened. What changed since the first run: the instances of the robust"
    " extraction follow the nearest reading of a search, for all its claims; a fit that"
    " takes long counts with its extrapolated time, no longer with the time that it was given."
)
PICTURES = "images/reproduction"


def shown(value, digits=2):
    """A number, or a dash for none."""
    if value is None or math.isnan(value):
        return "\N{EN DASH}"
    return "> 1 day" if math.isinf(value) else f"{value:.{digits}f}"


def ratio(value):
    """A ratio with two significant digits."""
    if value is None or not math.isfinite(value):
        return shown(value)
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def cells(table, digits=2):
    """A table of numbers as one of texts."""
    return table.map(lambda value: shown(value, digits))


def markdown(table):
    """A table in Markdown, with its index if that has a name; bars in cells are escaped."""
    table = table if table.index.names == [None] else table.reset_index()
    table = table.map(lambda v: f"{v:g}" if isinstance(v, float) else str(v).replace("|", "\\|"))
    return results.table(list(table.columns), table.itertuples(index=False))


def shown_of(experiment, rows, docs):
    """What the pages show of an experiment; its pictures go to ``docs``.

    A claim is what is claimed, criterion, why it may not hold, verdict and evidence.
    """
    title, *text = paragraphs(experiment.__doc__)
    claims, sentences, tables, pictures = [], [], [], []
    for claim in experiment.CLAIMS:
        said, criterion, *why = paragraphs(claim.__doc__)
        claims.append((said, criterion, " ".join(why), *decide(claim, rows)))
    with suppress(LookupError):  # what lacks rows is left out
        sentences = experiment.sentences(rows) if hasattr(experiment, "sentences") else []
    for name, table, *given in experiment.TABLES:
        with suppress(LookupError):
            tables.append((name, markdown(table(rows, *given))))
    for name, caption, draw, *given in experiment.FIGURES:
        if figures.save(partial(draw, rows, *given), docs / PICTURES / f"{name}.png"):
            pictures.append(f"![{caption}]({PICTURES}/{name}.png)\n\n*{caption}*")
    by_table = getattr(experiment, "MAIN", "figure") == "table"
    main = [table for _, table in tables] if by_table else pictures
    return SimpleNamespace(
        title=title.rstrip("."), text=text, claims=claims, sentences=sentences, tables=tables,
        pictures=pictures, main=[*main, "Not measured in this run."][0],
        short=[experiment.SHORT] if hasattr(experiment, "SHORT") else [],
    )  # fmt: skip


def section(shown):
    """One experiment on the page of details."""
    lines = [[said, f"**{v}**", found, criterion] for said, criterion, _, v, found in shown.claims]
    table = pd.DataFrame(lines, columns=["claim", "verdict", "what the rows say", "criterion"])
    parts = [f"## {shown.title}", *shown.text, *shown.sentences, "### Verdicts", markdown(table)]
    parts += [*shown.pictures, *(f"### {title}\n\n{table}" for title, table in shown.tables)]
    return "\n\n".join(parts)


def overview(experiments):
    """The claims in one table, why some did not hold, and one figure or table for each section."""
    lines, why_not, sections = [], [], []
    for shown in experiments:
        for said, _, why, verdict, evidence in shown.claims:
            short = said.partition(". (")[0].rstrip(".")
            lines.append([str(len(lines) + 1), short, f"**{verdict}**", evidence])
            if verdict == NOT_HELD:
                why_not.append(f"- Claim {len(lines)}: {why or evidence}")
        parts = [f"## {shown.title}", *shown.short, *shown.sentences, shown.main]
        sections.append("\n\n".join(parts))
    table = markdown(pd.DataFrame(lines, columns=["", "claim", "verdict", "what the rows say"]))
    heading = "## What did not hold, and why"
    return [table, heading, "\n".join(why_not) or "Nothing.", CHANGES, *sections]


def write(experiments, docs, notes, about):
    """Write both pages and the pictures from pairs of a module and its rows.

    Gives how many claims got each verdict."""
    docs.mkdir(parents=True, exist_ok=True)
    found = [shown_of(module, rows, docs) for module, rows in experiments]
    verdicts = [verdict for shown in found for *_, verdict, _ in shown.claims]
    tally = {v: verdicts.count(v) for v in (HELD, PARTLY, NOT_HELD, NOT_JUDGED) if v in verdicts}
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally.items())
    made = "<!-- Written by python -m paper; do not edit. -->"
    notes = [f"> {note}" for note in notes]
    measured = (
        f"Measured with l1kpca {about['l1kpca']} at {about['commit']} ({about['started'][:10]})."
    )
    pages = {
        "reproduction": [
            "# The paper, reproduced",
            made,
            OPENING,
            f"**Of {len(verdicts)} claims: {counts}.** {measured}",
            *notes,
            *overview(found),
        ],
        "reproduction_details": [
            "# The paper, reproduced: details",
            made,
            "What [the page](reproduction.md) leaves out: criteria, searches, all tables.",
            *notes,
            *map(section, found),
            "## Where it ran",
            markdown(pd.DataFrame(about.items(), columns=["", " "])),
        ],
    }
    for name, parts in pages.items():
        (docs / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return tally
