"""Files of other versions: read, or refused with what to do."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from forged_models import entries_of, mapping, node, nodes, rewritten, text, with_attribute
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.cli.app import run
from l1kpca.persistence import ModelFileError, load, save

OLD = Path(__file__).with_name("oldest_versions.skops")
X = np.random.default_rng(0).normal(size=(12, 3))


def test_a_file_of_the_oldest_versions_is_read():
    """Written with the lowest versions that are allowed, NumPy 1.26 and skops 0.13 among them.

    If this fails because fitted models have changed: raise `FORMAT`, and write the file anew with
    ``KernelPCAOutlierDetector(random_state=0).fit(X)`` in the environment of ``make test-oldest``.
    """
    saved = load(OLD)
    assert saved.versions["numpy"] == "1.26.0"
    fresh = KernelPCAOutlierDetector(random_state=0).fit(X)
    np.testing.assert_allclose(saved.estimator.score_samples(X), fresh.score_samples(X), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_no_type_is_named_that_another_numpy_does_not_have(tmp_path, kernel):
    """A truth value of NumPy has another name in NumPy 1 than in NumPy 2."""
    save(L1KernelPCA(2, kernel=kernel).fit(X), tmp_path / "m.skops")
    schema = json.loads(entries_of(tmp_path / "m.skops")["schema.json"])
    assert not [part for part in nodes(schema) if part["__class__"] in ("bool", "bool_")]


@pytest.mark.parametrize("version", [2, 99, 0, -1, True, 1.5, None, "1", [1], "\x1b[2J", "9" * 500])
def test_another_format_is_refused(file, version):
    header = {"format": version, "attached": {}, "versions": {}}
    rewritten(file, **{"l1kpca.json": json.dumps(header)})
    with pytest.raises(ModelFileError, match="this version of l1kpca reads 1: it was wr") as caught:
        load(file)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500 + len(str(file))


def test_without_skops_the_file_is_not_called_damaged(file, monkeypatch):
    """A module that is None in the table of modules is what Python cannot import."""
    for name in [name for name in sys.modules if name.split(".")[0] == "skops"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "skops", None)
    with pytest.raises(ImportError, match=r"need skops, which is not installed; install it with: "):
        load(file)


@pytest.mark.parametrize("value", [np.random.RandomState(0), Path("fit.npz"), print])
def test_settings_that_could_not_be_loaded_are_not_saved(tmp_path, value):
    pca = L1KernelPCA(1).fit(X)
    pca.random_state = value
    with pytest.raises(ModelFileError, match=r"cannot be saved, since it holds .*; use named kern"):
        save(pca, tmp_path / "m.skops")
    assert list(tmp_path.iterdir()) == []


def test_rows_that_are_sparse_are_named_as_the_reason(tmp_path):
    from scipy import sparse

    with pytest.raises(ModelFileError, match=r"holds scipy\.sparse.*, and rows that are not spars"):
        save(L1KernelPCA(1).fit(sparse.csr_array(X)), tmp_path / "m.skops")


@pytest.mark.parametrize("attached", [{"a": float("nan")}, {"a": object()}, {"a": {1, 2}}])
def test_what_json_cannot_hold_is_not_attached(tmp_path, attached):
    with pytest.raises(ModelFileError, match=r"attached cannot be saved \(.*\); give numbers that"):
        save(L1KernelPCA(1).fit(X), tmp_path / "m.skops", attached=attached)


@pytest.fixture
def scored(tmp_path, capsys):
    """A model file of the command line, the rows, and a call of score with them."""
    rows, model = tmp_path / "rows.csv", tmp_path / "m.skops"
    np.savetxt(rows, X, delimiter=",", header="a,b,c", comments="")
    assert run(["detect", str(rows), "-q", "--save", str(model)]) == 0

    def score():
        status = run(["score", str(model), str(rows), "-q"])
        return status, capsys.readouterr().err

    return model, score


def test_score_refuses_another_kind_of_model(scored):
    model, score = scored
    save(L1KernelPCA(1).fit(X), model, overwrite=True)
    status, said = score()
    assert said == (
        f"l1kpca: {model} holds a L1KernelPCA, not a detector; give a file that l1kpca detect"
        " --save wrote.\n"
    )
    assert status == 2


NONSENSE = [text(None), text("x"), mapping(), node("ListNode", "builtins.list", content=[])]


@pytest.mark.parametrize("name", ["pca_", "rule_", "columns_", "offset_", "n_features_in_"])
@pytest.mark.parametrize("value", NONSENSE, ids=["none", "text", "mapping", "list"])
def test_score_refuses_a_model_whose_parts_do_not_fit(scored, name, value):
    model, score = scored
    assert name in json.loads(entries_of(model)["schema.json"])["content"]["content"]
    rewritten(model, with_attribute(name, value))
    status, said = score()
    assert status == 2
    assert said.startswith("l1kpca: ")
    assert said.count("\n") == 1


def test_score_says_that_the_model_is_to_blame(scored):
    model, score = scored
    rewritten(model, with_attribute("pca_", text(None)))
    assert score()[1] == (
        "l1kpca: the model cannot be used (AttributeError: 'NoneType' object has no attribute"
        " 'n_components_'); it was altered, or written by another version of l1kpca: fit and save"
        " it again.\n"
    )
