"""Fetching the pinned files: checked by sha256, kept in a cache, never half a file.

pooch does the work. It streams to a temporary name beside the target, checks the sum, and only
then renames, so a download that is cut off never looks like a data file.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from l1kpca.datasets.catalog import DatasetInfo, info
from l1kpca.datasets.loaders import default_cache_dir

BASE_URL = "https://raw.githubusercontent.com/yzhao062/pyod"
URL_VARIABLE = "L1KPCA_DATA_URL"

Progress = Callable[[int, int], None]


class FetchError(RuntimeError):
    """A data file could not be fetched; the text is one sentence that says why."""


def fetch(
    name: str,
    cache_dir: str | os.PathLike[str] | None = None,
    *,
    base_url: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> Path:
    """Download the pinned ``.mat`` file of a data set, or find it in the cache.

    A file in the cache whose sha256 is the pinned one is used as it is, without a connection.
    Anything else is downloaded to a temporary name, checked, and renamed only if it is right;
    what was in the cache before stays until then. Call it again after a failure: files that
    are complete are not downloaded twice.

    Parameters
    ----------
    name : str
        One of `names`.
    cache_dir : path-like, optional
        Where to keep the file; by default `default_cache_dir`, where `load` looks too.
    base_url : str, optional
        Address of a mirror with the same paths below it. By default the environment variable
        ``L1KPCA_DATA_URL``, else the GitHub repository ``yzhao062/pyod``.
    progress : callable, optional
        Called as ``progress(done, total)``, in bytes, while the file comes in: what a progress
        bar needs. `total` is 0 if the server does not tell it.
    timeout : float, default=30.0
        Seconds to wait for the server's next bytes.

    Returns
    -------
    path : Path
        The complete, checked file.

    Raises
    ------
    ValueError
        If the name is unknown or the address is not one of http.
    FetchError
        If the server is out of reach, refuses, breaks off, or sends other bytes.
    ImportError
        If the extra ``experiments`` is not installed.

    Examples
    --------
    Nothing is served on port 9 of this machine, so this stands for a machine that is offline:

    >>> import tempfile
    >>> from l1kpca import datasets
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     try:
    ...         path = datasets.fetch("musk", cache, base_url="http://127.0.0.1:9")
    ...     except datasets.FetchError as error:
    ...         print(error)
    musk was not fetched: ...
    """
    facts = info(name)
    pooch = _import_pooch()
    url = _address(facts, base_url)
    folder = Path(cache_dir) if cache_dir is not None else default_cache_dir()
    target = folder / f"{name}.mat"
    if target.is_file() and pooch.file_hash(str(target), alg="sha256") == facts.sha256:
        return target
    bar = _Meter(progress) if progress is not None else False
    with _explained(facts, url, folder), _quiet(pooch.get_logger()):
        pooch.retrieve(
            url,
            known_hash=f"sha256:{facts.sha256}",
            fname=target.name,
            path=folder,
            downloader=pooch.HTTPDownloader(progressbar=bar, timeout=timeout),
        )
    return target


def _address(facts: DatasetInfo, base_url: str | None) -> str:
    base = base_url or os.environ.get(URL_VARIABLE) or BASE_URL
    if not base.startswith(("http://", "https://")):
        raise ValueError(
            f"base_url={base!r} is not an http address; it must start with http:// or https://."
        )
    return f"{base.rstrip('/')}/{facts.path}"


def _import_pooch() -> ModuleType:
    try:
        import pooch  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        raise ImportError(
            "datasets.fetch needs pooch, which is not installed; "
            "install it with: pip install 'l1kpca[experiments]'."
        ) from error
    return pooch


@contextlib.contextmanager
def _explained(facts: DatasetInfo, url: str, folder: Path) -> Iterator[None]:
    """Turn whatever pooch and requests raise into one sentence."""
    from requests import exceptions as failures  # noqa: PLC0415 (comes with pooch)

    what = f"{facts.name} was not fetched"
    try:
        yield
    except failures.HTTPError as error:
        status = _closed_status(error.response)
        raise FetchError(f"{what}: the server answered {status} for {url}.") from error
    except failures.ChunkedEncodingError as error:
        raise FetchError(
            f"{what}: the connection broke off before the end of {url}, so nothing was kept; "
            "try again."
        ) from error
    except failures.RequestException as error:
        raise FetchError(
            f"{what}: {url} could not be reached ({type(error).__name__}); check the network, "
            "or pass data_dir to datasets.load with a copy of the file."
        ) from error
    except ValueError as error:
        raise FetchError(
            f"{what}: the sha256 of {url} is not the pinned {facts.sha256}, so nothing was kept."
        ) from error
    except OSError as error:
        raise FetchError(
            f"{what}: cache_dir={str(folder)!r} cannot be written ({error.strerror}); "
            "choose another directory."
        ) from error


def _closed_status(response: Any) -> str:
    response.close()  # pooch leaves it open when the server refuses
    return f"{response.status_code} {response.reason}"


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Hold back pooch's notes on what it downloads: a library does not talk."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


class _Meter:
    """What pooch drives as a progress bar: passes (bytes done, bytes in all) to a callable."""

    def __init__(self, report: Progress) -> None:
        self.report = report
        self.total = 0
        self._done = 0

    def update(self, count: int) -> None:
        # pooch counts whole chunks, also for the last, shorter one
        self._done = min(self._done + count, self.total)
        self.report(self._done, self.total)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        """Nothing to close: whatever is drawn belongs to the caller."""
