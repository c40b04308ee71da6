"""Time and peak memory of the command line on large tables; each command runs by itself.

python -m benchmarks.tables FOLDER [--rows 10000000]  (FOLDER keeps the tables: 4 GB for 10 M rows)
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

COLUMNS = 20


def make(folder: Path, rows: int) -> Path:
    """Rows of five factors and noise in 20 columns, as Parquet and CSV, unless they are there."""
    path = folder / f"rows{rows}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    loads = rng.normal(size=(5, COLUMNS))
    schema = pa.schema([(f"c{i}", pa.float64()) for i in range(COLUMNS)])
    with (
        parquet.ParquetWriter(path, schema) as arrow,
        csv.CSVWriter(path.with_suffix(".csv"), schema) as text,
    ):
        for start in range(0, rows, 500_000):
            n = min(500_000, rows - start)
            X = rng.normal(size=(n, 5)) @ loads + rng.normal(size=(n, COLUMNS))
            batch = pa.record_batch(list(X.round(4).T), schema=schema)
            arrow.write_batch(batch)
            text.write_batch(batch)
    return path


def measured(*arguments: object) -> str:
    """Wall and CPU seconds and peak memory of a run of the program."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "l1kpca", *map(str, arguments)]
    _, status, used = os.wait4(os.posix_spawn(command[0], command, dict(os.environ)), 0)
    wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    peak = used.ru_maxrss / 2**20
    return f"{wall:7.1f} s  {cpu:7.1f} s CPU  {peak:5.2f} GB  status {status}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    print("--version".ljust(32), measured("--version"), flush=True)
    small, out = make(given.folder, 200_000), given.folder / "out.parquet"
    reducing = ("reduce", small, "--components", 2, "--out", out, "--force", "-q")
    print("reduce 200 k, 2 components".ljust(32), measured(*reducing), flush=True)
    written = ("--out", out, "--report", given.folder / "r.html", "--force", "-q")
    for rows in (given.rows // 5, given.rows):
        for kind in (".parquet", ".csv"):
            table = make(given.folder, rows).with_suffix(kind)
            name = f"detect {rows / 1e6:g} M rows, {kind[1:]}"
            print(name.ljust(32), measured("detect", table, *written), flush=True)


if __name__ == "__main__":
    main()
