"""A fit that was stopped, at whatever moment, goes on and ends as if nothing had happened."""

import json
import signal

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

rows, checkpoint, result, n_components = sys.argv[1:5]
pca = L1KernelPCA(int(n_components), kernel="rbf", gram="blocked", checkpoint=checkpoint)
X = np.load(rows)
print("fitting", flush=True)
pca.fit(X)
np.savez(result, **{{name: getattr(pca, name) for name in {RESULTS!r}}})
"""

# A child is forked for every kill, so that the packages are loaded but once.
KILLED = """
import os, signal, sys, time
import numpy as np
from l1kpca import L1KernelPCA

rows, checkpoint, *moments = sys.argv[1:]
X = np.load(rows)
for moment in moments:
    child = os.fork()
    if child == 0:
        L1KernelPCA(20, kernel="rbf", gram="blocked", checkpoint=checkpoint).fit(X)
        os._exit(0)
    time.sleep(float(moment))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
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
    X_new = expected.X_fit_[:5] + 0.1
    np.testing.assert_array_equal(found.transform(X_new), expected.transform(X_new))
    np.testing.assert_array_equal(found.n_starts_, expected.n_starts_)
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
    seed = np.random.RandomState(8)
    L1KernelPCA(2, **settings, random_state=seed).fit(X)
    once = L1KernelPCA(5, **settings, random_state=seed).fit(X)
    path.unlink()
    again = L1KernelPCA(5, **settings, random_state=np.random.RandomState(8)).fit(X)
    assert_same_fit(once, again)


def test_killed_at_random_moments(make_rows, tmp_path, run_script, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, rows = make_rows(2500), tmp_path / "rows.npy"
    np.save(rows, X)
    path = tmp_path / "fit.npz"
    run_script(KILLED, rows, path, *rng.uniform(0, 1, 4))
    resumed = L1KernelPCA(20, kernel="rbf", gram="blocked", checkpoint=path).fit(X)
    with np.load(path) as saved:
        seed = int(saved["seed"])

    class Same(np.random.RandomState):
        def randint(self, *args):
            return seed

    whole = L1KernelPCA(20, kernel="rbf", gram="blocked", random_state=Same())
    assert_same_fit(resumed, whole.fit(X))
    assert not list(tmp_path.glob(".*"))


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
    assert len(list(tmp_path.glob(".fit.npz.*.part"))) == 1
    resumed = L1KernelPCA(5, kernel="rbf", gram="blocked", checkpoint=path).fit(X)
    assert not list(tmp_path.glob(".*"))
    path.unlink()
    assert_same_fit(resumed, L1KernelPCA(5, kernel="rbf", gram="blocked").fit(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", "laplacian"), ("gamma", 0.7), ("center", "median"), ("solver", "fixed_point"),
        ("tol", 0.1), ("start", "norm"), ("n_starts", 2), ("dtype", "float32"),
        ("random_state", 1), ("gram", "nystroem"),
    ],
)  # fmt: skip
def test_other_settings_are_refused(make_rows, tmp_path, name, value):
    X, path = make_rows(80), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "random_state": 0, "checkpoint": path}
    L1KernelPCA(1, **settings).fit(X)
    pca = L1KernelPCA(2, **(settings | {name: value}))
    with pytest.raises(ValueError, match=r"fit\.npz' was made with other data or settings"):
        pca.fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(pca)


@pytest.mark.parametrize("change", ["entry", "order", "fewer rows"])
def test_other_data_are_refused(make_rows, tmp_path, change):
    X, path = make_rows(80), tmp_path / "fit.npz"
    L1KernelPCA(1, kernel="rbf", checkpoint=path).fit(X)
    nearly = np.where(np.arange(480).reshape(80, 6) == 20, X + 1e-9, X)
    other = {"entry": nearly, "order": X[::-1], "fewer rows": X[:-1]}[change]
    with pytest.raises(ValueError, match="delete the file to start over, or give another path"):
        L1KernelPCA(2, kernel="rbf", checkpoint=path).fit(other)


def test_functions_of_the_same_name_are_told_apart(make_rows, tmp_path):
    X, path = make_rows(40), tmp_path / "fit.npz"
    L1KernelPCA(1, kernel=lambda x, y: float(x @ y), checkpoint=path).fit(X)
    with pytest.raises(ValueError, match="other data or settings"):
        L1KernelPCA(2, kernel=lambda x, y: float(x @ y) ** 2, checkpoint=path).fit(X)


