"""The command line with bad input: status 2, nothing on stdout, and this text on stderr."""

import contextlib
import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca.cli.app import run
from l1kpca.cli.commands.reduce import robust_scaling

X = np.random.default_rng(0).normal(size=(12, 3))
EXTREME = X / np.abs(X).max() * 1.7e308
KERNELS = (
    "['additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf',"
    " 'sigmoid', 'precomputed']"
)
HOW_MANY = "give a whole number of at least 1, or a share of the variance between 0 and 1."
ROWS = "give a number of rows of at least 3, all, or auto."
SUMS = "X has values of up to 1.7e+308: sums overflow in float64; divide the columns by a number"
GAMMA = "must be a number, None or one of ['paper', 'median', 'narrow', 'wide', 'scale']."
LARGE = (
    "X is too large for kernel='rbf' with gamma=1e+308 in float64: sums of kernel values overflow;"
    " scale the columns, for example with sklearn.preprocessing.StandardScaler."
)
SETS = "(wbc, ionosphere, breastw, cardio, musk, mnist)"
REDUCE = ("reduce", "good.csv", "--components")

BAD_FILES = {
    "objects.npy": "objects.npy holds pickled objects, which are never loaded; save plain arrays.",
    "dates.npy": "dates.npy: the array X of shape (4, 3) holds datetime64[D] values; it must hold"
    " real numbers.",
    "complex.npy": "complex.npy: the array X of shape (12, 3) holds complex128 values; it must hold"
    " real numbers.",
    "text.npy": "text.npy: the array X of shape (12, 3) holds <U32 values; it must hold real"
    " numbers.",
    "number.npy": "number.npy: the array X of shape () is not a matrix; give one with a row for"
    " each case.",
    "cube.npy": "cube.npy: the array X of shape (2, 2, 3) is not a matrix; give one with a row for"
    " each case.",
    "empty.npy": "empty.npy has 0 rows; give at least 3.",
    "none.csv": f"none.csv does not exist; give a file, or a data set by name {SETS}.",
    "folder": "folder is a folder without files; give one with tables.",
}
BAD_OPTIONS = {
    (*REDUCE, "0"): f"--components 0 is not possible; {HOW_MANY}",
    (*REDUCE, "-1"): f"--components -1 is not possible; {HOW_MANY}",
    (*REDUCE, "nan"): f"--components nan is not possible; {HOW_MANY}",
    (*REDUCE, "1e400"): f"--components 1e400 is not possible; {HOW_MANY}",
    (*REDUCE, "two"): f"--components two is not possible; {HOW_MANY}",
    ("--gamma", "nan"): "good.csv: gamma=nan must be a finite number.",
    ("--gamma", "-0.1"): "good.csv: gamma=-0.1 must be at least 0.",
    ("--gamma", "1e308"): f"good.csv: {LARGE}",
    ("--gamma", ""): f"good.csv: gamma='' {GAMMA}",
    ("--gamma", "huge"): f"good.csv: gamma='huge' {GAMMA}",
    ("--kernel", "RBF"): f"good.csv: kernel='RBF' must be one of {KERNELS}, or a function of two"
    " rows.",
    ("--kernel", ""): f"good.csv: kernel='' must be one of {KERNELS}, or a function of two rows.",
    ("--kernel", "precomputed"): "good.csv: rule='auto' needs k(x, x), which kernel='precomputed'"
    " does not give: use rule='paper', or a kernel.",
    ("--contamination", "nan"): "--contamination nan is not possible; give a share from 0 to 0.5,"
    " or auto.",
    ("--contamination", "0.9"): "--contamination 0.9 is not possible; give a share from 0 to 0.5,"
    " or auto.",
    ("--max-samples", "-5"): f"--max-samples -5 is not possible; {ROWS}",
    ("--max-samples", "1e9"): f"--max-samples 1e9 is not possible; {ROWS}",
    ("--memory-limit", "9e999"): "good.csv: memory_limit='9e999' must be a positive number of"
    " bytes, a string like '2GB', or None.",
    ("--n-jobs", "0"): "good.csv: n_jobs=0 must be None or an integer other than 0.",
    ("--label", "z"): "good.csv has no column 'z' for --label; there are: a, b, c.",
    ("--out", ""): "--out . has a suffix that is not known; the kind of file is told by it: .csv,"
    " .parquet, .pq.",
}


# What typer and scikit-learn find wrong; the words are theirs.
BAD_FOR_OTHERS = (
    ("explode",),
    ("detect",),
    ("detect", "good.csv", "--fast"),
    ("--seed", "-1"),
    ("--seed", "9999999999"),
    ("--kernel", "chi2"),
)


