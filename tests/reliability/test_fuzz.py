"""The doors under inputs that nobody wrote: a result, or one sentence.

Files as bytes, frames of mixed kinds, settings, model files, label files and command lines.
``make test`` tries about 2000 inputs; ``--hypothesis-profile=nightly`` more than 100 000 of them.
"""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import resource
import tempfile
import time
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings, target
from hypothesis import strategies as st
from scipy.io import savemat

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, TableEncoder
from l1kpca.cli.app import run
from l1kpca.persistence import load, save

pytestmark = pytest.mark.filterwarnings("ignore")
SCALE = 1 if settings().max_examples <= 50 else 60
"""60 in the nightly profile."""
MOST_SECONDS, MOST_MEMORY = 60, 400_000
"""Of the processor and KB for one small input: a guard against growth, not a measure of speed."""
GOOD = b"a,b,c\n" + b"".join(b"%d,%d.5,%d\n" % (i, i * i % 7, i % 3) for i in range(12))
WRITTEN = [
    "",
    " ",
    "-",
    "?",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1,234.5",
    "1.234,5",
    "$1,200",
    "12%",
    "(3)",
    "86 m2",
    "007",
    "2024-02-30",
    "2024-01-01",
    "31/12/1999",
    "12:61",
    "true",
    "no",
    "Zürich",
    "=1+1",
    '"',
    "\x00",
    "\u202e",
    "💥",
    "1_000",
    "0x10",
    "١٢",
    "-999",
    "9" * 40,
    "a" * 300,
]


def times(count):
    """Settings of a test with so many examples in the normal profile."""
    return settings(max_examples=count * SCALE)


@contextlib.contextmanager
def bounded():
    """Whatever the input, it takes neither long nor much memory."""
    start, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - start < MOST_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MOST_MEMORY


def said_by(*words):
    """Exit status and both outputs of a command line, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with bounded(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(list(words))
    return status, out.getvalue(), err.getvalue()


def assert_answered(*words):
    """A result, or one sentence and status 2; never a traceback."""
    status, out, err = said_by(*words)
    assert status in (0, 2), (words, status, err)
    assert "Traceback" not in out + err
    if status == 2:
        assert out == ""
        assert err.strip()
        # Hypothesis climbs towards long messages: those are where a file's bytes leak through.
        target(min(len(err), 5000), label="length of the message")
        assert len(err) < 3000
    event(f"status {status}")
    return status, out


def attempt(call):
    """What a call gives; None if it refuses, with one sentence."""
    try:
        with bounded():
            return call()
    except (ValueError, TypeError) as refused:
        said = str(refused)
    assert 5 < len(said) < 2000
    event("refused")
    return None


@contextlib.contextmanager
def folder_with(**files):
    """A folder with files of these bytes."""
    with tempfile.TemporaryDirectory() as name:
        for path, content in files.items():
            (Path(name) / path.replace("__", ".")).write_bytes(content)
        yield Path(name)


@st.composite
def damaged(draw, content):
    """Bytes with a piece replaced, repeated, cut out or added."""
    at = draw(st.integers(0, len(content)))
    end = draw(st.integers(at, min(len(content), at + 40)))
    return content[:at] + draw(st.binary(max_size=20)) * draw(st.integers(1, 3)) + content[end:]


def archive(members):
    """A zip archive of these members."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as writing:
        for name, content in members.items():
            writing.writestr(name, content)
    return held.getvalue()


FRAME = pd.read_csv(io.BytesIO(GOOD))
WRITERS = {
    "csv": lambda held: held.write(GOOD),
    "tsv": lambda held: held.write(GOOD.replace(b",", b"\t")),
    "jsonl": lambda held: FRAME.to_json(held, orient="records", lines=True),
    "json": lambda held: FRAME.to_json(held, orient="records"),
    "npy": lambda held: np.save(held, FRAME.to_numpy()),
    "npz": lambda held: np.savez(held, X=FRAME.to_numpy(), y=np.arange(12) % 2),
    "mat": lambda held: savemat(held, {"X": FRAME.to_numpy()}),
    "parquet": FRAME.to_parquet,
    "feather": FRAME.to_feather,
    "xlsx": lambda held: FRAME.to_excel(held, index=False),
    "csv.gz": lambda held: held.write(gzip.compress(GOOD, mtime=0)),
    "csv.bz2": lambda held: held.write(bz2.compress(GOOD)),
    "csv.xz": lambda held: held.write(lzma.compress(GOOD)),
    "zip": lambda held: held.write(archive({"rows.csv": GOOD})),
}


@cache
def valid(kind):
    """A good file of this kind, as bytes."""
    held = io.BytesIO()
    WRITERS[kind](held)
    return held.getvalue()


