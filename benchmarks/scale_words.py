"""Numbers and tables as text, for scale_page.py."""

import numpy as np

COMPONENTS = 10


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---:|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def growth(cases, what):
    """The exponent p of  what = c n^p, by least squares on logarithms."""
    n = np.log([case["n"] for case in cases])
    return np.polyfit(n, np.log([case[what] for case in cases]), 1)[0]


def count(number):
    return f"{number:,.0f}".replace(",", " ")


def duration(seconds):
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def size(number):
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"