def write_csv(path, rows):
    lines = [",".join(map(repr, map(float, row))) for row in rows]
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files of the table, made once."""
    where = tmp_path_factory.mktemp("bad")
    write_csv(where / "good.csv", X)
    write_csv(where / "extreme.csv", EXTREME)
    (where / "folder").mkdir()
    (where / "overflow.csv").write_text("a,b,c\n1e999,1,2\n1,2,3\n3,4,5\n4,5,6\n")
    arrays = {
        "objects": X.astype(object),
        "dates": np.arange(12).astype("M8[D]").reshape(4, 3),
        "complex": X + 1j,
        "text": X.astype(str),
        "number": np.float64(3.0),
        "cube": np.zeros((2, 2, 3)),
        "empty": np.zeros((0, 3)),
        "infinite": np.where(np.arange(36).reshape(12, 3) == 10, np.inf, X),
        "extreme": EXTREME,
    }
    for name, array in arrays.items():
        np.save(where / f"{name}.npy", array)
    return where


def outcome(folder, arguments):
    shown, said = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(said),
    ):
        status = run([str(argument) for argument in arguments])
    return status, shown.getvalue(), said.getvalue()


@pytest.mark.parametrize(("name", "text"), BAD_FILES.items(), ids=BAD_FILES)
@pytest.mark.parametrize("command", [("detect",), ("reduce", "--components", "2")], ids="-".join)
def test_files(folder, command, name, text):
    assert outcome(folder, [*command, name]) == (2, "", f"l1kpca: {text}\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("overflow.csv", "'a': 1 cell is not a number: "),
        ("infinite.npy", "'x1': 1 cell is not a number: "),
    ],
)
def test_an_infinite_cell_is_far_out_and_said(folder, name, said):
    status, _, told = outcome(folder, ["detect", name])
    assert status == 0
    assert said + "taken as far out (such as 'inf')" in told


@pytest.mark.parametrize(("options", "text"), BAD_OPTIONS.items(), ids=map(" ".join, BAD_OPTIONS))
def test_options(folder, options, text):
    if options[0].startswith("--"):
        options = ("detect", "good.csv", *options)
    assert outcome(folder, options) == (2, "", f"l1kpca: {text}\n")


@pytest.mark.parametrize("options", BAD_FOR_OTHERS, ids=map(" ".join, BAD_FOR_OTHERS))
def test_options_that_other_packages_refuse(folder, options):
    if options[0].startswith("--"):
        options = ("detect", "good.csv", *options)
    status, shown, said = outcome(folder, options)
    assert (status, shown) == (2, "")
    assert said.startswith("l1kpca: ")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["extreme.npy", "extreme.csv"])
def test_numbers_whose_sums_overflow(folder, name):
    text = f"l1kpca: {name}: {SUMS}.\n"
    assert outcome(folder, ["detect", name]) == (2, "", text)
    assert outcome(folder, ["reduce", name, "--components", "2", "--no-scale"])[:2] == (2, "")
    assert outcome(folder, ["reduce", name, "--components", "2", "-q"]) == (0, "", "")


@pytest.mark.parametrize("scale", [1e300, 1e160, 1e-16, 1e-160, 1e-300])
@pytest.mark.parametrize("command", ["detect", "reduce"])
def test_the_unit_of_the_columns_makes_no_difference(tmp_path, command, scale):
    """Huge and tiny files go through both commands and give what ordinary ones give."""
    found = []
    for name, rows in (("unit", X), ("scaled", X * scale)):
        write_csv(tmp_path / f"{name}.csv", rows)
        options = ["--components", "2"] if command == "reduce" else []
        out = tmp_path / f"{name}-{command}.csv"
        status, _, said = outcome(tmp_path, [command, f"{name}.csv", *options, "--out", out])
        assert (status, said) == (0, "number  a, b, c\n")
        lines = out.read_text().splitlines()
        places = [
            i for i, name in enumerate(lines[0].split(",")) if "score" in name or "comp" in name
        ]
        found.append([[float(line.split(",")[i]) for i in places] for line in lines[1:]])
    assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-9)


def test_columns_whose_quartiles_agree_keep_their_unit():
    rows = np.column_stack([np.arange(9.0) * 1e-40, np.full(9, 0.1), [0.0] * 8 + [5.0]])
    rows[3, 1] += 1e-17
    scaled = robust_scaling(rows)(rows)
    assert_allclose(scaled[:, 0], (np.arange(9) - 4) / 4)
    assert_allclose(scaled[:, 1:], rows[:, 1:] - [0.1, 0.0], atol=1e-16)
