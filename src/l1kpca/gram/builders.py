"""Ways to hold K, as small objects that build a Gram; what ``gram=`` takes."""

from dataclasses import dataclass, field
from math import isqrt
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from l1kpca.gram.base import DataGram
from l1kpca.gram.blocked import BlockedGram
from l1kpca.gram.dense import DenseGram
from l1kpca.gram.factor import linear_gram
from l1kpca.gram.nystroem import (
    LandmarkGram,
    choose_landmarks,
    landmark_features,
    lost_share,
    nystroem_gram,
)
from l1kpca.kernels import Kernel, kernel_blocks, name_of
from l1kpca.threads import Workers, available_cores

_SMALLEST_TILE = 64
_LARGEST_TILE = 512
_TEMPORARIES = 4  # arrays of the size of a tile that a thread holds at once
_DEFAULT_LANDMARKS = 500


@dataclass(frozen=True)
class Resources:
    """What a Gram may use."""

    memory: int
    workers: Workers = field(default_factory=Workers)
    seed: int = 0


class GramBuilder(Protocol):
    """Makes one kind of Gram from data."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """The Gram, the bytes it holds, and the share of trace K it misses."""


@dataclass(frozen=True)
class Dense:
    """Compute K once and store it."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Build a `DenseGram`."""
        side = tile_side(X.dtype, resources, X.shape[0])
        gram = DenseGram(kernel_blocks(X, kernel), resources.workers, block_rows=side)
        gram.spare = min(gram.spare, resources.memory - gram.K.nbytes)
        return gram, gram.K.nbytes, 0.0


@dataclass(frozen=True)
class Blocked:
    """Never store K; compute blocks when they are needed."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Build a `BlockedGram`."""
        side = tile_side(X.dtype, resources, X.shape[0])
        gram = BlockedGram(kernel_blocks(X, kernel), resources.workers, side)
        held = _TEMPORARIES * resources.workers.n_threads * side**2 * X.dtype.itemsize
        return gram, held, 0.0


@dataclass(frozen=True)
class Factor:
    """K = X X^T through X: the linear kernel only."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Build a `FactorGram`."""
        if kernel.function != "linear":
            raise ValueError(
                f"gram='factor' needs kernel='linear', got kernel={name_of(kernel.function)}: use"
                " gram='nystroem' for a factor that approximates another kernel, or gram='auto'"
            )
        held = X.data.nbytes if sparse.issparse(X) else X.nbytes
        return linear_gram(X, resources.workers), held, 0.0


@dataclass(frozen=True)
class Nystroem:
    """Approximate K through landmark rows.

    Parameters
    ----------
    n_landmarks : int, default=None
        None: as many as fit into ``memory_limit``, at most 500.
    landmarks : {"kmeans++", "random"}, default="kmeans++"
        How they are chosen: spread out, or at random.

    Examples
    --------
    >>> Nystroem(n_landmarks=100).landmarks
    'kmeans++'
    """

    n_landmarks: int | None = None
    landmarks: str = "kmeans++"

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Store the features of all rows if they fit, else compute them anew in each pass."""
        if self.landmarks not in ("kmeans++", "random"):
            raise ValueError(f"landmarks={self.landmarks!r} must be 'kmeans++' or 'random'")
        rng = np.random.default_rng([resources.seed, 1])
        index = choose_landmarks(X, self._count(X, resources), self.landmarks, rng)
        features = landmark_features(X, kernel, index)
        # Twice: centering makes a second array.
        needed = 2 * X.shape[0] * features.whitening.shape[1] * features.whitening.itemsize
        if needed <= resources.memory:
            gram = nystroem_gram(X, features, resources.workers)
            return gram, gram.F.nbytes, lost_share(gram, kernel.diagonal(X))
        streamed = LandmarkGram(X, features, resources.workers)
        held = features.whitening.nbytes + X.shape[0] * X.dtype.itemsize
        return streamed, held, lost_share(streamed, kernel.diagonal(X))

    def _count(self, X: Any, resources: Resources) -> int:
        n_samples = X.shape[0]
        if self.n_landmarks is not None:
            if not 1 <= self.n_landmarks <= n_samples:
                raise ValueError(
                    f"n_landmarks={self.n_landmarks} must be between 1 and n_samples={n_samples}"
                )
            return self.n_landmarks
        affordable = resources.memory // (2 * n_samples * X.dtype.itemsize)
        if affordable < 1:
            raise ValueError(
                f"memory_limit={resources.memory} bytes holds not even one landmark for"
                f" {n_samples} rows: allow at least {2 * n_samples * X.dtype.itemsize} bytes"
            )
        return min(n_samples, affordable, _DEFAULT_LANDMARKS)


def tile_side(dtype: np.dtype, resources: Resources, n_samples: int) -> int:
    """Side of the tiles that threads on all cores together can hold within the memory limit.

    Also if fewer threads are used: what is summed together must not depend on their number.
    """
    threads = max(available_cores(), resources.workers.n_threads)
    per_entry = _TEMPORARIES * threads * np.dtype(dtype).itemsize
    side = min(_LARGEST_TILE, isqrt(resources.memory // per_entry))
    smallest = min(_SMALLEST_TILE, n_samples)
    if side < smallest:
        raise ValueError(
            f"memory_limit={resources.memory} bytes is too small for even one block of K in each"
            f" of {threads} threads: allow at least {smallest**2 * per_entry} bytes"
        )
    return side


BUILDERS: dict[str, GramBuilder] = {
    "dense": Dense(),
    "factor": Factor(),
    "blocked": Blocked(),
    "nystroem": Nystroem(),
}
