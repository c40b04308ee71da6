"""Data frames as input of the detector: planted rows, answers in the columns of the table."""

import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from l1kpca import KernelPCAOutlierDetector, TableEncoder, persistence
from l1kpca.report import report

KINDS_OF_FRAMES = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


def stones(n=1500, seed=0):
    """Like diamonds: sizes that go together, a price, three categories that repeat nothing."""
    rng = np.random.default_rng(seed)
    carat = rng.lognormal(-0.4, 0.4, n)
    x = 6.5 * np.cbrt(carat) * (1 + 0.01 * rng.normal(size=n))
    y = x * (1 + 0.006 * rng.normal(size=n))
    frame = pd.DataFrame({"carat": carat, "x": x, "y": y})
    frame["price"] = 4000 * carat**1.7 * np.exp(0.2 * rng.normal(size=n))
    frame["cut"] = rng.choice(["ideal", "premium", "good", "fair"], n, p=[0.4, 0.3, 0.2, 0.1])
    frame["color"] = rng.choice(list("DEFGHIJ"), n)
    frame["clarity"] = rng.choice(
        ["SI", "VS", "VVS", "IF", "I1"], n, p=[0.4, 0.35, 0.15, 0.07, 0.03]
    )
    frame.index = [f"stone {place}" for place in range(n)]
    frame.loc[["stone 7", "stone 11"], "y"] = 58.9, 31.8
    frame.loc["stone 13", "price"] = 90_000
    return frame


@pytest.fixture(scope="module")
def fitted():
    return KernelPCAOutlierDetector(random_state=0).fit(stones())


def ranks(detector, X, rows=(7, 11, 13)):
    order = np.argsort(detector.score_samples(X)).tolist()
    return [order.index(row) for row in rows]


def test_a_wild_number_ranks_with_categories_as_without(fitted):
    frame = stones()
    numbers = frame.select_dtypes("number").to_numpy()
    alone = ranks(KernelPCAOutlierDetector(random_state=0).fit(numbers), numbers)
    beside = ranks(fitted, frame)
    assert all(b <= 1.5 * a + 5 for a, b in zip(alone, beside, strict=True)), (alone, beside)


def test_explanations_are_frames_of_the_tables_columns_with_its_index(fitted):
    frame = stones()
    some = frame.iloc[[7, 13, 20]]
    parts = fitted.explain(some)
    assert parts.columns.tolist() == frame.columns.tolist()
    assert parts.index.tolist() == ["stone 7", "stone 13", "stone 20"]
    np.testing.assert_allclose(parts.sum(axis=1), -fitted.score_samples(some))
    assert parts.loc["stone 7"].idxmax() == "y"
    assert parts.loc["stone 13"].idxmax() == "price"


@pytest.mark.parametrize("made", ["polars", "pyarrow"])
def test_every_kind_of_frame_is_judged_alike(fitted, made):
    frame = stones().reset_index(drop=True)
    other = KINDS_OF_FRAMES[made](frame)
    detector = KernelPCAOutlierDetector(random_state=0).fit(other)
    np.testing.assert_allclose(detector.score_samples(other), fitted.score_samples(frame))
    assert type(detector.explain(other[:3])) is type(other)
    assert nw.from_native(detector.explain(other[:3])).columns == frame.columns.tolist()


def test_a_table_that_was_encoded_before_is_judged_alike(fitted):
    frame = stones()
    encoder = TableEncoder().fit(frame)
    encoded = encoder.encode(frame)
    detector = KernelPCAOutlierDetector(random_state=0).fit(encoded)
    assert detector.n_features_in_ == frame.shape[1]
    np.testing.assert_array_equal(detector.score_samples(frame), fitted.score_samples(frame))
    rows = np.array([7, 3])
    np.testing.assert_allclose(detector.explain(encoded[rows]), fitted.explain(frame.iloc[rows]))


def test_holes_are_no_evidence(fitted):
    frame = stones().iloc[100:160]
    judged = fitted.judge(frame)
    holed = frame.copy()
    holed.loc[holed.index[::2], ["color", "price"]] = None
    again = fitted.judge(holed)
    assert again.flagged.sum() <= judged.flagged.sum() + 2


def test_what_is_left_out_is_said(fitted):
    frame = stones().assign(number=range(1500), remark=[f"this is no. {i}" for i in range(1500)])
    said = r"2 of 9 columns are left out: number \(id: it counts the rows\), remark \(text: "
    with pytest.warns(UserWarning, match=said):
        detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    np.testing.assert_array_equal(detector.score_samples(frame), fitted.score_samples(stones()))


def test_names_and_order_of_columns_are_those_of_the_fit(fitted):
    frame = stones()
    assert fitted.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.drop(columns="cut"))
    with pytest.raises(ValueError, match="order"):
        fitted.predict(frame[frame.columns[::-1]])


def test_an_array_is_judged_by_the_places_of_its_columns(fitted):
    frame = stones()
    with pytest.warns(UserWarning, match="valid feature names"):
        scores = fitted.score_samples(frame.to_numpy(dtype=object))
    np.testing.assert_allclose(scores, fitted.score_samples(frame))


def test_a_saved_detector_keeps_its_encoder(fitted, tmp_path):
    persistence.save(fitted, tmp_path / "m.skops")
    again = persistence.load(tmp_path / "m.skops").estimator
    frame = stones().iloc[:50].copy()
    frame.loc["stone 3", "cut"] = "never seen"
    np.testing.assert_array_equal(again.score_samples(frame), fitted.score_samples(frame))
    pd.testing.assert_frame_equal(again.explain(frame.iloc[:3]), fitted.explain(frame.iloc[:3]))


