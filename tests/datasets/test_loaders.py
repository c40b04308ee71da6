"""load and available: what they find, in which order, and what they say if they do not."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

from l1kpca import datasets


def test_wbc_equals_the_file_of_the_source(data_dir):
    built = datasets.load("wbc")
    with np.load(data_dir / "wbc.npz", allow_pickle=False) as stored:
        np.testing.assert_allclose(built.X, stored["X"], rtol=0, atol=1e-9)
        np.testing.assert_array_equal(built.y, stored["y"])


def test_wbc_rows_are_rows_of_the_scaled_original():
    raw = load_breast_cancer()
    scaled = MinMaxScaler().fit_transform(raw.data)
    data = datasets.load("wbc")
    distance = np.linalg.norm(data.X[:, None] - scaled[None], axis=2)
    np.testing.assert_allclose(distance.min(axis=1), 0, atol=1e-12)
    np.testing.assert_array_equal(raw.target[distance.argmin(axis=1)] == 0, data.y == 1)
    assert len(np.unique(data.X, axis=0)) == 377  # one malignant case was drawn twice
    assert data.feature_names == tuple(raw.feature_names)
    assert data.source == "scikit-learn"


def test_wbc_ignores_files(tmp_path):
    np.savez(tmp_path / "wbc.npz", X=np.eye(3), y=np.zeros(3))
    assert datasets.load("wbc", tmp_path).X.shape == (378, 30)


@pytest.mark.parametrize("name", datasets.names())
def test_every_data_set_has_its_known_size(name, data_dir):
    facts, data = datasets.info(name), datasets.load(name, data_dir)
    assert data.X.shape == (facts.n_samples, facts.n_features)
    assert data.y.sum() == facts.n_outliers
    assert (data.X.dtype, data.y.dtype) == (np.float64, np.int8)
    assert len(data.feature_names) == len(set(data.feature_names)) == facts.n_features
    assert (data.name, data.description) == (name, facts.description)


@pytest.mark.parametrize("name", datasets.names()[1:])
def test_values_are_those_of_the_file(name, data_dir):
    data = datasets.load(name, str(data_dir))
    with np.load(data_dir / f"{name}.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(data.X, stored["X"])
        np.testing.assert_array_equal(data.y, stored["y"])
    assert data.source == str(data_dir / f"{name}.npz")
    assert data.feature_names[:2] == ("x0", "x1")


def test_a_data_set_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        datasets.load("wbc").name = "other"


def test_return_X_y_gives_the_pair():
    X, y = datasets.load("wbc", return_X_y=True)
    data = datasets.load("wbc")
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_array_equal(y, data.y)


def test_the_original_mat_file_is_read(tmp_path, arrays):
    savemat(
        tmp_path / "ionosphere.mat", {"X": arrays["X"], "y": arrays["y"][:, None].astype(float)}
    )
    data = datasets.load("ionosphere", tmp_path)
    np.testing.assert_array_equal(data.X, arrays["X"])
    np.testing.assert_array_equal(data.y, arrays["y"])


def test_places_are_searched_in_order(tmp_path, monkeypatch, cache, arrays):
    given, variable = tmp_path / "given", tmp_path / "variable"
    monkeypatch.setenv("L1KPCA_DATA", str(variable))
    for place in (cache, variable, given):  # from the last resort to the first
        place.mkdir(parents=True)
        savemat(place / "ionosphere.mat", arrays)
        assert datasets.load("ionosphere", _if_there(given)).source == str(place / "ionosphere.mat")
        np.savez(place / "ionosphere.npz", **arrays)
        assert datasets.load("ionosphere", _if_there(given)).source == str(place / "ionosphere.npz")


def _if_there(folder):
    return folder if folder.is_dir() else None


def test_available_names_what_load_would_find(tmp_path, monkeypatch, cache, arrays):
    assert datasets.available() == ["wbc"]
    np.savez(tmp_path / "musk.npz", **arrays)
    assert datasets.available(tmp_path) == ["wbc", "musk"]
    monkeypatch.setenv("L1KPCA_DATA", str(tmp_path))
    assert datasets.available() == ["wbc", "musk"]
    cache.mkdir(parents=True)
    savemat(cache / "cardio.mat", arrays)
    assert datasets.available() == ["wbc", "cardio", "musk"]


def test_missing_data_names_the_places_and_three_ways(tmp_path, monkeypatch, cache):
    monkeypatch.setenv("L1KPCA_DATA", "elsewhere")
    with pytest.raises(FileNotFoundError) as caught:
        datasets.load("musk", tmp_path)
    assert str(caught.value) == (
        f"No musk.npz or musk.mat in {tmp_path}, elsewhere, {cache}. Get it in one of three ways: "
        "pass data_dir, a directory that holds the file; set the environment variable L1KPCA_DATA "
        "to such a directory; or download it with datasets.fetch('musk') "
        "(command line: l1kpca datasets fetch)."
    )


@pytest.mark.parametrize("call", [datasets.available, lambda place: datasets.load("musk", place)])
def test_a_data_dir_that_is_none_is_an_error(tmp_path, call):
    with pytest.raises(FileNotFoundError, match=r"data_dir='.*nowhere' is not a directory; give"):
        call(tmp_path / "nowhere")


def test_other_data_under_a_known_name_is_refused(tmp_path, arrays):
    np.savez(tmp_path / "ionosphere.npz", X=arrays["X"][:, 1:], y=arrays["y"])
    text = (
        "is not the ionosphere data set: it has 351 rows, 32 columns and 126 outliers instead of "
        r"351, 33 and 126; datasets.fetch\('ionosphere'\) downloads the right file."
    )
    with pytest.raises(ValueError, match=text):
        datasets.load("ionosphere", tmp_path)


@pytest.fixture(params=[".npz", ".mat"])
def write(request, tmp_path):
    """Write arrays to where load looks for the ionosphere data, and load them."""

    def call(**arrays):
        path = tmp_path / f"ionosphere{request.param}"
        np.savez(path, **arrays) if request.param == ".npz" else savemat(path, arrays)
        return datasets.load("ionosphere", tmp_path)

    return call


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_values_and_order_are_kept(write, arrays, dtype):
    rows = (100 * arrays["X"]).astype(dtype)
    data = write(X=rows, y=arrays["y"].astype(float))
    np.testing.assert_array_equal(data.X, rows)
    np.testing.assert_array_equal(data.y, arrays["y"])
    assert (data.X.dtype, data.y.dtype, data.y.ndim) == (np.float64, np.int8, 1)
    assert data.X.flags.c_contiguous


UNFIT = {
    "no y": ({"X": np.eye(3)}, r"X has shape \(3, 3\) and dtype float64, y has 0 entries"),
    "no X": ({"y": np.eye(3)}, r"X has shape \(0,\) and dtype float64, y has 9 entries"),
    "neither": ({"other": np.eye(3)}, "must hold X, a matrix of finite numbers, and y"),
    "nan": ({"X": np.array([[1, np.nan]]), "y": [1]}, "a matrix of finite numbers"),
    "2": ({"X": np.eye(2), "y": [0, 2]}, "one label for each row: 1 = outlier, 0 = inlier"),
    "-1": ({"X": np.eye(2), "y": [0, -1]}, "one label for each row: 1 = outlier, 0 = inlier"),
    "0.5": ({"X": np.eye(2), "y": [0, 0.5]}, "one label for each row: 1 = outlier, 0 = inlier"),
    "cube": ({"X": np.zeros((3, 2, 2)), "y": np.zeros(3)}, r"X has shape \(3, 2, 2\)"),
    "n": ({"X": np.zeros((4, 2)), "y": np.zeros(3)}, r"X has shape \(4, 2\).*, y has 3 entries"),
    "text": ({"X": [["a", "b"]] * 3, "y": np.zeros(3)}, "and dtype <U1, y has 3 entries"),
}


@pytest.mark.parametrize(("content", "message"), UNFIT.values(), ids=UNFIT)
def test_unfit_arrays_are_refused(write, content, message):
    with pytest.raises(ValueError, match=message):
        write(**content)


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "ionosphere.mat").write_bytes(b"not a file of MATLAB")
    with pytest.raises(ValueError, match=r"is not a readable \.mat file, or it is damaged"):
        datasets.load("ionosphere", tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="what Linux calls the user's cache")
def test_the_cache_may_be_moved(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert datasets.default_cache_dir() == tmp_path / "l1kpca"


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", ".cache/l1kpca"),
        ("darwin", "Library/Caches/l1kpca"),
        ("win32", "AppData/Local/l1kpca/l1kpca/Cache"),
    ],
)
def test_every_platform_has_its_cache(monkeypatch, platform, place):
    monkeypatch.setattr(sys, "platform", platform)
    assert datasets.default_cache_dir() == Path.home() / place
