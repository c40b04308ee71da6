"""Run the paper's experiments again and write the page with ours beside the paper's.

A run that was stopped goes on where it stopped when the same command is given again.
"""

import argparse
from pathlib import Path

from paper.runs import EXPERIMENTS, run, write


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m paper", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=EXPERIMENTS, help="run only this; may be repeated")
    add("--quick", action="store_true", help="a small version of everything, in a minute")
    add("--data", type=Path, help="where to look first for the data sets")
    add("--out", type=Path, default=Path("out/paper"), help="finished tasks and rows")
    add("--docs", type=Path, help="folder of the page; by default that of --out")
    add("--page", action="store_true", help="run nothing, write the pages from what is there")
    given = parser.parse_args(arguments)
    if given.data is not None and not given.data.is_dir():
        parser.error(f"--data {given.data} is not a folder; name one that holds the data sets")
    failures = []
    try:
        names = [] if given.page else given.only or EXPERIMENTS
        run(names, given.out, given.quick, given.data, failures)
    finally:  # also when the run is stopped: what is there can be looked at
        tally = write(given.out, given.docs or given.out, given.quick, failures)
        print(", ".join(f"{count} {verdict}" for verdict, count in tally.items()))
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
