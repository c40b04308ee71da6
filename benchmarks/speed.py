"""Measure the targets of speed and memory: the same as l1kpca bench, with its options."""

import sys

from l1kpca.cli.app import run

if __name__ == "__main__":
    sys.exit(run(["bench", *sys.argv[1:]]))