@pytest.mark.parametrize("kind", WRITERS)
@times(25)
@given(data=st.data())
def test_files_with_damaged_bytes(kind, data):
    content = data.draw(damaged(valid(kind)))
    with folder_with(**{f"rows__{kind}": content}) as folder:
        assert_answered("detect", str(folder / f"rows.{kind}"), "--json")


@times(25)
@given(data=st.data())
def test_workbooks_with_damaged_parts(data):
    """The archive is sound, what it holds is not."""
    with zipfile.ZipFile(io.BytesIO(valid("xlsx"))) as reading:
        members = {name: reading.read(name) for name in reading.namelist()}
    name = data.draw(st.sampled_from(sorted(members)))
    members[name] = data.draw(damaged(members[name]))
    with folder_with(rows__xlsx=archive(members)) as folder:
        assert_answered("detect", str(folder / "rows.xlsx"), "--json")


@times(60)
@given(
    content=st.binary(max_size=400),
    kind=st.sampled_from(["csv", "parquet", "zip", "gz", "xlsx", "mat"]),
)
def test_files_of_any_bytes(content, kind):
    with folder_with(**{f"rows__{kind}": content}) as folder:
        assert_answered("detect", str(folder / f"rows.{kind}"), "--json")


@st.composite
def written_tables(draw):
    """Cells as people write them, in a table of text."""
    cell = st.sampled_from(WRITTEN) | st.integers(-50, 50).map(str) | st.text(max_size=6)
    width = draw(st.integers(1, 4))
    kinds = [
        draw(st.sampled_from([cell, st.integers(0, 9).map(str), st.sampled_from("ab")]))
        for _ in range(width)
    ]
    height = draw(st.integers(1, 25))
    names = draw(
        st.lists(
            st.sampled_from(["a", "b", "a", "", "id", "2020", "date"]),
            min_size=width,
            max_size=width,
        )
    )
    return names, [[draw(kind) for kind in kinds] for _ in range(height)]


@times(60)
@given(table=written_tables(), delimiter=st.sampled_from(",;\t|"))
def test_every_row_and_column_of_a_file_comes_back(table, delimiter):
    names, rows = table
    held = io.StringIO()
    pd.DataFrame(rows, columns=names).to_csv(held, sep=delimiter, index=False)
    with folder_with(rows__csv=held.getvalue().encode("utf-8", "replace")) as folder:
        out = folder / "scores.csv"
        status, said = assert_answered(
            "detect", str(folder / "rows.csv"), "--json", "--out", str(out)
        )
        if status == 0:
            written, facts = pd.read_csv(out, dtype=str, keep_default_na=False), json.loads(said)
            assert len(written) == facts["n_rows"]
            assert (written["flag"] == "1").sum() == facts["n_flagged"]
            assert sorted(written["rank"].astype(int)) == list(range(1, len(written) + 1))


HUGE = pd.CategoricalDtype([f"level {i}" for i in range(10_000)])


@st.composite
def frames(draw):
    """Columns of all kinds of pandas, with holes, under names that may repeat or be numbers."""
    height = draw(st.integers(1, 20))
    dates = st.datetimes().map(pd.Timestamp) | st.just(pd.NaT)
    kinds = {
        "float": st.floats(width=32) | st.just(np.nan),
        "object": st.sampled_from([None, 1, "x", 2.5, True, "", (1, 2), b"y"])
        | st.text(max_size=3),
        "string": st.sampled_from(WRITTEN),
        "Int64": st.integers(-5, 5) | st.none(),
        "boolean": st.booleans() | st.none(),
        "category": st.sampled_from("abc"),
        HUGE: st.sampled_from([f"level {i}" for i in range(0, 10_000, 7)]) | st.none(),
        "datetime64[s]": dates,
        "timedelta64[s]": st.integers(-(10**9), 10**9).map(lambda s: pd.Timedelta(seconds=s)),
    }
    columns = []
    for kind in draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=4)):
        cells = [draw(kinds[kind]) for _ in range(height)]
        columns.append(pd.Series(cells, dtype=object).astype(kind))
    frame = pd.concat(columns, axis=1)
    if draw(st.booleans()):
        frame.index = [0] * height
    frame.columns = draw(
        st.lists(
            st.sampled_from(["a", "b", 0, 1, ""]), min_size=len(columns), max_size=len(columns)
        )
    )
    return frame


@times(250)
@given(frame=frames())
def test_frames_of_mixed_kinds(frame):
    encoder = attempt(lambda: TableEncoder().fit(frame))
    if encoder is not None:
        assert len(encoder.transform(frame)) == len(frame)
    detector = attempt(lambda: KernelPCAOutlierDetector(random_state=0).fit(frame))
    if detector is not None:
        scores = np.asarray(detector.score_samples(frame))
        assert scores.shape == (len(frame),)
        assert np.isfinite(scores).all()


