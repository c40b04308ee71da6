"""Memory: what a fit may take is what it takes, and rows on disk stay there."""

import tracemalloc

import numpy as np
import pytest

from l1kpca import L1KernelPCA
from l1kpca.estimators.validation import check_rows
from l1kpca.far_rows import middle

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
COLUMNS_OF_THE_START = 64


def grown(run_script, n, settings):
    import json

    found = json.loads(run_script(PEAK, n, json.dumps(settings)))
    return found["gram"], found["grown"]


def allowance(n, limit):
    """The limit, and a few times the columns that a start looks at."""
    return limit + 4 * COLUMNS_OF_THE_START * n * 8 / 1e6


def test_blocks_of_the_kernel_matrix_stay_within_the_limit(run_script):
    n, limit = 14_000, 40
    gram, megabytes = grown(run_script, n, {"memory_limit": f"{limit}MB"})
    assert gram == "blocked"
    assert megabytes < allowance(n, limit) < n**2 * 8 / 1e6 / 10


def test_landmark_features_that_do_not_fit_are_not_stored(run_script):
    n, limit = 60_000, 40
    gram, megabytes = grown(run_script, n, {"gram": "nystroem", "memory_limit": f"{limit}MB"})
    assert gram == "nystroem"
    assert megabytes < allowance(n, limit)


@pytest.fixture
def on_disk(make_rows, tmp_path):
    """Wide rows in a file, and the same rows in memory."""
    X = make_rows(3000, d=800)
    np.save(tmp_path / "rows.npy", X)
    return np.load(tmp_path / "rows.npy", mmap_mode="r"), X


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gram": "blocked"},
        {"kernel": "rbf", "gram": "blocked", "gamma": "scale"},
        {"kernel": "rbf", "gram": "blocked", "gamma": "median"},
        {"kernel": "laplacian", "gram": "blocked"},
        {"kernel": "rbf", "gram": "nystroem", "memory_limit": "3MB"},
    ],
    ids=str,
)
def test_rows_on_disk_are_never_copied_whole(on_disk, settings):
    mapped, X = on_disk
    if settings["kernel"] == "laplacian":
        mapped, X = mapped[:400], X[:400]
    pca = L1KernelPCA(2, random_state=0, **settings)
    tracemalloc.start()
    try:
        pca.fit(mapped)
        scores = pca.transform(mapped)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.8 * X.nbytes + 64 * 800 * 800  # half a copy and the small tiles of the kernel
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
    assert peak < 0.8 * X.nbytes
    np.testing.assert_array_equal(found, np.sort(X[::3], axis=0)[500])


def test_rows_on_disk_in_another_precision_are_converted(on_disk):
    mapped, _ = on_disk
    converted = check_rows(L1KernelPCA(dtype="float32"), mapped, reset=True)
    assert converted.dtype == np.float32
    assert not isinstance(converted, np.memmap)


def test_rows_on_disk_are_checked(tmp_path):
    X = np.ones((10, 3))
    X[4, 1] = np.nan
    np.save(tmp_path / "rows.npy", X)
    with pytest.raises(ValueError, match="contains NaN"):
        L1KernelPCA(1).fit(np.load(tmp_path / "rows.npy", mmap_mode="r"))
