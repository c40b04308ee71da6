"""Targets are judged from rows, and the grid runs what is within its budget."""

import pandas as pd
import pytest

from l1kpca.bench import Settings, read_results
from l1kpca.bench.base import Context
from l1kpca.bench.grid import GRID, predicted
from l1kpca.bench.measured import Measured, NotMeasuredError, exponent, over
from l1kpca.bench.page import make_page, shortfall, target_line
from l1kpca.bench.results import write_results
from l1kpca.bench.runner import PARTS
from l1kpca.bench.stored import ALL, COLUMN
from l1kpca.bench.targets import TARGETS, judge
from l1kpca.bench.works import OURS, READ
from l1kpca.report.performance import to_html, to_markdown


def row(method, runs, **more):
    seconds = sorted(runs)[len(runs) // 2]
    common = {"status": "done", "size": "full", "experiment": "bench", "part": "mnist"}
    return {
        **common, "method": method, "seconds": seconds, "runs": runs, "case": ALL,
        "n_components": 78, **more,
    }  # fmt: skip


def mnist(ours):
    """Reads of one second; scikit-learn takes 200, ours what is given."""
    return pd.DataFrame(
        [
            row(READ, [1.0, 1.0, 1.0]),
            row(OURS, ours),
            row(COLUMN, [150.0, 150.0, 150.0]),
            row("scikit-learn arpack", [300.0, 300.0, 300.0]),
            row("scikit-learn randomized", [200.0, 200.0, 200.0]),
        ]
    )


def judged(frame, measure, case="Mnist, 78 components"):
    (found,) = [j for j in judge(frame) if (j.target.case, j.target.measure) == (case, measure)]
    return found


@pytest.mark.parametrize(
    ("ours", "ratio", "verdict"), [([156.0] * 3, 2.0, "met"), ([157.0] * 3, 157 / 78, "not met")]
)
def test_time_over_as_many_reads_as_components(ours, ratio, verdict):
    found = judged(mnist(ours), "time / reads of K")
    assert found.reached.value == pytest.approx(ratio)
    assert found.verdict == verdict


@pytest.mark.parametrize(("seconds", "verdict"), [(200.0, "met"), (201.0, "not met")])
def test_the_fastest_of_scikit_learn_counts(seconds, verdict):
    found = judged(mnist([seconds] * 3), "scikit-learn's fastest / ours")
    assert found.reached.value == pytest.approx(200 / seconds)
    assert found.verdict == verdict


def test_the_range_is_over_rounds():
    found = judged(mnist([78.0, 156.0, 312.0]), "time / reads of K").reached
    assert (found.lowest, found.value, found.highest, found.repeats) == (1.0, 2.0, 4.0, 3)
    assert target_line(judged(mnist([78.0, 156.0, 312.0]), "time / reads of K"))[2:] == [
        "≤ 2", "2.00", "1.00 to 4.00 (3)", "met",
    ]  # fmt: skip


def test_rounds_that_only_one_side_took_part_in_do_not_pair():
    long = pd.Series({"seconds": 20.0, "runs": [20.0] * 3})
    short = pd.Series({"seconds": 2.0, "runs": [2.0] * 5})
    assert over(long, short).repeats == 3


def test_what_was_not_measured_is_neither_met_nor_missed():
    verdicts = {j.verdict for j in judge(mnist([1.0] * 3))}
    assert verdicts == {"met", "not measured"}
    page = make_page(mnist([1.0] * 3))
    assert page.tally == {"met": 4, "not measured": len(TARGETS) - 4}


def test_a_reason_is_shown_only_where_a_target_is_not_met():
    met, missed = mnist([100.0] * 3), mnist([250.0] * 3)
    found = judged(missed, "time / reads of K")
    assert found.floor == "78 reads of K take 78 s, Algorithm 1 250 s, scikit-learn 200 s"
    assert shortfall(found) == f"{found.target.reason} Measured floor: {found.floor}."
    for render in (to_markdown, to_html):
        assert found.target.reason in render(make_page(missed), {})
        assert found.target.reason not in render(make_page(met), {})


def test_a_quick_run_judges_nothing():
    frame = mnist([100.0] * 3).assign(size="quick")
    assert {j.verdict for j in judge(frame)} == {"not judged", "not measured"}
    assert any("no number says anything about speed" in note for note in make_page(frame).notes)


def test_every_target_has_a_reason_and_a_line():
    lines = {(target.case, target.measure) for target in TARGETS}
    assert len(lines) == len(TARGETS)
    assert all(target.reason.endswith(".") for target in TARGETS)


def test_an_exponent_needs_two_sizes():
    with pytest.raises(NotMeasuredError, match="an exponent needs two sizes"):
        exponent([10], [1.0])


def test_rows_that_are_not_unique_are_not_taken():
    frame = pd.concat([mnist([1.0] * 3)] * 2)
    with pytest.raises(NotMeasuredError, match="2 rows for"):
        Measured(frame).one(part="mnist", method=READ)


def cells(settings=None):
    return {
        (at["kernel"], at["dtype"], at["n"], at["n_components"]): task
        for task in GRID.plan(settings or Settings())
        for at in [task.parameters]
    }


def test_the_grid_is_complete():
    sizes = {cell[2] for cell in cells()}
    assert sizes == {1000, 2000, 5000, 10_000, 20_000}
    assert {cell[3] for cell in cells()} == {2, 10, 50, 100}
    assert len(cells()) == 2 * 2 * 5 * 4


@pytest.mark.parametrize(
    ("method", "seconds"),
    [("scikit-learn dense", 8.0), ("scikit-learn arpack", 4.0), ("plain NumPy", 12.0)],
)
def test_times_are_predicted_from_the_next_smaller_size(method, seconds):
    known = {
        cells()["gaussian", "float64", 1000, 2].key: [
            {"method": "scikit-learn dense", "seconds": 1.0},
            {"method": "scikit-learn arpack", "seconds": 1.0},
            {"method": "plain NumPy", "cut_off": True, "predicted": 3.0},
        ]
    }
    context = Context(Settings(), 1.0, lambda task: known.get(task.key, []))
    cell = cells()["gaussian", "float64", 2000, 2]
    assert predicted(method, cell, context) == seconds
    assert predicted(method, cells()["gaussian", "float64", 1000, 2], context) == 0
    assert predicted(method, cells()["linear", "float64", 2000, 2], context) == 0


def test_a_competitor_beyond_the_budget_is_cut_off():
    quick = Settings(quick=True, budget=1.0)
    slow = [{"method": "plain NumPy", "seconds": 0.3}, {"method": OURS, "seconds": 9.0}]
    context = Context(quick, 0.0, lambda task: slow)
    rows = {
        row["method"]: row
        for row in GRID.measure(cells(quick)["gaussian", "float64", 200, 2], context)
    }
    assert rows["plain NumPy"] == {
        "method": "plain NumPy", "cut_off": True, "predicted": pytest.approx(1.2),
    }  # fmt: skip
    assert rows[OURS]["repeats"] == quick.repeats  # it is quick, so always repeated
    assert all("seconds" in row for name, row in rows.items() if name != "plain NumPy")


def test_plans_have_unique_keys():
    for settings in (Settings(), Settings(quick=True)):
        plan = [task.key for part in PARTS.values() for task in part.plan(settings)]
        assert len(set(plan)) == len(plan)


def test_results_survive_the_disk(tmp_path):
    frame = mnist([1.0, 2.0, 3.0]).assign(started="now", version_numpy="2", cores=2)
    write_results(frame, tmp_path)
    back = read_results(tmp_path)
    pd.testing.assert_frame_equal(back[frame.columns], frame)
    assert "run" not in back


def test_results_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="l1kpca bench --out DIR writes it"):
        read_results(tmp_path)


@pytest.mark.parametrize("name", ["budget", "minutes"])
def test_times_must_be_positive(name):
    with pytest.raises(ValueError, match=f"{name}=0 must be positive; give "):
        Settings(**{name: 0})
