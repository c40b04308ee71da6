"""A process that is killed while it writes leaves the old file or the new one."""

import json
import subprocess
import sys

import pytest

# Each kind writes one of two contents again and again; both are known to be whole when read back.
# A child is forked for every kill, so that the packages are loaded but once.
WRITERS = """
import json, os, random, signal, sys, time, warnings
from pathlib import Path
import numpy as np, pandas as pd
from matplotlib.figure import Figure
from l1kpca import L1KernelPCA, persistence
from l1kpca.cli.app import run
from l1kpca.estimators.checkpoint import Checkpointed
from l1kpca.components.base import Component
from l1kpca.directions.base import Status
from l1kpca.files import replacing
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import Workers
from l1kpca.tables.output import write_table

top, kills = Path(sys.argv[1]), int(sys.argv[2])
GRAM = StoredGram(np.eye(2), Workers())
FRAMES = [pd.DataFrame({"a": np.full(30_000, float(i)), "t": [str(i)] * 30_000}) for i in (1, 2)]
MODELS = [L1KernelPCA(1).fit(i * np.random.default_rng(i).normal(size=(4_000, 6))) for i in (1, 2)]

REFERENCES = [np.random.default_rng(i).normal(size=(400 + i, 3)) for i in (1, 2)]


def calibrate(path, i):
    rows = path.parent.parent / f"reference{i}.npy"
    if not rows.exists():
        np.save(rows, REFERENCES[i - 1])
    if not path.exists():
        run(["detect", str(rows), "--contamination", "0", "--save", str(path), "-q"])
    assert run(["calibrate", str(path), str(rows), "-q"]) == 0


def is_calibrated(path):
    # By all rows of one of the references.
    detector = persistence.load(path).estimator
    held = detector.calibration_.abnormality
    named = [pd.DataFrame(rows, columns=["x0", "x1", "x2"]) for rows in REFERENCES]
    right = [-detector.score_samples(rows) for rows in named]
    [rows] = [place for place, one in enumerate(right) if len(one) == len(held)]
    return np.array_equal(held, right[rows])


def component(i):
    many = np.full(100_000, float(i))
    return Component(many, many, np.full(100_000, i, dtype="int8"), (1.0,), list(Status)[0], 1)


def write_text(path, text):
    with replacing(path, overwrite=True) as temporary:
        temporary.write_text(text)


def write_figure(path, i):
    figure = Figure()
    figure.subplots().plot(np.arange(20_000), i * np.arange(20_000))
    with replacing(path, overwrite=True) as temporary:
        figure.savefig(temporary, format="svg")


def saved(path):
    return Checkpointed(None, path, "same", 0)


KINDS = {
    "csv": ("t.csv", lambda p, i: write_table([FRAMES[i - 1]], p, overwrite=True),
            lambda p: read_frame(pd.read_csv(p))),
    "parquet": ("t.parquet", lambda p, i: write_table([FRAMES[i - 1]], p, overwrite=True),
                lambda p: read_frame(pd.read_parquet(p))),
    "report": ("r.html", lambda p, i: write_text(p, f"<{i}>" * 300_000),
               lambda p: read_text(p.read_text())),
    "figure": ("f.svg", write_figure, lambda p: p.read_text().rstrip().endswith("</svg>")),
    "model": ("m.skops", lambda p, i: persistence.save(MODELS[i - 1], p, overwrite=True),
              lambda p: persistence.load(p).estimator.X_fit_.shape == (4_000, 6)),
    "calibration": ("d.skops", calibrate, is_calibrated),
    "checkpoint": ("c.npz", lambda p, i: saved(p).save([component(i)], GRAM, np.ones((2, 2))),
                   lambda p: len(saved(p).load(GRAM, np.ones((2, 2)))) == 1),
}


def read_frame(frame):
    return len(frame) == 30_000 and frame["a"].nunique() == 1


def read_text(text):
    return len(text) == 3 * 300_000 and set(text) in ({*"<1>"}, {*"<2>"})


def write_for_ever(write, path):
    while True:
        write(path, 1)
        write(path, 2)


def kill_again_and_again(kind):
    name, write, is_whole = KINDS[kind]
    folder = top / kind
    folder.mkdir()
    path = folder / name
    write(path, 1)
    rng = random.Random(0)
    whole = 0
    for _ in range(kills):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
            child = os.fork()
        if child == 0:
            write_for_ever(write, path)
        time.sleep(rng.uniform(0.0, 0.2))
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        whole += bool(is_whole(path))
    write(path, 1)  # a rerun is right, whatever was left
    whole += bool(is_whole(path))
    return {"whole": whole, "left": [p.name for p in folder.iterdir() if p != path]}


print(json.dumps({kind: kill_again_and_again(kind) for kind in KINDS}))
"""  # fmt: skip
KILLS = 5
KINDS = ["csv", "parquet", "report", "figure", "model", "calibration", "checkpoint"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    done = subprocess.run(
        [sys.executable, "-c", WRITERS, str(folder), str(KILLS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_killed_while_writing(kind, found):
    assert found[kind]["whole"] == KILLS + 1
    # What was being written stays under a name that nobody takes for a result.
    assert all(name.endswith(".part") for name in found[kind]["left"])


def test_every_kind_of_file_was_tried(found):
    assert sorted(found) == sorted(KINDS)
