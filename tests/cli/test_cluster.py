"""Batches on a real cluster of processes give the scores of one machine."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")
from distributed import Client, LocalCluster

from l1kpca.cli import detection


@pytest.fixture(scope="module")
def cluster(forked_workers):
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found


@pytest.fixture
def table(tmp_path, monkeypatch):
    """More rows than are kept in memory, in several files."""
    monkeypatch.setattr(detection, "SAMPLE_ROWS", 300)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(2000, 3)), columns=list("abc"))
    rows["kind"] = rng.choice(["x", "y"], 2000)
    rows.loc[1234, "b"] = 90.0
    for part in range(8):
        rows.iloc[250 * part : 250 * (part + 1)].to_parquet(tmp_path / f"{part}.parquet")
    return str(tmp_path)


def scores(cli, *arguments):
    *_, out = arguments
    done = cli(*arguments[:-1], "--out", out, "--force", "-q")
    assert done.status == 0, done.stderr
    return pd.read_parquet(out)


def test_same_scores_as_on_one_machine(cli, table, cluster, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    model = out / "m.skops"
    here = scores(cli, "detect", table, "--save", model, out / "here.parquet")
    there = scores(
        cli, "detect", table, "--cluster", cluster.scheduler_address, out / "there.parquet"
    )
    pd.testing.assert_frame_equal(there, here)
    assert here["score"].idxmax() == 1234
    scored = scores(
        cli, "score", model, table, "--cluster", cluster.scheduler_address, out / "s.parquet"
    )
    np.testing.assert_allclose(scored["score"], here["score"], rtol=1e-9)
    reducing = ("reduce", table, "--components", "2")
    pd.testing.assert_frame_equal(
        scores(cli, *reducing, "--cluster", cluster.scheduler_address, out / "r.parquet"),
        scores(cli, *reducing, out / "r1.parquet"),
    )


def test_a_killed_worker_changes_nothing(cli, table, cluster, tmp_path_factory, monkeypatch):
    out = tmp_path_factory.mktemp("out")
    here = scores(cli, "detect", table, out / "here.parquet")
    with Client(cluster.scheduler_address, set_as_default=False) as client:
        pid = next(iter(client.run(os.getpid).values()))
    each, killed = detection.each, []

    def and_kill(*arguments, **options):
        for found in each(*arguments, **options):
            if not killed:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            yield found

    monkeypatch.setattr(detection, "each", and_kill)
    there = scores(
        cli, "detect", table, "--cluster", cluster.scheduler_address, out / "there.parquet"
    )
    assert killed
    pd.testing.assert_frame_equal(there, here)


def test_no_cluster_is_one_sentence(cli, table, monkeypatch):
    monkeypatch.setattr("l1kpca.cli.detection._SECONDS", 0.2)
    done = cli("detect", table, "--cluster", "tcp://127.0.0.1:9")
    assert done.status == 2
    assert done.stderr == (
        "l1kpca: --cluster tcp://127.0.0.1:9: no Dask scheduler answers; give the address of one"
        " that runs, such as tcp://host:8786.\n"
    )


SCHEDULER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    one = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with LocalCluster(**one, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(600)
"""


def test_a_killed_scheduler_is_one_sentence_and_leaves_no_file(
    cli, table, tmp_path_factory, start_script, monkeypatch
):
    out = tmp_path_factory.mktemp("out")
    scheduler = start_script(SCHEDULER)
    address = scheduler.stdout.readline().strip()
    each, killed = detection.each, []

    def and_kill(*arguments, **options):
        for found in each(*arguments, **options):
            if not killed:
                scheduler.kill()
                killed.append(scheduler.wait())
            yield found

    monkeypatch.setattr(detection, "each", and_kill)
    done = cli("detect", table, "--cluster", address, "--out", out / "o.csv", "-q")
    assert killed
    assert done.status == 2, done.stderr
    assert "is gone: start a cluster" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(out.iterdir()) == []
