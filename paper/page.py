"""Two pages from rows alone: one that is read in five minutes, and one with everything else.

An experiment is a module. Its docstring is the text of its section; that of a claim says what is
claimed, how it is judged, and, if that is known, why it does not hold. FIGURES and TABLES hold
titles, functions of rows, and more arguments; the first page shows the first figure, or the first
table where MAIN says so, and what SHORT says of it.
"""

import math
from contextlib import suppress
from functools import partial

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


def judged(experiment, rows):
    """Claim, criterion, why it may not hold, verdict and evidence, for every claim."""
    found = []
    for claim in experiment.CLAIMS:
        said, criterion, *why = paragraphs(claim.__doc__)
        found.append((said, criterion, " ".join(why), *decide(claim, rows)))
    return found


def title_of(experiment):
    return paragraphs(experiment.__doc__)[0].rstrip(".")


def found_in(experiment, rows):
    """Sentences that are computed; none if rows are missing."""
    with suppress(LookupError):
        return experiment.sentences(rows) if hasattr(experiment, "sentences") else []
    return []


def tables(experiment, rows):
    for title, table, *given in experiment.TABLES:
        with suppress(LookupError):
            yield f"### {title}\n\n{markdown(table(rows, *given))}"


def pictures(experiment, rows, docs):
    for name, caption, draw, *given in experiment.FIGURES:
        if figures.save(partial(draw, rows, *given), docs / PICTURES / f"{name}.png"):
            yield f"![{caption}]({PICTURES}/{name}.png)\n\n*{caption}*"


def section(experiment, rows, docs):
    """One experiment on the page of details, and its verdicts; its pictures go to ``docs``."""
    claims = judged(experiment, rows)
    lines = [[said, f"**{v}**", evidence, criterion] for said, criterion, _, v, evidence in claims]
    table = pd.DataFrame(lines, columns=["claim", "verdict", "what the rows say", "criterion"])
    text = paragraphs(experiment.__doc__)[1:] + found_in(experiment, rows)
    parts = [f"## {title_of(experiment)}", *text, "### Verdicts", markdown(table)]
    parts += [*pictures(experiment, rows, docs), *tables(experiment, rows)]
    return "\n\n".join(parts), [verdict for *_, verdict, _ in claims]


def overview(experiments, docs):
    """The claims in one table, why some did not hold, and one figure or table for each section."""
    lines, open_claims, sections = [], [], []
    for module, rows in experiments:
        for said, _, why, verdict, evidence in judged(module, rows):
            short = said.partition(". (")[0].rstrip(".")
            lines.append([str(len(lines) + 1), short, f"**{verdict}**", evidence])
            if verdict == NOT_HELD:
                open_claims.append(f"{len(lines)}. {why or evidence}")
        main = getattr(module, "MAIN", "figure")
        shown = tables(module, rows) if main == "table" else pictures(module, rows, docs)
        text = [module.SHORT] if hasattr(module, "SHORT") else []
        body = next(shown, "Not measured in this run.").partition("\n\n")
        kept = "".join(body[2:]) if main == "table" and body[1] else "".join(body)
        parts = [f"## {title_of(module)}", *text, *found_in(module, rows), kept]
        sections.append("\n\n".join(parts))
    table = markdown(pd.DataFrame(lines, columns=["", "claim", "verdict", "what the rows say"]))
    why = [f"- Claim {line.replace('. ', ': ', 1)}" for line in open_claims]
    return [
        table,
        "## What did not hold, and why",
        "\n".join(why) or "Nothing.",
        CHANGES,
        *sections,
    ]


def write(experiments, docs, notes, about):
    """Write both pages and the pictures from pairs of a module and its rows.

    Gives how many claims got each verdict."""
    docs.mkdir(parents=True, exist_ok=True)
    found = [section(module, rows, docs) for module, rows in experiments]
    verdicts = [verdict for _, own in found for verdict in own]
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
            *overview(experiments, docs),
        ],
        "reproduction_details": [
            "# The paper, reproduced: details",
            made,
            "What [the page](reproduction.md) leaves out: criteria, searches, all tables.",
            *notes,
            *(text for text, _ in found),
            "## Where it ran",
            markdown(pd.DataFrame(about.items(), columns=["", " "])),
        ],
    }
    for name, parts in pages.items():
        (docs / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return tally
