r"""K = G G^T for rows that stay on the workers of a Dask cluster: linear kernel or landmarks.

Vectors over the rows never travel.  Signs are those of G w, an image is G b, and dual vectors are
sums of sign vectors, so a few numbers represent each.  A search step sends w and receives
:math:`G^T (c' - c)` from each partition, summed in a tree: r numbers for any number of rows.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram import partition_tasks as tasks
from l1kpca.gram.base import Gram
from l1kpca.gram.collections import DaskRows, map_rows
from l1kpca.gram.followed import Followed
from l1kpca.gram.partition_tasks import Signs, View
from l1kpca.gram.projection import Projection
from l1kpca.gram.spread import Diagonal, Spread, Stack, WorkerFollowed
from l1kpca.kernels import Kernel, KernelBlocks


class WorkerFactorGram(Gram):
    """Products with G G^T on the workers; this process holds all of a `FactorGram` but F.

    ``rows`` are the rows, or features of them; ``features`` says how these were computed, from
    landmarks and whitening.  Unless it is ``whole``, each pass evaluates the similarities.
    """

    def __init__(self, rows: DaskRows, kernel: Kernel, features: View | None = None):
        self.rows, self.kernel = rows, kernel
        self.features = features or rows.plain
        self.landmarks: Any = self.features.landmarks
        self.whitening = self.features.whitening
        self.streamed = self.landmarks is not None and not self.features.whole
        """Whether each pass evaluates the similarities."""
        self.n_samples, self.dtype, self.bytes_held = rows.shape[0], rows.dtype, rows.bytes_held
        self.origin = np.zeros(self.landmarks.X.shape[0] if self.streamed else rows.shape[1])
        self.taken_off = False
        self.directions = np.zeros((0, self.features.width))
        self._measure()

    def _measure(self) -> None:
        """Record trace K, and a bound on its entries that survives deflation."""
        self.trace, _, self.bound, _ = self.summary(tasks.lengths).tolist()

    @cached_property
    def view(self) -> View:
        """What workers must know of this Gram."""
        origin, directions = (a.astype(self.dtype) for a in (self.origin, self.directions))
        rows = self.features if self.streamed else self.rows.plain
        return replace(rows, origin=origin, directions=directions, taken_off=self.taken_off)

    def run(self, work: Any, merge: Any = tasks.added) -> Array:
        """The results of ``work`` on all partitions, merged."""
        return self.rows.run(work, merge, self.view)

    def summary(self, vector: Any) -> Array:
        """Sum of |v|, sum of v^2, largest |v| and its row, for a vector v over the rows."""
        return self.run(partial(tasks.sizes, vector), tasks.summarized)[0]

    def sums(self, vectors: Sequence[Any]) -> Array:
        """G^T v without P, (k, r), for each vector or change of signs."""
        totals = self.run(partial(tasks.sums, vectors))  # F^T v, and the sum of v
        found = totals[:, :-1]
        if not self.taken_off:
            found = found - np.outer(totals[:, -1], self.origin)
        return found @ self.whitening if self.streamed else found

    def projected(self, b: Array) -> Array:
        """P b, along the last axis."""
        for _ in range(2):  # one pass leaves rounding errors behind
            b = b - (b @ self.directions.T) @ self.directions
        return b

    def weights(self, b: Array) -> Array:
        """The vector to multiply F by for G b."""
        return self.whitening @ b if self.streamed else b

    def rows_of(self, index: Array) -> Array:
        """G[index], in this process."""
        X = self.rows[index]
        F = self.landmarks.with_new(X) if self.streamed else X
        G = F.astype(np.float64) - self.origin
        return self.projected(G @ self.whitening if self.streamed else G)

    def apply(self, V: Any, at: Array | None = None) -> Any:
        """K @ v for a vector over the rows, or K[:, at] @ V for an array."""
        if at is None:
            return Spread(self, None, self.projected(V.at))
        images = [Spread(self, None, b) for b in np.atleast_2d(V.T @ self.rows_of(at))]
        return images[0] if V.ndim == 1 else Stack(self, images)

    def diagonal(self) -> Any:
        """diag K."""
        return Diagonal(self)

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], which must fit into this process, or K[rows][:, index]."""
        rows = np.arange(self.n_samples) if rows is None else rows
        return (self.rows_of(rows) @ self.rows_of(index).T).astype(self.dtype)

    def follow(self, starts: Any) -> Followed:
        """Track signs that stay on the workers."""
        return WorkerFollowed(self, starts)

    def without(self, coef: Any, scores: Any) -> "WorkerFactorGram":
        """The same rows with one more direction removed."""
        direction = self.projected(coef.at)
        return self._changed(
            directions=np.vstack([self.directions, direction / np.linalg.norm(direction)]),
            trace=max(self.trace - scores @ scores, 0.0),
            floor=self.rounding(),
        )

    def center(self, weights: Any) -> "WorkerFactorGram":
        """The Gram of the rows minus their weighted mean; see `FactorGram.center`."""
        bare = self._changed(origin=np.zeros_like(self.origin), taken_off=False)
        mean = bare.run(partial(tasks.sums, [weights.entries]))[0, :-1]
        square = float(mean @ mean)
        norms = row_norms(self.rows[self._some].astype(np.float64), squared=True)
        off = not self.streamed and 2 * square > float(np.median(norms))
        eps = float(np.finfo(self.dtype).eps)
        floor = eps**2 * self.n_samples * square if off else self.rounding()
        centered = self._changed(origin=mean, taken_off=off, floor=floor)
        centered._measure()  # noqa: SLF001 (of this class)
        return centered

    @property
    def _some(self) -> Array:
        """A sample of the rows, to estimate medians."""
        return np.unique(np.linspace(0, self.n_samples - 1, tuning.MEDIAN_ROWS).astype(int))

    def _changed(self, **state: Any) -> "WorkerFactorGram":
        """A copy with parts of its state replaced."""
        changed = copy(self)
        vars(changed).pop("view", None)
        vars(changed).update(state)
        return changed

    def projection(self, V: Any) -> Projection:
        """The map x -> (f(x) - center)^T G^T V."""
        coef, center = V.at.T.astype(self.dtype), self.origin.astype(self.dtype)
        if self.landmarks is None:
            return Projection(self.kernel, None, coef, center)
        if not self.streamed:
            # A point in landmark space whose features are those of the center.
            lengths = np.linalg.norm(self.whitening, axis=0)
            center = (self.whitening / lengths) @ (center / lengths)
        coef = self.whitening @ coef
        return Projection(self.kernel, self.landmarks.X, coef, center, whitening=self.whitening)

    def table(self, vectors: Sequence[Any]) -> Any:
        """Vectors side by side."""
        return Stack(self, list(vectors))

    def appended(self, table: Any, vector: Any, most: int) -> Any:
        """The table with one more vector."""
        return Stack(self, [*table.vectors, vector])

    def shown(self, table: Any) -> Any:
        """A lazy Dask array with one column per vector, computed from the rows."""
        view = replace(self.features, origin=self.view.origin, taken_off=self.taken_off)
        vectors = [vector.entries for vector in table.vectors]
        work = partial(tasks.table, vectors, view, self.dtype)
        return map_rows(self.rows.array, work, len(vectors))

    def signs(self, vector: Any) -> Any:
        """Signs of images; sign vectors stay as they are."""
        if isinstance(vector, Stack):
            return Stack(self, [self.signs(one) for one in vector.vectors])
        if vector.terms is not None:
            return vector
        return Spread(self, {Signs(self.weights(vector.at)): 1.0})

    def random_signs(self, rng: np.random.Generator) -> Any:
        """Random signs, which each worker draws for its rows."""
        seed = int(rng.integers(2**31))
        return Spread(self, {Signs(np.zeros_like(self.origin), seed=seed): 1.0})

    def equal_weights(self) -> Any:
        """Weights of the mean."""
        return Spread(self, {Signs(np.zeros_like(self.origin)): 1 / self.n_samples})

    def nearer_weights(self, weights: Any) -> tuple[Any, float]:
        """One Weiszfeld step toward the spatial median, and how far the weights moved (L1)."""
        here = self.sums([weights.entries])[0]
        distances = np.sqrt(row_norms(self.rows_of(self._some) - here, squared=True))
        positive = distances[distances > 0]
        if not positive.size:
            return weights, 0.0
        floor = float(np.sqrt(np.finfo(self.dtype).eps) * np.median(positive))
        center = here + (self.origin @ self.whitening if self.streamed else self.origin)
        total = float(self.summary(partial(tasks.nearness, center, floor, 1.0))[0])
        updated = Spread(self, {partial(tasks.nearness, center, floor, total): 1.0})
        both = {updated.entries: 1.0, weights.entries: -1.0}
        return updated, float(self.summary(partial(tasks.combined, both))[0])

    def packed(self, vectors: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
        """The few numbers that represent components."""
        signs, turned = zip(
            *(pair for c in vectors["signs"] for pair in c.terms.items()), strict=True
        )
        return {
            "w": np.array([c.w for c in signs]),
            "flips": np.concatenate([c.flips for c in signs]),
            "n_flips": np.array([len(c.flips) for c in signs]),
            "seeds": np.array([-1 if c.seed is None else c.seed for c in signs]),
            "turned": np.array(turned),
            "numbers": np.array([[v.terms.get(c, 0.0) for c in signs] for v in vectors["coef"]]),
            **{f"{name}_at": np.array([v.at for v in some]) for name, some in vectors.items()},
        }

    def unpacked(self, arrays: Mapping[str, Array]) -> dict[str, Sequence[Any]]:
        """Undo `packed`."""
        flips = np.split(arrays["flips"], np.cumsum(arrays["n_flips"])[:-1])
        seeds = [None if seed < 0 else int(seed) for seed in arrays["seeds"]]
        signs = [Signs(*c) for c in zip(arrays["w"], flips, seeds, strict=True)]
        terms: dict[str, list[Any]] = {
            "coef": [dict(zip(signs, row.tolist(), strict=True)) for row in arrays["numbers"]],
            "scores": [None] * len(signs),
            "signs": [{c: t} for c, t in zip(signs, arrays["turned"].tolist(), strict=True)],
        }
        return {
            name: [Spread(self, t, at) for t, at in zip(some, arrays[f"{name}_at"], strict=True)]
            for name, some in terms.items()
        }


def landmark_gram(
    rows: DaskRows, kernel: Kernel, landmarks: KernelBlocks, whitening: Array, memory: int
) -> WorkerFactorGram:
    """The Gram of landmarks; workers keep the features if they fit into ``memory`` bytes."""
    keep = rows.shape[0] * whitening.shape[1] * rows.dtype.itemsize <= memory
    features = replace(rows.plain, landmarks=landmarks, whitening=whitening, whole=keep)
    held = rows.held(memory, features if keep else None)
    gram = WorkerFactorGram(held, kernel, features)
    own = partial(tasks.sizes, partial(tasks.own_similarity, kernel))
    total = float(rows.run(own, tasks.summarized)[0, 0])
    gram.lost_share = max(0.0, 1.0 - gram.trace / total) if total > 0 else 0.0
    return gram
