"""Reading: several files, roles of columns, samples, and files that are no tables."""

import io
import json
import resource
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy.io import savemat

from l1kpca import datasets
from l1kpca.tables.sources import read_table
from l1kpca.tables.table import Notes, Reading, TableError
from l1kpca.tables.text import BLOCK, open_text

NUMBERS = np.array([[1.0, 2.5, -3.0], [4.0, 5.25, 6.0], [7.0, 8.0, 1e-3], [0.0, 0.5, 2.0]])


def write_text(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return str(path)


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
    assert read_table(str(path), Reading(label_column="y")).notes == ()


def test_built_in_data_by_name():
    table = read_table("wbc", Reading(label_column="outlier"))
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


DAYS = [(f"{i:02d}.03.2024", ("Bonn", "Trier")[i % 2], i) for i in range(1, 31)] * 2
GERMAN = {
    "decimals": ("Filiale;Umsatz", lambda d, t, i: f"{t};{140 + i * 7 % 23},{10 + i * 13 % 80}"),
    "dates": ("Datum;Filiale;Umsatz", lambda d, t, i: f"{d};{t};{140 + i},{10 + i}"),
    "thousands": ("date;qty;eur", lambda d, t, i: f"{d};{i};1.{400 + i},{10 + i}"),
    "units": ("Filiale;Umsatz", lambda d, t, i: f"{t};{140 + i},{10 + i} EUR"),
    "a unit in the names": ("Filiale;Umsatz, EUR", lambda d, t, i: f"{t};{140 + i},{10 + i}"),
    "a mark at the end": ("Filiale;Umsatz", lambda d, t, i: f"{t};{140 + i},{10 + i};"),
}
AROUND = {
    "nothing": lambda rows: rows,
    "a title": lambda rows: ["Umsatz 2024", "", *rows],
    "a footer": lambda rows: [*rows, "Quelle: ERP"],
    "names again": lambda rows: [*rows[:20], rows[0], *rows[20:40], rows[0], *rows[40:]],
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize(("first", "row"), GERMAN.values(), ids=GERMAN)
@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_decimal_commas_separate_no_cells(tmp_path, first, row, mark, around):
    rows = around([first, *[row(*day) for day in DAYS]])
    path = write_text(tmp_path / "a.csv", "\n".join(rows).replace(";", mark) + "\n")
    assert read_table(path).frame.columns.tolist() == first.split(";")


def test_decimal_commas_separate_no_cells_without_names(tmp_path):
    rows = "".join(f"{town};{140 + i},{10 + i}\n" for _, town, i in DAYS)
    frame = read_table(write_text(tmp_path / "a.csv", rows)).frame
    assert frame["x1"].tolist() == [140 + i + (10 + i) / 100 for *_, i in DAYS]


@pytest.mark.parametrize("names", ["id,pos", "id,pos,size"])
def test_semicolons_within_cells_separate_no_cells(tmp_path, names):
    rows = [f"{i},{i + 1};{i + 2}{',5' * (names.count(',') - 1)}" for i in range(40)]
    path = write_text(tmp_path / "a.csv", "\n".join([names, *rows]) + "\n")
    assert read_table(path).frame.columns.tolist() == names.split(",")


@pytest.mark.parametrize(("mark", "names"), [(",", ["x;y", "z"]), (";", ["x", "y,z"])])
def test_the_user_knows_better_about_the_separator(tmp_path, mark, names):
    path = write_text(tmp_path / "a.csv", "x;y,z\n" + "1;2,5\n3;4,5\n" * 9)
    assert read_table(path, Reading(separator=mark)).frame.columns.tolist() == names


@pytest.mark.parametrize(("mark", "width"), [(",", 2), (";", 1), (None, 1)])
def test_decimal_commas_below_one_name(tmp_path, mark, width):
    path = write_text(tmp_path / "a.csv", "x\n1,2\n3,4\n5,6\n")
    assert read_table(path, Reading(separator=mark)).frame.shape == (3, width)


def test_a_separator_that_is_not_there(tmp_path):
    path = write_text(tmp_path / "a.csv", "x,y\n1,2\n3,4\n5,6\n")
    with pytest.raises(TableError, match=r"has one column .*; --separator '\|' is not in it\."):
        read_table(path, Reading(separator="|"))


@pytest.mark.parametrize("name", ["a.json", "a.xlsx"])
def test_a_separator_makes_no_difference_where_there_is_none(tmp_path, name):
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": ["a;b", "a", "b", "b;c"]})
    path = tmp_path / name
    frame.to_excel(path, index=False) if "x" in name else frame.to_json(path, orient="records")
    assert read_table(str(path), Reading(separator=";")).frame.shape == (4, 2)


@pytest.mark.parametrize(("header", "rows"), [(True, 3), (False, 4)])
def test_the_user_knows_better_about_the_header(tmp_path, header, rows):
    path = write_text(tmp_path / "a.csv", "2018,2019\n1,2\n3,4\n5,6\n")
    assert len(read_table(path, Reading(header=header)).frame) == rows


@pytest.mark.parametrize("word", ["", "NA", "nan", "NaN", "null", "None", "?", "N/A"])
def test_words_for_missing_values(tmp_path, word):
    table = read_table(write_text(tmp_path / "a.csv", f"a,b\n1,2\n{word},4\n5,6\n"))
    assert table.frame["a"].isna().tolist() == [False, True, False]


def test_whole_numbers_stay_whole_beside_missing_ones(tmp_path):
    table = read_table(write_text(tmp_path / "a.csv", "a,b\n1,2\n,4\n5,6\n"))
    assert table.frame.to_csv(index=False) == "a,b\n1,2\n,4\n5,6\n"


def test_a_sample_that_ends_within_a_letter_is_read(tmp_path):
    row = "\u00e9" * 50 + ",1,2\n"
    path = write_text(tmp_path / "a.csv", "name,a,b\n" + row * 5000)
    assert len(read_table(path).frame) == 5000


# --- several files -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Three files of one table, in the order of their names."""
    for place, name in enumerate(["b.parquet", "a.parquet", "sub/c.parquet"]):
        (tmp_path / "part" / "sub").mkdir(parents=True, exist_ok=True)
        frame = pd.DataFrame({"x": [place, place + 0.5], "y": ["u", "v"]})
        frame.to_parquet(tmp_path / "part" / name)
    (tmp_path / "part" / "_SUCCESS").write_text("")
    return tmp_path / "part"


def test_a_folder_is_one_table(folder):
    table = read_table(str(folder))
    assert table.frame["x"].tolist() == [1.0, 1.5, 0.0, 0.5, 2.0, 2.5]
    assert table.n_rows == 6


def test_a_glob_and_several_names_are_one_table(folder):
    assert read_table(str(folder / "*.parquet")).frame["x"].tolist() == [1.0, 1.5, 0.0, 0.5]
    names = [str(folder / "b.parquet"), str(folder / "a.parquet")]
    table = read_table(names)
    assert table.frame["x"].tolist() == [0.0, 0.5, 1.0, 1.5]
    assert table.source == ", ".join(names)


def test_columns_of_several_files_are_put_together_by_name(tmp_path):
    one = write_text(tmp_path / "1.csv", "a,b,c\n1,2,x\n3,4,y\n")
    two = write_text(tmp_path / "2.csv", "c;a\nz;1,5\n007;2\n")
    table = read_table([one, two])
    expected = {"a": [1, 3, 1.5, 2], "b": [2, 4, None, None], "c": ["x", "y", "z", "007"]}
    assert table.frame.astype(object).where(table.frame.notna(), None).to_dict("list") == expected
    assert table.notes == ("column 'b' is missing in 1 of 2 files: no values there",)


def test_a_name_that_looks_like_ours_for_none_is_a_name(tmp_path):
    path = write_text(tmp_path / "a.csv", "column 1,column 2\n1.5,2\n3,4\n5,6\n")
    assert read_table(path).feature_columns == ["column 1", "column 2"]


def test_numbers_of_several_types_are_numbers(tmp_path):
    columns = {"x": [1, 2, 3], "y": [0.5, 1.5, 2.5], "z": [True, False, True]}
    pd.DataFrame(columns).to_parquet(tmp_path / "1.parquet")
    others = {"x": [0.5, 4.0], "y": [1, 2], "z": [7, 8]}
    pd.DataFrame(others).to_parquet(tmp_path / "2.parquet")
    frame = read_table([str(tmp_path / f"{i}.parquet") for i in (1, 2)]).frame
    assert frame["x"].tolist() == [1.0, 2.0, 3.0, 0.5, 4.0]
    assert frame["y"].tolist() == [0.5, 1.5, 2.5, 1.0, 2.0]
    assert frame["z"].tolist() == ["true", "false", "true", "7", "8"]


def test_text_in_one_file_makes_text_of_all_as_it_is_written(tmp_path):
    one = write_text(tmp_path / "1.csv", "a,b\n1.50,2\n3,4\n")
    two = write_text(tmp_path / "2.csv", "a,b\nhigh,2\n3,4\n")
    assert read_table([one, two]).frame["a"].tolist() == ["1.50", "3", "high", "3"]


def test_the_standard_input(tmp_path):
    code = "from l1kpca.tables.sources import read_table; print(len(read_table('-').frame))"
    rows = "a,b\n" + "1,2\n3,4\n" * 50
    done = subprocess.run([sys.executable, "-c", code], input=rows, text=True, capture_output=True,
                          check=True, env={"PYTHONPATH": ":".join(sys.path),
                                           "TMPDIR": str(tmp_path)})  # fmt: skip
    assert done.stdout == "100\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("*.nothing", "matches no file; correct the pattern."),
        ("empty", "is a folder without files; give one with tables."),
        ("nothing.csv", "does not exist; give a file, or a data set by name ("),
    ],
)
def test_names_behind_which_is_nothing(tmp_path, name, message):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError) as caught:
        read_table(str(tmp_path / name))
    assert message in str(caught.value)


