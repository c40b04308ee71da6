"""Measure the targets of speed and memory and print them, one line as soon as it is known."""

import argparse

from l1kpca.bench.page import table
from l1kpca.bench.targets import all_targets

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data-dir", default=None, help="folder of the paper's data sets")
arguments = parser.parse_args()

measured = []
for target in all_targets(arguments.data_dir):
    measured.append(target)
    print(table([target]).splitlines()[-1], flush=True)
print("\n" + table(measured))
