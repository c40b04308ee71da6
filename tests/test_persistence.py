"""Model files: the same model again."""

import os

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers
from l1kpca.directions import LpNorm, SignIteration
from l1kpca.files import OutputError
from l1kpca.gram.choose import Nystroem
from l1kpca.outliers import Paper, Robust
from l1kpca.persistence import ModelFileError, load, save
from model_files.forged import entries_of
from model_files.round_trips import X_NEW, X, assert_same, through_file

ESTIMATORS = [L1KernelPCA, *(getattr(peers, name) for name in peers.__all__)]


@pytest.fixture
def again(tmp_path):
    """A model, saved and loaded."""
    return lambda model: through_file(model, tmp_path / "m.skops")


SETTINGS = {
    "linear": {},
    "gaussian": {"kernel": "rbf", "gamma": "paper"},
    "laplacian": {"kernel": "laplacian"},
    "polynomial, spatial median": {"kernel": "poly", "center": "median"},
    "inverse": {"kernel": "rbf", "fit_inverse_transform": True},
    "not centered": {"kernel": "rbf", "center": False},
    "single precision": {"kernel": "rbf", "dtype": "float32"},
    "single precision by type": {"kernel": "rbf", "dtype": np.dtype("float32")},
    "a seed of NumPy": {"kernel": "rbf", "random_state": np.int64(3)},
    "given signs": {"start": np.where(X[:, 0] > 0, 1, -1)},
    "a finder": {"kernel": "rbf", "solver": LpNorm(1.3)},
    "another finder": {"kernel": "rbf", "solver": SignIteration(momentum=True)},
    "a builder": {"kernel": "rbf", "gram": Nystroem(n_landmarks=10)},
    "bounded": {"kernel": "rbf", "certify": True, "n_starts": 3},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_setting(again, settings):
    model = L1KernelPCA(3, **settings).fit(X)
    assert_same(again(model), model)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("gram", ["dense", "blocked", "nystroem", "factor"])
def test_every_estimator_with_every_gram(again, estimator, gram):
    kernel = "linear" if gram == "factor" else "rbf"
    model = estimator(2, kernel=kernel, gram=gram, fit_inverse_transform=True, random_state=0)
    assert_same(again(model.fit(X)), model)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("rule", ["robust", "paper", Robust(0.9), Paper(0.6)], ids=repr)
def test_every_rule_with_every_estimator(again, estimator, rule):
    pca = estimator(2, kernel="rbf", random_state=0)
    model = KernelPCAOutlierDetector(pca, rule=rule, random_state=0).fit(X)
    assert_same(again(model), model)
    assert again(model).offset_ == model.offset_


@pytest.mark.parametrize("scaling", ["columns", "common", None])
def test_every_scaling_and_names_of_columns(again, scaling):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(e=1.0)
    model = KernelPCAOutlierDetector(scaling=scaling, random_state=0)
    with pytest.warns(UserWarning, match="constant"):
        model.fit(frame)
    found = again(model)
    assert_same(found, model, frame[:7])
    assert found.feature_names_in_.tolist() == ["a", "b", "c", "d", "e"]
    assert found.feature_names_in_.dtype == object


def test_a_precomputed_kernel(again):
    model = L1KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    assert_same(again(model), model, X_NEW @ X.T)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_rows(again, kind, kernel):
    model = L1KernelPCA(2, kernel=kernel).fit(kind(X * (X > 0)))
    found = again(model)
    assert_same(found, model, kind(X_NEW))
    assert type(found.X_fit_) is kind
    if kernel == "rbf":
        assert np.shares_memory(found.projection_.rows.data, found.X_fit_.data)


def test_rows_on_disk(again, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    model = L1KernelPCA(2, kernel="rbf").fit(np.load(tmp_path / "rows.npy", mmap_mode="r"))
    found = again(model)
    assert_same(found, model)
    assert type(found.X_fit_) is np.ndarray
    assert found.projection_.rows is found.X_fit_


def test_an_array_that_occurs_twice_is_kept_once(again, tmp_path):
    rows = np.random.default_rng(0).normal(size=(200, 50))
    found = again(L1KernelPCA(1, kernel="rbf").fit(rows))
    assert found.projection_.rows is found.X_fit_
    sizes = [len(data) for name, data in entries_of(tmp_path / "m.skops").items()]
    assert sum(size > rows.nbytes for size in sizes) == 1


def test_the_kind_of_output_is_kept(again):
    model = L1KernelPCA(2, kernel="rbf").fit(X).set_output(transform="pandas")
    assert again(model).transform(X_NEW).equals(model.transform(X_NEW))


def test_a_model_that_is_not_fitted(again):
    assert str(again(L1KernelPCA(2, kernel="rbf"))) == "L1KernelPCA(kernel='rbf', n_components=2)"


def test_a_loaded_model_can_be_fitted_again(again):
    model = KernelPCAOutlierDetector(random_state=0).fit(X)
    found = again(model)
    np.testing.assert_array_equal(found.fit(X).score_samples(X), model.score_samples(X))
    assert_same(again(found), model)


def test_many_components(again):
    rows = np.random.default_rng(0).normal(size=(150, 200))
    model = L1KernelPCA(kernel="rbf", gamma=0.01).fit(rows)
    assert model.n_components_ > 140
    assert len(again(model).objective_trace_) == model.n_components_


# --- saving ---------------------------------------------------------------------------------------


def product(x, y):
    return float(x @ y)


UNFIT = {
    "a function": ({"kernel": product}, "kernel is of type function, which no model file can hold"),
    "a random state": (
        {"random_state": np.random.RandomState(0)},
        "random_state is of type Random",
    ),
}


@pytest.mark.parametrize(("settings", "complaint"), UNFIT.values(), ids=UNFIT)
def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path, settings, complaint):
    for model, place in (
        (L1KernelPCA(1, **settings).fit(X), ""),
        (KernelPCAOutlierDetector(L1KernelPCA(1, **settings)).fit(X), r"pca\."),
    ):
        name = type(model).__name__
        with pytest.raises(
            ModelFileError, match=f"this {name} cannot be saved: {place}{complaint}"
        ):
            save(model, tmp_path / "m.skops")
        assert list(tmp_path.iterdir()) == []


def test_what_is_no_model_is_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="this generator cannot be saved: it is of type gener"):
        save((i for i in range(3)), tmp_path / "m.skops")


