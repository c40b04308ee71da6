"""Nothing of a table disappears unnoticed: rows, columns, kinds, totals."""

import base64
import contextlib
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from l1kpca import TableEncoder
from l1kpca.cli.app import run
from l1kpca.report import content

NO_NUMBERS = [
    "oops",
    "?!",
    "n/a x",
    "2024-01-01",
    "tel. 12",
    "=1+1",
    "1 2 3 4",
    "💥",
    "0x10",
    "007",
]


@st.composite
def numbers_in_text(draw):
    """A column of numbers as text, in one of the ways in which they are written."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(12, 120))
    return {
        "decimals": lambda: [f"{x:.4f}" for x in rng.normal(size=n)],
        "whole": lambda: [str(x) for x in rng.integers(-500, 500, size=n)],
        "commas": lambda: [f"{x:.1f}".replace(".", ",") for x in rng.normal(size=n)],
        "thousands": lambda: [f"{x:,.2f}" for x in rng.normal(scale=1e5, size=n)],
        "money": lambda: [f"${x:,.2f}" for x in rng.uniform(1, 5000, size=n)],
        "percent": lambda: [f"{x:.1f}%" for x in rng.uniform(0, 100, size=n)],
        "unit": lambda: [f"{x:.1f} kg" for x in rng.uniform(1, 90, size=n)],
    }[
        draw(
            st.sampled_from(
                ["decimals", "whole", "commas", "thousands", "money", "percent", "unit"]
            )
        )
    ]()


@settings(max_examples=100)
@given(cells=numbers_in_text(), bad=st.sampled_from(NO_NUMBERS), data=st.data())
def test_one_bad_cell_changes_no_kind_and_no_other_cell(cells, bad, data):
    at = data.draw(st.integers(0, len(cells) - 1))
    other = [str(i * i % 7) for i in range(len(cells))]
    with_it = pd.DataFrame({"a": [*cells[:at], bad, *cells[at + 1 :]], "b": other})
    without = pd.DataFrame({"a": [*cells[:at], None, *cells[at + 1 :]], "b": other})
    encoder, expected = (TableEncoder().fit(frame) for frame in (with_it, without))
    assert encoder.kinds_ == expected.kinds_
    read, right = encoder.encode(with_it), expected.encode(without)
    if bad != "007":  # a number after all
        assert read.X[at, 0] > np.nanmax(right.X[:, 0])  # far out
        assert [(c.column, c.count, c.example) for c in read.changes] == [("a", 1, repr(bad))]
    rows = np.arange(len(cells)) != at
    np.testing.assert_array_equal(read.X[rows], right.X[rows])


@st.composite
def tables(draw):
    """Columns of every kind, also of those that are left out, and rows in no order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(20, 60))
    kinds = {
        "number": rng.normal(size=n),
        "whole": rng.integers(0, 1000, size=n),
        "holes": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        "category": rng.choice(["u", "v", "w"], n),
        "boolean": rng.choice(["yes", "no"], n),
        "date": [
            str(day)
            for day in pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
        ],
        "constant": np.full(n, 7),
        "empty": np.full(n, np.nan),
        "text": [f"words of number {i} in this row" for i in rng.permutation(n)],
        "code": [f"k{i:04}" for i in rng.permutation(n)],
        "counter": np.arange(n),
    }
    names = ["number", *draw(st.lists(st.sampled_from(sorted(kinds)), min_size=2, max_size=8))]
    frame = pd.DataFrame({f"{name} {place}": kinds[name] for place, name in enumerate(names)})
    return frame.assign(key=[f"r{i:05}" for i in rng.permutation(10**5)[:n]])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])  # small ones say no more
@given(
    frame=tables(),
    share=st.sampled_from(["auto", "0.1", "0.3"]),
    listed=st.sampled_from([5, 10**5]),
)
def test_page_and_json_and_file_agree(tmp_path_factory, suffix, frame, share, listed):
    folder = tmp_path_factory.mktemp("agree")
    data, out, page = folder / "rows.csv", folder / f"out.{suffix}", folder / "page.html"
    frame.to_csv(data, index=False)
    words = ["detect", data, "--id", "key", "--contamination", share, "--json"]
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said):
        patch.setattr(content, "MOST_LISTED", listed)
        assert run([str(word) for word in [*words, "--out", out, "--report", page]]) == 0
    found = json.loads(said.getvalue())
    text = page.read_text(encoding="utf-8")
    facts = json.loads(re.search(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', text, re.S)[1])
    rows = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)

    # Every row once, in order, with every column as it was.
    assert rows["key"].tolist() == frame["key"].tolist()
    assert [*rows.columns] == [*frame.columns, "score", "rank", "flag"]
    kept = pd.read_csv(data) if suffix == "csv" else rows[frame.columns]
    pd.testing.assert_frame_equal(rows[frame.columns], kept)

    # Every column is used or named as left out, on the page too.
    left_out = " ".join(note for note in found["notes"] if note.startswith("left out"))
    for name in frame.columns.drop("key"):
        assert (name in found["columns"]) != (name in left_out)
    assert [column["name"] for column in facts["columns"]] == found["columns"]
    assert facts["notes"] == found["notes"]

    # The same totals everywhere.
    assert len(rows) == len(frame) == found["n_rows"] == facts["n_rows"]
    assert rows["flag"].sum() == found["n_flagged"] == facts["n_flagged"]
    assert rows["flag"].sum() == (rows["score"] > found["cutoff"]).sum()
    assert sum(facts["histogram"]["counts"]) == len(frame)
    assert sorted(rows["rank"]) == list(range(1, len(frame) + 1))

    # The same rows first, with the same scores.
    first = rows.sort_values("rank")
    top = found["top"]
    assert [row["name"] for row in top] == first["key"].tolist()[: len(top)]
    assert [row["score"] for row in top] == pytest.approx(first["score"].tolist()[: len(top)])
    shown = np.frombuffer(base64.b64decode(facts["rows"]["row"]), dtype="<i4")
    assert shown.tolist() == (first.index + 1).tolist()[: len(shown)]