# --- samples and batches -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Forty thousand rows in one file of each kind; the first column counts them."""
    folder = tmp_path_factory.mktemp("counted")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"row": np.arange(40_000), "x": rng.normal(size=40_000), "t": "word " * 30}
    )
    frame.to_csv(folder / "rows.csv", index=False)
    parquet.write_table(pa.table(frame), folder / "rows.parquet", row_group_size=7000)
    np.save(folder / "rows.npy", frame[["row", "x"]])
    return folder


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy"])
def test_a_sample_is_uniform_and_in_order(counted, suffix):
    table = read_table(str(counted / f"rows.{suffix}"), most=4000, seed=3)
    rows = table.frame.iloc[:, 0].to_numpy()
    assert (table.n_rows, len(rows)) == (40_000, 4000)
    assert (np.diff(rows) > 0).all()
    # Kolmogorov's bound: a uniform sample stays below it in all but one of ten thousand cases.
    assert np.abs(rows / 40_000 - np.arange(4000) / 4000).max() < 2.23 / np.sqrt(4000)
    again = read_table(str(counted / f"rows.{suffix}"), most=4000, seed=3)
    pd.testing.assert_frame_equal(table.frame, again.frame)
    assert read_table(str(counted / f"rows.{suffix}"), most=4000, seed=4).frame.iloc[
        :, 0
    ].tolist() != list(rows)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy"])
