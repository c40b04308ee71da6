"""Finished components on disk, so that an interrupted fit can go on."""

import hashlib
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from l1kpca.components.base import Component, ComponentSolver
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram
from l1kpca.threads import spans

_FORMAT = 1
_HASHED_ROWS = 65_536
_WITHOUT_EFFECT = {"n_components", "verbose", "n_jobs", "memory_limit", "checkpoint", "copy_X"}


@dataclass(frozen=True)
class Checkpoint:
    """One file with the components so far, the seed, and a hash of the data and the settings."""

    path: Path

    def seed(self) -> int | None:
        """The seed of the interrupted fit, None if there is no file."""
        content = self._read()
        return None if content is None else int(content["seed"])

    def load(self, fingerprint: str) -> list[Component]:
        """The components so far; refuses the file of another problem."""
        content = self._read()
        if content is None:
            return []
        if str(content["fingerprint"]) != fingerprint:
            raise ValueError(
                f"checkpoint={str(self.path)!r} was made with other data or other settings: delete"
                " the file to begin anew, or give another path"
            )
        steps = np.split(content["steps"], np.cumsum(content["n_steps"])[:-1])
        return [
            Component(coef, scores, signs, tuple(trace.tolist()), Status[str(status)])
            for coef, scores, signs, trace, status in zip(
                content["coef"],
                content["scores"],
                content["signs"],
                steps,
                content["status"],
                strict=True,
            )
        ]

    def save(self, components: Sequence[Component], fingerprint: str, seed: int) -> None:
        """Write to another name and rename: a half-written file never counts."""
        partial = self.path.with_name(f"{self.path.name}.{os.getpid()}.partial")
        with partial.open("wb") as file:
            np.savez(
                file,
                format=_FORMAT,
                fingerprint=fingerprint,
                seed=seed,
                coef=np.array([c.coef for c in components]),
                scores=np.array([c.scores for c in components]),
                signs=np.array([c.signs for c in components]),
                steps=np.concatenate([c.trace for c in components]),
                n_steps=np.array([len(c.trace) for c in components]),
                status=np.array([c.status.name for c in components]),
            )
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path)

    def _read(self) -> Mapping[str, Any] | None:
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as content:
                found = dict(content)
            if int(found["format"]) != _FORMAT:
                raise KeyError("format")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise ValueError(
                f"checkpoint={str(self.path)!r} is not a checkpoint of this version of l1kpca:"
                " delete the file to begin anew, or give another path"
            ) from None
        return found


@dataclass(frozen=True)
class Checkpointed:
    """A solver whose components are saved as they come, and taken from the file first."""

    solver: ComponentSolver
    checkpoint: Checkpoint
    fingerprint: str
    seed: int

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield the saved components, then new ones."""
        done = [*so_far, *self.checkpoint.load(self.fingerprint)]
        yield from done[:limit]
        for component in self.solver.components(gram, limit, done):
            done.append(component)
            self.checkpoint.save(done, self.fingerprint, self.seed)
            yield component


def fingerprint(X: Any, settings: Mapping[str, Any]) -> str:
    """Hash of the data and of every setting that changes the result."""
    digest = hashlib.blake2b(digest_size=20)
    for array in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
        digest.update(f"{array.dtype}{array.shape}".encode())
        for rows in spans(len(array), _HASHED_ROWS):
            digest.update(np.ascontiguousarray(array[rows]).data)
    for name in sorted(settings.keys() - _WITHOUT_EFFECT):
        value = settings[name]
        if name == "random_state" and not isinstance(value, int | np.integer):
            continue  # a new seed is drawn at each fit; the file remembers it
        shown = value.tolist() if isinstance(value, np.ndarray) else value
        shown = getattr(value, "__qualname__", shown) if callable(value) else shown
        digest.update(f"{name}={shown!r};".encode())
    return digest.hexdigest()
