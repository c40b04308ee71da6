"""Each cell beside what the other cells of its row say that it should be."""

from dataclasses import dataclass

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.outliers.tails import Tail
from l1kpca.threads import spans

BOUND = 3.0
"""When others are predicted, no value counts for more than this many spreads of its column."""
_MOST_EXPECTED = 2.9  # of u, where z is 11
_FARTHEST = 1e100  # spreads: its square is still a number
_STEPS = 50  # of conjugate gradients
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class CellMap:
    """What the detector says about cells, in arrays of shape (n_samples, n_features).

    The others of a cell's row are those that are no holes.  If a cell of the row is beyond the
    cut-off, the one with the largest residual does not count for the others either.
    """

    #: Distance from the expected value, in deviations of ordinary cells; positive if the cell is
    #: larger, 0 for a hole and in a column that does not vary.
    residual: Array
    expected: Array  #: What the cell should be, given the others of its row, in its unit.
    flagged: Array  #: Whether the residual is beyond the cut-off.
    cutoff: float  #: Fewer than one in a thousand ordinary cells have a larger residual.


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


@dataclass(frozen=True, eq=False)
class Cells:
    r"""The columns as each other's regressors.

    A value is z spreads from the center of its column, softly bounded to
    :math:`u = z / \sqrt{1 + (z / 3)^2}`, so that no cell can spoil the prediction of the others.
    With v the standardized u, S their correlations, shrunk to the identity, and
    :math:`g = S^{-1} v`, the regression of a cell on all others leaves :math:`g_j / S^{-1}_{jj}`,
    with the deviation :math:`(S^{-1}_{jj})^{-1/2}`.  The residual is

    .. math:: r_j = g_j / \sqrt{S^{-1}_{jj}} + e_j

    less its median over the training rows, in one unit for all columns; e is what the bound hides:
    the part of z beyond 99 % of the training values, so that a gross value counts for as much as it
    is gross.  If one cell of a row is wrong, its own residual is the largest, by Cauchy's
    inequality.  (After Rousseeuw and Van den Bossche, Technometrics 60, 2018.)  Here S is hardly
    shrunk, so that a break of a relation that is nearly exact counts; more where distances are
    added up, so that noise in many correlations does not.

    Three numbers say how odd a row is: the sum of :math:`\sinh^{-1}(d_j)^2` for the distances d of
    the unbounded z from what is expected, in median absolute deviations of the column; the same sum
    for the residuals; and the surprise of the most surprising residual (see `Tail`) less log d,
    since one of d is the largest.  Columns count by their weight.  If a row has holes, the sums are
    scaled up to what they would be without.
    """

    used: Array  #: Which columns vary.
    center: Array  #: Of all columns.
    spread: Array  #: Of the columns that vary, as all that follows.
    reach: Array  #: The 99 % point of the size of z in training.
    mean: Array  #: Of u.
    deviation: Array  #: Of u.
    factor: Array  #: B, with orthogonal columns, of S = tau I + B B^T.
    rest: float  #: tau.
    weight: Array  #: 1, or less if columns share a unit and this one hardly varies.
    medians: Array  #: Of r and d.
    units: Array  #: Of r, one for all columns, and of d.
    tails: Array  #: Of the sizes of the residuals, see `Tail`.
    cutoff: float = 0.0  #: Of the residual.
    #: The 99 % point of its size over the median, in a typical column, over that of normal ones.
    heaviness: float = 0.0
    gain: float = 1.0  #: By how much off-diagonal entries of S grow where single cells are judged.

    def told(self, z: Array, u: Array) -> tuple[Array, Array, Array, Array]:
        """Residual, distance, expected value, and the holes."""
        holes = np.isnan(z)
        v = np.where(holes, 0, (u - self.mean) / self.deviation)
        expected, solved, weight = self.keen.expected(v, holes)
        beyond = np.sign(z) * np.maximum(np.abs(z) - self.reach, 0) / self.deviation
        residual = solved / np.sqrt(weight) + beyond
        steady = expected
        if self.gain > 1:  # shrunk enough that sums over many columns are no noise
            steady = Regression(self.factor, self.rest).expected(v, holes)[0]
        distance = z - (steady * self.deviation + self.mean)
        both = np.stack([residual, distance])
        both = (both - self.medians[:, np.newaxis]) / self.units[:, np.newaxis]
        u = np.clip(expected * self.deviation + self.mean, -_MOST_EXPECTED, _MOST_EXPECTED)
        expected = self.center[self.used] + self.spread * u / np.sqrt(1 - (u / BOUND) ** 2)
        return *np.where(holes, 0, both), expected, holes

    @property
    def keen(self) -> Regression:
        """With S hardly shrunk, so that a relation that is nearly exact counts."""
        return Regression(np.sqrt(self.gain) * self.factor, 1 + self.gain * (self.rest - 1))

    def filled(self, X: Array) -> tuple[Array, Array]:
        """Rows with their holes filled by what is expected there, and how odd their cells are."""
        filled = np.where(np.isnan(X), self.center, X).astype(X.dtype, copy=False)
        least = float(np.log(max(1, len(self.spread))))
        oddness = np.full((len(X), 3), least)
        tails = list(map(Tail._make, self.tails.T))
        for rows in spans(len(X), max(1, tuning.CELL_VALUES // X.shape[1])):
            z, u = standardized(X[rows], self.used, self.center, self.spread)
            residual, distance, expected, holes = self.told(z, u)
            filled[rows, self.used] = np.where(holes, expected, X[rows, self.used])
            whole = holes.shape[1] / np.maximum((~holes).sum(axis=1), 1)
            for j, size in enumerate((self.weight * distance, self.weight * residual)):
                far = np.minimum(np.abs(size), _FARTHEST)
                # The logarithm is sinh^-1, in a quarter of the time of NumPy's arcsinh.
                squares = np.square(np.log(far + np.sqrt(1 + far**2)))
                oddness[rows, j] = whole * squares.sum(axis=1)
            worst = oddness[rows, 2]
            for tail, one in zip(tails, np.abs(size).T, strict=True):
                some = np.flatnonzero(one > tail.at(least))  # the powers of a tail take long
                worst[some] = np.maximum(worst[some], tail(one[some]))
            worst -= least
        return filled, oddness

    def map(self, X: Array) -> CellMap:
        """What ``cells`` of the detector gives."""
        residual = np.zeros(X.shape)
        expected = np.broadcast_to(self.center, X.shape).astype(np.float64)
        for rows in spans(len(X), max(1, tuning.CELL_VALUES // X.shape[1])):
            z, u = standardized(X[rows], self.used, self.center, self.spread)
            found, _, should, _ = self.told(z, u)
            # The cell that stands out most is a hole for the others.
            odd = np.flatnonzero(np.abs(found).max(axis=1, initial=0) > self.cutoff)
            if len(odd):
                worst = np.arange(len(odd)), np.abs(found[odd]).argmax(axis=1)
                hidden = z[odd]
                hidden[worst] = np.nan
                others, _, should[odd], _ = self.told(hidden, u[odd])
                others[worst] = found[odd][worst]
                found[odd] = others
            residual[rows, self.used], expected[rows, self.used] = found, should
        return CellMap(residual, expected, np.abs(residual) > self.cutoff, self.cutoff)


def standardized(X: Array, used: Array, center: Array, spread: Array) -> tuple[Array, Array]:
    """The z and u of the columns that are used."""
    with np.errstate(over="ignore"):
        z = (X[:, used].astype(np.float64, order="C") - center[used]) / spread
        z = np.clip(z, -_FARTHEST, _FARTHEST)
    return z, z / np.sqrt(1 + (z / BOUND) ** 2)
