"""Files of other versions: read, or refused with what to do."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io

from l1kpca import L1KernelPCA
from l1kpca.cli.app import run
from l1kpca.persistence import ModelFileError, load, save
from model_files.forged import entries_of, replanned, rewritten

VERSION_2 = Path(__file__).with_name("version_2.skops")
X = np.random.default_rng(0).normal(size=(12, 3))


def test_the_first_file_of_version_2_is_read():
    """From the first release on it is never written again: it must be read whatever was moved."""
    saved = load(VERSION_2)
    detector, expected = saved.estimator, saved.attached["expected"]
    rows = pd.DataFrame(saved.attached["rows"], columns=["a", "b", "c"])
    scores = detector.pca_.transform(rows.to_numpy())
    for name, found in {
        "score_samples": detector.score_samples(rows),
        "explain": detector.explain(rows),
        "residual": detector.cells(rows).residual,
        "transform": scores,
        "inverse": detector.pca_.inverse_transform(scores),
    }.items():
        np.testing.assert_allclose(found, expected[name], rtol=1e-12, atol=1e-12, err_msg=name)
    assert detector.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_nothing_but_text_and_arrays_is_in_a_file(tmp_path, kernel):
    """No version of l1kpca, NumPy or scikit-learn can rename what is not there."""
    save(L1KernelPCA(2, kernel=kernel).fit(X), tmp_path / "m.skops")
    assert {type(array) for array in skops.io.load(tmp_path / "m.skops")} == {np.ndarray}
    text = entries_of(tmp_path / "m.skops")["l1kpca.json"].decode()
    assert json.loads(text)["model"]["params"]["kernel"] == kernel
    assert "l1kpca." not in text
    assert "numpy." not in text


AGES = {1: "an older", 0: "an older", -1: "an older", 3: "a newer", 99: "a newer"}


@pytest.mark.parametrize(
    "version", [*AGES, True, 2.5, 2.0, None, "2", [2], {}, "\x1b[2J", "9" * 500]
)
def test_another_format_is_refused(file, version):
    header = {"format": version, "attached": {}, "versions": {}}
    rewritten(file, **{"l1kpca.json": json.dumps(header), "schema.json": "{}"})
    age = AGES.get(version, "another") if type(version) is int else "another"
    with pytest.raises(ModelFileError) as caught:
        load(file)
    assert str(caught.value) == (
        f"{file} has format version {ascii(version)[:20]}, not 2: it was written by {age} version"
        " of l1kpca; install that version, or fit and save again."
    )


@pytest.mark.parametrize(
    "header",
    [
        "[]", "{}", "nonsense", "3", '{"format": 2}', '{"format": 2, "attached": {}}',
        '{"format": 2, "attached": 3, "versions": {}}', "[" * 100_000 + "]" * 100_000,
    ],
    ids=lambda header: header[:30],
)  # fmt: skip
def test_a_nonsense_header_is_refused(file, header):
    rewritten(file, **{"l1kpca.json": header})
    with pytest.raises(ModelFileError, match="is not a model file, or it is damaged"):
        load(file)


def test_an_archive_without_our_header_is_refused(file):
    rewritten(file, **{"l1kpca.json": None})
    with pytest.raises(ModelFileError, match="is not a model file of l1kpca; give one written by"):
        load(file)


def test_without_skops_a_model_can_be_loaded_and_not_saved(file, monkeypatch):
    """A module that is None in the table of modules is what Python cannot import."""
    for name in [name for name in sys.modules if name.split(".")[0] == "skops"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "skops", None)
    model = load(file).estimator
    with pytest.raises(ImportError, match=r"need skops, which is not installed: pip install "):
        save(model, file, overwrite=True)


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


@pytest.mark.parametrize("name", ["pca_", "rule_", "columns_", "offset_", "encoder_"])
@pytest.mark.parametrize("value", [None, "x", [], {"class": "dict", "parts": []}], ids=repr)
def test_score_refuses_a_model_whose_parts_do_not_fit(scored, name, value):
    model, score = scored
    replanned(model, lambda tree: tree["fitted"].update({name: value}))
    status, said = score()
    assert status == 2
    assert said.startswith("l1kpca: ")
    assert said.count("\n") == 1


def test_score_says_that_the_model_is_to_blame(scored):
    model, score = scored
    replanned(model, lambda tree: tree["fitted"].update(pca_=None))
    said = score()[1]
    assert said.startswith("l1kpca: the model cannot be used (AttributeError: 'NoneType' object")
    assert said.endswith(
        "); it was altered, or written by another version of l1kpca: fit and save it again.\n"
    )