ODD = st.sampled_from(
    [
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        0.0,
        0.5,
        1.5,
        -0.1,
        np.nan,
        np.inf,
        1e400,
        "auto",
        "",
        "x",
        "1GB",
        (),
        [],
        {},
        np.array([1, -1]),
        object(),
    ]
)


@pytest.mark.parametrize("estimator", [L1KernelPCA, KernelPCAOutlierDetector])
@times(450)
@given(data=st.data())
def test_settings_of_any_kind(estimator, data):
    names = sorted(set(estimator().get_params(deep=False)) - {"checkpoint", "progress", "verbose"})
    chosen = data.draw(st.dictionaries(st.sampled_from(names), ODD, max_size=3))
    X = np.random.default_rng(0).normal(size=(15, 3))
    fitted = attempt(lambda: estimator(**chosen).fit(X))
    if fitted is not None:
        last = fitted.transform(X) if hasattr(fitted, "transform") else fitted.score_samples(X)
        assert np.isfinite(last).all()


@cache
def saved_model():
    """A small model as bytes."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        path = Path(name) / "model.skops"
        X = np.random.default_rng(0).normal(size=(15, 3))
        save(KernelPCAOutlierDetector(random_state=0).fit(X), path)
        return path.read_bytes()


@cache
def saved_table_model():
    """A model that the command line wrote, as bytes."""
    numbers = np.random.default_rng(0).normal(size=(15, 3))
    rows = pd.DataFrame(numbers, columns=list("abc")).to_csv(index=False).encode()
    with folder_with(rows__csv=rows) as folder:
        path = folder / "model.skops"
        assert said_by("detect", str(folder / "rows.csv"), "--save", str(path))[0] == 0
        return path.read_bytes()


@times(400)
@given(data=st.data())
def test_model_files_with_damaged_bytes(data):
    with folder_with(model__skops=data.draw(damaged(saved_model()))) as folder:
        model = attempt(lambda: load(folder / "model.skops"))
        if model is not None:
            assert np.isfinite(model.estimator.score_samples(np.zeros((1, 3)))).all()


ANSWERS = st.tuples(
    st.sampled_from(["1", "3", "15", "16", "0", "-1", "1.5", "x", "", "1e30", "9" * 40]),
    st.sampled_from(["1", "0", "-1", "2", "0.5", "", "outlier", "maybe", "true", "nan", "1,0"]),
)


@times(60)
@given(
    lines=st.lists(st.tuples(st.integers(1, 15).map(str), st.sampled_from("01")) | ANSWERS),
    head=st.sampled_from(["row,label"] * 4 + ["label,row", "row,label,more", "answer", "", "x,y"]),
    data=st.data(),
)
def test_files_of_answers(lines, head, data):
    answers = "\n".join([head, *(",".join(line) for line in lines)]).encode()
    if data.draw(st.integers(0, 4)) == 0:
        answers = data.draw(damaged(answers))
    numbers = np.random.default_rng(0).normal(size=(15, 3))
    rows = pd.DataFrame(numbers, columns=list("abc")).to_csv(index=False).encode()
    with folder_with(model__skops=saved_table_model(), rows__csv=rows, answers__csv=answers) as top:
        before = (top / "model.skops").read_bytes()
        names = [str(top / each) for each in ("model.skops", "rows.csv")]
        status, said = assert_answered(
            "calibrate", *names, "--labels", str(top / "answers.csv"), "--json"
        )
        if status == 2:
            assert (top / "model.skops").read_bytes() == before
        else:  # nothing is made up, and nothing forgotten
            given = pd.read_csv(io.BytesIO(answers))
            assert json.loads(said)["n_left_out"] == (given["label"] == 1).sum()


WORDS = st.sampled_from(
    [
        "detect",
        "score",
        "reduce",
        "calibrate",
        "datasets",
        "list",
        "--top",
        "--out",
        "--json",
        "--label",
        "--id",
        "--fdr",
        "--rule",
        "--gamma",
        "--kernel",
        "--scaling",
        "--only",
        "--ignore",
        "--na",
        "--decimal",
        "--encoding",
        "a",
        "0",
        "-1",
        "0.1",
        "robust",
        "nan",
        "--",
        "--nonsense",
        "ROWS",
        "ROWS",
        "",
    ]
)


@times(200)
@given(words=st.lists(WORDS, max_size=7))
def test_command_lines_of_any_words(words):
    with folder_with(rows__csv=GOOD) as folder:
        data, elsewhere = str(folder / "rows.csv"), str(folder / "out.csv")
        named = [data if word == "ROWS" else word for word in words]
        for i, word in enumerate(named[:-1]):
            if word in ("--out", "--save", "--report"):
                named[i + 1] = elsewhere
        if named and named[-1] == "--out":
            named.append(elsewhere)
        status, out, err = said_by(*named)
        assert status in (0, 2), (named, status, err)
        assert "Traceback" not in out + err
