"""Runs: what is kept, what is not run again, what is cut off."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l1kpca import L1KernelPCA
from l1kpca.experiments import EXPERIMENTS, Experiment, Settings, Task, make_plan, read_results, run
from l1kpca.experiments import runner as runner_module
from l1kpca.experiments.isolation import run_apart
from l1kpca.journal import CUT_OFF, DONE, FAILED, NO_DATA, NOT_RUN, Journal, Outcome
from l1kpca.task_runs import run_here


def failing(task, data_dir):
    raise ValueError("no such thing")


FAIL = Experiment("fail", lambda settings: [], failing)


def counting(calls, n_tasks=3, stop_at=None):
    def plan(settings):
        return [Task("counted", "part", {"seed": seed}) for seed in range(n_tasks)]

    def measure(task, data_dir):
        if task.parameters["seed"] == stop_at:
            raise KeyboardInterrupt
        calls.append(task.parameters["seed"])
        return [{"value": 10.0 * task.parameters["seed"]}]

    return Experiment("counted", plan, measure)


@pytest.fixture
def counted(monkeypatch):
    calls = []

    def use(**given):
        experiment = counting(calls, **given)
        monkeypatch.setitem(runner_module.EXPERIMENTS, "counted", experiment)
        return calls

    return use


def test_rows_are_tidy_and_carry_versions_seeds_and_machine(counted, tmp_path):
    counted()
    frame = run(["counted"], tmp_path)
    assert frame["value"].tolist() == [0.0, 10.0, 20.0]
    assert frame["seed"].tolist() == [0, 1, 2]
    assert {"version_l1kpca", "version_numpy", "machine", "cores", "started"} <= set(frame.columns)
    pd.testing.assert_frame_equal(read_results(tmp_path), frame, check_dtype=False)
    assert len(pd.read_csv(tmp_path / "results.csv")) == 3


def test_a_second_run_runs_nothing(counted, tmp_path):
    calls = counted()
    run(["counted"], tmp_path)
    run(["counted"], tmp_path)
    assert calls == [0, 1, 2]


def test_a_stopped_run_goes_on_where_it_stopped(counted, tmp_path):
    calls = counted(stop_at=1)
    with pytest.raises(KeyboardInterrupt):
        run(["counted"], tmp_path)
    assert read_results(tmp_path)["status"].tolist() == [DONE, NOT_RUN, NOT_RUN]
    counted()
    assert run(["counted"], tmp_path)["status"].tolist() == [DONE] * 3
    assert calls == [0, 1, 2]


def test_a_line_that_was_cut_short_is_run_again(counted, tmp_path):
    calls = counted()
    run(["counted"], tmp_path)
    journal = tmp_path / "journal.jsonl"
    text = journal.read_text()
    journal.write_text(text[: len(text) - 20])
    assert run(["counted"], tmp_path)["status"].tolist() == [DONE] * 3
    assert calls == [0, 1, 2, 2]


def test_progress_ends_with_all_work_done(counted, tmp_path):
    counted()
    told = []
    run(["counted"], tmp_path, progress=lambda done, total, doing: told.append((done, total)))
    assert told == [(0.0, 3.0), (1.0, 3.0), (2.0, 3.0), (3.0, 3.0)]


@pytest.mark.parametrize(("budget", "status"), [(1e-4, CUT_OFF), (120.0, DONE)])
def test_a_task_in_its_own_process_is_cut_off_by_its_budget(budget, status):
    at = {"dataset": "wbc", "kernel": "linear", "gram": "dense", "method": "Algorithm 1"}
    task = Task("runtime", "table", at, budgeted=True)
    outcome = run_apart(EXPERIMENTS["runtime"], task, None, budget)
    assert outcome.status == status
    if status == CUT_OFF:
        assert outcome.message == "stopped after 0.0001 s"
    else:
        (row,) = outcome.rows
        assert row["n_components"] == 30
        assert row["passes"] > 30
        assert row["seconds"] > 0


def test_a_task_that_fails_says_why():
    outcome = run_here(FAIL, Task("fail", "x"), None)
    assert outcome.status == FAILED
    assert outcome.message == "ValueError: no such thing"


def test_what_was_cut_off_is_run_again_only_with_a_larger_budget(tmp_path):
    journal = Journal(tmp_path)
    journal.begin_run()
    task = Task("sleep", "x", {"seconds": 9.0}, budgeted=True)
    journal.add(task, Outcome([], CUT_OFF), budget=5.0)
    again = Journal(tmp_path)
    assert not again.needs(task, 5.0)
    assert again.needs(task, 6.0)
    failed = Task("fail", "x")
    again.add(failed, Outcome([], FAILED, "why"), budget=5.0)
    assert Journal(tmp_path).needs(failed, 5.0)


def test_a_missing_data_set_is_named_and_not_run(tmp_path):
    frame = Journal(tmp_path).frame([Task("o", "p", dataset="musk")], missing=frozenset({"musk"}))
    assert frame["status"].tolist() == [NO_DATA]


@pytest.mark.parametrize("quick", [True, False])
def test_plans_are_plain_unique_and_known(quick):
    plan = make_plan(EXPERIMENTS, Settings(quick=quick))
    assert len({task.key for task in plan}) == len(plan)
    for task in plan:
        assert json.loads(json.dumps(task.parameters)) == task.parameters
        assert task.experiment in EXPERIMENTS


def test_the_full_plan_is_the_papers():
    plan = make_plan(["robustness"], Settings())
    paper = [task.parameters for task in plan if not task.parameters["center"]]
    assert {at["corrupted"] for at in paper} == {5, 10, 15, 20, 25, 30}
    assert {at["seed"] for at in paper} == set(range(10))
    assert {at["sigma"] for at in paper} == {None, 10.0, 15.0, 20.0, 25.0}
    assert {(at["n_samples"], at["n_features"], at["rank"]) for at in paper} == {(1000, 50, 10)}


def test_a_budget_must_be_positive():
    with pytest.raises(ValueError, match="budget=0 must be positive; give seconds, such as 60"):
        Settings(budget=0)


def test_results_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="l1kpca reproduce --out DIR writes it"):
        read_results(tmp_path)


def test_the_experiment_of_the_page_on_extending_works(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "extending.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    (example,) = [block for block in blocks if "def measure" in block]
    names = {"np": np, "Task": Task, "L1KernelPCA": L1KernelPCA}
    exec(example, names)
    experiment = Experiment("starts", names["plan"], names["measure"])
    monkeypatch.setitem(runner_module.EXPERIMENTS, "starts", experiment)
    frame = run(["starts"], tmp_path, Settings(quick=True))
    assert frame["status"].tolist() == [DONE] * 2
    assert frame["same"].isin([True, False]).all()
