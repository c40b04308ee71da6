"""Model files: the same model again, and nothing but a model."""

import contextlib
import importlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

from forged_models import rewritten
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers, persistence
from l1kpca.outputs import OutputError
from l1kpca.persistence import ModelFileError, load, save

X = np.random.default_rng(0).normal(size=(40, 4))
X_NEW = np.random.default_rng(1).normal(size=(7, 4))

MODELS = {
    "linear": {},
    "gaussian": {"kernel": "rbf", "gamma": "paper"},
    "laplacian": {"kernel": "laplacian"},
    "polynomial, spatial median": {"kernel": "poly", "center": "median"},
    "blocked": {"kernel": "rbf", "gram": "blocked"},
    "nystroem": {"kernel": "rbf", "gram": "nystroem"},
    "inverse": {"kernel": "rbf", "fit_inverse_transform": True},
    "not centered": {"kernel": "rbf", "center": False},
    "single precision": {"kernel": "rbf", "dtype": "float32"},
}


@pytest.fixture
def file(tmp_path):
    """A good model file."""
    path = tmp_path / "model.skops"
    save(L1KernelPCA(2, kernel="rbf").fit(X), path, attached={"columns": ["a", "b"]})
    return path


@pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS)
def test_a_loaded_model_gives_the_same_scores(tmp_path, settings):
    pca = L1KernelPCA(3, **settings).fit(X)
    save(pca, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops").estimator
    np.testing.assert_array_equal(again.transform(X_NEW), pca.transform(X_NEW))
    assert str(again.get_params()) == str(pca.get_params())


@pytest.mark.parametrize("name", peers.__all__)
@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_a_detector_with_any_kernel_pca_gives_the_same_scores(tmp_path, name, rule):
    pca = getattr(peers, name)(2, kernel="rbf", random_state=0)
    detector = KernelPCAOutlierDetector(pca, rule=rule, random_state=0).fit(X)
    save(detector, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops").estimator
    np.testing.assert_array_equal(again.score_samples(X_NEW), detector.score_samples(X_NEW))
    np.testing.assert_array_equal(again.explain(X_NEW), detector.explain(X_NEW))
    assert again.offset_ == detector.offset_


def test_a_precomputed_kernel_is_kept(tmp_path):
    pca = L1KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    save(pca, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops").estimator
    np.testing.assert_array_equal(again.transform(X_NEW @ X.T), pca.transform(X_NEW @ X.T))


def test_what_is_attached_comes_back(file):
    saved = load(file)
    assert saved.attached == {"columns": ["a", "b"]}
    assert saved.versions["numpy"] == np.__version__


@pytest.mark.parametrize("name", persistence.TRUSTED_TYPES)
def test_every_trusted_type_exists(name):
    module, _, attribute = name.rpartition(".")
    assert isinstance(getattr(importlib.import_module(module), attribute), type)
    assert name.startswith("l1kpca.")


def test_a_file_is_not_overwritten_unasked(file):
    before = file.read_bytes()
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        save(L1KernelPCA(1).fit(X), file)
    assert file.read_bytes() == before
    save(L1KernelPCA(1).fit(X), file, overwrite=True)
    assert load(file).estimator.n_components_ == 1


def product(x, y):
    return float(x @ y)


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    pca = L1KernelPCA(1, kernel=product).fit(X)
    with pytest.raises(ModelFileError, match="this L1KernelPCA cannot be saved, since it holds "):
        save(pca, tmp_path / "m.skops")
    assert list(tmp_path.iterdir()) == []


def test_what_skops_cannot_write_is_explained(tmp_path):
    with pytest.raises(ModelFileError, match=r"this generator cannot be saved \(.*\)\."):
        save((i for i in range(3)), tmp_path / "m.skops")


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_not_opened(tmp_path):
    (tmp_path / "m.skops").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(ModelFileError, match=r"m\.skops is not a model file, or it is damaged"):
        load(tmp_path / "m.skops")
    assert not (tmp_path / "sprung").exists()


def test_a_pickle_within_the_archive_is_not_opened(file, tmp_path):
    trap = np.array([Trap(tmp_path / "sprung")], dtype=object)
    buffer = io.BytesIO()
    np.save(buffer, trap, allow_pickle=True)
    with zipfile.ZipFile(file) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
    rewritten(file, **{name: buffer.getvalue() for name in arrays})
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged"):
        load(file)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("builtins", "eval"), ("subprocess", "Popen"), ("l1kpca.evil", "Evil")],
)
def test_a_type_that_is_not_known_is_refused(file, module, name):
    rewritten(file, lambda schema: schema.update(__module__=module, __class__=name))
    with pytest.raises(
        ModelFileError, match=rf"types that are not trusted \({module}\.{name}\), so it was not"
    ):
        load(file)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged; save the mod"):
        load(file)


def test_flipped_bytes_never_escape_as_other_errors(file):
    content = bytearray(file.read_bytes())
    for place in range(10, len(content), len(content) // 60):
        damaged = content.copy()
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        with contextlib.suppress(ModelFileError):  # a flip within a number goes unseen
            load(file)


def test_an_archive_without_our_header_is_refused(file):
    rewritten(file, **{"l1kpca.json": None})
    with pytest.raises(ModelFileError, match="is not a model file of l1kpca; give one that was"):
        load(file)


@pytest.mark.parametrize(("version", "age"), [(2, "a newer"), (0, "another"), ("x", "another")])
def test_another_format_is_refused(file, version, age):
    header = {"format": version, "attached": {}, "versions": {}}
    rewritten(file, **{"l1kpca.json": json.dumps(header)})
    with pytest.raises(
        ModelFileError,
        match=f"has format version {version!r}, this version of l1kpca reads 1: it was written by"
        f" {age} version",
    ):
        load(file)


@pytest.mark.parametrize(
    "header",
    ["[]", "{}", "nonsense", '{"format": 1}', '{"format": 1, "attached": 3, "versions": {}}'],
)
def test_a_nonsense_header_is_refused(file, header):
    rewritten(file, **{"l1kpca.json": header})
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged"):
        load(file)


def test_a_deeply_nested_schema_is_refused(file):
    rewritten(file, **{"schema.json": "[" * 100_000 + "]" * 100_000})
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged"):
        load(file)


def test_a_zip_bomb_is_refused_before_it_is_read(tmp_path, file):
    bomb = tmp_path / "bomb.skops"
    with zipfile.ZipFile(bomb, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("l1kpca.json", json.dumps({"format": 1}))
        archive.writestr("schema.json", bytes(50_000_000))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(ModelFileError, match="entries that no saved model has, so it was not read"):
        load(bomb)
    with pytest.raises(ModelFileError, match=r"holds 500000\d\d bytes, more than the 1000000 allo"):
        load(bomb, max_bytes=1_000_000)
    with pytest.raises(ModelFileError, match=r"holds \d+ bytes, more than the 1000 allowed; use a"):
        load(file, max_bytes=1000)


@pytest.mark.parametrize("name", ["../up.npy", "/etc/passwd", "a/b.npy", "..\\up.npy"])
def test_names_that_lead_elsewhere_are_refused(file, name):
    rewritten(file, **{name: b"x"})
    with pytest.raises(ModelFileError, match="entries that no saved model has"):
        load(file)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_repeated_names_are_refused(file):
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="entries that no saved model has"):
        load(file)


def test_places_without_a_file_are_named(tmp_path):
    with pytest.raises(ModelFileError, match=r"none\.skops does not exist; give the file of a sav"):
        load(tmp_path / "none.skops")
    with pytest.raises(ModelFileError, match="is a directory; give the file of a saved model"):
        load(tmp_path)
