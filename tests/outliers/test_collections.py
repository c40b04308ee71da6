"""Dask collections: judged in their partitions, with the answers for the same rows in memory."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

import dask.array as da
import dask.dataframe as dd

from l1kpca import KernelPCAOutlierDetector
from l1kpca.outliers import door

METHODS = ["score_samples", "decision_function", "predict", "p_values", "explain"]


def table(rng, n):
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"], index=range(7, n + 7))
    return frame.assign(d=frame.a + 0.1 * rng.normal(size=n), kind=rng.choice(["x", "y"], n))


@pytest.fixture(scope="module")
def rows():
    return table(np.random.default_rng(0), 300)


@pytest.fixture(scope="module")
def of_frame(rows):
    return KernelPCAOutlierDetector(random_state=0, calibration=0.3).fit(rows)


@pytest.fixture(scope="module")
def of_array(rows):
    X = rows[list("abcd")].to_numpy()
    return KernelPCAOutlierDetector(random_state=0, calibration=0.3).fit(X)


@pytest.mark.parametrize("method", METHODS)
def test_arrays(of_array, rows, method):
    X = rows[list("abcd")].to_numpy()
    lazy = getattr(of_array, method)(da.from_array(X, chunks=(100, 3)))
    assert isinstance(lazy, da.Array)
    assert lazy.chunks[0] == (100, 100, 100)
    expected = getattr(of_array, method)(X)
    assert lazy.dtype == expected.dtype
    np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_frames(of_frame, rows, method):
    lazy = getattr(of_frame, method)(dd.from_pandas(rows, npartitions=3))
    found, expected = lazy.compute(), getattr(of_frame, method)(rows)
    assert type(lazy).__module__.startswith("dask.dataframe")
    assert list(found.index) == list(rows.index)
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6, atol=1e-12)


def test_cells_of_an_array(of_array, rows):
    X = rows[list("abcd")].to_numpy()
    lazy, expected = of_array.cells(da.from_array(X, chunks=(100, 3))), of_array.cells(X)
    assert lazy.cutoff == expected.cutoff
    for name in ("residual", "expected", "flagged"):
        np.testing.assert_allclose(getattr(lazy, name).compute(), getattr(expected, name))


def test_cells_of_a_frame(of_frame, rows):
    lazy, expected = of_frame.cells(dd.from_pandas(rows, npartitions=2)), of_frame.cells(rows)
    for name in ("residual", "expected", "flagged"):
        found = getattr(lazy, name).compute()
        assert found.astype(object).equals(getattr(expected, name).astype(object))


def test_a_frame_for_a_detector_of_arrays(of_array, rows):
    frame = rows[list("abcd")]
    with pytest.warns(UserWarning, match="fitted without feature names"):
        lazy = of_array.score_samples(dd.from_pandas(frame, npartitions=2))
    np.testing.assert_allclose(lazy.compute(), of_array.score_samples(frame.to_numpy()))


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_a_fit_collects_a_sample(monkeypatch, rows, kind):
    """All of few rows; a share of each partition of many."""
    X = rows if kind == "frame" else rows[list("abcd")].to_numpy()
    lazy = (
        dd.from_pandas(X, npartitions=3) if kind == "frame" else da.from_array(X, chunks=(100, 3))
    )
    here = KernelPCAOutlierDetector(random_state=0).fit(X)
    there = KernelPCAOutlierDetector(random_state=0).fit(lazy)
    np.testing.assert_allclose(there.score_samples(X), here.score_samples(X), rtol=1e-9)
    monkeypatch.setattr(door, "DRAWN_ROWS", 120)
    with pytest.warns(UserWarning, match="learns from 120 of 300 rows, drawn at random"):
        drawn = door.collected(here, lazy)
    assert len(drawn) == 120
    if kind == "frame":
        assert drawn.index.is_unique
        pd.testing.assert_frame_equal(drawn, rows.loc[drawn.index], check_dtype=False)


def test_wrong_columns_are_refused_at_once(of_array, of_frame, rows):
    with pytest.raises(ValueError):  # noqa: PT011 (the words are scikit-learn's)
        of_array.score_samples(da.zeros((10, 3)))
    with pytest.raises(ValueError, match="feature names"):
        of_frame.p_values(dd.from_pandas(rows[["a", "b"]], npartitions=2))
