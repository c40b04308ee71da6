"""Write docs/reproduction.md and its pictures from the results of l1kpca reproduce.

python scripts/write_reproduction.py RESULTS [--docs DIR]

RESULTS is the folder that ``l1kpca reproduce all --out RESULTS`` wrote, or a results.parquet. The
page is made of its rows alone; nothing on it is typed.
"""

import argparse
from pathlib import Path

from l1kpca.cli.reproducing import draw_figures
from l1kpca.experiments import read_results
from l1kpca.experiments.page import make_page
from l1kpca.report.reproduction import to_markdown

DOCS = Path(__file__).resolve().parents[1] / "docs"
PICTURES = "images/reproduction"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--docs", type=Path, default=DOCS)
    given = parser.parse_args()
    frame = read_results(given.results)
    page = make_page(frame)
    folder = given.docs / PICTURES
    drawn = draw_figures(page, frame, folder)
    for picture in folder.glob("*.svg"):
        picture.unlink()  # the page shows the PNG; thousands of points make a large SVG
    text = to_markdown(page, {name: f"{PICTURES}/{name}" for name in drawn})
    (given.docs / "reproduction.md").write_text(text, encoding="utf-8")
    print(f"wrote {given.docs / 'reproduction.md'} with {len(drawn)} figures")


if __name__ == "__main__":
    main()
