"""Time and peak memory of the command line on large tables; fills docs/cli.md after each run.

    python -m benchmarks.tables [--only reduce "detect 2 M"]

The tables (five factors and noise in 20 columns) stay in out/tables: 2.3 GB. A quiet machine with
two cores takes about twelve minutes; ``--quick`` has a hundredth of the rows.
"""

import os
import sys
import time
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from benchmarks.results import OUT, chosen_of, folder_of, options, publish, table

COLUMNS, PIECE = 20, 500_000
TARGETS = {
    "version": (0.4, None),
    "reduce 200 k, 2 components": (15, None),
    "detect 10 M, parquet": (180, 1.2),
    "detect 10 M, csv": (300, 1.2),
}
"""Seconds and GB that a command may take."""


def make(folder, rows):
    """A table as Parquet and CSV, unless it is there."""
    path = folder / f"rows{rows}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    loads = rng.normal(size=(5, COLUMNS))
    schema = pa.schema([(f"c{i}", pa.float64()) for i in range(COLUMNS)])
    unfinished = path.with_suffix(".part")
    with (
        parquet.ParquetWriter(unfinished, schema) as arrow,
        csv.CSVWriter(path.with_suffix(".csv"), schema) as text,
    ):
        for start in range(0, rows, PIECE):
            n = min(PIECE, rows - start)
            X = rng.normal(size=(n, 5)) @ loads + rng.normal(size=(n, COLUMNS))
            batch = pa.record_batch(list(X.round(4).T), schema=schema)
            arrow.write_batch(batch)
            text.write_batch(batch)
    return unfinished.rename(path)


def measured(folder, command, rows=0, suffix="", *others):
    """Wall and CPU seconds and peak GB of a run of the program."""
    data = [make(folder, rows).with_suffix(suffix)] if rows else []
    written = ["--out", folder / "out.parquet", "--force", "-q"] if rows else []
    words = [sys.executable, "-m", "l1kpca", *map(str, [command, *data, *others, *written])]
    start = time.perf_counter()
    _, status, used = os.wait4(os.posix_spawn(words[0], words, dict(os.environ)), 0)
    if status:
        raise RuntimeError(f"{' '.join(words)} ended with status {status}")
    wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    return {"seconds": wall, "cpu": cpu, "gigabytes": used.ru_maxrss * 1024 / 1e9}


def times(results):
    """What was measured so far, beside what is allowed."""
    lines = []
    for name, one in results.items():
        if name != "about":
            seconds, gigabytes = (most or "" for most in TARGETS.get(name, (None, None)))
            times = [f"{one['seconds']:.1f}", seconds, f"{one['cpu']:.1f}"]
            lines.append([name, *times, f"{one['gigabytes']:.2f}", gigabytes])
    heads = ["command", "seconds", "at most", "CPU seconds", "peak GB", "at most"]
    return table(heads, lines)


def commands(quick):
    """What is run, by name."""
    folder, share = folder_of(quick, OUT) / "tables", 100 if quick else 1
    folder.mkdir(exist_ok=True)
    run, page = partial(partial, measured, folder), ("--report", folder / "report.html")
    reduce = run("reduce", 200_000 // share, ".parquet", "--components", 2)
    return {"version": run("--version"), "reduce 200 k, 2 components": reduce} | {
        f"detect {m} M, {kind}": run("detect", m * 10**6 // share, f".{kind}", *page)
        for m, kind in product((2, 10), ("parquet", "csv"))
    }


if __name__ == "__main__":
    given = options(__doc__)
    tasks = commands(given.quick)
    for name in chosen_of(tasks, given.only) if not given.page else ["version"]:
        given.only = [name]  # the page is filled after each one
        publish("tables", "cli.md", tasks, {"tables": times}, given)
