"""K = G G^T, never formed: the linear kernel, or features from a few landmark rows."""

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Gram
from l1kpca.gram.followed import Followed
from l1kpca.gram.followed_factor import FollowedFactor
from l1kpca.gram.projection import Projection
from l1kpca.kernels import Kernel, KernelBlocks, Rows
from l1kpca.loops import compiled
from l1kpca.threads import Workers, spans

_FULL = 32767  # the largest number of 16 bits
_ROUNDING = 1.2e-7  # of numbers in single precision


@compiled
def round_rows(F: Array, thin: Array, units: Array, errors: Array) -> None:
    """Write rows as 16-bit integers, their units, and error bounds, unless they are tiny."""
    for i in range(len(F)):
        largest = 0.0
        for j in range(F.shape[1]):
            largest = max(largest, abs(F[i, j]))
        if largest > 1e-290:
            scale, lost, square = _FULL / largest, 0.0, 0.0
            for j in range(F.shape[1]):
                entry = F[i, j] * scale
                whole = np.rint(entry)
                thin[i, j] = np.int16(whole)
                lost += (entry - whole) ** 2
                square += whole * whole
            units[i] = largest / _FULL
            # Of a product: what was lost of the row, and rounding errors of sums.
            bound = 1.01 * np.sqrt(lost) + _ROUNDING * (F.shape[1] + 8) * np.sqrt(square) + 1e-9
            errors[i] = units[i] * bound


class LandmarkRows:
    """The similarities k(X, L) of rows and landmarks, evaluated on demand."""

    def __init__(self, X: Any, landmarks: KernelBlocks):
        self.X = X
        self.landmarks = landmarks
        self.shape = X.shape[0], landmarks.X.shape[0]
        self.dtype = X.dtype

    def __getitem__(self, rows: Any) -> Array:
        """k(X[rows], L)."""
        return self.landmarks.with_new(self.X[rows])


