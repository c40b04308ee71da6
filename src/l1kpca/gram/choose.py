"""How to hold K: the builders that ``gram=`` accepts, and the policy that picks one."""

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import joblib
import numpy as np
from scipy import linalg, sparse

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Gram
from l1kpca.gram.collections import DaskRows
from l1kpca.gram.dask_factor import WorkerFactorGram, landmark_gram
from l1kpca.gram.factor import FactorGram, LandmarkRows
from l1kpca.gram.stored import BlockedGram, StoredGram, kernel_matrix
from l1kpca.kernels import Kernel, kernel_blocks, name_of, unit_of
from l1kpca.threads import Workers, spans


@dataclass(frozen=True)
class Resources:
    """The memory and threads that a Gram may use, and its seed."""

    memory: int
    """Bytes."""
    workers: Workers = field(default_factory=Workers)
    seed: int = 0


class GramBuilder(Protocol):
    """Builds one kind of Gram from data; ``gram=`` accepts builders as well as names."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """The Gram of the rows of X, not centered."""


@dataclass(frozen=True)
class Dense:
    """Compute K once and store it."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `StoredGram`."""
        blocks = kernel_blocks(X, kernel)
        K = kernel_matrix(blocks, resources.workers)
        return StoredGram(K, resources.workers, blocks, spare=resources.memory - K.nbytes)


@dataclass(frozen=True)
class Blocked:
    """Never store K; compute blocks on demand."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> BlockedGram:
        """Build a `BlockedGram`."""
        side = tile_side(X.dtype, resources, X.shape[0])
        return BlockedGram(kernel_blocks(X, kernel), resources.workers, side)


@dataclass(frozen=True)
class Factor:
    """K = X X^T through X; linear kernel only."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `FactorGram`."""
        if kernel.function != "linear":
            raise ValueError(
                f"gram='factor' needs kernel='linear', got kernel={name_of(kernel.function)}: use"
                " gram='nystroem' for a factor that approximates another kernel, or gram='auto'"
            )
        if isinstance(X, DaskRows):
            return WorkerFactorGram(X.held(resources.memory), kernel)
        return FactorGram(X.tocsr() if sparse.issparse(X) else X, resources.workers, kernel)