def test_another_number_of_landmarks_for_want_of_memory_is_refused(make_rows, tmp_path):
    X, path = make_rows(300), tmp_path / "fit.npz"
    settings = {"kernel": "rbf", "gram": "nystroem", "random_state": 0, "checkpoint": path}
    L1KernelPCA(1, **settings, memory_limit=2 * 300 * 8 * 40).fit(X)
    with pytest.raises(ValueError, match="other data or settings"):
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
    np.savez(tmp_path / "archive.npz", format=0, coef=np.ones(3))
    (tmp_path / "text.npz").write_text("some text")
    (tmp_path / "empty.npz").touch()
    for path in tmp_path.iterdir():
        with pytest.raises(ValueError, match=r"is not a checkpoint of this version of l1kpca"):
            L1KernelPCA(1, checkpoint=path).fit(make_rows(40))


def test_a_folder_that_is_not_there_is_refused_before_any_work(make_rows, tmp_path):
    path = tmp_path / "missing" / "fit.npz"
    said = "needs a folder that exists and is writable: create it, or give another path"
    with pytest.raises(ValueError, match=said):
        L1KernelPCA(1, checkpoint=path).fit(make_rows(40))


def test_where_and_how_things_lie_in_memory_does_not_matter(make_rows):
    class Finder:
        """Has the plain representation, with an address."""

    X, one, other = make_rows(50), Finder(), Finder()
    assert repr(one) != repr(other)
    assert fingerprint(X, {"solver": one}) == fingerprint(np.asfortranarray(X), {"solver": other})


def test_names_with_special_characters(make_rows, tmp_path):
    """What a killed fit left behind is cleaned up, and nothing else."""
    X, path = make_rows(60), tmp_path / "fit[1]*.npz"
    other, stale = tmp_path / ".fit1x.npz.77.part", tmp_path / f".{path.name}.77.part"
    other.touch()
    stale.touch()
    L1KernelPCA(2, kernel="rbf", checkpoint=path).fit(X)
    assert path.exists()
    assert other.exists()
    assert not stale.exists()


def test_permissions_and_links_stay(make_rows, tmp_path):
    """A file that only its owner may read stays one, and so does a link to a place elsewhere."""
    X, path, link = make_rows(60), tmp_path / "secret.npz", tmp_path / "fit.npz"
    L1KernelPCA(1, kernel="rbf", random_state=0, checkpoint=path).fit(X)
    path.chmod(0o600)
    link.symlink_to(path)
    L1KernelPCA(3, kernel="rbf", random_state=0, checkpoint=link).fit(X)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    with np.load(path) as saved:
        assert len(saved["coef"]) == 3


NO_ROOM = """
import json, resource, sys
import numpy as np
from l1kpca import L1KernelPCA
from l1kpca.files import OutputError

X = np.random.default_rng(0).normal(size=(100, 5))
L1KernelPCA(1, kernel="rbf").fit(X)
said = []
for path, room in zip(sys.argv[1::2], sys.argv[2::2]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), resource.RLIM_INFINITY))
    try:
        L1KernelPCA(8, kernel="rbf", checkpoint=path).fit(X)
    except OutputError as error:
        said.append(str(error))
print(json.dumps(said))
"""


def test_without_room_it_keeps_what_it_had(tmp_path, run_script):
    folders = {room: tmp_path / str(room) for room in (0, 1_000, 7_000)}
    arguments = []
    for room, folder in folders.items():
        folder.mkdir()
        arguments += [folder / "fit.npz", room]
    said = json.loads(run_script(NO_ROOM, *arguments))
    assert said == [
        f"checkpoint={str(folder / 'fit.npz')!r} was not written: File too large; the old one"
        " is still there: free some space, or give another path."
        for folder in folders.values()
    ]
    left = {room: [path.name for path in folder.iterdir()] for room, folder in folders.items()}
    assert left == {0: [], 1_000: [], 7_000: ["fit.npz"]}
    with np.load(folders[7_000] / "fit.npz") as saved:
        assert 1 <= len(saved["coef"]) < 8


def test_little_memory_is_not_taken_for_damage(make_rows, tmp_path, monkeypatch):
    X, path = make_rows(60), tmp_path / "fit.npz"
    L1KernelPCA(2, random_state=0, checkpoint=path).fit(X)

    def fails(*_, **__):
        raise MemoryError

    monkeypatch.setattr(np, "load", fails)
    with pytest.raises(MemoryError):
        L1KernelPCA(2, random_state=0, checkpoint=path).fit(X)
    assert path.exists()
