"""Targets are judged from results; a run on a small scale leads from measurements to the page."""

import json
import re
from argparse import Namespace

import pytest

from benchmarks import speed, speed_page
from benchmarks.results import measure
from benchmarks.speed_cases import CASES, CELLS, COLUMN, DEFAULT, OURS, READ, TIMED
from benchmarks.speed_page import TARGETS
from benchmarks.timing import ROOT
from scripts.tasks import Tasks


def mnist(ours):
    """Reads of one second; scikit-learn takes 468, ours what is given."""
    return {
        "mnist-78": {
            READ: [1.0] * 5,
            OURS: ours,
            COLUMN: [150.0] * 5,
            "scikit-learn arpack": [500.0],
            "scikit-learn randomized": [468.0] * 5,
        }
    }


def judged(results, measure):
    (target,) = [one for one in TARGETS if one.measure == measure and "78" in one.case][:1]
    return target, *target.judge(results)


@pytest.mark.parametrize(
    ("ours", "reached", "verdict"), [(93.0, "1.19", "met"), (95.0, "1.22", "**not met**")]
)
def test_time_over_as_many_reads_as_components(ours, reached, verdict):
    _, cells, _ = judged(mnist([ours] * 5), "time / 78 reads of K")
    assert (cells[0], cells[-1]) == (reached, verdict)


@pytest.mark.parametrize(("seconds", "verdict"), [(155.0, "met"), (157.0, "**not met**")])
def test_the_fastest_of_scikit_learn_counts(seconds, verdict):
    assert judged(mnist([seconds] * 5), "scikit-learn's fastest / ours")[1][-1] == verdict


@pytest.mark.parametrize(
    ("ours", "rounds", "verdict"),
    [([78.0] * 4 + [780.0], "1 to 10; 4 of 5", "met"),
     ([78.0] * 3 + [780.0] * 2, "1 to 10; 3 of 5", "**not met**")],
)  # fmt: skip
def test_four_of_five_rounds_must_meet_a_target(ours, rounds, verdict):
    _, cells, reason = judged(mnist(ours), "time / 78 reads of K")
    assert cells == ["1", rounds, verdict]
    assert (reason is None) == (verdict == "met")


def test_a_reason_and_a_floor_are_given_where_a_target_is_not_met(tmp_path):
    results = mnist([250.0] * 5)
    target, _, reason = judged(results, "time / 78 reads of K")
    assert reason == f"{target.reason} Floor: 78 reads of K take 78 s."
    text = speed_page.targets(tmp_path, results)
    assert reason in text
    assert f"{len(TARGETS) - 3} not measured, 2 not met, 1 met" in text
    assert "mnist-78,one read of K,4,1" in (tmp_path / "performance.csv").read_text()


def test_cells_are_counted_and_the_least_is_shown():
    cells = {name: {DEFAULT: [1.0] * 5, "scikit-learn arpack": [2.0] * 5} for name in CELLS}
    cells["cell-500-float32-2"] = {DEFAULT: [4.0] * 5, "scikit-learn arpack": [2.0] * 5}
    assert len(CELLS) == 33
    assert TARGETS[0].judge(cells)[0] == ["32", "-", "**not met**"]
    assert TARGETS[1].judge(cells)[0] == ["0.5", "0.5 to 0.5; 0 of 5", "**not met**"]


def test_a_cell_is_ahead_if_it_is_so_in_four_of_five_rounds():
    cells = {name: {DEFAULT: [1.0] * 5, "scikit-learn arpack": [2.0] * 5} for name in CELLS}
    for behind, ahead in ((1, "33"), (2, "32")):
        seconds = [4.0] * behind + [1.0] * (5 - behind)
        cells["cell-500-float32-2"] = {DEFAULT: seconds, "scikit-learn arpack": [2.0] * 5}
        assert TARGETS[0].judge(cells)[0][0] == ahead


def test_a_peer_is_held_against_the_median_of_a_plain_version():
    (target,) = [one for one in TARGETS if one.case.startswith("XiaoKernelPCA")]
    results = {"peer-XiaoKernelPCA": {"seconds": [1.0, 1.0, 2.0, 1.0, 9.0], "plain": [8.0]}}
    assert target.judge(results)[0] == ["0.125", "0.125 to 1.12; 4 of 5", "met"]


def test_targets_are_told_apart():
    assert len({(target.case, target.measure) for target in TARGETS}) == len(TARGETS)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The script with some arguments; it writes to a folder of the test."""
    monkeypatch.setattr("benchmarks.results.OUT", tmp_path)
    monkeypatch.setattr("benchmarks.speed.OUT", tmp_path)
    monkeypatch.setenv("L1KPCA_DATA", str(tmp_path))

    def main(*arguments):
        monkeypatch.setattr("sys.argv", ["speed", *arguments])
        speed.main()

    return main


def test_a_stopped_run_goes_on(run, tmp_path):
    """What a run before finished is not measured again; the journal goes when all is done."""
    journal = tmp_path / "quick" / "speed.jsonl"
    seconds = {method: [0.25] for method in TIMED["mnist-2"].methods}
    Tasks(journal, quiet=True).run("mnist-2", lambda: seconds)
    run("--quick", "--only", "mnist-2", "exact-80k")
    found = json.loads((tmp_path / "quick" / "speed.json").read_text())
    assert found["mnist-2"]["result"] == seconds
    assert set(found["exact-80k"]["result"]) == set(CASES["exact-80k"].methods)
    assert found["exact-80k"]["about"]["l1kpca"]
    assert not journal.exists()
    page = (tmp_path / "quick" / "performance.md").read_text()
    assert f"{found['exact-80k']['about']['started']}" in page


def test_two_versions_are_compared(run, tmp_path, capsys):
    run("--quick", "--against", str(ROOT), "--only", "cell-500-float64-10")
    found = json.loads((tmp_path / "against.json").read_text())
    assert {side: len(runs) for side, runs in found["cell-500-float64-10"][DEFAULT].items()} == {
        "new": 2, "old": 2,
    }  # fmt: skip
    assert re.search(
        r"cell-500-float64-10 +polished \(default\) +\d\.\d\d  ", capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "everything"], "--only everything: not measured; give one of import,"),
        (["--against", "no/such"], "--against no/such: holds no src/l1kpca; give a source tree"),
    ],
)
def test_bad_input(run, arguments, sentence):
    with pytest.raises(SystemExit, match=f"^{re.escape(sentence)}"):
        run(*arguments)


def test_a_measurement_that_fails_is_named_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.results.OUT", tmp_path)

    def missing():
        raise FileNotFoundError("mnist is not there")

    given = Namespace(quick=True, only=None, page=False, fresh=False)
    found = measure("some", {"bad": missing, "good": lambda: 1}, given)
    assert {name: entry["result"] for name, entry in found.items()} == {"good": 1}
    assert "bad: not measured: mnist is not there" in capsys.readouterr().out
    assert (tmp_path / "quick" / "some.jsonl").exists()  # the same command goes on
