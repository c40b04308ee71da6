"""Fetching the pinned files: checked by sha256, kept in a cache, never half a file."""

import hashlib
import http.client
import os
from collections.abc import Callable
from pathlib import Path
from urllib import error as failures
from urllib.request import urlopen

from l1kpca.datasets.loaders import default_cache_dir, info
from l1kpca.files import OutputError, replacing

BASE_URL = "https://raw.githubusercontent.com/yzhao062/pyod"
_CHUNK = 16_384

Progress = Callable[[int, int], None]


class FetchError(RuntimeError):
    """A data file could not be fetched; the text is one sentence that says why."""


def fetch(
    name: str, cache_dir: str | os.PathLike[str] | None = None, *, base_url: str | None = None,
    progress: Progress | None = None, timeout: float = 30.0,
) -> Path:  # fmt: skip
    """Download the pinned ``.mat`` file of a data set, or find it in the cache.

    A cached file with the pinned sha256 needs no connection. Any other is replaced, but only by a
    complete download with that sha256: after a failure, call it again.

    Parameters
    ----------
    name : str
        One of `names`.
    cache_dir : path-like, optional
        Where to keep the file; by default `default_cache_dir`, where `load` looks too.
    base_url : str, optional
        A mirror with the same paths below it; by default the environment variable
        ``L1KPCA_DATA_URL``, else the GitHub repository ``yzhao062/pyod``.
    progress : callable, optional
        Called as ``progress(done, total)``, in bytes; `total` is 0 if the server does not tell it.
    timeout : float, default=30.0
        Seconds to wait for the server's next bytes.

    Returns
    -------
    path : Path
        The complete, checked file; `FetchError` says why there is none.
    """
    facts = info(name)
    base = base_url or os.environ.get("L1KPCA_DATA_URL") or BASE_URL
    if not base.startswith(("http://", "https://")):
        raise ValueError(
            f"base_url={base!r} is not an http address; it must start with http:// or https://."
        )
    url = f"{base.rstrip('/')}/{facts.path}"
    folder = Path(cache_dir) if cache_dir is not None else default_cache_dir()
    target = folder / f"{name}.mat"
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == facts.sha256:
        return target
    try:
        content = _download(url, progress, timeout)
        if hashlib.sha256(content).hexdigest() != facts.sha256:
            other = f"the sha256 of {url} is not the pinned {facts.sha256}"
            raise FetchError(f"{other}, so nothing was kept.")
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(target, overwrite=True) as temporary:
            temporary.write_bytes(content)
    except FetchError as error:
        raise FetchError(f"{name} was not fetched: {error}") from error
    except (OSError, OutputError) as error:
        why = f"cache_dir={str(folder)!r} cannot be written ({error}); choose another directory"
        raise FetchError(f"{name} was not fetched: {why}.") from error
    return target


def _download(url: str, progress: Progress | None, timeout: float) -> bytes:
    content = bytearray()
    try:
        with urlopen(url, timeout=timeout) as response:  # noqa: S310 (an http address)
            total = int(response.headers.get("Content-Length") or 0)
            while chunk := response.read(_CHUNK):
                content += chunk
                if progress is not None:
                    progress(len(content), total)
    except failures.HTTPError as error:
        error.close()
        raise FetchError(f"the server answered {error.code} {error.reason} for {url}.") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise FetchError(
            f"{url} could not be reached ({type(reason).__name__}); check the network, "
            "or pass data_dir to datasets.load with a copy of the file."
        ) from error
    if len(content) < total:
        broken = f"the connection broke off before the end of {url}"
        raise FetchError(f"{broken}, so nothing was kept; try again.")
    return bytes(content)
