"""The same answer: twice, in any number of threads, in another process, however K is held."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import dask.array as da
import hypothesis
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers
from l1kpca.directions import LpNorm
from reliability.answers import all_answers, answers, digest, models, rows

PROGRAM = Path(__file__).with_name("answers.py")
pytestmark = pytest.mark.filterwarnings("ignore:.*so far from all training rows")


@pytest.fixture(scope="module")
def expected():
    """The arrays of all models with one thread."""
    return all_answers(n_jobs=1)


@pytest.mark.parametrize("name", models())
def test_in_any_number_of_threads(name, expected, monkeypatch):
    """Bit for bit; n_jobs is not bounded by the cores here, so that four threads are four."""
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    X, X_new = rows(), rows(300, seed=1)
    for n_jobs in (2, 4):
        found = answers(models(n_jobs)[name], X, X_new)
        assert digest(found) == digest(expected[name]), f"n_jobs={n_jobs}"


@pytest.mark.parametrize("gram", ["dense", "factor", "blocked"])
def test_threads_change_nothing_when_memory_is_short(gram):
    """Blocks are then small; how small depends on the cores, not on how many of them are used."""
    X, kernel = rows(700), "linear" if gram == "factor" else "rbf"
    settings = {"kernel": kernel, "gram": gram, "memory_limit": 600_000}
    first, *others = (L1KernelPCA(2, n_jobs=n, **settings).fit(X) for n in (1, 2, -1, None))
    for other in others:
        assert_array_equal(other.dual_components_, first.dual_components_)
        assert_array_equal(other.transform(X[:100] + 1), first.transform(X[:100] + 1))


def in_another_process(changed, *arguments):
    """What the program prints with other environment variables."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env=os.environ | changed,
        capture_output=True,
        text=True,
        check=True,
        timeout=250,
    )
    return json.loads(done.stdout)


def test_in_another_process(expected):
    """Bit for bit, whatever Python's hash seed and the threads of BLAS are."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
    found = in_another_process(dict.fromkeys(threads, "2") | {"PYTHONHASHSEED": "12345"})
    assert found["digests"] == {name: digest(arrays) for name, arrays in expected.items()}


OTHER_CPU = {"x86_64": ("Nehalem", "nehalem"), "aarch64": ("ARMV8", "armv8")}[platform.machine()]
"""An old kind of CPU that BLAS has code for, which newer ones can play, and its own name.

Not the oldest, Prescott: with it, NumPy 2.5.4 now and then crashes on a product of 5 x 600 and
600 x 2 numbers in single precision.
"""


def test_on_another_kind_of_cpu(expected, tmp_path):
    """The same signs and flags; numbers to rounding, as docs/reliability.md says for each kind.

    The nightly profile also compiles our own loops for any CPU, not for this one.
    """
    kind, own_name = OTHER_CPU
    changed = {"OPENBLAS_CORETYPE": kind}
    if hypothesis.settings().max_examples >= 1000:
        changed |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(tmp_path)}
    found = in_another_process(changed, tmp_path / "arrays.npz")
    assert [name.lower() for name in found["blas"]] == [own_name]
    tolerances = {"single precision": 1e-5, "gram nystroem": 1e-2}
    with np.load(tmp_path / "arrays.npz") as other:
        for name, arrays in expected.items():
            for i, array in enumerate(arrays):
                there = other[f"{name}/{i}"]
                if array.dtype.kind == "i":
                    assert_array_equal(there, array, err_msg=name)
                atol = tolerances.get(name, 1e-9) * np.abs(array).max()
                assert_allclose(there, array, rtol=0, atol=atol, err_msg=name)


HELD = {
    "dense": lambda X: {"gram": "dense"},
    "blocked": lambda X: {"gram": "blocked"},
    "blocked, little memory": lambda X: {"gram": "blocked", "memory_limit": "3MB", "n_jobs": 1},
    "all rows as landmarks": lambda X: {"gram": "nystroem"},
}


@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("center", [True, False, "median"])
def test_the_objective_does_not_depend_on_how_the_matrix_is_held(kernel, solver, center):
    """To 1e-8, with the paper's start, which no rounding error moves."""
    X = rows(200)
    settings = {"kernel": kernel, "solver": solver, "start": "column", "center": center}
    settings |= {"gamma": 0.01, "random_state": 0}
    expected = L1KernelPCA(3, gram="dense", **settings).fit(X).objective_
    found = {
        name: L1KernelPCA(3, **settings, **hold(X)).fit(X).objective_ for name, hold in HELD.items()
    }
    if (kernel == "rbf") == (solver == "polished"):
        found["dask"] = L1KernelPCA(3, **settings).fit(da.from_array(X, chunks=(70, 5))).objective_
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=0.01)
    by_matrix = settings | {"kernel": "precomputed"}
    found["precomputed"] = L1KernelPCA(3, **by_matrix).fit(K).objective_
    if kernel == "linear":
        found["factor"] = L1KernelPCA(3, gram="factor", **settings).fit(X).objective_
    for name, objective in found.items():
        rtol = 1e-6 if "landmarks" in name and kernel == "rbf" else 1e-8
        assert_allclose(objective, expected, rtol=rtol, err_msg=name)


