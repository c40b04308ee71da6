"""Work on batches of rows, here or on the workers of a cluster."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from l1kpca.cli.terminal import InputError

_SECONDS = 10  # to find a scheduler
_UNDER_WAY = 2  # batches for each thread of the workers


@contextmanager
def connected(address: str) -> Iterator[bool]:
    """True, with a cluster to work on, which is left when the command ends."""
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        lacking = "--cluster needs dask, which is not installed; install it with: "
        raise InputError(f"{lacking}pip install 'l1kpca[dask]'.") from error
    # Batches travel within their tasks, so that the scheduler can repeat what a lost worker did.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        try:
            client = Client(address, timeout=_SECONDS)
        except (OSError, ValueError) as error:
            silent = f"--cluster {address}: no Dask scheduler answers"
            way_out = "give the address of one that runs, such as tcp://host:8786."
            raise InputError(f"{silent}; {way_out}") from error
        with client:
            yield True


def each(
    work: Callable[[Any, Any], Any], model: Any, batches: Iterable[Any], *, spread: bool
) -> Iterator[tuple[Any, Any]]:
    """Batches with what ``work(model, batch)`` gives, in their order; by workers if ``spread``."""
    if not spread:
        for batch in batches:
            yield batch, work(model, batch)
        return
    from l1kpca.gram.cluster import the_cluster

    cluster, waiting = the_cluster(), deque[tuple[Any, Any]]()
    sent = cluster.send(model)
    for batch in batches:
        waiting.append((batch, cluster.call(work, sent, batch)))
        if len(waiting) > _UNDER_WAY * cluster.n_threads:
            batch, task = waiting.popleft()
            yield batch, cluster.results([task])[0]
    for batch, task in waiting:
        yield batch, cluster.results([task])[0]
