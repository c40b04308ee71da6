"""A fit that was stopped, at whatever moment, goes on and ends as if nothing had happened."""

import os
import signal
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from l1kpca import L1KernelPCA
from l1kpca.estimators.checkpoint import fingerprint

RESULTS = ("dual_components_", "signs_", "objective_", "explained_variance_")

FIT = f"""
import sys
import numpy as np
from l1kpca import L1KernelPCA

RESULTS = {RESULTS!r}
"""
FIT += """
rows, checkpoint, result, n_components = sys.argv[1:5]
pca = L1KernelPCA(int(n_components), kernel="rbf", gram="blocked", checkpoint=checkpoint)
X = np.load(rows)
print("fitting", flush=True)
pca.fit(X)
np.savez(result, **{name: getattr(pca, name) for name in RESULTS})
"""

KILLED_WHILE_SAVING = """
import os, pathlib, signal, sys

saves = 0

def killed(*arguments):
    global saves
    saves += 1
    if saves == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*arguments)

original, MOMENT = MOMENT, killed
"""


def assert_same_fit(found, expected):
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    np.testing.assert_array_equal(found._projection(expected.X_fit_[:5]).scores.shape, (5, 5))
    assert found.status_ == expected.status_
    for trace, same in zip(found.objective_trace_, expected.objective_trace_, strict=True):
        np.testing.assert_array_equal(trace, same)


@pytest.mark.parametrize("gram", ["dense", "blocked", "nystroem"])
@pytest.mark.parametrize("done", [1, 2, 4, 5])
def test_going_on_gives_the_same_as_never_stopping(make_rows, tmp_path, gram, done):
    X = make_rows(150)
    settings = {"kernel": "rbf", "gram": gram, "random_state": 3}
    path = tmp_path / "fit.npz"
    L1KernelPCA(done, **settings, checkpoint=path).fit(X)
    resumed = L1KernelPCA(5, **settings, checkpoint=path).fit(X)
    assert_same_fit(resumed, L1KernelPCA(5, **settings).fit(X))


def test_a_finished_fit_is_read_and_not_repeated(make_rows, tmp_path):
    X, path = make_rows(120), tmp_path / "fit.npz"
    first = L1KernelPCA(5, kernel="rbf", checkpoint=path).fit(X)
    written = path.stat().st_mtime_ns
    assert_same_fit(L1KernelPCA(5, kernel="rbf", checkpoint=path).fit(X), first)
    assert path.stat().st_mtime_ns == written


def test_without_a_seed_the_first_fit_lends_its_own(make_rows, tmp_path):
    X, path = make_rows(120), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "start": "random", "n_starts": 3, "checkpoint": path}
    whole = L1KernelPCA(5, **settings).fit(X)
    path.unlink()
    seed = np.random.RandomState(8)
    L1KernelPCA(2, **settings, random_state=seed).fit(X)
    once = L1KernelPCA(5, **settings, random_state=seed).fit(X)
    path.unlink()
    again = L1KernelPCA(5, **settings, random_state=np.random.RandomState(8)).fit(X)
    assert_same_fit(once, again)
    assert whole.n_components_ == 5


def test_killed_at_random_moments(make_rows, tmp_path, start_script, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, rows = make_rows(2500), tmp_path / "rows.npy"
    np.save(rows, X)
    path, result = tmp_path / "fit.npz", tmp_path / "result.npz"
    for _ in range(4):
        process = start_script(FIT, rows, path, result, 20)
        assert process.stdout.readline() == "fitting\n"
        time.sleep(rng.uniform(0, 2))
        process.send_signal(signal.SIGKILL)
        process.wait()
    process = start_script(FIT, rows, path, result, 20)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    with np.load(path) as saved:
        seed = int(saved["seed"])
    whole = L1KernelPCA(20, kernel="rbf", gram="blocked", checkpoint=None)
    whole._seed = lambda: seed
    whole.fit(X)
    with np.load(result) as found:
        for name in RESULTS:
            np.testing.assert_array_equal(found[name], getattr(whole, name), err_msg=name)
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("moment", ["os.fsync", "pathlib.Path.replace"])
def test_killed_while_saving(make_rows, tmp_path, start_script, moment):
    X, rows = make_rows(150), tmp_path / "rows.npy"
    np.save(rows, X)
    path, result = tmp_path / "fit.npz", tmp_path / "result.npz"
    script = KILLED_WHILE_SAVING.replace("MOMENT", moment) + FIT
    process = start_script(script, rows, path, result, 5)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with np.load(path) as saved:
        assert len(saved["coef"]) == 2
    assert len(list(tmp_path.glob("fit.npz.*.partial"))) == 1
    resumed = L1KernelPCA(5, kernel="rbf", gram="blocked", checkpoint=path).fit(X)
    assert not list(tmp_path.glob("fit.npz.*.partial"))
    path.unlink()
    whole = L1KernelPCA(5, kernel="rbf", gram="blocked", start="auto")
    whole.fit(X)
    assert_same_fit(resumed, whole)


OTHER_SETTINGS = {
    "kernel": {"kernel": "laplacian"},
    "gamma": {"gamma": 0.7},
    "center": {"center": "median"},
    "solver": {"solver": "fixed_point"},
    "start": {"start": "norm"},
    "n_starts": {"n_starts": 2},
    "dtype": {"dtype": "float32"},
    "random_state": {"random_state": 1},
    "gram": {"gram": "nystroem"},
}


@pytest.mark.parametrize("other", OTHER_SETTINGS.values(), ids=OTHER_SETTINGS)
def test_other_settings_are_refused(make_rows, tmp_path, other):
    X, path = make_rows(80), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "random_state": 0, "checkpoint": path}
    L1KernelPCA(1, **settings).fit(X)
    pca = L1KernelPCA(2, **(settings | other))
    with pytest.raises(ValueError, match=r"fit\.npz' was made with other data or other settings"):
        pca.fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(pca)


