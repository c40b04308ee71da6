"""What holds for the detector, model files and the command line on any rows, by hypothesis."""

import contextlib
import io
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.cli.app import run
from l1kpca.persistence import load, save
from reliability.drawn import settings_of_pca, tables

pytestmark = [
    pytest.mark.filterwarnings("ignore:n_components=. exceeds the rank of the data"),
    pytest.mark.filterwarnings("ignore:.* columns are constant and were dropped"),
    pytest.mark.filterwarnings("ignore:.*so far from all training rows"),
    pytest.mark.filterwarnings("ignore:.*stopped at a poor fixed point"),
]
FEW = max(10, settings().max_examples // 5)
"""Examples of what writes files."""


@st.composite
def detectors(draw):
    """Detectors of either rule, with their own kernel PCA or another."""
    pca = L1KernelPCA(**draw(settings_of_pca())) if draw(st.booleans()) else None
    return KernelPCAOutlierDetector(
        pca,
        rule=draw(st.sampled_from(["robust", "paper"])),
        contamination=draw(st.sampled_from(["auto", 0.0, 0.1, 0.5])),
        scaling=draw(st.sampled_from(["columns", "common", None])) if pca else "columns",
        random_state=0,
    )


@given(X=tables(), new=tables(max_rows=5), detector=detectors())
def test_labels_follow_the_decision_and_all_is_finite(X, new, detector):
    detector.fit(X)
    rows = np.vstack([X, np.resize(new, (len(new), X.shape[1]))])
    scores, decision = detector.score_samples(rows), detector.decision_function(rows)
    assert np.isfinite(scores).all()
    assert np.isfinite(detector.offset_)
    assert_array_equal(decision, scores - detector.offset_)
    assert_array_equal(detector.predict(rows), np.where(decision < 0, -1, 1))
    seen = detector.outlier_map(rows)
    for values in (seen.score_distance, seen.orthogonal_distance):
        assert np.isfinite(values).all()
        assert (values >= 0).all()


@given(X=tables(min_rows=2), detector=detectors())
def test_no_more_rows_are_flagged_than_the_contamination_says(X, detector):
    labels = detector.fit_predict(X)
    assert_array_equal(labels, clone(detector).fit(X).predict(X))
    share = detector.contamination
    if share != "auto":
        assert (labels == -1).sum() <= np.ceil(share * (len(X) - 1))


@given(X=tables(), detector=detectors())
def test_contributions_add_up_to_the_abnormality(X, detector):
    detector.fit(X)
    scores, shares = detector.score_samples(X), detector.explain(X)
    size = np.abs(scores).max() + np.abs(shares).max()
    if detector.columns_.used.any():
        assert_allclose(shares.sum(axis=1), -scores, atol=1e-9 * size)
    assert np.isfinite(shares).all()


@given(X=tables(min_rows=2), detector=detectors())
def test_equal_rows_have_equal_scores(X, detector):
    detector.fit(np.vstack([X, X]))
    scores = detector.score_samples(np.vstack([X, X]))
    size = np.abs(scores).max(initial=1e-300)
    assert_allclose(scores[: len(X)], scores[len(X) :], atol=1e-6 * size)


@given(
    X=tables(min_rows=3, max_columns=3),
    exponents=st.lists(st.integers(-30, 30), min_size=3, max_size=3),
    rule=st.sampled_from(["robust", "paper"]),
)
def test_the_unit_of_a_column_does_not_matter(X, exponents, rule):
    """Powers of two change no digit of the standardised columns."""
    units = 2.0 ** np.array(exponents[: X.shape[1]])
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0)
    expected = detector.fit(X).score_samples(X)
    assert_allclose(detector.fit(X * units).score_samples(X * units), expected, rtol=1e-9)


@settings(max_examples=FEW)
@given(X=tables(min_rows=2), detector=detectors(), settings_=settings_of_pca())
def test_a_saved_model_gives_the_same_bits(X, detector, settings_):
    models = (detector.fit(X), L1KernelPCA(**settings_).fit(X))
    with tempfile.TemporaryDirectory() as folder:
        for model, use in zip(models, ("score_samples", "transform"), strict=True):
            path = Path(folder) / f"{use}.skops"
            save(model, path)
            again = load(path).estimator
            assert_array_equal(getattr(again, use)(X), getattr(model, use)(X))
            assert str(again.get_params()) == str(model.get_params())


@settings(max_examples=FEW)
@given(X=tables(min_rows=4, max_columns=4))
def test_rows_go_through_the_command_line_and_back(X):
    """Scores of ``detect`` and, from the saved model, of ``score`` on the same file agree."""
    X = np.column_stack([X, np.arange(len(X)) % 3])
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = Path(name)
        frame.to_csv(folder / "rows.csv", index=False)
        said = io.StringIO()
        data, model = str(folder / "rows.csv"), str(folder / "m.skops")
        first, second = str(folder / "first.csv"), str(folder / "second.csv")
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            assert run(["detect", data, "--out", first, "--save", model]) == 0, said.getvalue()
            assert run(["score", model, data, "--out", second]) == 0, said.getvalue()
        found, again = pd.read_csv(first), pd.read_csv(second)
    assert len(found) == len(X)
    scores = found.filter(like="score").to_numpy(dtype=float)
    assert np.isfinite(scores).all()
    assert_array_equal(scores, again.filter(like="score").to_numpy(dtype=float))
