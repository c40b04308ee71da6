"""Finished components on disk, so that an interrupted fit can resume."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from l1kpca._typing import Array
from l1kpca.components.base import Component
from l1kpca.components.deflation import Deflation
from l1kpca.directions.base import Status
from l1kpca.files import OutputError, replacing, unfinished
from l1kpca.gram.base import Gram
from l1kpca.gram.collections import DaskRows
from l1kpca.threads import spans

_FORMAT = 1
_HASHED_ROWS = 65_536
_PROBED_ROWS = 16
_WAY_OUT = "delete the file to start over, or give another path"
_WITHOUT_EFFECT = {
    "certify", "n_components", "max_components", "verbose", "n_jobs", "memory_limit", "checkpoint",
    "copy_X",
}  # fmt: skip


def saved_seed(checkpoint: Any, instead: int) -> int:
    """The seed of the interrupted fit, if any; refuses what is no path in a writable folder."""
    if not isinstance(checkpoint, str | os.PathLike):
        raise ValueError(f"checkpoint={checkpoint!r} must be the path of a file, or None")
    path = Path(checkpoint)
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        lacking = f"checkpoint={str(path)!r} needs a folder that exists and is writable"
        raise ValueError(f"{lacking}: create it, or give another path")
    content = _read(path)
    return instead if content is None else int(content["seed"])


@dataclass(frozen=True)
class Checkpointed:
    """A solver that saves components as it finds them, and begins with those saved before."""

    solver: Deflation
    path: Path
    fingerprint: str
    seed: int

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield the saved components, then new ones."""
        # What settings do not tell apart: kernel functions of one name, fewer landmarks.
        rows = np.unique(np.linspace(0, gram.n_samples - 1, _PROBED_ROWS).astype(int))
        probe = gram.columns(rows, rows=rows)
        done = self.load(gram, probe)
        yield from done[:limit]
        for component in self.solver.components(gram, limit, done):
            done.append(component)
            self.save(done, gram, probe)
            yield component

    def load(self, gram: Gram, probe: Array) -> list[Component]:
        """The components so far; refuses the checkpoint of another fit."""
        for stale in unfinished(self.path):
            stale.unlink(missing_ok=True)
        content = _read(self.path)
        if content is None:
            return []
        same = content["fingerprint"] == self.fingerprint and content["probe"].dtype == probe.dtype
        tolerance = np.sqrt(np.finfo(probe.dtype).eps) * np.abs(probe).max()
        if not same or not np.allclose(probe, content["probe"], rtol=0, atol=tolerance):
            other = f"checkpoint={str(self.path)!r} was made with other data or settings"
            raise ValueError(f"{other}: {_WAY_OUT}")
        traces = np.split(content["steps"], np.cumsum(content["n_steps"])[:-1])
        columns = *gram.unpacked(content).values(), content["status"], content["n_starts"]
        return [
            Component(coef, scores, signs, tuple(trace.tolist()), Status[str(status)], int(tried))
            for trace, coef, scores, signs, status, tried in zip(traces, *columns, strict=True)
        ]

    def save(self, components: Sequence[Component], gram: Gram, probe: Array) -> None:
        """Replace the file; a half-written one never counts."""
        vectors = {n: [getattr(c, n) for c in components] for n in ("coef", "scores", "signs")}
        arrays: dict[str, Any] = gram.packed(vectors)
        try:
            with replacing(self.path, overwrite=True) as path, path.open("wb") as file:
                np.savez(
                    file, format=_FORMAT, fingerprint=self.fingerprint, probe=probe, seed=self.seed,
                    steps=np.concatenate([component.trace for component in components]),
                    n_steps=[len(component.trace) for component in components],
                    status=[component.status.name for component in components],
                    n_starts=[component.n_starts for component in components], **arrays,
                )  # fmt: skip
        except OutputError as error:
            reason = str(error).removeprefix(str(self.path)).removesuffix(".")
            raise OutputError(
                f"checkpoint={str(self.path)!r}{reason}; the old one is still there: free some"
                " space, or give another path."
            ) from error


def _read(path: Path) -> Mapping[str, Any] | None:
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            found = dict(content)
        if int(found["format"]) != _FORMAT:
            raise KeyError("format")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 (a damaged file makes readers raise anything)
        unknown = f"checkpoint={str(path)!r} is not a checkpoint of this version of l1kpca"
        raise ValueError(f"{unknown}: {_WAY_OUT}") from None
    return found


def fingerprint(X: Any, settings: Mapping[str, Any]) -> str:
    """Hash of the data and of every setting that changes the result."""
    digest = hashlib.blake2b(digest_size=20)
    arrays: tuple[Any, ...] = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    if isinstance(X, DaskRows):
        digest.update(f"{X.dtype}{X.shape}{X.digest}".encode())
        arrays = ()
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        for rows in spans(len(array), _HASHED_ROWS):
            digest.update(np.ascontiguousarray(array[rows]).data)
    for name in sorted(settings.keys() - _WITHOUT_EFFECT):
        value = settings[name]
        if name == "random_state" and not isinstance(value, int | np.integer):
            continue  # each fit draws a new seed, which the file records
        shown = value.tolist() if isinstance(value, np.ndarray) else value
        shown = getattr(value, "__qualname__", shown) if callable(value) else shown
        # The address of an object says nothing about it.
        digest.update(re.sub(r" at 0x[0-9a-fA-F]+", "", f"{name}={shown!r};").encode())
    return digest.hexdigest()
