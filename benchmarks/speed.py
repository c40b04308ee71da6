"""Speed and memory against the peers: measure the targets, and fill docs/performance.md.

    python -m benchmarks.speed                       the targets; a stopped run goes on
    python -m benchmarks.speed --large               also what takes minutes a fit
    python -m benchmarks.speed --only mnist import   only what begins so
    python -m benchmarks.speed --page                only write the page
    python -m benchmarks.speed --against TREE        compare with another version

With ``--against`` each case is timed in turn with this version and with that of another source
tree (the folder that holds src/l1kpca), in fresh processes; the ratios new / old are printed and
kept in out/against.json.
"""

import atexit
import json
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

from benchmarks import peers, speed_page
from benchmarks import speed_cases as cases
from benchmarks.results import OUT, ROOT, chosen_of, options, publish
from benchmarks.speed_cases import CASES, OWN
from benchmarks.timing import Worker, asked_once, import_seconds, in_turn, median, ratio
from scripts.tasks import Tasks

WORKER = "benchmarks.speed_cases"
IMPORT, IMPORT_SKLEARN = "from l1kpca import L1KernelPCA", "import sklearn.decomposition"
SLOWER, LARGER = 1.15, 1.02  # ratios of time and of memory from which on a case is marked
PAIRS = 2  # fresh processes of each version, so that luck with memory evens out


def time_case(name, quick):
    """Seconds of each method that can run here, round by round."""
    methods = [method for method in CASES[name].methods if cases.can_run(method)]
    works = prepared(shared_worker(), name, methods, quick)
    solvers = [method for method in methods if method.startswith("scikit-learn")]
    return in_turn(works, 2 if quick else None, solvers)


def prepared(worker, name, methods, quick):
    """What gives the seconds of each method of a case, in a process that is ready for it."""
    worker.ask("prepare", name=name, methods=methods, small=quick)
    return {method: partial(worker.ask, "run_once", method=method) for method in methods}


@cache
def shared_worker():
    """The process that times all cases: starting one for each would take as long as they do."""
    worker = Worker(WORKER)
    atexit.register(worker.__exit__, None, None, None)
    return worker


def fit_of(name, quick, method, tree=ROOT):
    """What gives seconds and peak bytes of a method, in a process of its own."""
    return partial(asked_once, WORKER, "large", tree, name=name, small=quick, method=method)


def time_large(name, quick):
    works = {method: fit_of(name, quick, method) for method in CASES[name].methods}
    return in_turn(works, 1 if quick else 3)


def time_imports(quick):
    works = {text: partial(import_seconds, text) for text in (IMPORT, IMPORT_SKLEARN)}
    in_turn(works, 1)  # brings the files into the memory of the system
    return in_turn(works, 1 if quick else 5)


def time_first_calls(quick):
    """Seconds of the first fit with an empty cache, with its cache, and of one loop with that."""
    found, n = {"empty cache": [], "filled cache": [], "one loop": []}, 100 if quick else 1000
    for _ in range(1 if quick else 3):
        with tempfile.TemporaryDirectory() as folder:
            for name, seconds in found.items():
                with Worker(WORKER, NUMBA_CACHE_DIR=folder) as worker:
                    seconds.append(worker.ask("first_call", n=0 if name == "one loop" else n))
    return found


def time_peer(method, quick):
    sys.path.append(str(ROOT / "tests"))
    return peers.speed(method, 1, quick)["runs"]


def all_tasks(given):
    tasks = {
        "import": partial(time_imports, given.quick),
        "first-call": partial(time_first_calls, given.quick),
        **{name: partial(time_case, name, given.quick) for name in cases.TIMED},
    }
    for method in ("KwakKernelPCA", "XiaoKernelPCA", "R1KernelPCA"):
        tasks[f"peer-{method}"] = partial(time_peer, method, given.quick)
    for name in cases.LARGE:
        if given.large or given.only or name in cases.SHORTER:
            tasks[name] = partial(time_large, name, given.quick)
    return tasks


def compare_times(name, methods, sides, quick):
    """Seconds of our methods in both versions, in turn."""
    runs = {method: {side: [] for side in sides} for method in methods}
    for number in range(1 if quick else PAIRS):
        with Worker(WORKER, sides["new"]) as new, Worker(WORKER, sides["old"]) as old:
            both = {"new": new, "old": old} if number % 2 == 0 else {"old": old, "new": new}
            works = {side: prepared(both[side], name, methods, quick) for side in both}
            for method in methods:
                asks = {side: works[side][method] for side in both}
                for side, seconds in in_turn(asks, 2 if quick else None).items():
                    runs[method][side] += seconds
    return runs


def compare_large(name, methods, sides, quick):
    found = {}
    for method in methods:
        works = {side: fit_of(name, quick, method, tree) for side, tree in sides.items()}
        runs = in_turn(works, 1 if quick else 3)
        for place, what in enumerate(("", ": memory")):
            found[method + what] = {side: [run[place] for run in runs[side]] for side in runs}
    return found


def compare(given):
    """Print how the time and the memory of this version compare with those of another."""
    tree = Path(given.against).resolve()
    if not (tree / "src" / "l1kpca").is_dir():
        raise SystemExit(f"--against {given.against}: holds no src/l1kpca; give a source tree")
    sides = {"new": ROOT, "old": tree}
    imports = {side: partial(import_seconds, IMPORT, tree) for side, tree in sides.items()}
    tasks = {"import": lambda: {IMPORT: in_turn(imports, 2 if given.quick else 9)}}
    for name, case in CASES.items():
        if name in cases.TIMED or given.large or given.only:
            work = compare_times if name in cases.TIMED else compare_large
            own = [method for method in case.methods if method in OWN]
            tasks[name] = partial(work, name, own, sides, given.quick)
    done = Tasks(OUT / "against.jsonl", quiet=True, fresh=given.fresh)
    pairs = [([name, str(tree), given.quick], tasks[name]) for name in chosen_of(tasks, given.only)]
    found, failed = {}, []
    print(f"{'new / old':57}{'ratio':>6}  of rounds              new")
    # A version that lacks something does not keep the others from being compared.
    for (name, *_), runs, error in done.run_all(pairs, RuntimeError):
        if error:
            failed.append(f"not compared: {name}: {error}")
            continue
        found[name] = runs
        for method, seconds in runs.items():
            print(_compared(name, method, **seconds), flush=True)
    if failed:
        raise SystemExit("\n".join(failed))
    (OUT / "against.json").write_text(json.dumps(found, indent=1) + "\n")
    done.path.unlink(missing_ok=True)  # complete: the next run measures anew


def _compared(name, method, new, old):
    one, spent = ratio(new, old), median(new).value
    is_memory = method.endswith(": memory")
    amount = f"{spent / 1e6:.0f} MB" if is_memory else f"{1000 * spent:.4g} ms"
    rounds = f"{min(one.rounds):.2f} to {max(one.rounds):.2f} ({len(one.rounds)})"
    mark = "  MORE" if one.value > (LARGER if is_memory else SLOWER) else ""
    return f"{name:25}{method:32}{one.value:6.2f}  {rounds:18}{amount:>12}{mark}"


def main():
    given = options(
        __doc__,
        large={"action": "store_true", "help": "also what takes minutes a fit"},
        against={"metavar": "TREE", "help": "compare with the version in another source tree"},
    )
    if given.against:
        compare(given)
    else:
        publish("speed", "performance.md", all_tasks(given), speed_page.makers(given.quick), given)


if __name__ == "__main__":
    main()