@pytest.mark.parametrize("start", ["column", "norm", "eigen", "auto"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_rows_in_another_order_have_the_same_scores(kernel, start):
    X = rows(120)  # the default start looks at all of them
    order = np.random.default_rng(3).permutation(len(X))
    pca = L1KernelPCA(3, kernel=kernel, gamma=0.01, start=start, random_state=0)
    scores, permuted = pca.fit_transform(X), pca.fit_transform(X[order])
    assert_allclose(permuted, scores[order], atol=1e-8 * np.abs(scores).max())


@pytest.mark.parametrize("name", [name for name in peers.__all__ if name != "KwakKernelPCA"])
def test_peers_do_not_see_the_order_of_the_rows(name):
    """KwakKernelPCA, whose starts are random signs, is not among them."""
    X = rows(80)
    order = np.random.default_rng(3).permutation(len(X))
    make = getattr(peers, name)
    first = make(2, kernel="rbf", gamma=0.01, random_state=0).fit(X)
    second = make(2, kernel="rbf", gamma=0.01, random_state=0).fit(X[order])
    assert_allclose(second.objective_, first.objective_, rtol=1e-5)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_the_detector_does_not_see_the_order_of_the_rows(rule):
    X = rows(120)  # the default start looks at 128 columns
    order = np.random.default_rng(3).permutation(len(X))
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0)
    scores = detector.fit(X).score_samples(X)
    permuted = detector.fit(X[order]).score_samples(X[order])
    assert_allclose(permuted, scores[order], rtol=1e-6)


@pytest.mark.parametrize("solver", ["fixed_point", "polished", "sdp", "exact", LpNorm(1.5)])
@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e6])
def test_a_multiple_of_the_matrix_scales_the_objective_by_the_root(solver, factor):
    r"""K -> a K stretches the feature space by sqrt(a), and the L1 norm of scores with it."""
    X = rows(24, 3)
    K = X @ X.T
    pca = L1KernelPCA(2, kernel="precomputed", solver=solver, random_state=0)
    signs, objective = pca.fit(K).signs_, pca.objective_
    A, scores = pca.dual_components_, pca.transform(K)
    pca.fit(factor * K)
    assert_array_equal(pca.signs_, signs)
    assert_allclose(pca.objective_, np.sqrt(factor) * objective, rtol=1e-9)
    assert_allclose(
        pca.dual_components_, A / np.sqrt(factor), rtol=1e-6, atol=1e-9 / np.sqrt(factor)
    )
    assert_allclose(pca.transform(factor * K), np.sqrt(factor) * scores, rtol=1e-6, atol=1e-9)


def test_a_power_of_four_changes_no_bit():
    K = rbf_kernel(rows(100), gamma=0.01)
    pca = L1KernelPCA(3, kernel="precomputed", random_state=0)
    objective = pca.fit(K).objective_.copy()
    assert_array_equal(pca.fit(4.0**20 * K).objective_, 2.0**20 * objective)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_largest_score_is_positive(kernel):
    """The convention of all starts but the paper's, and of all peers."""
    X = rows(120)
    fitted = [
        L1KernelPCA(3, kernel=kernel, gamma=0.01, start=start, random_state=1).fit(X)
        for start in ("auto", "eigen", "norm", "random")
    ]
    fitted += [
        getattr(peers, name)(3, kernel=kernel, gamma=0.01, random_state=1).fit(X)
        for name in peers.__all__
    ]
    for pca in fitted:
        scores = pca.transform(X)
        largest = scores[np.abs(scores).argmax(axis=0), np.arange(3)]
        assert (largest > 0).all(), pca


@pytest.mark.parametrize("n_copies", [2, 60])
def test_repeated_eigenvalues(n_copies):
    """Where eigenvectors are not unique, the same ones are taken each time."""
    X = np.repeat([[0.0, 0], [8, 0], [0, 0], [0, 6], [1, 0], [17, 1], [0, 0]], n_copies, axis=0)
    makers = [
        lambda: L1KernelPCA(3, kernel="rbf", start="eigen", random_state=0),
        *(
            lambda name=name: getattr(peers, name)(3, kernel="rbf", random_state=0)
            for name in ("L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA", "JointL1KernelPCA")
        ),
    ]
    for make in makers:
        found = {make().fit_transform(X).tobytes() for _ in range(4)}
        assert len(found) == 1, make()
