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
import shutil
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
IMPORTS = ("from l1kpca import L1KernelPCA", "import sklearn.decomposition")
SLOWER, LARGER = 1.15, 1.02  # ratios of time and of memory from which on a case is marked
HOPELESS = 1.3  # times the fastest solver of scikit-learn in the first round: not timed again
PAIRS = 2  # fresh processes of each version, so that luck with memory evens out


def time_case(name, quick):
    """Seconds of each method, round by round; scikit-learn's slower solvers run once."""
    methods, worker = CASES[name].methods, shared_worker()
    worker.ask("prepare", name=name, methods=methods, small=quick)
    works = {method: partial(worker.ask, "run_once", method=method) for method in methods}
    solvers = [method for method in methods if method.startswith("scikit-learn")]
    first = in_turn({method: works[method] for method in solvers}, 1)
    least = min((seconds[0] for seconds in first.values()), default=0)
    slow = {m: runs for m, runs in first.items() if runs[0] > HOPELESS * least}
    rest = {method: works[method] for method in methods if method not in slow}
    return in_turn(rest, 2 if quick else None) | slow


@cache
def shared_worker():
    """The process that times all cases: starting one for each would take as long as they do."""
    worker = Worker(WORKER)
    atexit.register(worker.__exit__)
    return worker


def time_large(name, quick, tree=ROOT, methods=None):
    """Seconds and peak bytes of each method, in processes of their own, in turn."""
    works = {
        method: partial(asked_once, WORKER, "large", tree, name=name, method=method, small=quick)
        for method in methods or CASES[name].methods
    }
    rounds = 5 if CASES[name].n <= 200_000 else 3
    runs = {method: [] for method in works}
    for _ in range(1 if quick else rounds):
        for method, work in works.items():
            runs[method].append(work())
    return runs


def time_imports(quick):
    for statement in IMPORTS:
        import_seconds(statement)  # brings the files into the memory of the system
    return in_turn({text: partial(import_seconds, text) for text in IMPORTS}, 1 if quick else 5)


def time_first_calls(quick):
    """Seconds of the first fit in a process with an empty cache, and in one with its cache."""
    found = {"empty cache": [], "filled cache": []}
    for _ in range(1 if quick else 5):
        with tempfile.TemporaryDirectory() as folder:
            for seconds in found.values():
                with Worker(WORKER, NUMBA_CACHE_DIR=folder) as worker:
                    seconds.append(worker.ask("first_fit", n=100 if quick else 1000))
    return found


def time_peer(method, quick):
    """A peer and a plain NumPy version of it, in turn."""
    sys.path.append(str(ROOT / "tests"))
    return peers.speed(method, 1, quick)


def all_tasks(given):
    tasks = {
        "import": partial(time_imports, given.quick),
        "first-call": partial(time_first_calls, given.quick),
        **{name: partial(time_case, name, given.quick) for name in cases.TIMED},
    }
    if shutil.which("Rscript") is None:
        tasks = {name: task for name, task in tasks.items() if not name.startswith("hubert")}
    if not (given.large or given.only):
        return tasks
    for method in ("KwakKernelPCA", "XiaoKernelPCA", "R1KernelPCA"):
        tasks[f"peer-{method}"] = partial(time_peer, method, given.quick)
    return tasks | {name: partial(time_large, name, given.quick) for name in cases.LARGE}


def compare_times(name, tree, quick):
    """Seconds of our methods in this version and in the other, in turn."""
    methods = [method for method in CASES[name].methods if method in OWN]
    runs = {method: {"new": [], "old": []} for method in methods}
    for number in range(1 if quick else PAIRS):
        with Worker(WORKER) as new, Worker(WORKER, tree) as old:
            sides = {"new": new, "old": old} if number % 2 == 0 else {"old": old, "new": new}
            for worker in sides.values():
                worker.ask("prepare", name=name, methods=methods, small=quick)
            for method in methods:
                asks = {side: partial(sides[side].ask, "run_once", method=method) for side in sides}
                for side, seconds in in_turn(asks, 2 if quick else None).items():
                    runs[method][side] += seconds
    return runs


def compare_processes(work, names, tree, rounds):
    """What ``work(name, tree)`` gives for both versions, in turn."""
    sides = {"new": ROOT, "old": tree}
    return {
        name: in_turn({side: partial(work, name, sides[side]) for side in sides}, rounds)
        for name in names
    }


def compare_large(name, tree, quick):
    """Seconds and peak bytes of our method in both versions."""
    methods = [method for method in CASES[name].methods if method in OWN]
    sides = {"new": time_large(name, quick, ROOT, methods),
             "old": time_large(name, quick, tree, methods)}  # fmt: skip
    return {
        f"{method}{what}": {side: [run[place] for run in sides[side][method]] for side in sides}
        for method in methods for place, what in enumerate(("", ": memory"))
    }  # fmt: skip


def compare(given):
    """Print how the time and the memory of this version compare with those of another."""
    tree = Path(given.against).resolve()
    if not (tree / "src" / "l1kpca").is_dir():
        raise SystemExit(f"--against {given.against}: holds no src/l1kpca; give a source tree")
    imports = partial(compare_processes, import_seconds, IMPORTS[:1], tree, 2 if given.quick else 9)
    tasks = {"import": imports}
    tasks |= {name: partial(compare_times, name, tree, given.quick) for name in cases.TIMED}
    for name in cases.LARGE if given.large or given.only else ():
        tasks[name] = partial(compare_large, name, tree, given.quick)
    journal = OUT / "against.jsonl"
    if given.fresh:
        journal.unlink(missing_ok=True)
    done, found, failed = Tasks(journal, quiet=True), {}, {}
    print(f"{'new / old':57}{'ratio':>6}  of rounds              new")
    for name in chosen_of(tasks, given.only):
        try:
            found[name] = done.run([name, str(tree), given.quick], tasks[name])
        except RuntimeError as error:  # a version that lacks something; the others are compared
            failed[name] = error
            continue
        for method, sides in found[name].items():
            print(_compared(name, method, sides), flush=True)
    if failed:
        raise SystemExit("\n".join(f"not compared: {name}: {failed[name]}" for name in failed))
    (OUT / "against.json").write_text(json.dumps(found, indent=1) + "\n")
    journal.unlink(missing_ok=True)  # complete: the next run measures anew


def _compared(name, method, sides):
    one, new = ratio(sides["new"], sides["old"]), median(sides["new"]).value
    is_memory = method.endswith(": memory")
    amount = f"{new / 1e6:.0f} MB" if is_memory else f"{1000 * new:.4g} ms"
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
