"""Measure how far the library goes, and write docs/scaling.md from what was measured.

    python benchmarks/scale_run.py                  measure what is not measured yet
    python benchmarks/scale_run.py --only exact-80k mnist
    python benchmarks/scale_run.py --fresh          measure everything again
    python benchmarks/scale_run.py --docs           only write the page

Each case runs in a process of its own (scale_case.py); results are kept in results/scale.json.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import scale_page
import sklearn

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "scale.json"
PAGE = HERE.parent / "docs" / "scaling.md"
DATA = Path(os.environ.get("L1KPCA_DATA", HERE.parents[1] / "shared" / "data"))

BOUNDED = {"gram": "blocked", "memory_limit": "1GB"}
LANDMARKS = [50, 100, 200, 500, 1000]
CASES = {
    "pass-float64": {"kind": "one_pass", "n": 16_000, "dtype": "float64"},
    "pass-float32": {"kind": "one_pass", "n": 16_000, "dtype": "float32"},
    "exact-10k": {"kind": "fit", "n": 10_000, "settings": BOUNDED},
    "exact-20k": {"kind": "fit", "n": 20_000, "settings": BOUNDED},
    "exact-40k": {"kind": "fit", "n": 40_000, "settings": BOUNDED},
    "exact-80k": {"kind": "fit", "n": 80_000, "settings": BOUNDED},
    "dense-10k": {"kind": "fit", "n": 10_000, "settings": {"gram": "dense"}},
    "nystroem-100k": {
        "kind": "fit",
        "n": 100_000,
        "settings": {"memory_limit": "1GB"},
        "landmarks": 500,
    },
    "nystroem-300k": {
        "kind": "fit",
        "n": 300_000,
        "settings": {"memory_limit": "1GB"},
        "landmarks": 500,
    },
    "nystroem-1M": {
        "kind": "fit",
        "n": 1_000_000,
        "settings": {"memory_limit": "1GB"},
        "landmarks": 500,
    },
    "scikit-learn-80k": {"kind": "scikit_learn", "n": 80_000},
    "scikit-learn-10k": {"kind": "scikit_learn", "n": 10_000},
    "mnist": {"kind": "landmarks", "counts": LANDMARKS, "data_dir": str(DATA)},
    "dask": {"kind": "dask", "sizes": [4000, 8000, 16_000], "n_workers": 2},
}


def machine():
    model = "unknown"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if "model name" in line), model)
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def run(case):
    command = [sys.executable, str(HERE / "scale_case.py"), json.dumps(case)]
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=list(CASES))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    names = [] if options.docs else options.only or list(CASES)
    for name in names:
        if name in results and not options.fresh and options.only is None:
            continue
        print(name, flush=True)
        results[name] = run(CASES[name])
        results["machine"] = machine()
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        print(
            {k: v for k, v in results[name].items() if k not in ("objective", "rows")}, flush=True
        )
    missing = [name for name in CASES if name not in results]
    if missing:
        print(f"no page written: {', '.join(missing)} not measured yet")
        return
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(scale_page.page(results))
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
