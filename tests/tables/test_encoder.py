"""From any table to numbers: kinds with planted truth, the same for every row and kind of frame."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from l1kpca import KernelPCAOutlierDetector, TableEncoder, persistence, tuning
from l1kpca.tables.encoder import by_column, expected_cells, unread_cells
from l1kpca.tables.kinds import KINDS

N = 300


@parametrize_with_checks([TableEncoder()])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def draw(seed=0):
    return np.random.default_rng(seed)


def words(*levels, p=None, n=N, seed=0):
    return draw(seed).choice(levels, n, p=p)


KINDS_OF = {
    "number": {
        "floats": lambda: draw().normal(size=N),
        "whole": lambda: draw().integers(0, 9, N),
        "two values": lambda: draw().integers(1, 3, N),
        "dollars": lambda: [f"${v:,.2f}" for v in draw().lognormal(7, 1, N)],
        "a slip": lambda: ["see note", *map(str, range(7, 7 + 2 * (N - 1), 2))],
        "with holes": lambda: [None, "-", "Unknown", *draw().normal(size=N - 3).astype(str)],
        "decimals": lambda: [Decimal(int(v)) / 100 for v in draw().integers(0, 9999, N)],
        "nullable": lambda: pd.array([None, *draw().integers(0, 99, N - 1)], dtype="Int64"),
        "durations": lambda: pd.to_timedelta(draw().normal(size=N), unit="h"),
        "sorted": lambda: np.sort(draw().lognormal(10, 2, N)).round(),
        "years": lambda: draw().integers(1990, 2024, N),
        "a year for each row": lambda: np.arange(1800, 1800 + N),
        "every tenth": lambda: np.arange(N) * 10,
        "kg and g": lambda: [f"{v} kg" if v % 3 else f"{v * 100} g" for v in range(7, 7 + N)],
        "ranks": lambda: draw().permutation(N),
    },
    "category": {
        "few words": lambda: words("red", "green", "blue"),
        "declared": lambda: pd.Categorical(words("u", "v", "w")),
        "a level called none": lambda: words("None", "shed", "garage"),
        "many that repeat": lambda: words(*[f"city {i}" for i in range(40)]),
        "numbers among words": lambda: words("1", "2", "3", "old"),
        "few codes with leading zeros": lambda: words("01", "02", "10"),
    },
    "boolean": {
        "bool": lambda: draw().random(N) < 0.3,
        "0 and 1": lambda: draw().integers(0, 2, N),
        "yes and no": lambda: words("Yes", "no"),
        "nullable": lambda: pd.array([None, *(draw().random(N - 1) < 0.5)], dtype="boolean"),
    },
    "date": {
        "datetime": lambda: pd.date_range("2020-01-01", periods=N, freq="5h"),
        "zone": lambda: pd.date_range("2020-01-01", periods=N, freq="5h", tz="Asia/Tokyo"),
        "date": lambda: [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(N)],
        "text": lambda: [f"{1 + i % 28}.{1 + i % 12}.{2000 + i % 20}" for i in range(N)],
        "several forms": lambda: [
            day.strftime(["%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y"][i % 3])
            for i, day in enumerate(pd.date_range("2020-01-01", periods=N))
        ],
        "numbers": lambda: [20200100 + i for i in draw().integers(1, 32, N)],
        "numbers with hours": lambda: [20200100093000 + i * 10**6 for i in range(1, 31)] * 10,
    },
    "id": {
        "counter": lambda: np.arange(5, 5 + N),
        "counter, backwards": lambda: np.arange(N)[::-1],
        "sample of a counter": lambda: np.sort(draw().choice(10**6, N, replace=False)),
        "leading zeros": lambda: [f"{i:05d}" for i in draw().integers(0, 99999, N)],
        "leading zeros that repeat": lambda: [f"{i:03d}" for i in draw().integers(0, 99, N)],
        "own words": lambda: [f"A-{i}" for i in range(N)],
        "zip": lambda: draw().integers(10000, 99999, N),
        "CustomerID": lambda: draw().integers(1, 50, N),
    },
    "text": {
        "names": lambda: [f"John M. Miller {i}" for i in range(N)],
        "comments": lambda: words(*[f"it was {i} o'clock when they came" for i in range(200)]),
    },
    "constant": {
        "words": lambda: ["k"] * N,
        "numbers": lambda: [3.5, None] * (N // 2),
        "dates": lambda: [dt.datetime(2020, 1, 1)] * N,
    },
    "empty": {
        "nan": lambda: np.full(N, np.nan),
        "blanks": lambda: ["", " ", "NA"] * (N // 3),
        "None": lambda: [None] * N,
    },
}


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, columns in KINDS_OF.items() for what in columns]
)
def test_a_column_is_what_it_was_made_as(kind, what):
    name = what if what in ("zip", "CustomerID") else "column"
    frame = pd.DataFrame({"beside": draw(1).normal(size=N), name: KINDS_OF[kind][what]()})
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == {"beside": "number", name: kind}, encoder.reasons_
    X = encoder.transform(frame)
    assert X.shape == (N, len(encoder.get_feature_names_out())) == (N, len(encoder.column_of_))
    assert encoder.columns_ == ["beside", *([name] if (encoder.column_of_ == 1).any() else [])]


def shop(n=N, seed=0):
    rng = draw(seed)
    return pd.DataFrame(
        {
            "order": np.arange(n),
            "sales": [f"{v:,.1f} €" for v in rng.lognormal(6, 1, n)],
            "share": rng.normal(size=n),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n, p=[0.6, 0.3, 0.1]),
            "paid": rng.random(n) < 0.9,
            "when": pd.date_range("2021-03-01 08:00", periods=n, freq="13h", tz="Europe/Rome"),
            "due": [
                dt.date(2021, 4, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 90, n)
            ],
            "note": [f"dear customer number {i}" for i in range(n)],
        }
    )


MAKERS = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


@pytest.mark.parametrize("made", ["polars", "pyarrow"])
def test_every_kind_of_frame_gives_the_same(made):
    frame = shop()
    frame.loc[5, ["sales", "city", "share"]] = None
    other = MAKERS[made](frame)
    encoder, own = TableEncoder().fit(frame), TableEncoder().fit(other)
    assert own.kinds_ == encoder.kinds_
    np.testing.assert_array_equal(own.transform(other), encoder.transform(frame))
    np.testing.assert_array_equal(encoder.encode(other).X, encoder.transform(frame))


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this version of polars has no such integers")
def test_integers_that_numpy_does_not_have():
    numbers = draw().integers(-50, 50, size=30)
    wide = pl.DataFrame({"a": pl.Series(numbers, dtype=pl.Int128), "b": draw().normal(size=30)})
    plain = wide.with_columns(pl.col("a").cast(pl.Int64))
    found, expected = (TableEncoder().fit_transform(frame) for frame in (wide, plain))
    np.testing.assert_array_equal(found, expected)


def test_an_array_of_objects_is_a_table_without_names():
    frame = shop().drop(columns=["when", "due"])
    encoder = TableEncoder().fit(frame.to_numpy(dtype=object))
    kinds = TableEncoder().fit(frame).kinds_
    assert list(encoder.kinds_) == [f"x{place}" for place in range(len(kinds))]
    assert list(encoder.kinds_.values()) == list(kinds.values())


def test_an_array_after_a_fit_on_a_frame_goes_by_place():
    frame = pd.DataFrame({"kind": list("xyyxz") * 6, "size": draw().normal(size=30)})
    encoder = TableEncoder().fit(frame)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = encoder.transform(frame.to_numpy(dtype=object))
    np.testing.assert_array_equal(found, encoder.transform(frame))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_whole_numbers_that_a_float_does_not_hold_are_rounded(frame):
    table = frame({"a": np.array([0, 2**53 + 1, 2**63 + 1, 7], dtype=np.uint64)})
    found = TableEncoder(kinds={"a": "number"}).fit_transform(table)
    assert found[:, 0].tolist() == [0.0, 2.0**53, 2.0**63, 7.0]


def test_numbers_in_an_array_stay_as_they_are():
    X = np.c_[np.arange(20.0), np.ones(20), np.r_[np.nan, np.zeros(19)]]
    encoder = TableEncoder().fit(X)
    assert set(encoder.kinds_.values()) == {"number"}
    np.testing.assert_array_equal(encoder.transform(X), X)


def test_a_row_is_encoded_alike_alone_and_among_others():
    frame = shop()
    encoder = TableEncoder().fit(frame)
    together = encoder.transform(frame)
    for row in range(0, N, 23):
        np.testing.assert_array_equal(encoder.transform(frame.iloc[[row]])[0], together[row])
    batches = [encoder.encode(frame.iloc[rows : rows + 70]).X for rows in range(0, N, 70)]
    np.testing.assert_array_equal(np.concatenate(batches), together)


def test_holes_stay_holes_and_slips_are_far_out_and_counted():
    frame = shop()
    encoder = TableEncoder().fit(frame)
    new = frame.iloc[:6].astype(object)
    new.loc[0, ["sales", "share", "city", "paid", "when", "due"]] = None
    new.loc[1, "sales"], new.loc[2, "sales"] = "ask", "ask me"
    new.loc[3, "due"], new.loc[4, "city"], new.loc[5, "share"] = "soon", "Wien", np.inf
    encoded = encoder.encode(new)
    holes = pd.DataFrame(np.isnan(encoded.X), columns=encoder.get_feature_names_out())
    assert holes.loc[0].all()
    assert not holes.loc[1:, ["sales", "share", "due"]].any(axis=None)
    assert holes.loc[3, ["due gap", "due weekday"]].all()
    found = pd.DataFrame(encoded.X, columns=holes.columns)
    ordinary = pd.DataFrame(encoder.transform(frame), columns=holes.columns)
    for name, rows in {"sales": [1, 2], "share": [5], "due": [3]}.items():
        beyond = ordinary[name].max() + ordinary[name].max() - ordinary[name].min()
        assert (found.loc[rows, name] > beyond).all()
    assert [(c.column, c.what, c.count, c.example) for c in encoded.changes] == [
        ("sales", "not a number: taken as far out", 2, "'ask'"),
        ("share", "not a number: taken as far out", 1, "'inf'"),
        ("due", "not a date: taken as far out", 1, "'soon'"),
        ("city", "never seen before", 1, "'Wien'"),
    ]


def test_where_many_cells_cannot_be_read_they_are_holes():
    cells = [*map(str, draw().normal(size=60)), "x", "y", "z"]
    frame = pd.DataFrame({"a": cells, "b": draw().normal(size=63)})
    encoded = TableEncoder(kinds={"a": "number"}).fit(frame).encode(frame)
    assert np.isnan(encoded.X[:, 0]).tolist() == [False] * 60 + [True] * 3
    assert encoded.changes[0].what == "not a number: taken as missing"


def test_two_in_a_hundred_may_be_no_numbers_and_a_reason_names_one():
    numbers = list(map(str, draw().normal(size=98)))
    assert TableEncoder().fit(pd.DataFrame({"a": [*numbers, "x", "y"]})).kinds_ == {"a": "number"}
    frame = pd.DataFrame({"a": [*numbers, "x", "y", "z"], "b": range(0, 202, 2)})
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_["a"] == "id"
    assert "3% are none, such as 'x'" in encoder.reasons_["a"]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([f"{i} kg" if i % 2 else f"{i} m" for i in range(40)], "units are mixed ('m', 'kg')"),
        ([f"${i}" if i % 2 else f"€{i}" for i in range(40)], "units are mixed ('€', '$')"),
        (
            [f"{m:02}/{d:02}/2024" for m, d in zip([2, 14] * 20, [20, 3] * 20, strict=True)]
            + [f"{i + 1:02}/01/2024" for i in range(12)],
            "no date, as ",
        ),
    ],
)
def test_a_reason_says_what_is_mixed(cells, reason):
    frame = pd.DataFrame({"a": cells, "b": draw().normal(size=len(cells))})
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_["a"] in ("id", "text", "category")
    assert reason in encoder.reasons_["a"]


@pytest.mark.parametrize("code", [-999, -9999.0, 9999, -99, 999.99])
def test_a_code_for_missing_far_from_all_else_is_a_hole_and_reported(code):
    numbers = draw().normal(20, 5, N)
    numbers[[3, 50, 77]] = code
    frame = pd.DataFrame({"a": numbers, "b": draw(1).normal(size=N)})
    encoder = TableEncoder().fit(frame)
    encoded = encoder.encode(frame)
    assert np.flatnonzero(np.isnan(encoded.X[:, 0])).tolist() == [3, 50, 77]
    what = "apparently a code for missing: taken as missing"
    assert [(c.column, c.what, c.count) for c in encoded.changes] == [("a", what, 3)]


@pytest.mark.parametrize(("value", "times"), [(-999, 1), (-500, 3), (99, 3)])
def test_other_numbers_are_no_codes(value, times):
    numbers = draw().normal(60, 15, N)
    numbers[:times] = value
    encoder = TableEncoder().fit(pd.DataFrame({"a": numbers, "b": draw(1).normal(size=N)}))
    assert encoder.plan_["a"].missing is None


def test_what_is_odd_about_dates():
    when = pd.date_range("2021-01-04 09:00", periods=500, freq="D")  # a Monday
    when = when[when.day_of_week < 5] + pd.to_timedelta(draw().integers(0, 8, 358), unit="h")
    frame = pd.DataFrame({"when": when, "a": draw().normal(size=358)})
    encoder = TableEncoder().fit(frame)
    names = encoder.get_feature_names_out().tolist()
    assert names == ["when", "when gap", "when weekday", "when hour", "a"]
    odd = ["2021-06-01 10:00", "2021-06-06 10:00", "2021-06-01 03:00", "2035-06-01 10:00"]
    X = encoder.transform(pd.DataFrame({"when": pd.to_datetime(odd), "a": 0.0}))
    assert (X[1:, 0] > X[0, 0] - 1).all()
    assert X[:, 2].tolist() == [X[0, 2], X[1, 2], X[0, 2], X[0, 2]]
    assert X[0, 2] < 1 < 2.5 < X[1, 2]  # a Sunday
    assert X[0, 3] < 1 < 2.5 < X[2, 3]  # at night
    assert X[3, 1] > X[0, 1] + 2  # years after all others
    days = pd.to_datetime(odd).to_numpy().astype("datetime64[s]").astype(float) / 86_400
    np.testing.assert_allclose(X[:, 0], days)


def test_the_gap_after_a_wild_date_is_its_own():
    days = pd.date_range("2024-03-13", periods=80, freq="D").to_series(index=range(80))
    days[20] = pd.Timestamp("2023-04-02")
    frame = pd.DataFrame({"when": days, "a": draw().normal(size=80)})
    gap = TableEncoder().fit(frame).transform(frame)[:, 1]
    assert gap[0] == gap[1]
    assert KernelPCAOutlierDetector(random_state=0).fit(frame).predict(frame)[[0, 20]].tolist() == [
        1,
        -1,
    ]


def test_the_gap_after_a_pause_counts():
    days = pd.date_range("2024-03-13", periods=80, freq="D").to_series(index=range(80))
    days[40:] += pd.Timedelta(days=60)
    frame = pd.DataFrame({"when": days, "a": draw().normal(size=80)})
    gap = TableEncoder().fit(frame).transform(frame)[:, 1]
    assert gap[40] > gap[39] + 1
    assert gap[39] == gap[41]


def test_the_hour_is_that_on_the_wall():
    zone = pd.date_range("2021-01-01 08:00", periods=N, freq="24h", tz="Asia/Tokyo")
    frame = pd.DataFrame({"when": zone + pd.to_timedelta(np.arange(N) % 2, unit="h")})
    assert TableEncoder().fit(frame).categories_["when", "hour"].levels == ("8", "9")


def test_few_rows_tell_the_kinds_of_many(monkeypatch):
    monkeypatch.setattr(tuning, "KIND_ROWS", 500)
    frame = shop(n=5000)
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == TableEncoder().fit(frame.head(400)).kinds_
    assert encoder.transform(frame).shape == (5000, len(encoder.column_of_))


def test_the_user_has_the_last_word():
    frame = shop()
    said = {"order": "number", "city": "text", "paid": "category", "note": "category"}
    encoder = TableEncoder(kinds=said).fit(frame)
    assert {name: encoder.kinds_[name] for name in said} == said
    assert encoder.reasons_["city"] == "as you said"
    np.testing.assert_array_equal(encoder.transform(frame)[:, 0], frame["order"])
    assert clone(encoder).kinds == said


@pytest.mark.parametrize("kinds", [{"citty": "text"}, {"city": "words"}])
def test_a_kind_that_is_none_is_refused(kinds):
    with pytest.raises(ValueError, match=f"kinds has .*; give a column, and one of {KINDS[0]}"):
        TableEncoder(kinds=kinds).fit(shop())


def test_a_table_without_anything_to_look_at_is_refused():
    with pytest.raises(ValueError, match=r"no column .* order \(id\), note \(text\); give numbers"):
        TableEncoder().fit(shop()[["order", "note"]])


def test_rows_without_a_column_are_refused():
    encoder = TableEncoder().fit(shop())
    with pytest.raises(ValueError, match="X lacks the column 'city', on which the encoder was"):
        encoder.encode(shop().drop(columns="city"))
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(shop().drop(columns="city"))


def test_columns_that_are_not_used_may_be_there_or_not_in_any_order():
    frame = shop()
    encoder = TableEncoder().fit(frame)
    other = frame[frame.columns[::-1]].drop(columns=["order", "note"]).assign(new=1)
    np.testing.assert_array_equal(encoder.encode(other).X, encoder.transform(frame))


def test_features_are_put_together_for_their_columns():
    encoder = TableEncoder().fit(shop())
    values = np.arange(2.0 * len(encoder.column_of_)).reshape(2, -1)
    sums = by_column(encoder, values)
    assert sums.shape == (2, len(encoder.columns_))
    np.testing.assert_allclose(sums.sum(axis=1), values.sum(axis=1))
    largest = by_column(encoder, values, np.fmax)
    for place in range(len(encoder.columns_)):
        np.testing.assert_array_equal(
            largest[:, place], values[:, encoder.column_of_ == place].max(axis=1)
        )


def test_what_is_expected_is_said_in_the_words_of_the_table():
    frame = shop()
    frame["country"] = frame["city"].map({"Rome": "IT", "Oslo": "NO", "Bonn": "DE"})
    encoder = TableEncoder().fit(frame)
    row = frame[frame["city"] == "Bonn"].head(1).assign(country="NO")
    expected = expected_cells(encoder, row, encoder.transform(row))[0]
    shown = dict(zip(encoder.columns_, expected, strict=True))
    assert shown["country"] == "DE"
    assert shown["city"] == "Rome"  # nothing before it says better
    assert shown["due"] == str(row["due"].iloc[0])  # the table has no hours
    assert shown["share"] == row["share"].iloc[0]


def test_set_output_and_names():
    frame = shop()
    X = TableEncoder().set_output(transform="pandas").fit(frame).transform(frame)
    assert X.columns.tolist()[:3] == ["sales", "share", "city rarity"]
    assert X.index.equals(frame.index)
    with pytest.raises(ValueError, match="input_features is not equal"):
        TableEncoder().fit(frame).get_feature_names_out(["a", "b"])


def test_a_level_is_as_rare_as_it_is_beside_its_parent():
    """Among rows of "x" there is a single "q"; among those of "y" nearly all are."""
    frame = pd.DataFrame({"a": ["x"] * 60 + ["y"] * 60, "b": ["p"] * 60 + ["q"] * 60})
    frame["n"] = draw().normal(size=120)
    frame.loc[7, "b"] = "q"
    encoder = TableEncoder().fit(frame)
    assert encoder.categories_["b", ""].parent == list(encoder.categories_).index(("a", "")) == 0
    rarity = encoder.transform(frame)[:, encoder.features_.index(("b", "", "rarity"))]
    assert rarity[7] == rarity.max() > 3 * rarity[60:].max()
    assert len({*rarity[60:]}) == 1


CELLS = st.one_of(
    st.none(), st.floats(), st.integers(), st.text(max_size=8), st.booleans(), st.dates(),
    st.datetimes(), st.decimals(), st.lists(st.integers(), max_size=2),
)  # fmt: skip


@settings(max_examples=40)
@given(st.lists(CELLS, min_size=3, max_size=30), st.lists(CELLS, min_size=1, max_size=5))
def test_no_cell_makes_it_fail(cells, others):
    frame = pd.DataFrame(
        {"a": pd.Series(cells, dtype=object), "b": np.arange(len(cells)) % 5 + 0.5}
    )
    encoder = TableEncoder().fit(frame)
    new = pd.DataFrame({"a": pd.Series(others, dtype=object), "b": 0.5})
    for rows in (frame, new):
        assert not np.isinf(encoder.transform(rows)).any()


def test_a_saved_encoder_does_the_same(tmp_path):
    frame = shop()
    encoder = TableEncoder(kinds={"order": "number"}).fit(frame)
    persistence.save(encoder, tmp_path / "encoder.skops")
    again = persistence.load(tmp_path / "encoder.skops").estimator
    np.testing.assert_array_equal(again.transform(frame), encoder.transform(frame))
    assert again.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    for name in ("kinds_", "reasons_", "columns_"):
        assert getattr(again, name) == getattr(encoder, name)


def test_in_a_table_without_numbers_booleans_are_the_numbers():
    frame = pd.DataFrame(
        {"a": words("yes", "no"), "b": draw().random(N) < 0.2, "c": words("u", "v")}
    )
    frame.loc[3, "a"] = None
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == {"a": "boolean", "b": "boolean", "c": "category"}
    X = encoder.transform(frame)
    np.testing.assert_array_equal(X[:, 1], frame["b"])
    np.testing.assert_array_equal(X[:, 0], frame["a"].map({"yes": 1.0, "no": 0.0}))


def test_cells_that_cannot_be_read_are_marked_where_they_stand():
    """In the column that they stand in, of training rows and of new ones; holes are not marked."""
    numbers = [*map(str, range(7, 7 + 2 * (N - 2), 2)), "see note", None]
    frame = pd.DataFrame({"plain": draw().normal(size=N), "slip": numbers, "word": words("a", "b")})
    encoder = TableEncoder().fit(frame)
    expected = np.zeros((N, 3), dtype=bool)
    expected[N - 2, 1] = True
    np.testing.assert_array_equal(unread_cells(encoder, encoder.transform(frame)), expected)
    turned = frame.iloc[::-1]
    np.testing.assert_array_equal(unread_cells(encoder, encoder.transform(turned)), expected[::-1])


@pytest.mark.parametrize("twice", [None, 20, 40])
def test_a_counter_has_no_number_twice(twice):
    """What grows from row to row is no number of the row if it stays for once."""
    counted = np.arange(60)
    if twice is not None:
        counted[twice:] -= 1
    frame = pd.DataFrame({"counted": counted, "b": np.random.default_rng(0).normal(size=60)})
    kind = TableEncoder().fit(frame).kinds_["counted"]
    assert str(kind) == ("id" if twice is None else "number")


@pytest.mark.parametrize("n_levels", [2, 10, 24])
def test_up_to_two_dozen_levels_are_a_category_in_any_table(n_levels):
    words = np.resize([f"level {chr(97 + i)}" for i in range(n_levels)], 2 * n_levels + 12)
    frame = pd.DataFrame({"word": words, "x": np.random.default_rng(0).normal(size=len(words))})
    assert TableEncoder().fit(frame).kinds_["word"] == "category"
