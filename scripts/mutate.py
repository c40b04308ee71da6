"""Mutation tests: change one thing in the code, and see whether a test notices.

Mutants are drawn at random from the parts of the package that calculate. Each is tried in a copy
of the repository with the tests of its part; those that no test kills are printed, with the change.

    .venv-mutate/bin/python scripts/mutate.py --python .venv/bin/python --minutes 20
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).resolve().parents[1]
PARTS = {
    # part: folders of tests that must notice, the nearest first
    "kernels": ["kernels", "contracts"],
    "gram": ["gram", "contracts"],
    "directions": ["directions", "contracts"],
    "components": ["components", "contracts", "peers"],
    "outliers": ["outliers", "contracts"],
    "tables": ["tables"],
    "optimality": ["optimality"],
}
# Changes that a careless hand could make. Those that hardly any code survives, such as a shift
# in place of a sum, would only flatter the score.
OPERATORS = [
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in (
        "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt",
        "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")),
    "ReplaceUnaryOperator_Delete_USub", "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_Invert", "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue",
    "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ZeroIterationForLoop",
    "NumberReplacer",
]  # fmt: skip


# Reads tests to run, a line of JSON each; a child has all packages loaded, and ours anew.
SERVER = """
import json, os, signal, sys, threading
import pytest
import dask.array, dask.dataframe, distributed, joblib, matplotlib.pyplot, narwhals, numba, numpy
import pandas, pyarrow.parquet, scipy.linalg, scipy.optimize, scipy.sparse.linalg, scipy.stats
import skops.io, sklearn.decomposition, sklearn.ensemble, sklearn.metrics, sklearn.pipeline
import sklearn.utils.estimator_checks, typer

class First:
    failed = None

    def pytest_runtest_logreport(self, report):
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    pytest_collectreport = pytest_runtest_logreport

def run(tests, answer):
    os.setpgid(0, 0)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    first = First()
    status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[first])
    os.write(answer, json.dumps((first.failed or f"status {status}") if status else None).encode())
    os._exit(0)

for line in sys.stdin:
    asked = json.loads(line)
    answers, answer = os.pipe()
    child = os.fork()
    if child == 0:
        run(asked["tests"], answer)
    os.close(answer)
    late = []
    def end():
        late.append(True)
        os.killpg(child, signal.SIGKILL)
    timer = threading.Timer(asked["timeout"], end)
    timer.start()
    os.waitpid(child, 0)
    timer.cancel()
    said = b"" if late else os.read(answers, 10_000)
    os.close(answers)
    print('"timeout"' if late else said.decode() or '"died"', flush=True)
"""


def mutants(parts):
    """All mutants of some parts: file, operator, which occurrence of it."""
    for part in parts:
        for path in sorted((ROOT / "src" / "l1kpca" / part).glob("*.py")):
            tree = get_ast_from_path(path)
            for name in OPERATORS:
                operator = get_operator(f"core/{name}")()
                places = sum(
                    len(list(operator.mutation_positions(node))) for node in ast_nodes(tree)
                )
                for occurrence in range(places):
                    yield str(path.relative_to(ROOT)), name, occurrence


def copy_of_repository(folder):
    """A copy to change: sources, tests and what they read."""
    ignored = shutil.ignore_patterns(
        ".git", ".venv*", "out", "demo", "_build", "__pycache__", ".*_cache"
    )
    shutil.copytree(ROOT, folder, ignore=ignored)
    return folder


class Tests:
    """The tests of a copy, run by children of a process that has the large packages loaded."""

    def __init__(self, copy, python):
        first = f"{copy / 'src'}{os.pathsep}{copy}"
        environment = os.environ | {"PYTHONPATH": first, "OMP_NUM_THREADS": "1"}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        self.process = subprocess.Popen(
            [python, "-c", SERVER], cwd=copy, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.passed = set()

    def first_failure(self, tests, timeout):
        """Name of the first test that fails, "timeout", or None."""
        print(json.dumps({"tests": tests, "timeout": timeout}), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def check(self, test, timeout):
        """A test that fails anyway kills nothing."""
        if test not in self.passed and self.first_failure([test], timeout) is not None:
            raise RuntimeError(f"{test} fails without any change")
        self.passed.add(test)


def tried(mutant, copy, tests, timeout):
    """What became of a mutant, and the change."""
    name, operator, occurrence = mutant
    path = copy / name
    original = path.read_text(encoding="utf-8")
    changed = MutationVisitor.mutate_code(original, get_operator(f"core/{operator}")(), occurrence)
    part = Path(name).parts[2]
    nearest = [f"tests/{part}/test_{path.stem}.py", *(f"tests/{each}" for each in PARTS[part])]
    try:
        path.write_text(changed, encoding="utf-8")
        found = (tests.first_failure([t], timeout) for t in nearest if (copy / t).exists())
        killer = next(filter(None, found), None)
    finally:
        path.write_text(original, encoding="utf-8")
    if killer not in (None, "timeout"):
        tests.check(killer, timeout)
    # An endless loop would not pass unnoticed.
    outcome = {None: "survived", "timeout": "timeout"}.get(killer, "killed")
    lines = zip(original.splitlines(), changed.splitlines(), strict=False)
    where, (before, after) = next(
        (i, pair) for i, pair in enumerate(lines, 1) if pair[0] != pair[1]
    )
    return {"file": name, "line": where, "operator": operator, "before": before.strip(),
            "after": after.strip(), "outcome": outcome, "by": killer}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="python", help="with the package's requirements")
    parser.add_argument("--minutes", type=float, default=20, help="no mutant is begun after that")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one mutant")
    parser.add_argument("--part", choices=PARTS, action="append", help="mutate these parts alone")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at once")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants.json")
    given = parser.parse_args()
    everything = list(mutants(given.part or PARTS))
    sample = random.Random(given.seed).sample(everything, len(everything))
    python = str(Path(given.python).absolute())
    deadline, found = time.monotonic() + 60 * given.minutes, []

    def work(copy):
        tests = Tests(copy, python)
        while sample and time.monotonic() < deadline:
            one = tried(sample.pop(), copy, tests, given.timeout)
            found.append(one)
            change = f"{one['before']} -> {one['after']}"
            print(
                f"{len(found)} {one['outcome']}: {one['file']}:{one['line']} {change}", flush=True
            )

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        copies = [copy_of_repository(Path(folder) / str(i)) for i in range(given.jobs)]
        list(pool.map(work, copies))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(
        json.dumps({"mutants": len(everything), "seed": given.seed, "tried": found}, indent=1)
    )
    alive = [one for one in found if one["outcome"] == "survived"]
    share = 1 - len(alive) / max(1, len(found))
    print(f"{len(found)} of {len(everything)} mutants tried, {share:.0%} of them killed")


if __name__ == "__main__":
    main()
