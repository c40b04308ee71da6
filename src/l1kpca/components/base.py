"""A component, a growing stack of them, and what a method that makes them looks like."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from l1kpca._typing import Array
from l1kpca.directions.base import Status
from l1kpca.gram.base import Gram


@dataclass(frozen=True)
class Component:
    """One direction of unit length in feature space, ``sum_i coef_i phi(x_i)``."""

    coef: Array
    """Dual coefficients a, with a^T K a = 1."""
    scores: Array
    """Projections of the training rows, K a."""
    signs: Array
    """Signs of the scores in the problem that was solved, int8."""
    trace: tuple[float, ...] = ()
    """The objective of the search, step by step."""
    status: Status = Status.CONVERGED

    @property
    def objective(self) -> float:
        """The L1 norm of the scores."""
        return float(np.abs(self.scores).sum())


class ComponentSolver(Protocol):
    """Makes components, orthonormal in feature space."""

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield at most ``limit`` components, those in ``so_far`` not counted again."""


class Stack:
    """Coefficients and scores of the components so far, as rows of arrays that grow."""

    def __init__(self, n_samples: int, dtype: np.dtype[Any]):
        self.size = 0
        self._coef = np.empty((8, n_samples), dtype=dtype)
        self._scores = np.empty((8, n_samples), dtype=dtype)

    @property
    def coef(self) -> Array:
        """(size, n_samples)."""
        return self._coef[: self.size]

    @property
    def scores(self) -> Array:
        """(size, n_samples)."""
        return self._scores[: self.size]

    def push(self, coef: Array, scores: Array) -> None:
        """Add one component."""
        if self.size == len(self._coef):
            self._coef = np.concatenate([self._coef, np.empty_like(self._coef)])
            self._scores = np.concatenate([self._scores, np.empty_like(self._scores)])
        self._coef[self.size] = coef
        self._scores[self.size] = scores
        self.size += 1
