"""What is measured in fresh processes: peak memory, import, first call."""

from __future__ import annotations

import tempfile

from l1kpca.bench.base import NAME, Context, Part, Settings
from l1kpca.bench.from_rows import BLOCKED
from l1kpca.bench.processes import import_seconds, peak_memory, run_python
from l1kpca.bench.timing import Timing, as_rows
from l1kpca.bench.works import DEFAULT, LINEAR_PCA, OURS
from l1kpca.journal import Row, Task

IMPORT_OURS, IMPORT_SKLEARN = "import l1kpca", "import sklearn.decomposition"
COLD, WARM, SECOND = "empty cache", "filled cache", "second call"
GAUSSIAN_COLUMNS = 50
ARPACK, RANDOMIZED = "scikit-learn arpack", "scikit-learn randomized"

_ROWS = "import numpy as np\nX = np.random.default_rng(0).standard_normal(({n}, {d}))\n"
_SETTINGS = {
    OURS: "kernel='rbf', solver='fixed_point', random_state=0",
    DEFAULT: "random_state=0",
    BLOCKED: "kernel='rbf', solver='fixed_point', random_state=0, gram='blocked'",
    ARPACK: "kernel='rbf', eigen_solver='arpack', random_state=0",
    RANDOMIZED: "kernel='rbf', eigen_solver='randomized', random_state=0",
    LINEAR_PCA: "svd_solver='covariance_eigh'",
}
_FIRST_CALL = """
import time
import numpy as np
from l1kpca import L1KernelPCA
X = np.random.default_rng(0).standard_normal(({n}, 10))
answer = []
for _ in range(2):
    begin = time.perf_counter()
    L1KernelPCA(2, kernel="rbf").fit(X)
    answer.append(time.perf_counter() - begin)
"""


def plan_memory(settings: Settings) -> list[Task]:
    """Our ways to hold K and scikit-learn's solvers against n; the linear kernel once."""
    sizes = [600] if settings.quick else [1000, 2000, 5000, 10_000, 20_000]
    tasks = []
    for n in sizes:
        for method in (OURS, BLOCKED, RANDOMIZED, ARPACK):
            if method == ARPACK and n > 10_000:
                continue  # its time, and its memory is that of the other
            seconds = 1.0 if settings.quick else 2.0 + 20 * (n / 20_000) ** 2
            at = {"n": n, "d": GAUSSIAN_COLUMNS, "n_components": 10, "method": method}
            tasks.append(Task(NAME, "memory", at, seconds=seconds))
    n = 1000 if settings.quick else 200_000
    for method in (DEFAULT,) if settings.quick else (DEFAULT, LINEAR_PCA):
        at = {"n": n, "d": 100, "n_components": 10, "method": method}
        tasks.append(Task(NAME, "memory", at, seconds=1.0 if settings.quick else 6.0))
    return tasks


def measure_memory(task: Task, context: Context) -> list[Row]:
    """Resident bytes before and at most during one fit."""
    at = task.parameters
    settings = _SETTINGS[at["method"]]
    if at["method"] in (OURS, DEFAULT, BLOCKED):
        package, model = "l1kpca", "L1KernelPCA"
    else:
        package = "sklearn.decomposition"
        model = "PCA" if at["method"] == LINEAR_PCA else "KernelPCA"
    setup = f"{_ROWS.format(**at)}from {package} import {model}\n"
    # Loads what a first fit loads; not of far fewer rows, for which other code is used.
    setup += f"{model}(2, {settings}).fit(X[: {at['n'] // 4}])\n"
    before, peak = peak_memory(setup, f"{model}({at['n_components']}, {settings}).fit(X)")
    return [{"bytes_before": before, "bytes_peak": peak}]


def plan_loading(settings: Settings) -> list[Task]:
    """Imports, and first calls."""
    repeats = 1 if settings.quick else 9
    first = {"n": 100 if settings.quick else 1000, "repeats": 1 if settings.quick else 3}
    return [
        Task(NAME, "import", {"repeats": repeats}, seconds=3.0 * repeats),
        Task(NAME, "first call", first, seconds=20.0 * first["repeats"]),
    ]


def measure_loading(task: Task, context: Context) -> list[Row]:
    """Seconds of imports in turn, or of the first calls with an empty and a filled cache."""
    repeats = task.parameters["repeats"]
    if task.part == "first call":
        return _first_calls(task.parameters["n"], repeats)
    statements = (IMPORT_OURS, IMPORT_SKLEARN)
    if not context.settings.quick:
        for statement in statements:
            import_seconds(statement)  # brings the files into the memory of the system
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(repeats):
        for statement in statements:
            times[statement].append(import_seconds(statement))
    return as_rows({name: Timing(tuple(seconds)) for name, seconds in times.items()})


def _first_calls(n_samples: int, repeats: int) -> list[Row]:
    script = _FIRST_CALL.format(n=n_samples)
    times: dict[str, list[float]] = {COLD: [], WARM: [], SECOND: []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            cache = {"NUMBA_CACHE_DIR": folder}
            times[COLD].append(run_python(script, cache)[0])
            first, second = run_python(script, cache)
            times[WARM].append(first)
            times[SECOND].append(second)
    return as_rows({name: Timing(tuple(seconds)) for name, seconds in times.items()})


MEMORY = Part("memory", plan_memory, measure_memory)
LOADING = Part("loading", plan_loading, measure_loading)
