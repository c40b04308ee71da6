"""Output files: every input column, the results beside them, nothing dangerous."""

import csv

import numpy as np
import pandas as pd
import pytest

from l1kpca.files import OutputError
from l1kpca.tables.output import free_names, without_formulas, write_table

SAFE = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-cmd|' /C calc'!A0": "'-cmd|' /C calc'!A0",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t'=1",
    "\r=1": "'\r'=1",
    "\n=1": "'\n'=1",
    "\tno formula": "'\tno formula",
    "  =1": "'  =1",
    '"=1': "'\"=1",
    "\uff1d1": "'\uff1d1",  # full-width =, +, - and @ are taken for the plain ones
    "\uff0b1": "'\uff0b1",
    "\uff0d1": "'\uff0d1",
    "\uff20A": "'\uff20A",
    "a;=1": "a;'=1",  # where the semicolon separates cells, as in much of Europe
    'a";=1;"': 'a";\'=1;"',
    "a\t=1": "a\t'=1",
    "a\n@b\r\n+c": "a\n'@b\r\n'+c",
    "a|-1": "a|'-1",
}


def test_a_name_that_is_taken_gets_a_prefix():
    names, notes = free_names(["score", "l1kpca_rank", "rank"], ["score", "rank", "flag"])
    assert names == {"score": "l1kpca_score", "rank": "l1kpca_l1kpca_rank", "flag": "flag"}
    assert notes[0] == "the data have a column 'score': the new one is called 'l1kpca_score'"
    assert len(notes) == 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_batches_make_one_file(tmp_path, suffix):
    frame = pd.DataFrame(
        {
            "a": [0.5, np.nan, 2.0, 3.0],
            "t": pd.array([None, None, "x", "y"], dtype="string"),
            "day": pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-04"]),
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    path = tmp_path / f"t{suffix}"
    write_table((frame.iloc[i : i + 1] for i in range(4)), path)
    again = (
        pd.read_csv(path, dtype={"whole": "Int64"}, parse_dates=["day"])
        if (suffix == ".csv")
        else pd.read_parquet(path)
    )
    pd.testing.assert_frame_equal(again.astype(frame.dtypes), frame)


def test_rows_that_fail_on_the_way_leave_nothing(tmp_path):
    def frames():
        yield pd.DataFrame({"a": [1.0]})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(frames(), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".pq"])
def test_a_table_is_read_back_as_it_was(tmp_path, suffix):
    frame = pd.DataFrame({"a": [0.1, 1e-300], "b": ["x,y", 'say "hi"\n'], "c": [1, 2]})
    path = tmp_path / f"t{suffix}"
    write_table([frame], path)
    again = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(again, frame, check_exact=True)
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        write_table([frame], path)


def test_times_are_text_in_csv(tmp_path):
    dates, lengths = pd.to_datetime(["2024-01-31", None]), pd.to_timedelta(["90min", None])
    write_table([pd.DataFrame({"d": dates, "t": lengths, "n": [1, 2]})], tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().split() == [
        '"d","t","n"',
        '"2024-01-31","0',
        "days",
        '01:30:00",1',
        ",,2",
    ]


def test_what_is_missing_is_an_empty_cell_in_csv(tmp_path):
    missing = {"category": ["a", None], "period[D]": ["2024-01-31", None], "boolean": [True, None]}
    columns = {kind: pd.array(cells, dtype=kind) for kind, cells in missing.items()}
    write_table([pd.DataFrame(columns | {"n": [1, 2]})], tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines()[-1] == ",,,2"


def test_what_parquet_cannot_hold_is_explained(tmp_path):
    mixed = pd.DataFrame({"a": [1, "x"], "b": [1, 2]}, dtype=object)
    with pytest.raises(OutputError, match="it cannot hold a column"):
        write_table([mixed], tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("formula", "safe"), SAFE.items())
def test_formulas_are_made_harmless_on_request(tmp_path, formula, safe):
    frame = pd.DataFrame({formula: ["plain", formula], "n": [-1.5, 2.0]})
    write_table([frame], tmp_path / "safe.csv", spreadsheet_safe=True)
    write_table([frame], tmp_path / "plain.csv")
    with (tmp_path / "safe.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [[safe, "n"], ["plain", "-1.5"], [safe, "2"]]
    with (tmp_path / "plain.csv").open(newline="") as file:
        assert list(csv.reader(file))[2][0] == formula


@pytest.mark.parametrize("text", ["", "plain", "a-b", "1+1=2", "x@y.z", "a, -b", "'=1", "a; b"])
def test_other_text_is_left_as_it_is(text):
    frame = pd.DataFrame({text: [text, None]})
    pd.testing.assert_frame_equal(without_formulas(frame), frame)


@pytest.mark.parametrize("kind", ["category", "string", object])
def test_text_of_every_type_is_made_harmless(kind):
    frame = pd.DataFrame({"a": pd.Series(["=1", "b", None], dtype=kind)})
    assert without_formulas(frame).iloc[:2, 0].tolist() == ["'=1", "b"]


def test_safe_text_is_quoted_so_that_no_separator_ends_it(tmp_path):
    frame = pd.DataFrame({"a": ["x;y\tz"], "n": [1]})
    write_table([frame], tmp_path / "safe.csv", spreadsheet_safe=True)
    assert (tmp_path / "safe.csv").read_text() == '"a","n"\n"x;y\tz",1\n'


def test_the_table_itself_is_not_changed():
    frame = pd.DataFrame({"a": ["=1", "b"], "n": np.array([-1.0, 1.0])})
    without_formulas(frame)
    assert frame["a"].tolist() == ["=1", "b"]
