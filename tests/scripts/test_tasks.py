"""Finished tasks on disk: what is there is not computed again, whatever stopped the run."""

import json

import numpy as np
import pytest

from scripts.tasks import Tasks


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "tasks.jsonl"


def forbidden():
    raise AssertionError("was computed again")


def test_a_finished_task_is_not_computed_again(path):
    result = Tasks(path).run({"seed": 1, "n": 2}, lambda: [{"x": np.float64(0.1), "y": None}])
    assert result == [{"x": 0.1, "y": None}]
    later = Tasks(path)
    assert later.run({"n": 2, "seed": 1}, forbidden) == result  # the order in a key is no matter
    assert later.get({"n": 2, "seed": 1}) == result
    assert len(later.runs) == 1  # nothing was added


def test_a_new_result_is_what_the_file_holds(path):
    values = {"array": np.arange(3), "pair": (1, np.inf)}
    new = Tasks(path).run("a", lambda: values)
    assert new == Tasks(path).get("a") == {"array": [0, 1, 2], "pair": [1, np.inf]}


def test_a_half_written_line_is_done_again_and_the_rest_is_kept(path):
    tasks = Tasks(path)
    for key in "abc":
        tasks.run(key, lambda: 1)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-10], encoding="utf-8")
    later = Tasks(path)
    assert [later.get(key) for key in "abc"] == [1, 1, None]
    later.run("c", lambda: 2)
    last = Tasks(path)
    assert [last.get(key) for key in "abc"] == [1, 1, 2]
    assert [last.entries[json.dumps(key)]["run"] for key in "abc"] == [0, 0, 1]


def test_a_run_killed_in_its_first_line_starts_over(path):
    path.parent.mkdir()
    path.write_text('{"star', encoding="utf-8")
    assert Tasks(path).run("a", lambda: 1) == 1
    assert Tasks(path).get("a") == 1


def test_a_failure_is_not_stored(path):
    with pytest.raises(AssertionError):
        Tasks(path).run("a", forbidden)
    assert Tasks(path).run("a", lambda: 1) == 1


def test_again_replaces_a_result(path):
    Tasks(path).run("a", lambda: 1)
    assert Tasks(path).run("a", lambda: 2, again=True) == 2
    assert Tasks(path).get("a") == 2


def test_versions_and_machine_are_kept(path):
    Tasks(path).run("a", lambda: 1)
    (run,) = Tasks(path).runs
    assert run.keys() >= {"started", "l1kpca", "numpy", "python", "machine", "cores"}


def test_a_line_for_each_new_task(path, capsys):
    tasks = Tasks(path, total=2)
    tasks.run("a", lambda: 1)
    tasks.run("a", forbidden)
    assert capsys.readouterr().err.startswith('1/2 "a" ')
    Tasks(path, quiet=True).run("b", lambda: 1)
    assert capsys.readouterr().err == ""


def test_another_file_is_refused(path):
    path.parent.mkdir()
    path.write_text("x,y\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"tasks\.jsonl holds no finished tasks"):
        Tasks(path)


def test_a_task_that_fails_does_not_end_the_run(path):
    tasks = Tasks(path)
    pairs = [("a", lambda: 1), ("b", forbidden), ("c", lambda: 3)]
    found = [(key, result, str(error)) for key, result, error in tasks.run_all(pairs)]
    assert found == [("a", 1, "None"), ("b", None, "was computed again"), ("c", 3, "None")]
    assert tasks.about("c") == tasks.runs[0]
    with pytest.raises(AssertionError):
        list(tasks.run_all(pairs, OSError))


def test_what_the_file_holds_can_be_forgotten(path):
    Tasks(path).run("a", lambda: 1)
    assert Tasks(path, fresh=True).get("a") is None
