"""Write docs/performance.md and its pictures from the results of l1kpca bench.

python scripts/write_performance.py [RESULTS] [--docs DIR]

RESULTS is the folder that ``l1kpca bench --out RESULTS`` wrote; its results.json becomes
benchmarks/results/speed.json. Without it the page is made of that file as it is. Nothing on the
page is typed.
"""

import argparse
import shutil
from pathlib import Path

from l1kpca.bench import read_results
from l1kpca.bench.page import make_page
from l1kpca.bench.results import RESULTS
from l1kpca.cli.benching import draw_figures
from l1kpca.report.performance import to_markdown

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "results" / "speed.json"
PICTURES = "images/performance"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--keep", type=Path, default=KEPT)
    given = parser.parse_args()
    if given.results is not None:
        shutil.copyfile(given.results / RESULTS, given.keep)
    frame = read_results(given.keep)
    page = make_page(frame)
    drawn = draw_figures(page, frame, given.docs / PICTURES)
    text = to_markdown(page, {name: f"{PICTURES}/{name}" for name in drawn})
    (given.docs / "performance.md").write_text(text, encoding="utf-8")
    print(f"wrote {given.docs / 'performance.md'} with {len(drawn)} figures")


if __name__ == "__main__":
    main()