class FactorGram(Gram):
    r"""Products with :math:`G G^T` for :math:`G = (F - 1 o^T)\, W P`, in O(n d) each.

    F has few columns: an array, a sparse matrix, or `LandmarkRows`.  The origin o centers its rows,
    W (for `LandmarkRows` only) turns products of similarities into kernel values, and P removes the
    directions of earlier components.  The short vector b = G^T v represents v: the image K v is
    G b, and v^T K v is b^T b.

    With ``landmarks`` L, ``whitening`` is k(L, L)^(-1/2); an array F is then k(X, L) W less a row
    that was ``taken_off``, perhaps in single precision.
    """

    def __init__(
        self, F: Any, workers: Workers, kernel: Kernel, landmarks: Any = None,
        whitening: Any = None, taken_off: Array | None = None,
    ):  # fmt: skip
        self.F = F
        self.workers = workers
        self.kernel = kernel
        self.landmarks = landmarks
        self.whitening = whitening
        self.n_samples = F.shape[0]
        self.dtype = np.dtype(F.dtype if whitening is None else whitening.dtype)
        self.bytes_held = int(getattr(F.data if sparse.issparse(F) else F, "nbytes", 0))
        self.origin = np.zeros(F.shape[1], dtype=self.dtype) if taken_off is None else -taken_off
        self.taken_off = taken_off
        """The part of the origin that F no longer contains."""
        width = whitening.shape[1] if whitening is not None else F.shape[1]
        self.directions = np.zeros((0, width), dtype=self.dtype)
        """Orthonormal rows that P removes."""
        self._diagonal = self.row_norms = self._squared_norms()

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """G (G^T V), or G (G[at]^T V)."""
        return self.expand(self.reduce(V.astype(self.dtype, copy=False), at))

    def diagonal(self) -> Array:
        """diag K: the squared norms of the rows of G."""
        return self._diagonal.copy()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""
        if sparse.issparse(self.F):
            return self._sparse_columns(index, slice(None) if rows is None else rows)
        G = self._rows(index)
        others = G if rows is index else None if rows is None else self._rows(rows)
        return self.expand(G.T) if others is None else others @ G.T

    def reduce(self, V: Array, at: Array | None = None) -> Array:
        """G^T V, or G[at]^T V."""
        total = self._sums(V, at) - np.multiply.outer(self.origin, V.sum(axis=0))
        if self._is_streamed and self.whitening is not None:
            total = self.whitening.T @ total
        return self.projected(total)

    def projected(self, b: Array) -> Array:
        """P b."""
        for _ in range(2):  # one pass leaves rounding errors behind
            b = b - self.directions.T @ (self.directions @ b)
        return b

    def expand(self, b: Array) -> Array:
        """G b."""
        weights = self.whitening @ b if self._is_streamed else b
        out = np.empty((self.n_samples, *b.shape[1:]), dtype=self.dtype)
        offset = self.origin @ weights

        def work(rows: slice) -> None:
            out[rows] = self.F[rows] @ weights
            out[rows] -= offset

        pieces = [(rows,) for rows in spans(self.n_samples, self._span)]
        self.workers.run(work, pieces, cost=out.size * self.F.shape[1])
        return out

    def follow(self, starts: Array) -> Followed:
        """Track the signs of G b, if F is an array."""
        if isinstance(self.F, np.ndarray):
            return FollowedFactor(self, starts)
        return super().follow(starts)

    def without(self, coef: Array, scores: Array) -> "FactorGram":
        """The same rows with one more direction removed."""
        direction = self.reduce(coef)
        return self._changed(
            directions=np.vstack([self.directions, direction / np.linalg.norm(direction)]),
            _diagonal=self._diagonal - scores**2,
            floor=self.rounding(),
        )

    def center(self, weights: Array) -> "FactorGram":
        """The Gram of the rows minus their weighted mean.

        If the mean is larger than what it leaves of most rows, it is subtracted from a copy of F:
        subtracting it from products would lose digits.  Sparse rows, and rows that are not in
        memory, are not copied.
        """
        mean = self._sums(weights)
        square = float(mean @ mean)
        in_memory = isinstance(self.F, np.ndarray) and not isinstance(self.F, np.memmap)
        if not in_memory or 2 * square <= float(np.median(self.row_norms)):
            centered = self._changed(origin=mean, floor=self.rounding())
            return centered._changed(_diagonal=centered._squared_norms())  # noqa: SLF001
        F = np.subtract(self.F, mean, dtype=self.F.dtype)
        norms = row_norms(F, squared=True).astype(self.dtype, copy=False)
        return self._changed(
            F=F,
            origin=np.zeros_like(mean),
            taken_off=mean if self.taken_off is None else self.taken_off + mean,
            row_norms=norms,
            _diagonal=norms,
            floor=float(np.finfo(self.dtype).eps) ** 2 * self.n_samples * square,
        )

    def _changed(self, **state: Any) -> "FactorGram":
        """A copy with parts of its state replaced."""
        changed = copy(self)
        if "F" in state:
            vars(changed).pop("rounded", None)
        vars(changed).update(state)
        return changed

    def projection(self, V: Array) -> Projection:
        """The map x -> (f(x) - center)^T G^T V."""
        weights = self.reduce(V.astype(self.dtype, copy=False))
        center = self.origin if self.taken_off is None else self.origin + self.taken_off
        if self.whitening is None:
            return Projection(self.kernel, None, weights, center)
        if not self._is_streamed:
            # A point in landmark space whose features are those of the center.
            lengths = np.linalg.norm(self.whitening, axis=0)
            center = (self.whitening / lengths) @ (center / lengths)
        coef = self.whitening @ weights
        return Projection(self.kernel, self.landmarks, coef, center, whitening=self.whitening)

    @cached_property
    def rounded(self) -> tuple[Array, Array, Array]:
        """F as 16-bit integers, their units, and error bounds for products with unit vectors.

        The products may be in single precision.  A quarter of the memory traffic: 200 000 rows of
        100 columns take 0.7 of the time.  Tiny rows, and F on disk, have infinite errors instead.
        Features in single precision serve as they are.
        """
        if self.F.dtype != self.dtype:
            scale = _ROUNDING * (self.F.shape[1] + 8)
            return self.F, np.ones(self.n_samples), scale * row_norms(self.F).astype(float) + 1e-30
        width = 0 if isinstance(self.F, np.memmap) else self.F.shape[1]
        thin = np.zeros((self.n_samples, width), dtype=np.int16)
        units, errors = np.zeros(self.n_samples), np.full(self.n_samples, np.inf)

        cuts = spans(self.n_samples if width else 0, tuning.ROW_SPAN)
        pieces = [(self.F[rows], thin[rows], units[rows], errors[rows]) for rows in cuts]
        self.workers.run(round_rows, pieces, cost=2 * thin.size)
        return thin, units, errors

    @property
    def _span(self) -> int:
        return tuning.ROW_SPAN if self.F.dtype == self.dtype else tuning.SINGLE_SPAN

    @property
    def _is_streamed(self) -> bool:
        return isinstance(self.F, LandmarkRows)

    def _sums(self, V: Array, at: Array | None = None) -> Array:
        """F^T V, or F[at]^T V, summed over spans of rows in a fixed order."""
        # Rows in single precision are widened in registers, if one sum is asked for.
        widened = V.ndim == 1 and self.F.dtype != self.dtype

        def work(rows: slice) -> Array:
            if not widened:
                return self.F[rows if at is None else at[rows]].T @ V[rows]
            index = np.arange(rows.start, rows.stop) if at is None else at[rows]
            total = np.zeros(self.F.shape[1], dtype=self.dtype)
            loops.add_weighted_rows(self.F, index, V[rows], 0, len(total), total)
            return total

        pieces = [(rows,) for rows in spans(len(V), tuning.ROW_SPAN if widened else self._span)]
        parts = self.workers.run(work, pieces, cost=V.size * self.F.shape[1])
        return sum(parts, start=np.zeros((self.F.shape[1], *V.shape[1:]), dtype=self.dtype))

    def _sparse_columns(self, index: Array, rows: Rows) -> Array:
        """K[rows][:, index], from rows that stay sparse."""
        here, there = self.F[rows], self.F[index]
        centers = here @ self.origin, there @ self.origin
        K = (here @ there.T).toarray() - centers[0][:, np.newaxis] - centers[1]
        taken = self.directions @ self.origin
        left, right = (part @ self.directions.T - taken for part in (here, there))
        return K + self.origin @ self.origin - left @ right.T

    def _rows(self, index: Rows) -> Array:
        """G[index], unless F is sparse."""
        rows = self.F[index] - self.origin
        G = rows @ self.whitening if self._is_streamed else rows
        return G - (G @ self.directions.T) @ self.directions if len(self.directions) else G

    def _squared_norms(self) -> Array:
        """Squared norms of the rows of (F - o) W."""
        if sparse.issparse(self.F):
            norms = row_norms(self.F, squared=True)
            return norms - 2 * (self.F @ self.origin) + self.origin @ self.origin
        out = np.empty(self.n_samples, dtype=self.dtype)

        def work(rows: slice) -> None:
            out[rows] = row_norms(self._rows(rows), squared=True)

        pieces = [(rows,) for rows in spans(self.n_samples, tuning.LANDMARK_SPAN)]
        self.workers.run(work, pieces, cost=self.n_samples * self.F.shape[1] * 8)
        return out