@pytest.mark.parametrize("attached", [{"a": float("nan")}, {"a": object()}, {"a": {1, 2}}])
def test_what_json_cannot_hold_is_not_attached(tmp_path, attached):
    with pytest.raises(ModelFileError, match=r"attached cannot be saved \(.*\); give finite"):
        save(L1KernelPCA(1).fit(X), tmp_path / "m.skops", attached=attached)


def test_what_is_attached_comes_back(tmp_path):
    save(L1KernelPCA(1).fit(X), tmp_path / "m.skops", attached={"columns": ["a", "b"], "n": 1.5})
    saved = load(tmp_path / "m.skops")
    assert saved.attached == {"columns": ["a", "b"], "n": 1.5}
    assert saved.versions["numpy"] == np.__version__
    assert set(saved.versions) == {"l1kpca", "numpy", "scipy", "scikit-learn", "python"}


def test_a_file_is_not_overwritten_unasked(tmp_path):
    file = tmp_path / "m.skops"
    save(L1KernelPCA(2).fit(X), file)
    before = file.read_bytes()
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        save(L1KernelPCA(1).fit(X), file)
    assert file.read_bytes() == before
    save(L1KernelPCA(1).fit(X), os.fspath(file), overwrite=True)
    assert load(os.fspath(file)).estimator.n_components_ == 1


def test_places_without_a_file_are_named(tmp_path):
    with pytest.raises(
        ModelFileError, match=r"none\.skops cannot be read \(No such file or direct"
    ):
        load(tmp_path / "none.skops")
    with pytest.raises(ModelFileError, match="is not a regular file; give the file of a saved mod"):
        load(tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    save(L1KernelPCA(1).fit(X), tmp_path / "m.skops")
    with pytest.raises(ModelFileError, match=r"holds \d+ bytes, more than the 1000 allowed; use a"):
        load(tmp_path / "m.skops", max_bytes=1000)
