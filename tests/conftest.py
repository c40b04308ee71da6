"""What all tests share: seeds, hypothesis profiles, and the folder of the six data sets."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from missing import DATA_MISSING, DATA_SETS, DATA_VARIABLE, REMEDIES

DEFAULT_DATA_DIR = Path(__file__).resolve().parents[2] / "shared" / "data"

# No deadline, and no complaint about slow examples: the first call of a loop compiles it.
settings.register_profile(
    "normal",
    derandomize=True,
    deadline=None,
    max_examples=50,
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