def test_a_report_of_a_frame_names_its_columns(fitted):
    frame = stones().iloc[:60]
    facts = report(fitted, frame, top=3).facts
    assert {column["name"] for column in facts["columns"]} <= set(frame.columns)
    assert facts["data"]["n_columns"] == 7


def test_repeated_categories_count_once():
    """Five copies of a column with a rare level move no row by more than a few places."""
    frame = stones()
    frame.loc["stone 50", "cut"] = "awful"
    copies = {f"cut {copy}": frame["cut"].str.upper() for copy in range(5)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once = KernelPCAOutlierDetector(random_state=0).fit(frame)
        often = KernelPCAOutlierDetector(random_state=0).fit(frame.assign(**copies))
    first = np.argsort(once.score_samples(frame))[:20].tolist()
    again = np.argsort(often.score_samples(frame.assign(**copies)))[:30].tolist()
    assert len(set(first) - set(again)) <= 3


def test_a_rare_combination_stands_out_as_far_as_it_is_rare_and_no_farther():
    """A feature that hardly varies is not blown up: wild numbers stay ahead of a rare pair."""
    frame = stones()
    frame["place"] = np.where(frame["cut"].isin(["ideal", "premium"]), "shop", "fair ground")
    frame.loc["stone 60", "cut"], frame.loc["stone 60", "place"] = "good", "shop"
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    scores = detector.score_samples(frame)
    pair = frame.index.get_loc("stone 60")
    assert scores[[7, 11]].max() < scores[pair] < np.quantile(scores, 0.1)
    assert detector.explain(frame.loc[["stone 60"]]).iloc[0].idxmax() == "place"


def test_cells_are_frames_in_the_words_of_the_table(fitted):
    found = fitted.cells(stones().loc[["stone 7", "stone 13"]])
    assert found.expected.loc["stone 13", "cut"] == "ideal"
    assert found.flagged.loc["stone 7", "y"]
    assert 3 < found.expected.loc["stone 7", "y"] < 10
    assert found.residual.index.tolist() == ["stone 7", "stone 13"]


def test_cells_that_are_not_taken_as_written_are_named():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame.loc[3, "a"] = np.inf
    said = r"^1 cell is not taken as written \(a: .*inf.*, not a number: taken as far out\)$"
    with pytest.warns(UserWarning, match=said):
        detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert np.isfinite(detector.score_samples(frame)).all()


@pytest.mark.parametrize("count", [4, 5, 6])
def test_five_are_named_and_dots_stand_for_more(count):
    """Of cells that are not taken as written, and of columns that are left out."""
    values = np.random.default_rng(0).normal(size=(60, count))
    values[np.arange(count), np.arange(count)] = np.inf
    frame = pd.DataFrame(values, columns=[f"c{i}" for i in range(count)])
    for i in range(count):
        frame[f"same{i}"] = 1
    with pytest.warns(UserWarning) as caught:  # noqa: PT030
        KernelPCAOutlierDetector(random_state=0).fit(frame)
    said = [str(one.message) for one in caught]
    (cells,) = (text for text in said if "not taken as written" in text)
    (columns,) = (text for text in said if "left out" in text)
    assert cells.count("taken as far out") == columns.count("(constant") == min(count, 5)
    assert cells.endswith("; ...)") == columns.endswith(", ...") == (count > 5)


@pytest.mark.parametrize("cell", ["fifty", "25:61", "1.2.3"])
@pytest.mark.filterwarnings("ignore:1 cell is not taken as written")
def test_a_number_that_cannot_be_read_is_the_oddest_cell(cell):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(50, 5, size=(100, 3)), columns=["w", "h", "g"]).round(1)
    slip = frame.astype({"w": str})
    slip.loc[30, "w"] = cell
    detector = KernelPCAOutlierDetector(random_state=0).fit(slip)
    clean = KernelPCAOutlierDetector(random_state=0).fit(frame)
    for judge in (detector, clean):
        assert judge.predict(slip)[30] == -1
        assert judge.score_samples(slip).argmin() == 30
        assert judge.cells(slip).flagged.loc[30].tolist() == [True, False, False]
        assert judge.explain(slip).loc[30].argmax() == 0


@pytest.mark.filterwarnings("ignore:1 cell is not taken as written")
def test_a_date_that_cannot_be_read_is_odd():
    days = pd.date_range("2023-01-02", periods=90, freq="D").astype(str).to_series(index=range(90))
    frame = pd.DataFrame({"day": days, "a": np.random.default_rng(0).normal(size=90)})
    frame.loc[20, "day"] = "2023-02-31"
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert detector.score_samples(frame).argmin() == 20
    assert detector.predict(frame)[20] == -1


def test_words_for_no_value_are_still_holes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(50, 5, size=(100, 3)), columns=["w", "h", "g"]).astype(str)
    frame.loc[30] = [None, "unknown", "50"]
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert detector.predict(frame)[30] == 1


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("columns", [["x", "y", "price"], ["x", "cut", "price"]])
def test_an_array_is_taken_by_its_places(columns):
    frame = stones(300)[columns]
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    by_name, by_place = detector.cells(frame), detector.cells(frame.to_numpy())
    np.testing.assert_allclose(np.asarray(by_place.residual), np.asarray(by_name.residual))
    assert (np.asarray(by_place.expected) == np.asarray(by_name.expected)).all()


def test_one_column_is_left_out():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(same=1)
    with pytest.warns(UserWarning, match=r"^1 of 3 columns is left out: same \(constant"):
        KernelPCAOutlierDetector(random_state=0).fit(frame)


def test_a_fit_without_names_forgets_those_of_the_fit_before():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    nameless = frame.to_numpy()
    detector.fit(TableEncoder().fit(nameless).encode(nameless))
    assert not hasattr(detector, "feature_names_in_")
