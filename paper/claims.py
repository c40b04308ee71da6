"""Claims of the paper, what the rows say about them, and numbers as texts.

A claim is a function from the rows of an experiment to a verdict and the numbers behind it. What
the paper says and what counts as held stands under its name in `texts.md`. Where rows are missing
it raises a LookupError, as a missing column does by itself.
"""

import math
from pathlib import Path

HELD, PARTLY, NOT_HELD, NOT_JUDGED = "held", "partly held", "did not hold", "not judged"


def texts():
    """What the pages say, in paragraphs, by the name of a claim or a sentence."""
    _, *blocks = Path(__file__).with_name("texts.md").read_text(encoding="utf-8").split("\n## ")
    named = (block.split("\n\n") for block in blocks)
    return {name: [" ".join(part.split()) for part in parts] for name, *parts in named}


def sentence(name, **values):
    """The text of this name, filled with values."""
    return texts()[name][0].format(**values)


def decide(claim, rows):
    """The verdict on a claim, and the evidence."""
    try:
        return claim(rows)
    except LookupError as missing:
        return NOT_JUDGED, f"no rows: {missing.args[0]}"


def some(rows, what):
    """The rows, unless there are none."""
    if not len(rows):
        raise LookupError(what)
    return rows


def part(rows, *names):
    return some(rows[rows["part"].isin(names)], names[0])


def listed(values, form=""):
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def verdict_of(held, partly):
    return HELD if held else PARTLY if partly else NOT_HELD


def by_share(decisions, partly, evidence, held=1.0):
    """A verdict from the share of cases in which something is so; ``{}`` becomes that share."""
    cases = some(list(decisions), "a case that was run to its end")
    share = sum(cases) / len(cases)
    said = evidence.replace("{}", f"{sum(cases)} of {len(cases)}")
    return verdict_of(share >= held, share >= partly), said


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