@pytest.mark.parametrize("change", ["entry", "order", "fewer rows"])
def test_other_data_are_refused(make_rows, tmp_path, change):
    X, path = make_rows(80), tmp_path / "fit.npz"
    L1KernelPCA(1, kernel="rbf", checkpoint=path).fit(X)
    other = {"order": X[::-1], "fewer rows": X[:-1]}.get(change, X.copy())
    if change == "entry":
        other[3, 2] += 1e-9
    with pytest.raises(ValueError, match="delete the file to begin anew, or give another path"):
        L1KernelPCA(2, kernel="rbf", checkpoint=path).fit(other)


def test_functions_of_the_same_name_are_told_apart(make_rows, tmp_path):
    X, path = make_rows(40), tmp_path / "fit.npz"
    L1KernelPCA(1, kernel=lambda x, y: float(x @ y), checkpoint=path).fit(X)
    with pytest.raises(ValueError, match="other data or other settings"):
        L1KernelPCA(2, kernel=lambda x, y: float(x @ y) ** 2, checkpoint=path).fit(X)


def test_another_number_of_landmarks_for_want_of_memory_is_refused(make_rows, tmp_path):
    X, path = make_rows(300), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "gram": "nystroem", "random_state": 0, "checkpoint": path}
    L1KernelPCA(1, **settings, memory_limit=2 * 300 * 8 * 40).fit(X)
    with pytest.raises(ValueError, match="other data or other settings"):
        L1KernelPCA(2, **settings, memory_limit=2 * 300 * 8 * 20).fit(X)


@pytest.mark.parametrize(
    "harmless",
    [{"n_jobs": 1}, {"verbose": 1}, {"memory_limit": "3MB"}, {"copy_X": False}],
    ids=str,
)
def test_settings_without_effect_may_change(make_rows, tmp_path, harmless):
    X, path = make_rows(120), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "random_state": 0}
    L1KernelPCA(2, **settings, checkpoint=path).fit(X)
    resumed = L1KernelPCA(5, **(settings | harmless), checkpoint=path).fit(X)
    assert_same_fit(resumed, L1KernelPCA(5, **settings).fit(X))


def test_any_damage_is_noticed(make_rows, tmp_path, global_random_seed):
    X, path = make_rows(60), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "random_state": 0, "checkpoint": path}
    L1KernelPCA(5, **settings).fit(X)
    whole = path.read_bytes()
    expected = L1KernelPCA(5, kernel="rbf", random_state=0).fit(X)
    rng = np.random.default_rng(global_random_seed)
    damaged = [whole[: rng.integers(len(whole))] for _ in range(10)]
    for _ in range(200):
        position, value = rng.integers(len(whole)), rng.integers(1, 256)
        changed = bytearray(whole)
        changed[position] ^= value
        damaged.append(bytes(changed))
    refused = sum(not _reads_the_same(content, path, settings, X, expected) for content in damaged)
    assert refused > len(damaged) // 2


def _reads_the_same(content, path, settings, X, expected):
    """Whether the file is taken, and gives the same: some bytes mean nothing, such as dates."""
    path.write_bytes(content)
    try:
        found = L1KernelPCA(5, **settings).fit(X)
    except ValueError as error:
        if path.name not in str(error):
            raise
        return False
    assert_same_fit(found, expected)
    return True


def test_a_file_of_something_else_is_refused(make_rows, tmp_path):
    X = make_rows(40)
    for name, content in {"text": b"some text", "empty": b"", "archive": None}.items():
        path = tmp_path / f"{name}.npz"
        if content is None:
            np.savez(path, format=0, coef=np.ones(3))
        else:
            path.write_bytes(content)
        with pytest.raises(ValueError, match=r"is not a checkpoint of this version of l1kpca"):
            L1KernelPCA(1, checkpoint=path).fit(X)


def test_a_folder_that_is_not_there_is_refused_before_any_work(make_rows, tmp_path):
    path = tmp_path / "missing" / "fit.npz"
    with pytest.raises(ValueError, match=r"must be a folder that exists and can be written to"):
        L1KernelPCA(1, checkpoint=path).fit(make_rows(40))


def test_where_an_object_lies_in_memory_does_not_matter():
    class Finder:
        """Has the plain representation, with an address."""

    X = np.ones((3, 2))
    one, other = Finder(), Finder()
    assert repr(one) != repr(other)
    assert fingerprint(X, {"solver": one}) == fingerprint(X, {"solver": other})


def test_the_hash_does_not_depend_on_the_layout_in_memory(make_rows):
    X = make_rows(50)
    assert fingerprint(np.asfortranarray(X), {}) == fingerprint(X, {})


def test_names_with_special_characters(make_rows, tmp_path):
    X, path = make_rows(60), tmp_path / "fit[1]*.npz"
    other = tmp_path / "fit1x.npz.77.partial"
    other.touch()
    stale = tmp_path / f"{path.name}.{os.getpid()}.partial"
    stale.touch()
    L1KernelPCA(2, kernel="rbf", checkpoint=path).fit(X)
    assert path.exists()
    assert other.exists()
    assert not stale.exists()
