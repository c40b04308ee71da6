r"""The semidefinite relaxation of the sign problem: a bound, and starts that are near exact.

.. math:: \max \operatorname{tr}(K X), \quad X_{ii} = 1, \; X \succeq 0

contains every :math:`X = c c^T`.  We solve it in the low-rank form :math:`X = V V^T` with unit rows
of V (Burer and Monteiro).
"""

from dataclasses import dataclass, field
from math import isqrt

import numpy as np

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.compose import Polished
from l1kpca.gram.base import Gram
from l1kpca.optimality.bounds import row_lengths

MAX_RANK = 24
MAX_STEPS = 300
_TOLERANCE = 1e-8
_DIAGONAL_SHARE = 0.5
_ROUNDINGS = 256
_ROUNDED_ENTRIES = 4_000_000
_POLISHED_ENTRIES = 20_000
_FEWEST = 16  # roundings; else as many as fit into these entries


@dataclass(frozen=True)
class Relaxation:
    """An almost optimal point of the relaxation, and the dual variables that belong to it."""

    V: Array  # unit rows, (n_samples, rank)
    value: float  # tr(V^T K V)
    dual: Array  # y; sum(y) is the value of the relaxation at its optimum

    def roundings(self, count: int, rng: np.random.Generator) -> Signs:
        """Signs of V g for random g, (n_samples, count): random hyperplanes."""
        g = rng.standard_normal((self.V.shape[1], count))
        return np.where(self.V @ g < 0, -1, 1).astype(self.V.dtype)


def relaxation(gram: Gram, seed: int = 0, max_steps: int = MAX_STEPS) -> Relaxation:
    r"""Solve the relaxation by :math:`v_i \leftarrow (M V)_i / \|(M V)_i\|`, a pass over K a step.

    This is the sign iteration with unit vectors in the place of signs.  M is K less half of its
    diagonal: a constant in the objective, and faster when K is nearly diagonal.  Should the
    objective fall (M is then too indefinite), M becomes K, with which it never falls.
    """
    n = gram.n_samples
    rank = min(isqrt(2 * n) + 2, MAX_RANK)
    V = np.random.default_rng([seed, n]).standard_normal((n, rank)).astype(gram.dtype)
    V, _ = unit_rows(V, V)
    diagonal = gram.diagonal()
    share, value = _DIAGONAL_SHARE, -np.inf
    for step in range(1, max_steps + 1):
        image = gram.apply(V)
        along = np.einsum("ij,ij->i", image, V, dtype=np.float64)
        fell = float(along.sum()) < value - _TOLERANCE * abs(value)
        share, value = 0.0 if fell else share, float(along.sum())
        pull = image - (share * diagonal)[:, np.newaxis] * V
        moved, norms = unit_rows(pull, V)
        # At the optimum every row is parallel to its pull.
        slack = float(norms.sum() + share * diagonal.sum() - value)
        if slack <= _TOLERANCE * abs(value) or step == max_steps:
            break
        V = moved
    return Relaxation(V, value, np.maximum(norms + share * diagonal, 0))


def unit_rows(W: Array, instead: Array) -> tuple[Array, Array]:
    """Rows of W at length one, those of zeros taken from ``instead``; and their lengths."""
    norms = row_lengths(W)
    if norms.all():
        return W / norms[:, np.newaxis], norms
    full = np.where(norms[:, np.newaxis] > 0, W, instead)
    return full / row_lengths(full)[:, np.newaxis], norms


@dataclass(frozen=True)
class SdpRounding:
    """Round the relaxation by random hyperplanes, then polish the best of the roundings.

    Parameters
    ----------
    polish : finder
        Goes on from each rounding, and from the given starts; by default `Polished`.
    seed : int, default=0
        Of the relaxation and the hyperplanes.
    """

    polish: Finder = field(default_factory=Polished)
    seed: int = 0

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """For each column of ``starts``, the better of what it and the roundings lead to."""
        rng = np.random.default_rng([self.seed, 1])
        count = min(_ROUNDINGS, max(_FEWEST, _ROUNDED_ENTRIES // gram.n_samples))
        signs = relaxation(gram, self.seed).roundings(count, rng)
        signs = np.unique(signs * signs[0], axis=1)  # each once; c and -c are the same
        rounded = gram.apply(signs)
        affordable = max(_FEWEST, _POLISHED_ENTRIES // gram.n_samples)
        order = np.argsort(-np.einsum("ij,ij->j", signs, rounded))[:affordable]
        found = self.polish.find(gram, signs[:, order])
        own = self.polish.find(gram, starts)
        return [max(*found, direction, key=lambda d: d.value) for direction in own]
