"""What the commands find and show."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from l1kpca import datasets

OUTLIERS = {3, 20, 50, 77, 90}


def test_the_far_rows_come_first_and_the_guilty_column_is_named(cli_json, csv_file):
    found = cli_json("detect", csv_file, "--label", "bad", "--id", "case", "--top", 5)
    assert {row["row"] - 1 for row in found["top"]} == OUTLIERS
    for place, row in enumerate(found["top"], start=1):
        assert row["rank"] == place
        assert row["name"] == f"{row['row'] - 1:04d}"
        assert row["label"] == 1
        assert row["reasons"][0]["column"] == "length"
        assert sum(reason["share"] for reason in row["reasons"]) <= 1 + 1e-9
    assert found["n_rows"] == 100
    assert found["columns"] == ["length", "width", "weight", "color"]


def test_the_figures_of_agreement_are_those_of_the_written_scores(cli_json, csv_file, tmp_path):
    out = tmp_path / "s.csv"
    found = cli_json("detect", csv_file, "--label", "bad", "--out", out)["agreement"]
    scores = pd.read_csv(out)
    assert found["average_precision"] == average_precision_score(scores["bad"], scores["score"])
    assert found["roc_auc"] == roc_auc_score(scores["bad"], scores["score"])
    assert found["n_outliers"] == 5
    assert found["precision_at_n"] == scores.nsmallest(5, "rank")["bad"].mean()


def test_the_label_is_never_used_to_detect(cli_json, csv_file, frame, tmp_path):
    with_truth = cli_json("detect", csv_file, "--label", "bad", "--id", "case")
    frame.drop(columns="bad").to_csv(tmp_path / "blind.csv", index=False)
    blind = cli_json("detect", tmp_path / "blind.csv", "--id", "case")
    assert [r["score"] for r in with_truth["top"]] == [r["score"] for r in blind["top"]]
    assert blind["agreement"] is None


@pytest.mark.parametrize("options", [[], ["--contamination", "0.1"], ["--rule", "paper"]])
def test_flags_are_the_scores_beyond_the_cutoff(cli_json, csv_file, tmp_path, options):
    out = tmp_path / "s.parquet"
    found = cli_json("detect", csv_file, "--id", "case", "--ignore", "bad", "--out", out, *options)
    scores = pd.read_parquet(out)
    assert (scores["flag"] == (scores["score"] > found["cutoff"])).all()
    assert scores["flag"].sum() == found["n_flagged"]
    if "0.1" in options:
        assert found["n_flagged"] == 10


def test_a_saved_model_judges_a_row_alike_alone_and_among_others(cli, cli_json, frame, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.skops"
    frame.to_csv(data, index=False)
    options = ["--id", "case", "--ignore", "bad"]
    cli_json("detect", data, *options, "--save", model, "--out", tmp_path / "all.csv")
    frame.iloc[[3, 4, 5]].to_csv(tmp_path / "few.csv", index=False)
    assert cli("score", model, tmp_path / "few.csv", "--out", tmp_path / "few_out.csv").status == 0
    few, everything = pd.read_csv(tmp_path / "few_out.csv"), pd.read_csv(tmp_path / "all.csv")
    np.testing.assert_allclose(few["score"], everything["score"].iloc[[3, 4, 5]], rtol=1e-9)
    assert few["flag"].tolist() == everything["flag"].iloc[[3, 4, 5]].tolist()
    assert few["rank"].tolist()[0] == 1


def test_columns_in_another_order_and_surplus_columns(cli_json, csv_file, frame, tmp_path):
    model = tmp_path / "m.skops"
    options = ["--id", "case", "--ignore", "bad"]
    first = cli_json("detect", csv_file, *options, "--save", model)
    frame[frame.columns[::-1]].assign(new=1).to_csv(tmp_path / "turned.csv", index=False)
    again = cli_json("score", model, tmp_path / "turned.csv")
    np.testing.assert_allclose(
        [row["score"] for row in again["top"]], [row["score"] for row in first["top"]], rtol=1e-9
    )
    assert "not known to the model and not used: bad, new" in " ".join(again["notes"])


@pytest.mark.parametrize("kernel", [[], ["--kernel", "laplacian"]])
def test_threads_and_memory_do_not_change_a_byte(cli, csv_file, tmp_path, kernel):
    resources = [[], ["--n-jobs", "1"], ["--n-jobs", "2"], ["--memory-limit", "1GB"]]
    written = set()
    for place, options in enumerate(resources):
        out = tmp_path / f"{place}.csv"
        assert cli("detect", csv_file, "--out", out, *kernel, *options).status == 0
        written.add(out.read_bytes())
    assert len(written) == 1


def test_the_paper_rule_with_its_own_width_named_is_the_paper_rule(cli_json, csv_file):
    own = cli_json("detect", csv_file, "--rule", "paper", "--id", "case")
    named = cli_json("detect", csv_file, "--rule", "paper", "--id", "case", "--gamma", "paper")
    np.testing.assert_allclose(
        [row["score"] for row in named["top"]], [row["score"] for row in own["top"]], rtol=1e-6
    )


def test_force_overwrites(cli, csv_file, tmp_path):
    (tmp_path / "s.csv").write_text("old")
    assert cli("detect", csv_file, "--out", tmp_path / "s.csv", "--force").status == 0
    assert len(pd.read_csv(tmp_path / "s.csv")) == 100


def test_quiet_prints_nothing(cli, csv_file, tmp_path):
    done = cli("detect", csv_file, "--quiet", "--out", tmp_path / "s.csv")
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "s.csv").exists()
    done = cli("detect", csv_file, "--quiet", "--json")
    assert json.loads(done.stdout)["n_rows"] == 100
    assert done.stderr == ""


def test_top_zero_shows_no_row(cli_json, csv_file):
    assert cli_json("detect", csv_file, "--top", 0)["top"] == []


@pytest.mark.parametrize("kernel", ["linear", "laplacian", "poly"])
def test_other_kernels(cli_json, csv_file, kernel):
    found = cli_json("detect", csv_file, "--kernel", kernel, "--label", "bad", "--id", "case")
    assert found["agreement"]["roc_auc"] > 0.9


def test_missing_values_are_reported(cli_json, frame, tmp_path):
    frame.loc[[1, 2], "width"] = None
    frame.to_csv(tmp_path / "holes.csv", index=False)
    found = cli_json("detect", tmp_path / "holes.csv", "--id", "case", "--label", "bad")
    assert (
        "2 cells are missing (width: 2): rows are judged by the cells that are there"
        in found["notes"]
    )


def test_rows_may_lack_an_id(cli, frame, tmp_path):
    frame.loc[[3, 20], "case"] = None
    frame.to_csv(tmp_path / "holes.csv", index=False)
    done = cli("detect", tmp_path / "holes.csv", "--id", "case", "--top", "5")
    rows = [line for line in done.stdout.splitlines() if line.startswith("\u2502")]
    assert {row.count("\u2502") for row in rows} == {7}
    assert sum("missing" in row for row in rows) == 2


def test_cells_cannot_command_the_terminal(cli, frame, tmp_path):
    frame["case"] = "\x1b[31m[red]evil\x07"
    frame.to_csv(tmp_path / "evil.csv", index=False)
    done = cli("detect", tmp_path / "evil.csv", "--id", "case")
    assert done.status == 0
    assert "\x1b" not in done.stdout
    assert "\ufffd[31m[red]evil\ufffd" in done.stdout


def test_reduce_gives_orderly_components(cli_json, csv_file, tmp_path):
    out = tmp_path / "z.csv"
    found = cli_json("reduce", csv_file, "--components", 2, "--ignore", "bad", "--id", "case",
                     "--out", out)  # fmt: skip
    assert [c["name"] for c in found["components"]] == ["component1", "component2"]
    assert 0 < sum(c["variance_share"] for c in found["components"]) <= 1
    reduced = pd.read_csv(out)
    assert reduced.columns[-2:].tolist() == ["component1", "component2"]
    assert len(reduced) == 100


def test_reduce_to_a_share_of_the_variance(cli_json, csv_file):
    found = cli_json("reduce", csv_file, "--components", "0.9", "--kernel", "linear", "--no-scale")
    assert sum(c["variance_share"] for c in found["components"]) >= 0.9


def test_reduce_shows_a_table(cli, csv_file):
    done = cli("reduce", csv_file, "--components", 2)
    assert done.status == 0
    assert "component2" in done.stdout


def test_the_list_of_data_sets(cli, cli_json):
    found = cli_json("datasets", "list")
    assert [entry["name"] for entry in found] == datasets.names()
    assert found[0]["available"]
    done = cli("datasets", "list")
    assert all(name in done.stdout for name in datasets.names())


def test_fetching_what_does_not_exist(cli):
    done = cli("datasets", "fetch", "nothing")
    assert done.status == 2
    assert "name='nothing' is not a known data set; choose one of: wbc," in done.stderr


def test_fetching_without_a_network(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("L1KPCA_DATA_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    done = cli("datasets", "fetch", "musk", "--to", tmp_path)
    assert done.status == 2
    assert "musk was not fetched: http://127.0.0.1:9" in done.stderr