def test_batches_have_all_rows_in_order_and_progress_has_an_end(counted, suffix):
    path, seen, done = str(counted / f"rows.{suffix}"), [], []
    table = read_table(path, most=100, progress=lambda *shares: done.append(shares))
    assert done[-1] == (1, 1)
    done.clear()
    for frame in table.batches(lambda *shares: done.append(shares)):
        seen += frame.iloc[:, 0].tolist()
    assert seen == list(range(40_000))
    assert done == sorted(done)
    assert done[-1] == (1, 1)


def test_rows_in_memory_are_not_read_again(tmp_path):
    path = tmp_path / "a.csv"
    table = read_table(write_text(path, "a,b\n1,2\n3,4\n5,6\n"), most=3)
    path.unlink()
    assert len(next(table.batches())) == 3


# --- roles ---------------------------------------------------------------------------------------


def test_only_some_columns_are_looked_at(tmp_path):
    path = write_text(tmp_path / "a.csv", "a,b,c\n1,2,3\n4,5,6\n7,8,9\n")
    assert read_table(path, Reading(only=("a", "c"))).feature_columns == ["a", "c"]
    with pytest.raises(TableError, match="has no column 'd' for --only; there are: a, b, c"):
        read_table(path, Reading(only=("d",)))


@pytest.mark.parametrize("name", ["fraud", "Class", "is_outlier", "TARGET"])
def test_a_column_that_looks_like_the_answer_gets_a_hint(tmp_path, name):
    path = write_text(tmp_path / "a.csv", f"a,b,{name}\n1,2,0\n4,5,1\n7,8,0\n")
    (note,) = read_table(path).notes
    assert note == (
        f"column '{name}' looks like the answer: if it is, say so by --label {name}, and it is"
        " compared with, not looked at"
    )
    assert read_table(path, Reading(label_column=name)).notes == ()


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["0", "1", "0"], [0, 1, 0]),
        (["1", "1", "0"], [1, 1, 0]),  # 1 is the outlier, however often it occurs
        (["True", "False", "False"], [1, 0, 0]),
        (["-1", "1", "1"], [1, 0, 0]),  # as scikit-learn has it
        (["anomaly", "normal", "normal"], [1, 0, 0]),
        (["yes", "no", "yes"], [1, 0, 1]),
        (["good", "good", "bad"], [0, 0, 1]),  # nothing tells: the rarer one
        (["B", "M", "B"], [0, 1, 0]),
        (["2", "2", "4"], [0, 0, 1]),
    ],
)
def test_labels_of_any_two_values(tmp_path, cells, labels):
    rows = "".join(f"{i},{i * i},{cell}\n" for i, cell in enumerate(cells))
    path = write_text(tmp_path / "a.csv", "a,b,y\n" + rows)
    table = read_table(path, Reading(label_column="y"))
    assert table.labels().tolist() == labels


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "b", "c"], "the label column 'y' has more than two values ('a', 'b', 'c'"),
        (["a", "", "b"], "the label column 'y' has no value in row 2; fill it"),
        (["a", "a", "a"], "the label column 'y' is 'a' in every row; leave"),
    ],
)
def test_labels_that_are_none(tmp_path, cells, message):
    rows = "".join(f"{i},{i * i},{cell}\n" for i, cell in enumerate(cells))
    path = write_text(tmp_path / "a.csv", "a,b,y\n" + rows)
    with pytest.raises(TableError) as caught:
        read_table(path, Reading(label_column="y")).labels()
    assert message in str(caught.value)


