"""Reading: the same rows from every kind of file, and what is found out about text files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.io import savemat

from l1kpca import datasets
from l1kpca.cli.tables import Roles, read_table

NUMBERS = np.array([[1.0, 2.5, -3.0], [4.0, 5.25, 6.0], [7.0, 8.0, 1e-3], [0.0, 0.5, 2.0]])


def write_text(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return str(path)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".pq", ".npy", ".npz", ".mat"])
def test_every_kind_of_file_gives_the_same_rows(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    frame = pd.DataFrame(NUMBERS, columns=["x0", "x1", "x2"])
    writers = {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(path),
        ".pq": lambda: frame.to_parquet(path),
        ".npy": lambda: np.save(path, NUMBERS),
        ".npz": lambda: np.savez(path, NUMBERS),
        ".mat": lambda: savemat(path, {"X": NUMBERS}),
    }
    writers[suffix]()
    table = read_table(str(path))
    pd.testing.assert_frame_equal(table.frame, frame, check_dtype=False)
    assert table.feature_columns == ["x0", "x1", "x2"]


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_labels_beside_the_rows_are_never_features(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    content = {"X": NUMBERS, "y": np.array([[0], [1], [0], [1]])}
    np.savez(path, **content) if suffix == ".npz" else savemat(path, content)
    table = read_table(str(path))
    assert table.feature_columns == ["x0", "x1", "x2"]
    assert table.frame["y"].tolist() == [0, 1, 0, 1]
    assert table.notes == (
        "column 'y' holds the truth and is left out; compare with it by --label y",
    )
    assert read_table(str(path), Roles(label_column="y")).notes == ()


def test_built_in_data_by_name():
    table = read_table("wbc", Roles(label_column="outlier"))
    data = datasets.load("wbc")
    np.testing.assert_array_equal(table.frame[table.feature_columns], data.X)
    np.testing.assert_array_equal(table.frame["outlier"], data.y)


def test_a_file_called_like_a_data_set_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text(tmp_path / "wbc.csv", "a,b\n1,2\n3,4\n5,6\n")
    assert read_table("wbc.csv").frame.shape == (3, 2)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n3,4\n5,6\n", ["a", "b"]),
        ("1,2\n3,4\n5,6\n", ["x0", "x1"]),
        ("a,1\nb,2\na,3\n", ["x0", "x1"]),  # text in a text column
        ("name,2019\nanna,1\nbob,2\ncy,3\n", ["x0", "x1"]),  # nothing tells, so no row is lost
        ("name,size\nanna,1\nbob,2\ncy,3\n", ["name", "size"]),
        ("kind,2019,size\na,1,2\nb,3,4\nc,5,6\n", ["kind", "2019", "size"]),
        ("a,b\nx,y\nz,w\nu,v\n", ["a", "b"]),  # all words: names
        ("\ufeffa,b\n1,2\n3,4\n5,6\n", ["a", "b"]),  # byte order mark
        (" a , b\n1, 2\n3, 4\n5, 6\n", ["a", "b"]),
        ('"a, or b";c\n1;2\n3;4\n5;6\n', ["a, or b", "c"]),
        ("a|b\r\n1|2\r\n3|4\r\n5|6\r\n", ["a", "b"]),
        ("a\tb\n1\t2\n3\t4\n5\t6\n", ["a", "b"]),
    ],
)
def test_header_and_separator_are_found(tmp_path, content, names):
    table = read_table(write_text(tmp_path / "a.csv", content))
    assert table.frame.columns.tolist() == names
    assert table.names_given == (names[0] != "x0")
    rows = len(content.strip().splitlines())
    assert len(table.frame) == rows - table.names_given


@pytest.mark.parametrize(("header", "rows"), [("yes", 3), ("no", 4)])
def test_the_user_knows_better_about_the_header(tmp_path, header, rows):
    path = write_text(tmp_path / "a.csv", "2018,2019\n1,2\n3,4\n5,6\n")
    assert len(read_table(path, Roles(header=header)).frame) == rows


def test_a_missing_header_is_noted(tmp_path):
    table = read_table(write_text(tmp_path / "a.csv", "1,2\n3,4\n5,6\n"))
    assert table.notes == ("no line of column names was found: the columns are called x0 to x1",)


def test_decimal_commas(tmp_path):
    table = read_table(write_text(tmp_path / "a.csv", "a;b\n1,5;2\n3,25;4\n-0,5;6\n"))
    assert table.frame["a"].tolist() == [1.5, 3.25, -0.5]
    assert table.frame["b"].tolist() == [2, 4, 6]


def test_quoted_cells_may_hold_separators_and_line_breaks(tmp_path):
    content = 'a,b,c\n1,2,"x, y"\n3,4,"two\nlines"\n5,many,z\n7,8,z\n9,1,z\n'
    table = read_table(write_text(tmp_path / "a.csv", content))
    assert table.frame["c"].tolist() == ["x, y", "two\nlines", "z", "z", "z"]
    assert table.locate(2) == "line 5"


def test_empty_lines_do_not_count_as_rows_but_as_lines(tmp_path):
    table = read_table(write_text(tmp_path / "a.csv", "a,b\n\n1,2\n\n3,4\n5,6\n"))
    assert len(table.frame) == 3
    assert [table.locate(row) for row in range(3)] == ["line 3", "line 5", "line 6"]


@pytest.mark.parametrize("word", ["", "NA", "nan", "NaN", "null", "None", "?", "N/A"])
def test_words_for_missing_values(tmp_path, word):
    table = read_table(write_text(tmp_path / "a.csv", f"a,b\n1,2\n{word},4\n5,6\n"))
    assert table.frame["a"].isna().tolist() == [False, True, False]


def test_whole_numbers_stay_whole_beside_missing_ones(tmp_path):
    table = read_table(write_text(tmp_path / "a.csv", "a,b\n1,2\n,4\n5,6\n"))
    assert table.frame.to_csv(index=False) == "a,b\n1,2\n,4\n5,6\n"


def test_an_id_is_kept_as_it_is_written(tmp_path):
    path = write_text(tmp_path / "a.csv", "id,a,b\n007,1,2\n008,3,4\n1e5,5,6\n")
    table = read_table(path, Roles(id_column="id"))
    assert table.frame["id"].tolist() == ["007", "008", "1e5"]
    assert table.feature_columns == ["a", "b"]


def test_an_index_that_pandas_wrote_is_the_id(tmp_path):
    pd.DataFrame(NUMBERS, columns=["a", "b", "c"]).to_csv(tmp_path / "a.csv")
    table = read_table(str(tmp_path / "a.csv"))
    assert table.feature_columns == ["a", "b", "c"]
    assert table.notes == ("the first column has no name and is taken as the id of the rows",)


def test_a_named_index_in_parquet_is_a_column(tmp_path):
    frame = pd.DataFrame(NUMBERS, columns=["a", "b", "c"], index=pd.Index(list("wxyz"), name="key"))
    frame.to_parquet(tmp_path / "a.parquet")
    table = read_table(str(tmp_path / "a.parquet"), Roles(id_column="key"))
    assert table.frame["key"].tolist() == list("wxyz")


def test_a_sample_that_ends_within_a_letter_is_read(tmp_path):
    row = "\u00e9" * 50 + ",1,2\n"
    path = write_text(tmp_path / "a.csv", "name,a,b\n" + row * 5000)
    assert len(read_table(path).frame) == 5000


def test_repeated_names_in_parquet_are_refused(tmp_path, cli):
    table = pa.table([[1.0, 2.0, 3.0]] * 2, names=["a", "a"])
    parquet.write_table(table, tmp_path / "a.parquet")
    done = cli("detect", tmp_path / "a.parquet")
    assert done.status == 2
    assert "the column name 'a' is used more than once; give every column its own" in done.stderr
