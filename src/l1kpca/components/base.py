"""A component, and the interface of the methods that find them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

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
    n_starts: int = 1
    """Number of searches; this is the best of them."""

    @property
    def objective(self) -> float:
        """The L1 norm of the scores."""
        return float(abs(self.scores).sum(dtype=np.float64))

    def oriented(self) -> "Component":
        """The same component, turned so that its largest score in size is positive."""
        if self.scores[abs(self.scores).argmax()] >= 0:
            return self
        return replace(self, coef=-self.coef, scores=-self.scores, signs=-self.signs)


class ComponentSolver(Protocol):
    """Finds components, orthonormal in feature space."""

    def components(self, gram: Gram, limit: int) -> Iterator[Component]:
        """Yield up to ``limit`` components."""


def negligible_variance(gram: Gram) -> float:
    """The sum of squared scores up to which a component is rounding error."""
    limits = np.finfo(gram.dtype)
    # Below tiny / eps, products lose digits to underflow.
    underflow = float(limits.tiny) / float(limits.eps)
    return max(10 * float(np.sqrt(gram.n_samples)) * gram.rounding(), underflow)


def signs_int8(coef: Array) -> Array:
    """-1 where negative, else 1."""
    return np.where(coef < 0, -1, 1).astype(np.int8)
