"""Fit, score, report and save again and again, here and on a Dask cluster: nothing may pile up.

Memory, threads, file handles and temporary files of each process are counted after every round.
After a warm-up of a third of the rounds, memory may grow by 2 % and nothing else at all.

    python -m scripts.soak --minutes 60
"""

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import dask.array as da
import numpy as np
from dask.utils import key_split
from distributed import Client, wait
from distributed.deploy.subprocess import SubprocessCluster

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers, persistence
from l1kpca.report import report

GROWTH = 0.02
"""Share by which resident memory may differ after the warm-up."""
ROUNDS = 12
"""The fewest rounds that say anything."""
SHORT_LOGS = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__LOG_LENGTH": "60",
    "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "100",
    "DASK_DISTRIBUTED__ADMIN__LOG_LENGTH": "100",
}
"""Dask's own logs are bounded, but fill for up to an hour: these are full within the warm-up."""


def state():
    """What a leak would raise, of this process: bytes in memory, threads, open files."""
    own = Path("/proc/self")
    pages = int((own / "statm").read_text().split()[1])
    return {
        "resident": pages * os.sysconf("SC_PAGE_SIZE"),
        "threads": len(list((own / "task").iterdir())),
        "files": len(list((own / "fd").iterdir())),
    }


def work_here(k, folder):
    """One round in this process: every kind of Gram, a detector with its page, a saved model."""
    rng = np.random.default_rng(k % 7)
    X, large = rng.normal(size=(150, 4)), rng.normal(size=(700, 4))
    L1KernelPCA(2, kernel="rbf", random_state=k).fit(X).transform(X)
    L1KernelPCA(2, random_state=k, n_jobs=2).fit(X).inverse_transform(X[:, :2])
    L1KernelPCA(1, kernel="rbf", n_jobs=2, n_starts=2, random_state=k).fit(large)
    L1KernelPCA(1, kernel="laplacian", gram="blocked", n_jobs=2, start="random").fit(X)
    peers.L2KernelPCA(2, kernel="rbf").fit(X).transform(X)
    try:
        L1KernelPCA(0).fit(X)  # a refused fit leaves nothing behind either
    except ValueError:
        detector = KernelPCAOutlierDetector(random_state=k).fit(X)
    report(detector, X).save(folder / "page.html", overwrite=True)
    persistence.save(detector, folder / "model.skops", overwrite=True)
    loaded = persistence.load(folder / "model.skops").estimator
    assert (loaded.score_samples(X) == detector.score_samples(X)).all()


def work_there(k, X):
    """One round on the cluster: a fit on partitions, and scores that are made where they are."""
    pca = L1KernelPCA(1, random_state=k).fit(X)
    assert np.isfinite(pca.transform(X).sum().compute())


def repeated(work, measure, minutes, rounds):
    """States after each round: for so many minutes, or so many rounds if they are given."""
    states, end = [], time.monotonic() + 60 * minutes
    while len(states) < (rounds or ROUNDS) or (not rounds and time.monotonic() < end):
        work(len(states))
        gc.collect()
        states.append(measure())
    return states


def here(minutes, rounds=None):
    """States of this process; temporary files are those in a folder of its own."""
    with tempfile.TemporaryDirectory() as top:
        own, outputs = Path(top) / "temporary", Path(top) / "outputs"
        own.mkdir(), outputs.mkdir()
        before, tempfile.tempdir = tempfile.tempdir, str(own)
        try:
            return repeated(
                lambda k: work_here(k, outputs),
                lambda: state() | {"left over": sum(1 for _ in own.rglob("*"))},
                minutes,
                rounds,
            )
        finally:
            tempfile.tempdir = before


def forget_spans(dask_scheduler):
    """Let the scheduler keep no spans.

    Dask keeps a span for every group of tasks that ever ran, on the scheduler, and figures for each
    span on the workers, without a bound (dask/distributed#7977).  Beside that no leak of ours could
    be seen.
    """
    nothing = SimpleNamespace(observe_tasks=lambda *_, **__: {}, heartbeat=lambda *_: None)
    dask_scheduler.extensions["spans"] = nothing


def collected():
    """The state of a process of the cluster; Dask remembers the names of its last 100,000 tasks."""
    key_split.cache_clear()
    gc.collect()
    return state()


def known(dask_scheduler):
    """The state of the scheduler, and how many tasks it knows."""
    return collected() | {"tasks": len(dask_scheduler.tasks)}


def on_a_cluster(minutes, rounds=None, spans=False):
    """States of this process, of the scheduler and of two workers, each a process of its own."""
    rows = np.random.default_rng(0).normal(size=(2000, 4))
    with (
        patch.dict(os.environ, SHORT_LOGS),
        SubprocessCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        if not spans:
            client.run_on_scheduler(forget_spans)
        X = da.from_array(rows, chunks=(1000, 4)).persist()
        wait(X)

        def measure():
            states = {"caller": collected(), "scheduler": client.run_on_scheduler(known)}
            for number, found in enumerate(client.run(collected).values(), start=1):
                states[f"worker {number}"] = found
            return {f"{who}, {k}": v for who, found in states.items() for k, v in found.items()}

        return repeated(lambda k: work_there(k, X), measure, minutes, rounds)


RUNS = {"one process": here, "Dask cluster": on_a_cluster}
GROWS = {"Dask cluster that keeps spans": partial(on_a_cluster, spans=True)}
"""Only if asked for: what `forget_spans` is there for."""


def judged(states):
    """First and last of each count after the warm-up, and whether it stayed."""
    later = states[len(states) // 3 :]
    part = max(1, len(later) // 4)
    found = {"rounds": len(states)}
    for key in states[0]:
        first, last = (
            statistics.median(s[key] for s in some) for some in (later[:part], later[-part:])
        )
        kept = last <= first * (1 + GROWTH) if key.endswith("resident") else last <= first
        found[key] = {"first": first, "last": last, "kept": bool(kept)}
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=4, help="half here, half on the cluster")
    parser.add_argument("--rounds", type=int, help="so many rounds of each instead")
    parser.add_argument("--only", choices=RUNS | GROWS, help="one, for all the minutes")
    parser.add_argument("--out", type=Path, help="a file for the figures, as JSON")
    given = parser.parse_args(arguments)
    names = [given.only] if given.only else list(RUNS)
    minutes = given.minutes / len(names)
    found = {name: judged((RUNS | GROWS)[name](minutes, given.rounds)) for name in names}
    text = json.dumps({"minutes": given.minutes, **found}, indent=1)
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(text + "\n", encoding="utf-8")
    print(text)
    counts = [v for run in found.values() for v in run.values() if isinstance(v, dict)]
    return 0 if all(count["kept"] for count in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
