"""Memory: what a fit may take is what it takes, and rows on disk stay there."""

import json
import tracemalloc

import numpy as np
import pytest

from l1kpca import L1KernelPCA, tuning
from l1kpca.estimators.validation import check_rows
from l1kpca.kernels.blocks import middle

PEAK = """
import json, sys
import numpy as np
from l1kpca import L1KernelPCA

def peak_megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmHWM"))

n, settings = int(sys.argv[1]), json.loads(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, 10)) + rng.standard_normal((n, 10))
L1KernelPCA(2, kernel="rbf", gram="blocked", random_state=0).fit(X[:3000])  # compiles the loops
before = peak_megabytes()
pca = L1KernelPCA(3, kernel="rbf", random_state=0, **settings).fit(X)
print(json.dumps({"grown": peak_megabytes() - before, "gram": pca.gram_.name}))
"""


def grown(run_script, n, settings):
    found = json.loads(run_script(PEAK, n, json.dumps(settings)))
    return found["gram"], found["grown"]


def allowance(n, limit):
    """The limit, and a few times the sample that a start looks at."""
    return limit + 4 * tuning.FEWEST_SAMPLED**2 * 8 / 1e6 + n * 8 * 64 / 1e6


def test_blocks_of_the_kernel_matrix_stay_within_the_limit(run_script):
    n, limit = 6_000, 20
    gram, megabytes = grown(run_script, n, {"memory_limit": f"{limit}MB"})
    assert gram == "blocked"
    assert megabytes < allowance(n, limit) < n**2 * 8 / 1e6 / 10


def test_landmark_features_that_do_not_fit_are_not_stored(run_script):
    n, limit = 30_000, 20
    gram, megabytes = grown(run_script, n, {"gram": "nystroem", "memory_limit": f"{limit}MB"})
    assert gram == "nystroem"
    assert megabytes < allowance(n, limit)


@pytest.fixture
def on_disk(make_rows, tmp_path, monkeypatch):
    """Wide rows in a file, of which few are looked at at once, and the same rows in memory."""
    for name in ("ROW_SPAN", "LANDMARK_SPAN", "MEDIAN_ROWS", "FEWEST_SAMPLED", "SEEDING_ROWS"):
        monkeypatch.setattr(tuning, name, 100)
    monkeypatch.setattr(tuning, "TILE_SIDE", 64)
    X = make_rows(1500, d=800)
    np.save(tmp_path / "rows.npy", X)
    return np.load(tmp_path / "rows.npy", mmap_mode="r"), X


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gram": "blocked"},
        {"kernel": "rbf", "gram": "blocked", "gamma": "scale"},
        {"kernel": "rbf", "gram": "blocked", "gamma": "median"},
        {"kernel": "rbf", "gram": "nystroem", "memory_limit": "1MB"},
    ],
    ids=str,
)
def test_rows_on_disk_are_never_copied_whole(on_disk, settings):
    mapped, X = on_disk
    pca = L1KernelPCA(2, random_state=0, **settings)
    pca.fit(mapped).transform(mapped)  # loads every compiled loop: code takes memory too
    tracemalloc.start()
    try:
        scores = pca.fit(mapped).transform(mapped)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.6 * X.nbytes
    assert isinstance(pca.X_fit_, np.memmap)
    same = L1KernelPCA(2, random_state=0, **settings).fit(X)
    np.testing.assert_allclose(scores, same.transform(X), rtol=0, atol=1e-8 * np.abs(scores).max())


def test_the_middle_of_wide_rows_takes_little(on_disk):
    mapped, X = on_disk
    tracemalloc.start()
    try:
        found = middle(mapped)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * X.nbytes
    np.testing.assert_array_equal(found, np.sort(X[::15], axis=0)[50])


def test_rows_on_disk_in_another_precision_are_converted(on_disk):
    mapped, _ = on_disk
    converted = check_rows(L1KernelPCA(dtype="float32"), mapped, reset=True)
    assert converted.dtype == np.float32
    assert not isinstance(converted, np.memmap)


def test_rows_on_disk_are_checked(tmp_path):
    X = np.ones((10, 3))
    X[4, 1] = np.nan
    np.save(tmp_path / "rows.npy", X)
    with pytest.raises(ValueError):  # noqa: PT011 (the words are scikit-learn's)
        L1KernelPCA(1).fit(np.load(tmp_path / "rows.npy", mmap_mode="r"))
