"""Rows that sum up others are named, whatever table they are in."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector
from l1kpca.cli.app import run

RNG = np.random.default_rng(0)
SHOPS = pd.DataFrame(
    {
        "shop": RNG.choice(["Aue", "Berg", "Calw"], 60),
        "price": RNG.normal(50, 5, 60).round(2),
        "sold": RNG.integers(5, 90, 60),
    }
)


def with_row(cells, after=60):
    row = pd.DataFrame([cells], columns=SHOPS.columns)
    return pd.concat([SHOPS[:after], row, SHOPS[after:]], ignore_index=True)


def said(table, tmp_path, capsys):
    """What Python warns of and what the command line notes on totals: the same."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KernelPCAOutlierDetector(random_state=0).fit(table)
    table.to_csv(tmp_path / "a.csv", index=False)
    assert run(["detect", str(tmp_path / "a.csv"), "--json"]) == 0
    found = [note for note in json.loads(capsys.readouterr().out)["notes"] if "totals" in note]
    assert found == [str(w.message) for w in caught if "totals" in str(w.message)]
    return found


@pytest.mark.parametrize("word", ["Total", "GRAND TOTAL", "Sub-total:", "Summe", "total 2024"])
@pytest.mark.parametrize("after", [30, 60])
def test_rows_that_are_called_totals(word, after, tmp_path, capsys):
    sentence = (
        f"1 row looks like totals of other rows, the first is row {after + 1} of 61 ({word!r}):"
        " judged like any row; take it out of the table if it is none"
    )
    assert said(with_row([word, 1e4, None], after), tmp_path, capsys) == [sentence]


def test_a_last_row_of_sums_without_a_name(tmp_path, capsys):
    sums = [None, SHOPS["price"].sum().round(), SHOPS["sold"].sum()]
    found = said(with_row(sums), tmp_path, capsys)
    assert [note[:80] for note in found] == [
        "1 row looks like totals of other rows, the first is row 61 of 61: judged like an"
    ]


@pytest.mark.parametrize(
    "table",
    [
        SHOPS,
        with_row([None, SHOPS["price"].sum(), 3]),  # a slip in one cell
        with_row(["Total Wine & More", 51.0, 7]),
        with_row([None, SHOPS["price"].sum(), SHOPS["sold"].sum()], after=30),
        SHOPS.assign(shop=np.resize(["men", "women", "total"], 60)),  # a level like any other
    ],
    ids=["plain", "a slip", "a shop", "not the last", "a level"],
)
def test_other_rows_are_no_totals(table, tmp_path, capsys):
    assert said(table, tmp_path, capsys) == []
