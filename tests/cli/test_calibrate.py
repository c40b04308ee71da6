"""Reference rows on the command line: detect --reference, calibrate, score --fdr, drift."""

import shutil

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli.app import run

COLUMNS = ["a", "b", "c", "d"]


def table(seed, n, n_outliers=0, shift=0.0):
    rng = np.random.default_rng(seed)
    t = rng.normal(size=(n, 2)) @ np.array([[1, 1, 0, 0.5], [0, 1, 1, -0.5]])
    rows = t + 0.2 * rng.normal(size=(n, 4)) + shift
    rows[:n_outliers] += 20 * rng.choice([-1, 1], size=(n_outliers, 4))
    return pd.DataFrame(rows, columns=COLUMNS).assign(id=[f"r{i}" for i in range(n)])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    tables = {
        "clean": table(0, 600), "data": table(1, 100, 15), "shifted": table(2, 100, shift=2.0),
        "dirty": table(3, 300, 20),
    }  # fmt: skip
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def saved(files):
    path = files / "m.skops"
    options = ["--reference", files / "clean.csv", "--id", "id", "--quiet", "--save", path]
    assert run(["detect", *map(str, [files / "data.csv", *options])]) == 0
    return path


@pytest.fixture
def model(saved, tmp_path):
    return shutil.copy(saved, tmp_path / "m.skops")


def test_detect_compares_with_the_part_of_the_reference_that_was_held_out(
    cli_json, files, tmp_path
):
    out = tmp_path / "o.csv"
    options = ["--reference", files / "clean.csv", "--id", "id", "--fdr", 0.1, "--out", out]
    found = cli_json("detect", files / "data.csv", *options)
    scores = pd.read_csv(out)
    assert found["promise"]["n_reference"] == 300
    assert scores["p_value"].min() == pytest.approx(1 / 301)
    assert scores["flag"][:15].mean() > 0.8
    assert scores["flag"][15:].mean() < 0.1
    assert (scores["score"] > found["cutoff"]).sum() == found["n_flagged"] == scores["flag"].sum()
    top = found["top"][0]
    assert top["p_value"] == pytest.approx(scores.set_index("rank")["p_value"][1])
    assert "On average, at most 10% of the flags" in found["promise"]["says"][1]
    assert "With 95% confidence, at most" in found["promise"]["says"][2]


def test_score_flags_by_rate_or_row_by_row(cli, cli_json, files, model, tmp_path):
    by_rate = cli_json("score", model, files / "data.csv", "--fdr", 0.1)
    assert by_rate["n_flagged"] >= 12
    out = tmp_path / "s.csv"
    alone = cli_json("score", model, files / "data.csv", "--alpha", 0.02, "--out", out)
    assert alone["n_flagged"] == (pd.read_csv(out)["p_value"] <= 0.02).sum()
    shown = cli("score", model, files / "data.csv", "--alpha", 0.02, "--top", 2).stdout
    assert "An ordinary row is flagged with a chance of at most 0.02." in shown
    few = cli_json("score", model, files / "data.csv", "--alpha", 0.001)
    assert few["n_flagged"] == 0
    text = "No row can be flagged at alpha=0.001: 300 reference rows are too few, it takes at least"
    assert few["promise"]["says"][2].startswith(text)


def test_too_few_rows_to_be_flagged_are_counted(cli, cli_json, files, model, tmp_path):
    """8 outliers among 300 rows, and 300 reference rows."""
    many, page = tmp_path / "many.csv", tmp_path / "r.html"
    table(1, 300, 8).to_csv(many, index=False)
    found = cli_json("score", model, many, "--fdr", 0.1)
    assert found["n_flagged"] == 0
    beyond = found["promise"]["says"][2]
    assert beyond.endswith("it takes 10 such rows, or at least 333 reference rows instead of 300.")
    assert beyond.startswith("9 rows are beyond every reference row; at fdr=0.1")
    assert beyond in cli("score", model, many, "--fdr", 0.1).stdout
    options = ["--reference", files / "clean.csv", "--id", "id", "--fdr", 0.1, "--report", page]
    assert beyond in cli("detect", many, *options).stdout
    assert beyond in page.read_text()


def test_drift_has_an_exit_status_of_its_own(cli, cli_json, files, model):
    drifted = cli("score", model, files / "shifted.csv", "--fail-on-drift")
    assert drifted.status == 3
    assert "Drift: as a whole, these rows are not like the reference rows" in drifted.stdout
    assert cli("score", model, files / "shifted.csv").status == 0
    assert cli("score", model, files / "data.csv", "--fail-on-drift").status == 0
    assert cli_json("score", model, files / "data.csv")["promise"]["drift"]["found"] is False


