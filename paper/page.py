"""Two pages from rows alone: one that is read in five minutes, and one with everything else.

Their frames, with the text of every section, are the Markdown files beside this one; names in
braces are filled. An experiment is a module, and its name stands in both frames. CLAIMS are
functions whose texts are in `texts.md`. FIGURES and TABLES hold titles, functions of rows, and
more arguments; the first page shows the first figure, or the first table where MAIN says so.
"""

from collections import defaultdict
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from benchmarks import results
from paper import figures
from paper.claims import HELD, NOT_HELD, NOT_JUDGED, PARTLY, decide, texts

PICTURES, NOT_MEASURED = "images/reproduction", "Not measured in this run."


def shown_of(experiment, rows, docs):
    """What the pages show of an experiment; its pictures go to ``docs``.

    A claim is what is claimed, criterion, why it may not hold, verdict and evidence.
    """
    claims, sentences, tables, pictures = [], [], [], []
    for claim in experiment.CLAIMS:
        said, criterion, *why = texts()[claim.__name__]
        claims.append((said, criterion, " ".join(why), *decide(claim, rows)))
    with suppress(LookupError):  # what lacks rows is left out
        sentences = experiment.sentences(rows) if hasattr(experiment, "sentences") else []
    for name, table, *given in experiment.TABLES:
        with suppress(LookupError):
            tables.append((name, results.frame_table(table(rows, *given))))
    for name, caption, draw, *given in experiment.FIGURES:
        if figures.save(partial(draw, rows, *given), docs / PICTURES / f"{name}.png"):
            pictures.append(f"![{caption}]({PICTURES}/{name}.png)\n\n*{caption}*")
    by_table = getattr(experiment, "MAIN", "figure") == "table"
    main = [table for _, table in tables] if by_table else pictures
    lines = [[said, f"**{verdict}**", found, how] for said, how, _, verdict, found in claims]
    criteria = results.table(["claim", "verdict", "what the rows say", "criterion"], lines)
    return SimpleNamespace(
        claims=claims,
        overview=[*sentences, *(main[:1] or [NOT_MEASURED])],
        details=[*sentences, "### Verdicts", criteria, *pictures]
        + [f"### {name}\n\n{table}" for name, table in tables],
    )


def judged(claims):
    """The claims in one table, and why some did not hold."""
    lines, why_not = [], []
    for number, (said, _, why, verdict, evidence) in enumerate(claims, 1):
        short = said.partition(". (")[0].rstrip(".")
        lines.append([str(number), short, f"**{verdict}**", evidence])
        if verdict == NOT_HELD:
            why_not.append(f"- Claim {number}: {why or evidence}")
    verdicts = results.table(["", "claim", "verdict", "what the rows say"], lines)
    return {"verdicts": verdicts, "why_not": "\n".join(why_not) or "Nothing."}


def write(experiments, docs, notes, about):
    """Write both pages and the pictures from modules and their rows, by name.

    Gives how many claims got each verdict."""
    docs.mkdir(parents=True, exist_ok=True)
    found = {name: shown_of(module, rows, docs) for name, (module, rows) in experiments.items()}
    claims = [claim for shown in found.values() for claim in shown.claims]
    verdicts = [verdict for *_, verdict, _ in claims]
    tally = {v: verdicts.count(v) for v in (HELD, PARTLY, NOT_HELD, NOT_JUDGED) if v in verdicts}
    parts = judged(claims) | {
        "claims": len(claims),
        "counts": ", ".join(f"{count} {verdict}" for verdict, count in tally.items()),
        "version": about["l1kpca"],
        "commit": about["commit"],
        "day": about["started"][:10],
        "notes": "\n\n".join(f"> {note}" for note in notes),
        "machine": results.table(["", " "], about.items()),
    }
    for page, kind in (("reproduction.md", "overview"), ("reproduction_details.md", "details")):
        parts |= {name: "\n\n".join(getattr(shown, kind)) for name, shown in found.items()}
        filled = defaultdict(lambda: NOT_MEASURED, parts)
        frame = Path(__file__).with_name(page).read_text(encoding="utf-8")
        text = "\n\n".join(part.format_map(filled) for part in frame.split("\n\n"))
        (docs / page).write_text(text.replace("\n\n\n\n", "\n\n"), encoding="utf-8")
    return tally