# --- files that are no tables --------------------------------------------------------------------

RNG = np.random.default_rng(0)


def archive(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


def lying_array():
    """An array file that says it has a terabyte."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": (2**27, 1000)}
    )
    return out.getvalue() + bytes(1000)


def no_columns():
    out = io.BytesIO()
    np.save(out, np.empty((5, 0)))
    return out.getvalue()


def wide_feather():
    out = io.BytesIO()
    feather.write_feather(pa.table([[1.0]] * 100_000, names=list(map(str, range(100_000)))), out)
    return out.getvalue()


HOSTILE = {
    "garbage.csv": (RNG.bytes(100_000), "it has bytes that no text has; give CSV, Parquet,"),
    "zeros.csv": (bytes(100_000), "it has bytes that no text has"),
    "line.csv": (b"a,b\n1,2\n" + b"1" * 50_000_000, "has a line of more than 4 MB"),
    "first.csv": (b"1," * 25_000_000, "has a line of more than 4 MB"),
    "quote.csv": (
        b"a,b\n" + b"3,4\n" * 500_000 + b'1,"2\n' + b"3,4\n" * 2_000_000,
        "a quote that is never closed",
    ),
    "wide.csv": (b",".join([b"1"] * 100_000) + b"\n", "has 100000 columns; give at most 20000"),
    "wide.feather": (wide_feather(), "has 100000 columns; give at most 20000"),
    "two.zip": (archive(("a.csv", "a,b"), ("b.csv", "a,b")), "holds 2 files; unpack it, and give"),
    "bomb.zip": (archive(("a.csv", bytes(200_000_000))), "has a line of more than 4 MB"),
    "bomb.npz": (archive(("X.npy", lying_array())), "says that it is larger than it can be; save"),
    "none.npy": (no_columns(), "has no columns; give at least one."),
    "start.csv": (b"1," * (BLOCK // 2 + 10), "has a line of more than 4 MB"),
    "lie.npy": (lying_array(), "says that it is larger than it can be; save it again."),
    "head.npy": (
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': 12, 3), }".ljust(117) + b"\n" + bytes(96),
        "is not a readable .npy file, or it is damaged; save it again.",
    ),
    "list.json": (b"[" + b'{"a": 1},' * 8_000_000, "is one JSON value of more than 64 MB; write"),
    "broken.json": (b'[{"a": 1}, {"a": ', "is not readable as JSON: "),
    "deep.json": (b"[" * 200_000, "is not readable as JSON: "),
    "none.jsonl": (b"{broken\n" * 100, "is not readable as JSON: Expecting"),
    "cut.csv.gz": (b"\x1f\x8b\x08\x00 and then nothing", "is not a readable text file, or it is"),
    "cut.csv.xz": (b"\xfd7zXZ\x00 and then nothing", "is not a readable text file, or it is"),
    "cut.csv.bz2": (b"BZh9 and then nothing", "is not a readable text file, or it is"),
    "words.xlsx": (
        archive(("xl/workbook.xml", "<a><b></a>"), ("[Content_Types].xml", "<a")),
        "is not a readable Excel file, or it is",
    ),
    "sheet.xlsx": (b"PK\x03\x04 and then nothing", "is not a readable Excel file, or it is"),
    "a.parquet": (b"PAR1 and then nothing", "is not a readable Parquet file, or it is damaged;"),
    "a.feather": (b"ARROW1 and then nothing", "is not a readable Arrow file, or it is damaged;"),
    "page.xls": (
        b"\xef\xbb\xbf\n<TABLE border=1><tr><td>1</td></tr>",
        "is a web page; open it in a",
    ),
    "page.csv": (
        b"<!DOCTYPE html>\n<html><body>Log in</body></html>",
        "is a web page; open it in a",
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), [(n, *c) for n, c in HOSTILE.items()])
def test_hostile_files_end_in_a_sentence_and_take_little_memory(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TableError) as caught:
        read_table(str(tmp_path / name))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB


def test_an_unknown_encoding(tmp_path):
    path = write_text(tmp_path / "a.csv", "a,b\n1,2\n")
    with pytest.raises(TableError, match="--encoding klingon is not known; give one such as"):
        read_table(path, Reading(encoding="klingon"))


@pytest.mark.parametrize("start", [b"", b"a,b\n1,2\n3,4\n"], ids=repr)
def test_of_an_endless_line_only_a_few_blocks_are_read(start):
    read = []

    def chunks(done):
        yield start
        while len(read) < 100:
            read.append(b"1" * 2**20)
            yield read[-1]

    with pytest.raises(TableError, match=r"has a line of more than 4 MB, or a quote that is never"):
        for _ in _first_batches(open_text("rows.csv", chunks, Reading(), Notes())):
            pass
    assert len(read) < 30


def _first_batches(opened):
    try:
        yield from opened.batches(opened.layout, Notes())
    except pa.ArrowInvalid as error:
        layout = opened.retried(opened.layout, error)
        yield from _first_batches(replace(opened, layout=layout))


def test_an_arrow_file_that_is_damaged_inside(tmp_path):
    frame = pd.DataFrame({"a": range(12), "b": np.arange(12) ** 2})
    frame.to_feather(tmp_path / "good.feather")
    content, refused = (tmp_path / "good.feather").read_bytes(), 0
    for place in range(len(content) - 300, len(content) - 10, 3):
        bad = tmp_path / f"{place}.feather"
        bad.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
        try:
            assert len(read_table(str(bad)).frame) <= 12
        except TableError as error:
            refused += "is not a readable Arrow file, or it is damaged" in str(error)
    assert refused > 10


def test_a_header_and_three_rows_make_a_sheet_a_table(tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as writer:
        pd.DataFrame({"about": ["a"] * 5}).to_excel(writer, sheet_name="cover", index=False)
        rows = pd.DataFrame({"a": [1, 2, 4], "b": [5, 3, 1]})
        rows.to_excel(writer, sheet_name="rows", index=False)
    table = read_table(str(tmp_path / "book.xlsx"))
    assert table.frame.astype(int).to_numpy().tolist() == rows.to_numpy().tolist()


def test_values_of_json_stay_what_they_are(tmp_path):
    """Zero and false are no holes, words for the truth are those of JSON, null is a hole."""
    path = tmp_path / "rows.jsonl"
    rows = [
        {"a": 0, "b": 0.0, "c": False, "d": "x"},
        {"a": None, "b": 1.5, "c": True, "d": [0, "y"]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows * 3), encoding="utf-8")
    found = read_table(str(path)).frame.iloc[:2].astype(object)
    assert found["a"].isna().tolist() == [False, True]
    assert [float(found["a"][0]), *map(float, found["b"])] == [0.0, 0.0, 1.5]
    assert [str(cell).lower() for cell in found["c"]] == ["false", "true"]
    assert found["d"].tolist() == ["x", '[0, "y"]']


@pytest.mark.parametrize("ours", [MemoryError, AssertionError])
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_what_is_no_fault_of_the_file_is_not_blamed_on_it(tmp_path, monkeypatch, name, ours):
    path = tmp_path / name
    frame = pd.DataFrame(NUMBERS, columns=["a", "b", "c"])
    frame.to_csv(path, index=False) if name == "a.csv" else frame.to_parquet(path)

    def fails(*_):
        raise ours("too little of it")

    monkeypatch.setattr("l1kpca.tables.table.Columns.learn", fails)
    with pytest.raises(ours, match="too little of it"):
        read_table(str(path))
