"""A wild cell is found however its column is written, by Python and the command line alike."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector, TableEncoder
from l1kpca.cli.app import run

N, WILD = 120, 61
RNG = np.random.default_rng(5)
SIZE = RNG.normal(60, 15, N).clip(15).round(1)
PRICE = (900 + 14 * SIZE + 60 * RNG.normal(size=N)).round(2)
PRICE[WILD] = 99_999.0
PLAIN = pd.DataFrame(
    {
        "town": RNG.choice(["Aue", "Berg", "Calw", "Dorf"], N),
        "size": SIZE,
        "price": PRICE,
        "rooms": np.clip(np.round(SIZE / 22 + 0.4 * RNG.normal(size=N)), 1, 8).astype(int),
    }
)
DAYS = pd.date_range("2024-01-01 09:00", periods=N, freq="37h")


def swapped(text):
    return text.translate(str.maketrans(",.", ".,"))


WRITINGS = {
    "plain": str,
    "currency before": lambda p: f"${p:,.2f}",
    "currency after": lambda p: swapped(f"{p:,.2f}") + " \u20ac",
    "a code of a currency": lambda p: f"USD {p:.2f}",
    "percent": lambda p: f"{p}%",
    "units": lambda p: f"{p} m\u00b2",
    "thousands by commas": lambda p: f"{p:,.0f}",
    "thousands by blanks": lambda p: f"{p:,.0f}".replace(",", " "),
    "thousands by quotes": lambda p: f"{p:,.0f}".replace(",", "'"),
    "lakhs": lambda p: f"{int(p) // 1000:,},{int(p) % 1000:03d}" if p < 1e5 else "99,99,900",
    "decimal commas": lambda p: swapped(f"{p:.2f}"),
    "parentheses": lambda p: f"({p:,.2f})",
    "a late minus": lambda p: f"{p:.2f}-",
    "footnotes": lambda p: f"{p:.0f}{'*' if p % 3 < 1 else '[1]' if p % 5 < 1 else ''}",
    "thousands as k": lambda p: f"{p / 1000:.2f}k",
    "exponents": lambda p: f"{p:.4E}",
    "hours and minutes": lambda p: f"{int(p) // 60}:{int(p) % 60:02d}",
    "words for no value": lambda p: "Unknown" if int(p) % 17 == 0 else f"{p:.2f}",
}
BESIDE = {
    "a counter": range(1, N + 1),
    "codes with zeros": [f"{i:05d}" for i in RNG.integers(100, 99_999, N)],
    "remarks": [f"dear customer number {i}, thank you" for i in range(N)],
    "dates with zones": DAYS.tz_localize("Europe/Berlin").astype(str),
    "dates as in America": DAYS.strftime("%m/%d/%Y %I:%M %p"),
    "two words": RNG.choice(["yes", "no"], N),
    "codes for missing": np.where(np.arange(N) % 29 == 0, -999, RNG.integers(10, 90, N)),
    "nothing": [None] * N,
    "one value": ["same"] * N,
}
TABLES = {
    **{n: PLAIN.assign(price=[*map(write, PRICE)]) for n, write in WRITINGS.items()},
    **{f"{n} beside": PLAIN.assign(**{n: cells}) for n, cells in BESIDE.items()},
    "all at once": PLAIN.assign(price=[*map(WRITINGS["currency before"], PRICE)], **BESIDE),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_wild_cell_is_first_and_is_the_reason(table, tmp_path, capsys):
    table.to_csv(tmp_path / "a.csv", index=False)
    out = tmp_path / "out.parquet"
    assert run(["detect", str(tmp_path / "a.csv"), "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    top = found["top"][0]
    assert (top["row"], top["flagged"]) == (WILD + 1, True)
    assert top["reasons"][0]["column"] == "price"
    frame = pd.read_csv(tmp_path / "a.csv", dtype={"codes with zeros": str})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which columns are left out
        detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    scores = -detector.score_samples(frame)
    assert detector.explain(frame.iloc[[WILD]]).idxmax(axis=1).item() == "price"
    np.testing.assert_allclose(pd.read_parquet(out)["score"], scores, rtol=1e-6)
    said = " ".join(found["notes"])
    assert all(column in said for column in table.columns)


@pytest.mark.parametrize("error", ["#REF!", "#DIV/0!", "#VALUE!", "#NAME?"])
def test_errors_of_a_spreadsheet_are_holes_and_are_said(error):
    numbers, words = [*map(str, range(40)), error], ["x", "y"] * 40 + [error] * 2
    frame = pd.DataFrame({"a": numbers * 2, "b": words})
    frame["c"] = [*pd.date_range("2024", periods=81).astype(str), error]
    encoded = TableEncoder().fit(frame).encode(frame)
    assert encoded.encoder.kinds_ == {"a": "number", "b": "category", "c": "date"}
    assert [(c.column, c.count, c.example) for c in encoded.changes] == [
        ("a", 2, repr(error)),
        ("c", 1, repr(error)),
    ]
    assert encoded.encoder.categories_["b", ""].levels == ("x", "y")
