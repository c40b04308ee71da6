"""The facts of a page are those of the detector."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from l1kpca import KernelPCAOutlierDetector, __version__
from l1kpca.report import content, document, report


def test_rows_are_in_the_order_of_their_scores(facts, detector, X, labels, unpacked):
    scores = -detector.score_samples(X)
    order = np.argsort(-scores, kind="stable")
    rows = facts["rows"]
    np.testing.assert_array_equal(unpacked(rows["row"], "u4"), order + 1)
    np.testing.assert_allclose(unpacked(rows["score"], "f4"), scores[order], rtol=1e-6)
    assert rows["id"] == [f"n{i}" for i in order]
    assert rows["label"] == "".join(str(int(labels[i])) for i in order)
    assert (facts["n_rows"], facts["n_listed"]) == (80, 80)
    assert facts["n_flagged"] == (detector.predict(X) == -1).sum()
    assert facts["cutoff"] == -detector.offset_


def test_places_are_those_of_the_detector(facts, detector, X, unpacked):
    rows, order = facts["rows"], unpacked(facts["rows"]["row"], "u4") - 1
    np.testing.assert_array_equal(unpacked(rows["drawn"], "u4"), np.arange(80))
    where = detector.outlier_map(X)
    plane = detector.pca_.transform(detector.columns_(X))
    for name, expected in (
        ("score_distance", where.score_distance),
        ("orthogonal_distance", where.orthogonal_distance),
        ("x", plane[:, 0]),
        ("y", plane[:, 1]),
    ):
        np.testing.assert_allclose(
            unpacked(rows[name], "f4"), expected[order], rtol=1e-5, atol=1e-6
        )
    assert facts["map"]["score_cutoff"] == where.score_cutoff
    assert facts["map"]["orthogonal_cutoff"] == where.orthogonal_cutoff


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_data_frames_name_the_columns(X, kind):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame = pl.from_pandas(frame) if kind == "polars" else frame
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    facts = report(detector, frame).facts
    assert {column["name"] for column in facts["columns"]} == set("abcd")


def test_how_to_reproduce(facts):
    again = facts["reproduce"]
    assert again["code"] == "KernelPCAOutlierDetector(random_state=0)"
    assert again["versions"]["l1kpca"] == __version__
    assert again["command"] is None


def test_facts_survive_json(facts):
    assert json.loads(document.embedded(facts)) == json.loads(json.dumps(facts))


def test_many_rows_and_long_ids_stay_below_six_megabytes(unpacked):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120_000, 3))
    detector = KernelPCAOutlierDetector(max_samples=100, random_state=0).fit(X)
    detector.calibrate(rng.normal(size=(500, 3)))
    labels = rng.random(len(X)) < 0.01
    made = report(detector, X, labels=labels, names=[f"{'long id':40}{i}" for i in range(len(X))])
    assert len(made.to_html().encode("utf-8")) < 6_000_000
    assert (made.facts["n_rows"], made.facts["n_listed"]) == (120_000, content.MOST_LISTED)
    assert sum(made.facts["histogram"]["counts"]) == 120_000
    assert made.facts["n_flagged"] == (detector.predict(X) == -1).sum()
    drawn = unpacked(made.facts["rows"]["drawn"], "u4")
    assert len(drawn) <= 5000
    assert set(range(2000)) <= set(drawn.tolist())


@pytest.fixture(scope="module")
def ruined():
    """Heights in meters instead of centimeters, prices with a lost point, and a wrong country."""
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame({"height": rng.normal(170, 8, n), "price": rng.gamma(9, 5, n).round(2)})
    frame["weight"] = frame["height"] - 100 + rng.normal(0, 5, n)
    frame["country"] = rng.choice(["Chile", "Peru"], size=n)
    frame["code"] = frame["country"].map({"Chile": 56.0, "Peru": 51.0})
    frame.index = [f"order {i}" for i in range(n)]
    frame.iloc[:14, 0] /= 100
    frame.iloc[20:29, 1] *= 100
    return frame


@pytest.fixture(scope="module")
def made(ruined):
    return report(KernelPCAOutlierDetector(random_state=0).fit(ruined), ruined)


def test_kinds_of_trouble_are_those_that_were_planted(made, ruined):
    kinds = {
        kind["column"]: kind
        for kind in made.facts["kinds"]
        if kind["says"].startswith(("height is far below the usual 1", "price is far above the"))
    }
    assert set(kinds) == {"height", "price"}
    ids = made.facts["rows"]["id"]
    for column, planted in (("height", range(14)), ("price", range(20, 29))):
        assert {f"order {i}" for i in planted} <= {ids[k] for k in kinds[column]["rows"]}
    listed = [row for kind in made.facts["kinds"] for row in kind["rows"]]
    assert sorted(listed) == list(range(made.facts["n_flagged"]))


def test_days_are_expected_without_a_time_of_day():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 200), unit="D")
    frame = pd.DataFrame({"on": days, "a": rng.normal(size=200), "b": rng.normal(size=200)})
    frame.loc[3, "on"] = pd.Timestamp("1970-01-01")
    made = report(KernelPCAOutlierDetector(random_state=0).fit(frame), frame)
    (kind,) = (kind for kind in made.facts["kinds"] if kind["column"] == "on")
    assert "before the usual 2024-01-" in kind["says"]
    reason = made.json()["top"][0]["reasons"][0]
    assert (reason["column"], reason["value"]) == ("on", "1970-01-01")
    assert len(reason["expected"]) == len("2024-05-30")


def test_an_expected_date_is_written_as_the_column_has_it():
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + rng.integers(0, 300, 400).astype("m8[D]")
    sent = days + rng.integers(1, 9, 400).astype("m8[D]")
    sent[7] -= np.timedelta64(90, "D")
    frame = pd.DataFrame({"ordered": days, "sent": sent, "size": rng.normal(size=400)})
    for name in ("ordered", "sent"):
        frame[name] = pd.to_datetime(frame[name]).dt.strftime("%m/%d/%Y")
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    first = report(detector, frame).json()["top"][0]
    assert first["row"] == 8
    expected = {one["column"]: one["expected"] for one in first["reasons"]}["sent"]
    told = np.datetime64(pd.to_datetime(expected, format="%m/%d/%Y"), "D")
    assert abs((told - sent[7]).astype(int) - 90) <= 6


@pytest.mark.filterwarnings("ignore:2 cells are not taken as written")
def test_cells_that_cannot_be_read_are_a_kind_of_trouble():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(50, 5, size=(200, 3)), columns=["w", "h", "g"]).round(1)
    frame = frame.astype({"w": str})
    frame.loc[30, "w"], frame.loc[70, "w"] = "fifty", "5O.1"
    made = report(KernelPCAOutlierDetector(random_state=0).fit(frame), frame)
    (kind,) = (kind for kind in made.facts["kinds"] if kind["column"] == "w")
    assert (kind["says"], kind["rows"]) == ("w is not a number", [0, 1])
    reasons = [row["reasons"][0] for row in made.json()["top"][:2]]
    assert {reason["value"] for reason in reasons} == {"fifty", "5O.1"}
    assert {(reason["unread"], reason["expected"]) for reason in reasons} == {
        ("not a number", None)
    }
    assert {row[1][0] for row in made.facts["details"][:2]} == {
        "'fifty': not a number",
        "'5O.1': not a number",
    }


def test_cells_that_stand_out_are_counted(made, ruined):
    detector = KernelPCAOutlierDetector(random_state=0).fit(ruined)
    flagged = detector.predict(ruined) == -1
    wrong = np.asarray(detector.cells(ruined).flagged)[flagged]
    assert made.facts["n_cells"] == wrong.sum()
    assert wrong.any()


def test_columns_say_how_values_are_spread(made, ruined, unpacked):
    """Bins of single rows make the histogram of all, and blame is that of the explanations."""
    facts = made.facts
    columns = [facts["columns"][j] for j in facts["trouble"]["columns"]]
    bins, blame = (
        unpacked(facts["trouble"][name], "u1").reshape(-1, len(columns))
        for name in ("bins", "blame")
    )
    assert len(bins) == len(ruined)
    for place, column in enumerate(columns):
        assert sum(column["counts"]) == len(ruined)
        np.testing.assert_array_equal(
            np.bincount(bins[:, place], minlength=len(column["counts"])), column["counts"]
        )
    np.testing.assert_allclose(
        blame[: facts["n_flagged"]].mean(axis=0) / 255,
        [column["blame"] for column in columns],
        atol=2e-3,
    )
    assert sum(column["blame"] for column in columns) == pytest.approx(1)
    country = next(column for column in columns if column["name"] == "country")
    assert set(country["levels"]) == {"Chile", "Peru"}


SCHEMA = {
    "schema", "source", "n_rows", "n_flagged", "n_cells", "cutoff", "clear_line", "promise",
    "columns", "kinds", "settings", "notes", "agreement", "top",
}  # fmt: skip
OF_EACH = {
    "columns": {"name", "kind", "usual", "low", "median", "high", "missing", "blame"},
    "kinds": {"says", "column", "n_rows"},
    "top": {"rank", "row", "name", "score", "p_value", "flagged", "label", "reasons"},
}


def test_the_schema_for_programs_stays_and_is_documented(made):
    found = made.json()
    assert found["schema"] == 1
    assert found.keys() == SCHEMA
    for part, names in OF_EACH.items():
        assert found[part][0].keys() == names
    reason = found["top"][0]["reasons"][0]
    assert reason.keys() == {"column", "value", "contribution", "share", "expected"}
    assert found["top"][0]["name"].startswith("order ")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    page = (Path(__file__).parents[2] / "docs" / "guide" / "report.md").read_text()
    for name in SCHEMA.union(*OF_EACH.values(), reason):
        assert f"`{name}`" in page, name
