"""The page: text, verdicts, pictures and tables of each experiment, from rows alone.

An experiment is a module. Its docstring is the text of its section; that of a claim says what is
claimed and how it is judged. FIGURES and TABLES hold titles, functions of rows, and more arguments.
"""

import math
from contextlib import suppress
from functools import partial

import pandas as pd

from paper import figures
from paper.claims import HELD, NOT_HELD, NOT_JUDGED, PARTLY, decide, paragraphs

PAPER = 'C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE'
OPENING = (
    f"Every figure and table of {PAPER} Transactions on Pattern Analysis and Machine Intelligence,"
    " 42(8), 2020, run again by `make paper`, with a verdict on each claim that is computed from"
    " the rows by the criterion beside it."
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
    lines = [table.columns, ["---"] * table.shape[1], *table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def section(experiment, rows, docs):
    """One experiment for a reader, and its verdicts; its pictures are drawn into ``docs``."""
    title, *text = paragraphs(experiment.__doc__)
    with suppress(LookupError):  # an incomplete run
        text += experiment.sentences(rows) if hasattr(experiment, "sentences") else []
    claims = [(*paragraphs(claim.__doc__), *decide(claim, rows)) for claim in experiment.CLAIMS]
    lines = [[said, f"**{v}**", evidence, criterion] for said, criterion, v, evidence in claims]
    judged = pd.DataFrame(lines, columns=["claim", "verdict", "what the rows say", "criterion"])
    parts = [f"## {title.rstrip('.')}", *text, "### Verdicts", markdown(judged)]
    for name, caption, draw, *given in experiment.FIGURES:
        if figures.save(partial(draw, rows, *given), docs / PICTURES / f"{name}.png"):
            parts.append(f"![{caption}]({PICTURES}/{name}.png)\n\n*{caption}*")
    for title, table, *given in experiment.TABLES:
        with suppress(LookupError):
            parts.append(f"### {title}\n\n{markdown(table(rows, *given))}")
    return "\n\n".join(parts), [verdict for _, _, verdict, _ in claims]


def write(experiments, docs, notes, about):
    """Write ``reproduction.md`` and its pictures from pairs of a module and its rows.

    Gives how many claims got each verdict."""
    found = [section(module, rows, docs) for module, rows in experiments]
    verdicts = [verdict for _, own in found for verdict in own]
    tally = {v: verdicts.count(v) for v in (HELD, PARTLY, NOT_HELD, NOT_JUDGED) if v in verdicts}
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally.items())
    parts = [
        "# The paper, reproduced",
        "<!-- Written by python -m paper; do not edit. -->",
        OPENING,
        f"**Of {len(verdicts)} claims: {counts}.**",
        *(f"> {note}" for note in notes),
        *(text for text, _ in found),
        "## Where it ran",
        markdown(pd.DataFrame(about.items(), columns=["", " "])),
    ]
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "reproduction.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return tally
