"""The long run in small: fits, scores, pages and saved models leave nothing behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from scripts import soak

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(3000)
def test_nothing_piles_up(tmp_path, record_property):
    """In one process; in the nightly profile for longer, and on a Dask cluster too."""
    nightly = settings().max_examples >= 1000
    rounds, runs = (300, list(soak.RUNS)) if nightly else (18, ["one process"])
    for name in runs:
        command = [sys.executable, "-m", "scripts.soak", "--rounds", str(rounds), "--only", name]
        done = subprocess.run(
            [*command, "--out", str(tmp_path / "soak.json")],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        found = json.loads((tmp_path / "soak.json").read_text())[name]
        record_property(name, found)
        assert found["rounds"] == rounds


@pytest.mark.parametrize(
    ("key", "step", "kept"),
    [("resident", 0, True), ("resident", 2_000_000, False), ("threads", 1, False),
     ("files", 1, False), ("left over", 1, False), ("worker 2, resident", 400_000, False),
     ("scheduler, tasks", 1, False)],
)  # fmt: skip
def test_a_leak_would_have_been_seen(key, step, kept):
    """Guards the test above: a little more in every round."""
    base = {"resident": 200_000_000, "threads": 3, "files": 20, "left over": 0,
            "worker 2, resident": 200_000_000, "scheduler, tasks": 2}  # fmt: skip
    states = [base | {key: base[key] + k * step} for k in range(30)]
    found = soak.judged(states)
    assert found[key]["kept"] == kept
    assert all(found[other]["kept"] for other in base if other != key)


def test_what_is_loaded_at_first_is_no_leak():
    loaded = [{"resident": 10**6 * min(k, 9)} for k in range(30)]
    assert soak.judged(loaded)["resident"]["kept"]


def test_a_run_takes_its_minutes_or_its_rounds():
    assert len(soak.repeated(lambda k: None, dict, minutes=9, rounds=3)) == 3
    assert len(soak.repeated(lambda k: None, dict, minutes=0, rounds=None)) == soak.ROUNDS
