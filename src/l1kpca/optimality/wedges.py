r"""A tighter bound: the directions are cut into wedges, and each wedge has its own relaxation.

For any vectors :math:`b_0, \dots, b_{m-1}` and :math:`b_m = -b_0`, every c satisfies
:math:`(b_j^T c)(b_{j+1}^T c) \le 0` for some j, since the sign of :math:`b_j^T c` must change on
the way from :math:`b_0` to :math:`-b_0`.  On that wedge, for any :math:`\mu \ge 0`,

.. math:: c^T K c \le c^T (K - \mu\, b_j b_{j+1}^T) c,

and the relaxation of the right-hand side, with the best mu, is a bound.  The largest of the m
bounds holds for all c.  Wedges are cut again, the one with the largest bound first.  Unlike
fixing the sign of a row, a cut through all rows also moves the bound when there are thousands.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise
from time import monotonic

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Gram, Minus
from l1kpca.optimality.bounds import UpperBound, dual_bound, dual_slack, slack_weights
from l1kpca.optimality.sdp import Relaxation, unit_rows

_WEDGES = 4
_ROUNDS = 14
_STEPS = 6
_LAST_STEPS = 60
_ESCAPES = 4
_TIGHT = 1e-3
_TOLERANCE = 1e-5
_NOISE = 0.05
_NEGLIGIBLE = 1e-9
_FIRST_STEP = 0.05
_MAX_RANK = 10


@dataclass(frozen=True)
class Cut:
    """Wedges (left_k^T c)(right_k^T c) >= 0, their multipliers, and a point of the relaxation.

    The walls ``left`` and ``right`` are (k, n_samples).
    """

    left: Array
    right: Array
    multipliers: Array
    """mu, (k,), not negative."""
    V: Array
    """Unit rows."""


class Penalized(Minus):
    r"""K with the wedges of a cut added, and a diagonal that makes the sum positive semidefinite.

    :math:`K + \sum_k \mu_k (l_k r_k^T + r_k l_k^T) / 2 + \operatorname{Diag}(d)`, where
    :math:`d_i = \sum_k \mu_k (|l_{ki}| \|l_k\|_1 + |r_{ki}| \|r_k\|_1) / 4`.
    """

    def __init__(self, gram: Gram, cut: Cut):
        walls = np.vstack([cut.left, cut.right])
        half = np.tile(cut.multipliers / 2, 2)[:, np.newaxis]
        swapped = np.vstack([cut.right, cut.left])
        super().__init__(gram, (-half * walls).astype(gram.dtype), swapped.astype(gram.dtype))
        sizes = np.abs(walls)
        self.shift = (half / 2 * sizes * sizes.sum(axis=1, keepdims=True)).sum(axis=0)
        self._diagonal += self.shift.astype(gram.dtype)

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """The product with a block V, or only of the columns ``at``."""
        image = super().apply(V, at)
        rows = slice(None) if at is None else at
        image[rows] += (self.shift[rows] * V.T).T
        return image

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """The columns ``index``, all of them or the entries in ``rows``."""
        columns = super().columns(index, rows)
        rows = np.arange(self.n_samples) if rows is None else rows
        columns += np.equal.outer(rows, index) * self.shift[index]
        return columns


def wedge_bound(
    gram: Gram, relaxed: Relaxation, enough: float, max_nodes: int, deadline: float
) -> UpperBound:
    """Cut until the bound is ``enough``, or the budget is used up."""
    first = dual_bound(gram, relaxed.dual)
    nothing = np.empty((0, gram.n_samples))
    tie = count()
    whole = Cut(nothing, nothing, np.empty(0), _few_columns(relaxed.V))
    heap = [(-first.value, next(tie), whole)]
    n_nodes = 1
    while n_nodes < max_nodes and monotonic() < deadline and -heap[0][0] > enough:
        parent, _, cut = heap[0]
        children = list(_cut_again(gram, cut))
        if not children:
            break
        heapq.heappop(heap)
        for child in children:
            n_nodes += 1
            child, bound = _relaxed_cut(gram, child)
            heapq.heappush(heap, (-min(bound, -parent), next(tie), child))
    return UpperBound(-heap[0][0], first.proof if n_nodes == 1 else f"{first.proof} of wedges")


def _few_columns(V: Array) -> Array:
    """V turned so that its last columns vanish, and these left out: its rank is small."""
    left, sizes, _ = np.linalg.svd(V, full_matrices=False)
    return unit_rows((left * sizes)[:, :_MAX_RANK], V[:, :_MAX_RANK])[0]


def _cut_again(gram: Gram, cut: Cut) -> Iterator[Cut]:
    """Wedges in the plane of the two directions along which the relaxation is spread most.

    None if it is spread along one direction alone: then it is a sign vector already.
    """
    image = np.asarray(gram.apply(cut.V.astype(gram.dtype)), dtype=np.float64)
    spread, axes = np.linalg.eigh(cut.V.T @ image)
    if len(spread) < 2 or spread[-2] <= _NEGLIGIBLE * max(spread[-1], np.finfo(float).tiny):
        return
    p, q = (image @ axes[:, -k] / spread[-k] for k in (1, 2))
    angles = np.arange(_WEDGES) * np.pi / _WEDGES
    walls = [np.cos(a) * p + np.sin(a) * q for a in angles]
    for wall, following in pairwise([*walls, -walls[0]]):
        left, right = np.vstack([cut.left, wall]), np.vstack([cut.right, -following])
        yield Cut(left, right, np.append(cut.multipliers, 0.0), cut.V)


def _relaxed_cut(gram: Gram, cut: Cut) -> tuple[Cut, float]:
    """The multipliers that lower the bound most, nearly; and the bound with them."""
    # The parent's solution has a small rank; without a little of everything in it, the steps
    # would stay in its span, where they may end at a saddle point.
    noise = np.random.default_rng(len(cut.left)).standard_normal(cut.V.shape)
    cut = replace(cut, V=unit_rows(cut.V + _NOISE * noise, cut.V)[0])
    before = np.zeros(len(cut.multipliers))
    for k in range(_ROUNDS):
        V, norms = _power_steps(Penalized(gram, cut), cut.V, _STEPS)
        pull = ((cut.left @ V) * (cut.right @ V)).sum(axis=1)
        if k == 0:
            steps = np.full(len(pull), _FIRST_STEP * float(norms.sum()))
        # Longer steps while a multiplier keeps its direction, shorter ones when it turns.
        steps = steps * np.where(pull * before > 0, 1.4, np.where(pull * before < 0, 0.5, 1.0))
        before = pull
        moved = np.maximum(cut.multipliers - steps * np.clip(pull, -1, 1), 0)
        cut = replace(cut, multipliers=moved, V=V)
    V, bound = _bound_of(Penalized(gram, cut), cut.V)
    return replace(cut, V=V), bound


def _bound_of(problem: Penalized, V: Array) -> tuple[Array, float]:
    """Solve the relaxation, leaving saddle points along the eigenvector that the dual shows."""
    for _ in range(_ESCAPES):
        V, norms = _power_steps(problem, V, _LAST_STEPS)
        seen = dual_slack(problem, norms)
        w = slack_weights(norms)
        if seen.largest * float(w.sum()) <= _TIGHT * float(norms.sum()):
            break
        V = _few_columns(V)
        away = seen.vector / np.sqrt(w)
        V[:, -1] += away / float(np.abs(away).max())
        V = unit_rows(V, V)[0]
    return V, dual_bound(problem, norms, seen).value - float(problem.shift.sum())


def _power_steps(problem: Penalized, V: Array, n_steps: int) -> tuple[Array, Array]:
    """Some steps towards the relaxation, and y: the lengths of the rows before the last of them."""
    for _ in range(n_steps):
        pull = np.asarray(problem.apply(V.astype(problem.dtype)), dtype=np.float64)
        along = float((pull * V).sum())
        V, norms = unit_rows(pull, V)
        if norms.sum() - along <= _TOLERANCE * norms.sum():
            break
    return V, norms