@dataclass(frozen=True)
class Nystroem:
    """Approximate K through landmark rows.

    Parameters
    ----------
    n_landmarks : int, default=None
        None: as many as fit into ``memory_limit``, at most 500.
    landmarks : {"kmeans++", "random"}, default="kmeans++"
        Spread out, or drawn at random.
    """

    n_landmarks: int | None = None
    landmarks: str = "kmeans++"

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `FactorGram`: features are stored if they fit, else computed in each pass."""
        if self.landmarks not in ("kmeans++", "random"):
            raise ValueError(f"landmarks={self.landmarks!r} must be 'kmeans++' or 'random'")
        n_samples, count = X.shape[0], self.n_landmarks
        one = 2 * n_samples * X.dtype.itemsize
        if count is None:
            count = min(n_samples, resources.memory // one, tuning.LANDMARKS)
            if count < 1:
                raise ValueError(
                    f"memory_limit={resources.memory} bytes cannot hold even one landmark for"
                    f" {n_samples} rows: allow at least {one} bytes"
                )
        if not 1 <= count <= n_samples:
            raise ValueError(f"n_landmarks={count} must be between 1 and n_samples={n_samples}")
        rng = np.random.default_rng([resources.seed, 1])
        index = choose_landmarks(X, count, self.landmarks, rng)
        return nystroem_gram(X, kernel, index, resources.memory, resources.workers)


def choose_landmarks(X: Any, count: int, method: str, rng: np.random.Generator) -> Array:
    """Indices of landmark rows: ``"random"``, or spread out by ``"kmeans++"``."""
    n = X.shape[0]
    if method == "random":
        return np.sort(rng.choice(n, count, replace=False))
    from sklearn.cluster import kmeans_plusplus  # noqa: PLC0415 (slow, only needed here)

    candidates = np.arange(n)
    if n > max(tuning.SEEDING_ROWS, count):
        candidates = np.sort(rng.choice(n, max(tuning.SEEDING_ROWS, count), replace=False))
    seed = int(rng.integers(2**31))
    rows = X[candidates]
    # At this scale, no squared distance overflows or vanishes.
    _, picked = kmeans_plusplus(rows / unit_of(rows), count, random_state=seed)
    return np.unique(candidates[picked])


def nystroem_gram(X: Any, kernel: Kernel, index: Array, memory: int, workers: Workers) -> Gram:
    """The Gram of landmarks X[index]; features are stored if they fit into ``memory`` bytes."""
    landmarks = kernel_blocks(X[index] if sparse.issparse(X) else np.asarray(X[index]), kernel)
    values, vectors = linalg.eigh(landmarks.between(slice(None), slice(None)))
    kept = values > len(values) * np.finfo(values.dtype).eps * max(values[-1], 0)
    # W with W^T k(L, L) W = I, without the null space of k(L, L).
    whitening = vectors[:, kept] / np.sqrt(values[kept])
    if isinstance(X, DaskRows):
        return landmark_gram(X, kernel, landmarks, whitening, memory)
    similar = LandmarkRows(X, landmarks)
    entries = X.shape[0] * whitening.shape[1]
    many = entries * whitening.itemsize > tuning.SINGLE_FEATURES
    dtype = np.dtype(np.float32) if many else whitening.dtype
    # Twice: searches need room too, for rounded rows or for vectors.
    stored = 2 * entries * dtype.itemsize <= memory
    features = stored_features(similar, whitening, dtype, workers) if stored else (similar, None)
    gram = FactorGram(features[0], workers, kernel, landmarks.X, whitening, taken_off=features[1])
    total = float(kernel.diagonal(X).sum())
    # What the approximation misses is positive semidefinite, so its trace is its size.
    gram.lost_share = max(0.0, 1.0 - float(gram.diagonal().sum()) / total) if total > 0 else 0.0
    return gram


def stored_features(
    similar: LandmarkRows, whitening: Array, dtype: np.dtype[Any], workers: Workers
) -> tuple[Array, Array]:
    """Features k(X, L) W less a row near their mean, and this row: to center takes no copy."""
    F = np.empty((similar.shape[0], whitening.shape[1]), dtype=dtype)
    some = similar[:: max(1, len(F) // tuning.MEDIAN_ROWS)]
    taken_off = some.mean(axis=0) @ whitening

    def work(rows: slice) -> None:
        F[rows] = similar[rows] @ whitening - taken_off

    pieces = [(rows,) for rows in spans(len(F), tuning.LANDMARK_SPAN)]
    workers.run(work, pieces, cost=F.size * len(whitening))
    return F, taken_off


def tile_side(dtype: np.dtype, resources: Resources, n_samples: int) -> int:
    """Largest side of a tile such that one thread per core stays within the memory limit.

    All cores count, even if fewer threads run: the order of sums must not depend on their number.
    """
    threads = max(joblib.cpu_count(), resources.workers.n_threads)
    per_entry = tuning.TILE_TEMPORARIES * threads * np.dtype(dtype).itemsize
    side = min(tuning.TILE_SIDE, math.isqrt(resources.memory // per_entry))
    smallest = min(tuning.MIN_TILE_SIDE, n_samples)
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


@dataclass(frozen=True)
class GramChoice:
    """What was chosen and why; the fitted estimator shows it as ``gram_``."""

    name: str
    reason: str
    n_samples: int
    bytes_held: int
    lost_share: float = 0.0

    def __str__(self) -> str:
        """The choice in one sentence."""
        lost = f", misses {self.lost_share:.2%} of trace K" if self.lost_share else ""
        return f"{self.name} ({self.bytes_held / 1e6:.1f} MB{lost}): {self.reason}"


def choose(
    gram: str | GramBuilder | Gram,
    X: Any,
    kernel: Kernel,
    resources: Resources,
    cluster: GramBuilder | None = None,
) -> tuple[Gram, GramChoice]:
    """Build the Gram matrix of the rows of ``X``, by the first rule that applies.

    1. A Gram, a builder object, or a name other than ``"auto"``: as asked.
    2. Linear kernel, and X sparse or with fewer columns than rows: ``factor``; K is never formed.
    3. The rows stay on the workers of a cluster: ``nystroem``; nothing else is small enough.
    4. The rows were collected from a cluster: ``dask``, blocks of K by the builder ``cluster``.
    5. K fits into the memory limit: ``dense``.
    6. Otherwise: ``blocked``.

    Returns
    -------
    gram : Gram
        Not centered.
    choice : GramChoice
        The name and the reason.
    """
    n_samples, n_features = X.shape
    if isinstance(gram, Gram) and not hasattr(gram, "build"):
        if gram.n_samples != n_samples:
            raise ValueError(
                f"gram holds {gram.n_samples} rows, but X has {n_samples}: pass the Gram of these"
                " rows, or its name"
            )
        choice = GramChoice("given", "asked for", n_samples, gram.bytes_held, gram.lost_share)
        return gram, choice
    needed = n_samples**2 * X.dtype.itemsize
    name: str | GramBuilder
    name, reason = gram, "asked for"
    if gram == "auto":
        sizes = f"{needed / 1e6:.1f} MB, {resources.memory / 1e6:.1f} MB are allowed"
        if kernel.function == "linear" and (sparse.issparse(X) or n_features < n_samples):
            name, reason = "factor", "the linear kernel needs only X"
        elif isinstance(X, DaskRows):
            name, reason = "nystroem", f"a pass over K would take too long, and K {sizes}"
        elif cluster is not None:
            name, reason = cluster, "X is a Dask array"
        elif needed <= resources.memory:
            name, reason = "dense", f"K takes {sizes}"
        else:
            name, reason = "blocked", f"K would take {sizes}"
    builder = BUILDERS[name] if isinstance(name, str) else name
    built = builder.build(X, kernel, resources)
    label = name if isinstance(name, str) else type(name).__name__.lower()
    return built, GramChoice(label, reason, X.shape[0], built.bytes_held, built.lost_share)
