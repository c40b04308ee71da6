"""A cluster of two worker processes, for the modules that need one."""

import itertools
import os
import signal
import time

import pytest

from l1kpca.gram import cluster


@pytest.fixture
def client(two_processes):
    """A cluster of two worker processes, for those tests alone that ask for it."""
    with two_processes.as_current():
        yield two_processes


@pytest.fixture(scope="module")
def two_processes(forked_workers):
    """Two worker processes.

    A cluster gives up a lost worker some seconds later unless one of its name is there then. The
    next test kills that one, so these seconds must not end while the tests run.
    """
    dask = pytest.importorskip("dask")
    from distributed import Client, LocalCluster

    settings = {
        "distributed.comm.timeouts.connect": "10s",
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit="1GB",
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def kill_a_worker(client, monkeypatch):
    """Kill a worker once the caller waits for so many results; says whether it has happened.

    A nanny replaces a worker that dies, but not one that dies while it is being started: so the
    next test begins when all are there again.
    """
    killed, waits, original = [], itertools.count(1), cluster._Cluster.results

    def at(count):
        def results(self, tasks):
            if next(waits) == count:
                killed.append(next(iter(client.cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)
            return original(self, tasks)

        monkeypatch.setattr(cluster._Cluster, "results", results)
        return killed

    yield at
    wait_for_new_workers(client, killed)


@pytest.fixture
def count_tasks(monkeypatch):
    """How many tasks each call starts from now on, in a list that grows."""

    def counting(client):
        counts, submit, send = [], client.submit, client.map

        def submitted(*arguments, **options):
            counts.append(1)
            return submit(*arguments, **options)

        def sent(*arguments, **options):
            found = send(*arguments, **options)
            counts.append(len(found))
            return found

        monkeypatch.setattr(client, "submit", submitted)
        monkeypatch.setattr(client, "map", sent)
        return counts

    return counting


def bytes_sent_by_workers(client):
    totals = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(totals.values())


def wait_for_new_workers(client, killed):
    """Until the nannies run processes other than these, and the scheduler knows them."""
    deadline = time.monotonic() + 120
    nannies = client.cluster.workers.values()
    while any(
        nanny.pid in killed or part is None or part.status.name != "running"
        for nanny in nannies
        for part in (nanny, nanny.process)
    ):
        assert time.monotonic() < deadline, "a nanny has not started its worker again"
        time.sleep(0.05)
    client.wait_for_workers(2, timeout=60)
