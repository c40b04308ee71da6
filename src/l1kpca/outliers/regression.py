"""What some columns of a row say about another, by their correlations."""

from dataclasses import dataclass

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.threads import spans

_STEPS = 50  # of conjugate gradients
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class Regression:
    """Correlations S = tau I + B B^T of columns, and the regression of each on others."""

    factor: Array  #: B, with orthogonal columns.
    rest: float  #: tau.

    def times(self, v: Array) -> Array:
        """S v."""
        return self.rest * v + (v @ self.factor) @ self.factor.T

    def expected(self, v: Array, holes: Array) -> tuple[Array, Array, Array]:
        """What is expected of each cell, given the others, S_pp^-1 v_p and the diagonal of S_pp^-1.

        Here p are the cells of a row.  What is expected in its holes h is S_hp S_pp^-1 v_p.
        """
        # S^-1 is I / tau - F F^T.
        F = self.factor / np.sqrt(self.rest * (self.rest + (self.factor**2).sum(axis=0)))
        v, n_holes = np.where(holes, 0, v), np.count_nonzero(holes, axis=1)
        solved = v / self.rest - (v @ F) @ F.T
        weights = np.tile(1 / self.rest - (F**2).sum(axis=1), (len(v), 1))
        if (one := np.flatnonzero(n_holes == 1)).size:
            # From S^-1 to S^-1 without a row and a column, by elimination.
            hole = holes[one].argmax(axis=1)
            at, row = (one, hole), -(F[hole] @ F.T)
            row[np.arange(len(one)), hole] += 1 / self.rest
            pivot = weights[at][:, np.newaxis]
            solved[one] -= row * (solved[at][:, np.newaxis] / pivot)
            weights[one] -= row**2 / pivot
            solved[at], weights[at] = 0, 1
        wide = v.shape[1] > tuning.HOLE_COLUMNS
        at_once = len(v) if wide else max(1, tuning.CELL_VALUES // max(1, v.shape[1]) ** 2)
        several = np.flatnonzero(n_holes > 1)
        for span in spans(len(several), at_once):
            rows = several[span]
            if wide:  # the diagonal is taken from rows without holes
                solved[rows] = self._by_steps(v[rows], holes[rows])
                continue
            # In S, rows and columns of holes are replaced by those of the identity.
            S, hole = self.times(np.eye(v.shape[1])), holes[rows]
            cut = np.where(hole[:, :, np.newaxis] | hole[:, np.newaxis, :], 0, S)
            np.einsum("nii->ni", cut)[...] += hole
            cut = np.linalg.inv(cut)
            solved[rows] = np.einsum("nij,nj->ni", cut, v[rows])
            weights[rows] = np.einsum("nii->ni", cut)
        expected = v - solved / weights
        if n_holes.any():
            expected = np.where(holes, self.times(solved), expected)
        return expected, solved, weights

    def _by_steps(self, v: Array, holes: Array) -> Array:
        """S_pp^-1 v_p by conjugate gradients."""
        x, left, step = np.zeros_like(v), v.copy(), v.copy()
        size = (left**2).sum(axis=1, keepdims=True)
        for _ in range(_STEPS):
            image = np.where(holes, 0, self.times(step))
            length = size / np.maximum((step * image).sum(axis=1, keepdims=True), _TINY)
            x += length * step
            left -= length * image
            before, size = size, (left**2).sum(axis=1, keepdims=True)
            step = left + size / np.maximum(before, _TINY) * step
        return x