def test_calibrate_with_answers(cli, cli_json, files, model, tmp_path):
    before = cli_json("calibrate", model, files / "dirty.csv")
    assert before["n_reference"] == 300
    assert {row["row"] for row in before["suspects"]} >= set(range(1, 18))
    assert 15 <= before["estimated_outliers"] <= 25
    weak = cli_json("score", model, files / "data.csv", "--fdr", 0.1)
    assert weak["n_flagged"] == 0
    assert "more rows could be flagged: the" in weak["promise"]["says"][2]
    table(4, 100).to_csv(files / "ordinary.csv", index=False)
    none = cli_json("score", model, files / "ordinary.csv", "--fdr", 0.1)
    assert none["promise"]["says"][2].startswith("Too few rows stand out from the reference; outl")
    answers = tmp_path / "answers.csv"
    lines = [f"{row['row']},{int(row['row'] <= 20)}" for row in before["suspects"]]
    answers.write_text("\n".join(["row,label", *lines]))
    after = cli_json("calibrate", model, files / "dirty.csv", "--labels", answers)
    assert after["n_left_out"] == sum(line.endswith(",1") for line in lines)
    assert cli_json("score", model, files / "data.csv", "--fdr", 0.1)["n_flagged"] > 10
    shown = cli("calibrate", model, files / "dirty.csv", "--labels", answers, "--top", 3)
    assert f"{after['n_left_out']} confirmed outliers were left out" in shown.stdout
    assert f"Written: {model}" in shown.stdout


def test_of_the_table_that_detect_split_only_what_was_held_out_is_compared_with(
    cli_json, files, model
):
    assert cli_json("calibrate", model, files / "clean.csv")["n_reference"] == 300


def test_without_reference_rows_there_is_an_estimate_or_a_reason(cli_json, files):
    (says,) = cli_json("detect", files / "clean.csv", "--id", "id")["promise"]["says"]
    assert "estimate" in says
    assert "guarantee" not in says


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ("x,label\n1,1\n", "must be a .csv file with the columns row (1 to 600) and label"),
        ("row,label\n601,1\n", "must be a .csv file with the columns row (1 to 600) and label"),
        ("row,label\n1,1\n1,0\n", "each row once."),
        ("row,label\n1,yes\n", "must be a .csv file with the columns"),
        ("row,label\n1,7\n", "y must hold 1 (outlier), 0 (ordinary) or -1 (unknown), found 7"),
        ("", "must be a .csv file with the columns"),
        # None of these may be cut, rounded or moved to another row.
        ("row,label\n1.7,1\n", "must be a .csv file with the columns"),
        ("row,label\n1,0.5\n", "must be a .csv file with the columns"),
        ("row,label\n1,\n", "must be a .csv file with the columns"),
        ("row,label\n1e30,1\n", "must be a .csv file with the columns"),
        (f"row,label\n{'9' * 40},1\n", "must be a .csv file with the columns"),
        ("row,label\n1,2,1\n", "must be a .csv file with the columns"),
    ],
)
def test_bad_answers(cli, files, model, tmp_path, answers, text):
    (tmp_path / "a.csv").write_text(answers)
    done = cli("calibrate", model, files / "clean.csv", "--labels", tmp_path / "a.csv")
    assert done.status == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_bad_options(cli, files, model, tmp_path):
    data, plain = files / "data.csv", tmp_path / "plain.skops"
    assert cli("detect", data, "--id", "id", "--save", plain, "--quiet").status == 0
    narrow = tmp_path / "narrow.csv"
    table(0, 50).drop(columns="c").to_csv(narrow, index=False)
    for arguments, text in (
        (["score", plain, data, "--fdr", 0.1], "needs reference rows, and there are none"),
        (["score", plain, data, "--fail-on-drift"], "--fail-on-drift needs reference rows, and"),
        (["score", model, data, "--fdr", 0.1, "--alpha", 0.1], "cannot be used together"),
        (["score", model, data, "--fdr", 2], "--fdr"),
        (["score", model, data, "--fdr", 0], "fdr=0.0 must be a number between 0 and 1"),
        (["detect", data, "--fdr", 0.1], "needs reference rows, and there are none"),
        (["detect", data, "--id", "id", "--reference", narrow], "c"),
        (["detect", data, "--reference", data], "is DATA itself; give other rows, all ordinary."),
        (["detect", data, "--reference", tmp_path / "no.csv"], "no.csv does not exist"),
        (["calibrate", model, narrow], "c"),
    ):
        done = cli(*arguments)
        assert done.status == 2, arguments
        assert text in done.stderr
