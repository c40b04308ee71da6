"""Mutation tests: change one thing in the code, and see whether a test notices.

Mutants are drawn at random from the parts of the package that calculate. Each is tried in a copy
of the repository with the tests of its part; those that no test kills are printed, with the change.

    .venv-mutate/bin/python scripts/mutate.py --python .venv/bin/python --minutes 20
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).resolve().parents[1]
PARTS = {
    # part (a folder or a module): what must notice, the nearest first, and no more than that
    "kernels": ["kernels", "contracts/test_grams.py"],
    "gram": ["gram", "contracts/test_grams.py", "contracts/test_projections.py",
             "contracts/test_followed.py"],
    "directions": ["directions", "contracts/test_finders.py", "contracts/test_solvers.py"],
    "components": ["components", "contracts/test_solvers.py", "contracts/test_projections.py",
                   "peers"],
    "outliers": ["outliers", "contracts/test_rules.py"],
    "tables": ["tables"],
    "optimality": ["optimality"],
}  # fmt: skip
# Modules that speak to Dask. Their tests start clusters, which takes longer than all others, and
# sees little of what has nothing to do with clusters.
CLUSTERS = {"cluster", "collections", "dask", "dask_factor", "partition_tasks", "spread"}
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

# What no result can show: how work is dealt out among threads, and guards of the language.
WITHOUT_RESULT = re.compile(r"\bcost(_in_all)? ?=|\bstrict=|@dataclass\(")
NUMBER = re.compile(r"-? ?\b\d[\d_.]*(?:e[+-]?\d+)?\b")


def mutants(part, clusters=None):
    """All mutants of a part, or of what in it does or does not speak to Dask.

    Each is a file, an operator, and which occurrence of it.
    """
    home = ROOT / "src" / "l1kpca" / part
    for path in sorted(home.glob("*.py")) if home.is_dir() else [home.with_suffix(".py")]:
        if clusters not in (None, path.stem in CLUSTERS):
            continue
        tree = get_ast_from_path(path)
        for name in OPERATORS:
            operator = get_operator(f"core/{name}")()
            places = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))
            for occurrence in range(places):
                yield str(path.relative_to(ROOT)), name, occurrence


def counts(before, after, operator):
    """Whether a careful reader would call the changed line a fault.

    Not so if it is about what no result can show, or if one number became another that is nearly
    as large: sizes of blocks, limits of rounding errors and other tuned numbers have neighbors
    that are as good.
    """
    if WITHOUT_RESULT.search(before):
        return False
    if operator != "NumberReplacer":
        return True
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=False)
    old, new = next((pair for pair in pairs if pair[0] != pair[1]), ("0", "1"))
    old, new = (float(text.replace(" ", "").replace("_", "")) for text in (old, new))
    return abs(new - old) >= abs(old) / 2


def part_of(name):
    return Path(name).with_suffix("").parts[2]


def copy_of_repository(folder):
    """A copy to change: sources, tests and what they read; what is compiled stays valid in it."""
    ignored = shutil.ignore_patterns(".git", ".venv*", "out", "demo", "_build", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=ignored)
    return folder


class Tests:
    """The tests of a copy; mutation_server.py runs them."""

    def __init__(self, copy, python, parts):
        first = f"{copy / 'src'}{os.pathsep}{copy}"
        environment = os.environ | {"PYTHONPATH": first, "OMP_NUM_THREADS": "1"}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        named = dict.fromkeys(f"tests/{each}" for part in parts for each in PARTS[part])
        within = [name for name in named if not any(name.startswith(f"{o}/") for o in named)]
        self.copy = copy
        self.process = subprocess.Popen(
            [python, "scripts/mutation_server.py", *within], cwd=copy, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.passed, self.failing, self.killers = set(), set(), {}
        self.first_failure([], [], 60)  # nothing may change before all is loaded

    def first_failure(self, near, tests, timeout, **change):
        """Name of the first test that fails, "timeout", or None."""
        asked = {"near": near, "tests": tests, "timeout": timeout, "left_out": []}
        asked |= {"without": sorted(self.failing), **change}
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def nearest(self, name):
        """The test file of the same name, then those of the part that import the module."""
        part, module = part_of(name), Path(name).stem
        imports = re.compile(rf"l1kpca\.{part}(\.{module}\b| import .*\b{module}\b)")
        files = sorted(
            (self.copy / "tests" / part).glob("test_*.py"),
            key=lambda file: file.stem != f"test_{module}",
        )
        return [
            str(file.relative_to(self.copy)) for file in files
            if file.stem == f"test_{module}" or imports.search(file.read_text(encoding="utf-8"))
        ]  # fmt: skip

    def killer(self, name, original, timeout):
        """The first test that fails with a changed file, and passes without the change."""
        killers = self.killers.setdefault(name, {})
        near = [*killers, *self.nearest(name)]
        tests = [f"tests/{each}" for each in PARTS[part_of(name)]]
        left_out = [] if Path(name).stem in CLUSTERS else ["tests/gram/test_dask"]
        while True:
            found = self.first_failure(
                near, tests, timeout, left_out=left_out, path=name, before=original
            )
            if found in (None, "timeout", "died") or found in self.passed or "::" not in found:
                break
            changed = (self.copy / name).read_text(encoding="utf-8")
            write(self.copy / name, original)
            if self.first_failure([found], [], timeout) is None:
                self.passed.add(found)
                break
            print(f"fails without any change, and counts for nothing: {found}", flush=True)
            self.failing.add(found)
            write(self.copy / name, changed)
        if found and "::" in found:
            killers[found] = True
        return found


def write(path, text):
    path.write_text(text, encoding="utf-8")


def tried(mutant, copy, tests, timeout):
    """What became of a mutant, and the change; None if it changes nothing that counts."""
    name, operator, occurrence = mutant
    path = copy / name
    original, times = path.read_text(encoding="utf-8"), path.stat()
    changed = MutationVisitor.mutate_code(original, get_operator(f"core/{operator}")(), occurrence)
    lines = zip(original.splitlines(), changed.splitlines(), strict=False)
    where, (before, after) = next(
        (i, pair) for i, pair in enumerate(lines, 1) if pair[0] != pair[1]
    )
    if not counts(before, after, operator):
        return None
    try:
        write(path, changed)
        killer = tests.killer(name, original, timeout)
    finally:
        write(path, original)
        # With its old time, what was compiled of the file before is valid again.
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    outcome = {None: "survived", "timeout": "timeout"}.get(killer, "killed")
    return {"file": name, "line": where, "operator": operator, "before": before.strip(),
            "after": after.strip(), "outcome": outcome, "by": killer}  # fmt: skip


def summary(everything, found):
    """Lines: what became of the mutants of each part, and of all, each part by its size."""
    total, known = 0.0, 0
    for part, all_of_it in everything.items():
        here = [one["outcome"] for one in found if part_of(one["file"]) == part]
        if here:
            # A busy machine makes any test late: only what a test or a crash says counts as killed.
            alive = len(here) - here.count("killed")
            total += len(all_of_it) * (1 - alive / len(here))
            known += len(all_of_it)
            yield (
                f"{part}: {len(here)} of {len(all_of_it)} tried, {len(here) - alive} killed, "
                f"{here.count('survived')} survived, {here.count('timeout')} not done in time"
            )
    if known:
        yield f"{len(found)} of {known} tried; {total / known:.0%} killed, parts by their size"


def options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="python", help="with the package's requirements")
    parser.add_argument("--minutes", type=float, default=20, help="no mutant is begun after that")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one mutant")
    parser.add_argument("--part", choices=PARTS, action="append", help="mutate these parts alone")
    dask = parser.add_mutually_exclusive_group()
    dask.set_defaults(clusters=None)
    for name, clusters, words in (("no", False, "leave out"), ("only", True, "mutate nothing but")):
        dask.add_argument(
            f"--{name}-clusters", action="store_const", const=clusters, dest="clusters",
            help=f"{words} what speaks to Dask",
        )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at once")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants.json")
    return parser.parse_args()


def main():
    given = options()
    everything = {part: list(mutants(part, given.clusters)) for part in given.part or PARTS}
    everything = {part: all_of_it for part, all_of_it in everything.items() if all_of_it}
    draw = random.Random(given.seed)
    shuffled = (draw.sample(all_of_it, len(all_of_it)) for all_of_it in everything.values())
    # One of each part in turn, so that small parts are tried as well.
    sample = [one for turn in zip_longest(*shuffled) for one in turn if one][::-1]
    python = str(Path(given.python).absolute())
    deadline, found = time.monotonic() + 60 * given.minutes, []

    def work(copy):
        tests = Tests(copy, python, everything)
        while sample and time.monotonic() < deadline:
            one = tried(sample.pop(), copy, tests, given.timeout)
            if one is None:
                continue
            found.append(one)
            change = f"{one['before']} -> {one['after']}"
            print(
                f"{len(found)} {one['outcome']}: {one['file']}:{one['line']} {change}", flush=True
            )

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        copies = [copy_of_repository(Path(folder) / str(i)) for i in range(given.jobs)]
        list(pool.map(work, copies))
    lines = list(summary(everything, found))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(
        json.dumps({"seed": given.seed, "summary": lines, "tried": found}, indent=1)
    )
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
