"""Commands struck at any moment, by Ctrl-C or a kill: whole files or none, and no debris."""

import inspect
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import l1kpca
from l1kpca import persistence
from l1kpca.cli import detection
from l1kpca.cli.app import run

OURS = str(Path(l1kpca.__file__).parent)
STRIKES = 12


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Rows in several files, more of them than are kept in memory, and a model."""
    folder = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(1200, 3)), columns=list("abc"))
    rows["kind"] = rng.choice(["x", "y"], 1200)
    for part in range(6):
        rows.iloc[200 * part : 200 * (part + 1)].to_csv(folder / f"{part}.csv", index=False)
    assert run(["detect", str(folder / "0.csv"), "-q", "--save", str(folder / "m.skops")]) == 0
    return folder


def words_of(command, files, folder):
    """A command line that writes all that the command can write."""
    out, model, rows = folder / "out.csv", files / "m.skops", files / "*.csv"
    return [str(word) for word in {
        "detect": ["detect", rows, "--out", out, "--report", folder / "page.html",
                   "--save", folder / "model.skops"],
        "score": ["score", model, rows, "--out", out],
        "reduce": ["reduce", rows, "--components", 2, "--out", out],
        "calibrate": ["calibrate", folder / "model.skops", rows],
    }[command]]  # fmt: skip


def check_whole(folder, n_rows=1200):
    """Nothing but results, each of them complete."""
    for path in folder.iterdir():
        if path.name == "out.csv":
            assert len(pd.read_csv(path)) == n_rows
        elif path.name == "page.html":
            assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
        else:
            assert path.name == "model.skops"
            assert persistence.load(path).estimator.n_features_in_ == 4


def struck(words, when):
    """Exit status of a command that is interrupted in its so many-th call, and its calls."""
    calls = 0

    def count(frame, event, _):
        nonlocal calls
        code = frame.f_code
        # Python itself forgets an interrupt in a generator that it is throwing away.
        plain = event == "call" and not code.co_flags & inspect.CO_GENERATOR
        if plain and code.co_filename.startswith(OURS):
            calls += 1
            if calls == when:
                os.kill(os.getpid(), signal.SIGINT)

    sys.setprofile(count)
    try:
        return run(words), calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("command", ["detect", "score", "reduce", "calibrate"])
def test_ctrl_c_in_every_phase(command, files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(detection, "SAMPLE_ROWS", 300)

    def folder(name):
        (tmp_path / name).mkdir()
        if command == "calibrate":
            (tmp_path / name / "model.skops").write_bytes((files / "m.skops").read_bytes())
        return tmp_path / name

    whole = folder("whole")
    status, calls = struck(words_of(command, files, whole), None)
    assert status == 0
    check_whole(whole)
    capsys.readouterr()
    for when in np.linspace(2, 0.99 * calls, STRIKES).astype(int):
        place = folder(str(when))
        status, _ = struck(words_of(command, files, place), when)
        said = capsys.readouterr().err
        assert status == 128 + signal.SIGINT, (when, calls, said)
        assert said.endswith("l1kpca: interrupted; no partial files were left.\n")
        assert "Traceback" not in said
        check_whole(place)


KILLED = """
import json, os, random, signal, sys, time, warnings
from pathlib import Path
from l1kpca.cli import detection
from l1kpca.cli.app import run

detection.SAMPLE_ROWS = 300
folder, kills, words = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
out = Path(words[-1])
for _ in range(2):  # the first loads what is compiled
    start = time.monotonic()
    assert run([*words, "--force", "-q"]) == 0
    took = time.monotonic() - start
expected = out.read_bytes()
rng, early = random.Random(0), 0
for _ in range(kills):
    out.unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
        child = os.fork()
    if child == 0:
        os._exit(run([*words, "-q"]))
    time.sleep(rng.uniform(0, took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    early += not out.exists()
    assert not out.exists() or out.read_bytes() == expected
left = [path.name for path in folder.iterdir() if path != out]
assert run([*words, "--force", "-q"]) == 0
print(json.dumps({"early": early, "left": left, "right": out.read_bytes() == expected}))
"""


@pytest.mark.parametrize("command", ["score", "reduce"])
def test_killed_at_random_moments_of_batches(command, files, tmp_path, run_script):
    place = tmp_path / "out"
    place.mkdir()
    words = words_of(command, files, place)
    found = json.loads(run_script(KILLED, place, 8, *words))
    assert found["right"]
    assert found["early"] > 0
    # What was being written has a name that nobody takes for a result.
    assert all(name.startswith(".") and name.endswith(".part") for name in found["left"])
