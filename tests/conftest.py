"""What all tests share: seeds, hypothesis profiles, rows, scripts, the folder of the data sets."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from l1kpca import threads, tuning
from missing import DATA_MISSING, DATA_SETS, DATA_VARIABLE, REMEDIES

LONG = (
    "test_examples.py", "gram/test_dask_factor.py", "report/test_browser.py",
    "reliability/test_fuzz.py", "paper/test_runs.py", "contracts/test_grams.py",
    "contracts/test_finders.py", "benchmarks/test_speed.py", "cli/test_batches.py",
    "gram/test_dask.py", "reliability/test_same_answer.py", "contracts/test_rules.py",
    "gram/test_memory.py", "estimators/test_checkpoint.py", "tables/test_corpus.py",
    "estimators/test_interrupt.py", "report/test_reference.py", "test_docs.py",
    "optimality/test_bounds.py", "supply/test_distribution.py", "cli/test_cluster.py",
    "cli/test_outputs.py", "cli/test_program.py", "benchmarks/test_pages.py",
    "components/test_deflation.py", "contracts/test_followed.py", "scripts/test_soak.py",
    "reliability/test_faults.py", "estimators/test_l1_kernel_pca.py", "peers/test_peers.py",
    "reliability/test_killed.py", "peers/test_paper_figures.py", "reliability/test_load.py",
    "outliers/test_memory.py", "outliers/test_detector.py", "supply/test_network.py",
)  # fmt: skip
"""Files that take long, the longest first."""
DEFAULT_DATA_DIR = Path(__file__).resolve().parents[2] / "shared" / "data"
# A shell that runs the tests in the background tells all their processes to ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline, and no complaint about slow examples: the first call of a loop compiles it.
settings.register_profile(
    "normal",
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    parent=settings.get_profile("normal"),
    derandomize=False,
    max_examples=1000,
    print_blob=True,
)
settings.load_profile("normal")  # the option --hypothesis-profile=nightly overrides it


@pytest.fixture(scope="session")
def global_random_seed():
    """The seed of a test that draws data; the test must pass for any seed from 0 to 99."""
    return int(os.environ.get("L1KPCA_SEED", "0"))


@pytest.fixture(params=["compiled", "plain"])
def way(request, monkeypatch):
    """How few rows are searched: in compiled calls, or in the plain way of many rows."""
    if request.param == "plain":
        for name in ("SMALL_ROWS", "CACHED_BYTES"):
            monkeypatch.setattr(tuning, name, 0)
    return request.param


@pytest.fixture
def make_rows(global_random_seed):
    """Rows with a few strong directions, noise, and some rows far off."""

    def make(n, d=6):
        rng = np.random.default_rng(global_random_seed)
        X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d))
        X += 0.3 * rng.standard_normal((n, d))
        X[: n // 20] *= 5
        return X / X.std(axis=0)

    return make


@pytest.fixture
def start_script(tmp_path):
    """Start a Python script in a fresh process; whatever still runs at the end is killed."""
    started = []

    def start(text, *arguments):
        path = tmp_path / f"script{len(started)}.py"
        path.write_text(text)
        process = subprocess.Popen(
            [sys.executable, str(path), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run_script(start_script):
    """Run a Python script in a fresh process; its standard output, if all went well."""

    def run(text, *arguments):
        process = start_script(text, *arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output

    return run


@pytest.fixture(scope="session")
def forked_workers():
    """Processes of a cluster fork from one that has imported what they need.

    A worker then starts at once, and so does the one that takes the place of a killed one.
    """
    dask = pytest.importorskip("dask")
    from distributed.utils import get_mp_context

    needed = ["distributed.nanny", "dask.array", "dask.dataframe", "l1kpca.gram.dask_factor",
              "l1kpca.gram.dask", "l1kpca.cli.detection"]  # fmt: skip
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(needed)
        yield


@pytest.fixture
def two_threads_of_blas():
    """The tests run with one, and then it would not show whether BLAS is held to one."""
    with threadpool_limits(2, user_api="blas"):
        threads._let_go(force=True)  # any thread may change it now
        yield


@pytest.fixture(scope="session")
def data_dir():
    """The folder with the six data sets, each ``<name>.npz`` with arrays ``X`` and ``y``."""
    given = os.environ.get(DATA_VARIABLE)
    folder = Path(given) if given else DEFAULT_DATA_DIR
    missing = [f"{name}.npz" for name in DATA_SETS if not (folder / f"{name}.npz").is_file()]
    if missing and given:
        pytest.fail(f"{DATA_VARIABLE}={given} does not hold {', '.join(missing)}")
    if missing:
        pytest.skip(DATA_MISSING)
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests that stay till the end are no garbage to look through again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items):
    """What takes long comes first, so that no worker is left alone with it at the end."""
    places = {
        path: next((i for i, name in enumerate(LONG) if str(path).endswith(f"/{name}")), len(LONG))
        for path in {item.path for item in items}
    }
    items.sort(key=lambda item: places[item.path])


def pytest_report_header():
    return f"l1kpca: L1KPCA_SEED={os.environ.get('L1KPCA_SEED', '0')}"


def pytest_terminal_summary(terminalreporter):
    """Say which tests did not run for want of something, and how to get it."""
    skipped = terminalreporter.stats.get("skipped", [])
    lines = []
    for missing, remedy in REMEDIES.items():
        names = [report.nodeid for report in skipped if missing in str(report.longrepr)]
        if names:
            shown = ", ".join(names)
            lines.append(f"{len(names)} did not run ({missing}): {shown}. To run them, {remedy}.")
    if lines:
        terminalreporter.section("tests that did not run", yellow=True)
        for line in lines:
            terminalreporter.write_line(line)
