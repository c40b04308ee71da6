"""Name the pages of figures that are older than the code they measure, by the commits of both."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ("kernels.py", "loops.py", "gram", "directions", "components", "estimators", "tuning.py")
PAGES = {
    # page, what it is written from: parts of the package that it measures
    ("performance.md", "speed"): (*CORE, "peers.py"),
    ("scaling.md", "scale"): CORE,
    ("reproduction.md", None): (*CORE, "peers.py", "datasets"),
    ("optimality.md", "optimality"): ("optimality", "directions"),
    ("detection.md", "detection"): ("outliers", "estimators", "directions"),
    ("promise.md", "promise"): ("outliers",),
}


def last_change(commit="HEAD", *paths):
    """Time and name of the newest commit up to one that touched any of the paths; 0 if none."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct %h", commit, "--", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    time, _, name = done.stdout.strip().partition(" ")
    return int(time or 0), name


def named(page):
    """Time of the oldest commit that a page says it was measured at; None if it names none."""
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    said = re.search(r"^.*Measured with l1kpca \S+ at ([0-9a-f, ]+) \(", text, re.MULTILINE)
    times = [last_change(commit)[0] for commit in said[1].split(", ")] if said else []
    return min(times, default=None)


def stale_pages():
    """A line for each page whose results are older than the code."""
    for (page, name), parts in PAGES.items():
        results = f"benchmarks/results/{name}.json"
        source = results if (ROOT / results).exists() else f"docs/{page}"
        measured = named(page) or last_change("HEAD", source)[0]
        changed, commit = last_change("HEAD", *(f"src/l1kpca/{part}" for part in parts))
        if 0 < measured < changed:
            days = (changed - measured) / 86_400
            yield f"docs/{page} was measured {days:.1f} days before {commit} changed its code"


if __name__ == "__main__":
    for line in stale_pages():
        print(f"warning: {line}", file=sys.stderr)
