"""Tables larger than what is kept in memory: the same results, in order, complete or not there."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli import detection

N_ROWS, N_SAMPLE = 80_000, 3000
PROGRAM = str(Path(sys.executable).with_name("l1kpca"))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """More rows than a batch has, in two files; the last rows are as odd as the first ones."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_ROWS, 3)) @ rng.normal(size=(3, 3))
    frame = pd.DataFrame(x, columns=list("abc")).assign(key=[f"k{i:07d}" for i in range(N_ROWS)])
    frame["kind"] = rng.choice(["u", "v"], N_ROWS)
    frame["truth"] = "ordinary"
    odd = [5, 66_000, N_ROWS - 1]
    frame.loc[odd, ["a", "b", "c"]] = [[60.0, -60, 60], [-50, 50, 50], [40, 40, -40]]
    frame.loc[odd, "truth"] = "odd"
    frame.iloc[:50_000].to_parquet(folder / "1.parquet")
    frame.iloc[50_000:].to_parquet(folder / "2.parquet")
    return folder, frame


@pytest.fixture
def sampled(monkeypatch):
    monkeypatch.setattr(detection, "SAMPLE_ROWS", N_SAMPLE)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_scores_of_all_rows_in_order(cli_json, large, tmp_path, sampled, monkeypatch, suffix):
    folder, frame = large
    out, model = tmp_path / f"o.{suffix}", tmp_path / "m.skops"
    options = ["--id", "key", "--label", "truth", "--top", "5"]
    found = cli_json("detect", folder / "*.parquet", *options, "--out", out, "--save", model)
    rows = pd.read_parquet(out) if suffix == "parquet" else pd.read_csv(out)
    assert rows["key"].tolist() == frame["key"].tolist()
    assert found["n_rows"] == N_ROWS
    assert found["n_flagged"] == rows["flag"].sum() == (rows["score"] > found["cutoff"]).sum()
    ranks = rows["score"].rank(ascending=False, method="first").astype(int)
    assert rows["rank"].tolist() == ranks.tolist()
    best = rows.sort_values("rank").iloc[:5]
    assert [row["row"] for row in found["top"]] == (best.index + 1).tolist()
    assert [row["name"] for row in found["top"]] == best["key"].tolist()
    assert {6, 66_001, N_ROWS} <= {row["row"] for row in found["top"]}
    assert found["agreement"]["n_outliers"] == 3
    assert f"learned from {N_SAMPLE} of {N_ROWS} rows" in " ".join(found["notes"])
    # The same rows, all in memory at once: the same scores and the same reasons.
    monkeypatch.setattr(detection, "SAMPLE_ROWS", 10**6)
    again = tmp_path / "again.parquet"
    whole = cli_json("score", model, folder, *options, "--out", again)
    np.testing.assert_allclose(pd.read_parquet(again)["score"], rows["score"], rtol=1e-9)
    for one, other in zip(whole["top"], found["top"], strict=True):
        assert (one["row"], one["name"]) == (other["row"], other["name"])
        assert [r["column"] for r in one["reasons"]] == [r["column"] for r in other["reasons"]]


def test_a_report_counts_all_rows_and_lists_the_first(cli, large, tmp_path, sampled, monkeypatch):
    from l1kpca.report import content

    monkeypatch.setattr(content, "MOST_LISTED", 1000)
    folder, _ = large
    page, out = tmp_path / "r.html", tmp_path / "o.parquet"
    options = ["--label", "truth", "--contamination", "0.1", "--out", out, "--report", page]
    assert cli("detect", folder, *options, "-q").status == 0
    text = page.read_text(encoding="utf-8")
    facts = json.loads(re.search(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', text, re.S)[1])
    rows = pd.read_parquet(out)
    assert (facts["n_rows"], facts["n_listed"]) == (N_ROWS, 1000)
    assert facts["n_flagged"] == rows["flag"].sum()
    assert f"{facts['n_flagged']:,} of {N_ROWS:,} rows look wrong" in text
    assert sum(facts["histogram"]["counts"]) == N_ROWS
    assert sum(facts["histogram"]["counts"][k] for k in range(60)) == N_ROWS
    tail = facts["tail"]
    assert facts["n_flagged"] in tail["rank"]
    assert (tail["rank"][0], tail["rank"][-1], tail["hits"][-1]) == (1000, N_ROWS, 3)
    falling = rows["score"].sort_values(ascending=False).to_numpy()
    np.testing.assert_allclose(tail["score"], falling[np.array(tail["rank"]) - 1])


SMALL_SAMPLE = """
from l1kpca.cli import detection, main
detection.SAMPLE_ROWS = 300
main()
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_kill_leaves_no_file(start_script, large, tmp_path, how):
    folder, _ = large
    many = [folder / "1.parquet"] * 6
    out = tmp_path / "out"
    out.mkdir()
    options = ["--only", "a", "--only", "b", "--components", "1", "--out", out / "o.csv"]
    running = start_script(SMALL_SAMPLE, "reduce", *many, *options)
    while not list(out.iterdir()):  # the file that is written
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    running.send_signal(how)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + how
    assert "Traceback" not in said
    assert list(out.iterdir()) == []


def test_the_standard_input_and_several_files(cli_json, large, tmp_path):
    _, frame = large
    few = frame.iloc[:60]
    few.iloc[:30].to_csv(tmp_path / "1.csv", index=False)
    few.iloc[30:].to_csv(tmp_path / "2.csv", index=False, sep=";")
    both = cli_json("detect", tmp_path / "1.csv", tmp_path / "2.csv", "--ignore", "truth")
    done = subprocess.run(
        [PROGRAM, "detect", "-", "--ignore", "truth", "--json"], input=few.to_csv(index=False),
        text=True, check=True, capture_output=True,
    )  # fmt: skip
    piped = json.loads(done.stdout)
    assert piped["source"] == "-"
    assert [row["row"] for row in piped["top"]] == [row["row"] for row in both["top"]]
    np.testing.assert_allclose(
        [row["score"] for row in piped["top"]], [row["score"] for row in both["top"]]
    )


def test_many_rows_are_reduced_by_landmarks(cli_json, large, tmp_path, sampled, monkeypatch):
    from l1kpca import tuning

    monkeypatch.setattr(tuning, "EXACT_ROWS", 2000)
    folder, _ = large
    out = tmp_path / "o.parquet"
    options = ["--only", "a", "--only", "b", "--only", "c", "--components", "2", "--out", out]
    found = cli_json("reduce", folder, *options)
    assert found["n_rows"] == N_ROWS
    assert "more than 2000 rows: components are found by 500 landmarks" in found["notes"]
    rows = pd.read_parquet(out)
    assert len(rows) == N_ROWS
    assert rows[["component1", "component2"]].notna().all(axis=None)
