"""Greedy components: find a direction, remove it from the rows, repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import Direction, Finder, SignSearch
from l1kpca.directions.starts import Start, best_of_starts, components_started_together
from l1kpca.gram.base import Gram
from l1kpca.gram.followed import Followed
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import Workers


@dataclass(frozen=True)
class Deflation:
    r"""Components of K, each found on :math:`K - C^T C`, where C holds the scores of earlier ones.

    No matrix is modified.  With :math:`K_j = K - C^T C`, a direction with dual vector c and
    :math:`v = c^T K_j c` becomes the component with

    .. math:: a = (c - A^T C c) / \sqrt v, \qquad K a = K_j c / \sqrt v,

    so that :math:`A K A^T = I`.  The components end when the variance left is rounding error, or
    when the objective would not be positive.
    """

    finder: Finder
    start: Start
    n_starts: int | None = 1
    """None: until more starts are unlikely to help."""
    orient: bool = True
    """Turn each component so that its largest score in size is positive."""
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in total, continuing after ``so_far``."""
        gram = _explicit(gram)
        coefs: list[Array] = []
        scores: list[Array] = []
        negligible = negligible_variance(gram)
        share = 10 * float(np.finfo(gram.dtype).eps) * np.sqrt(gram.n_samples)
        batch = components_started_together(self.start, gram.n_samples) if self.n_starts == 1 else 0
        waiting: Followed | None = None
        for index in range(limit):
            # A zero diagonal may belong to an indefinite K; a small one is rounding error, which a
            # search could improve forever.
            if 0 < abs(gram.diagonal()).sum() <= negligible:
                return
            # Each component has its own generator, so an interrupted fit can resume anywhere.
            rng = np.random.default_rng([self.seed, index])
            if batch and index % batch == 0 and index + batch > len(so_far):
                waiting = gram.follow(self.start(gram, rng, batch))
            if index < len(so_far):
                found = so_far[index]
            else:
                direction = self._direction(gram, waiting, rng)
                A, C = gram.table(coefs).T, gram.table(scores).T
                new = _component(direction, A, C, negligible, gram.signs(direction.coef))
                if new is None:
                    return
                found = new.oriented() if self.orient else new
                yield found
            coefs.append(found.coef)
            scores.append(found.scores)
            gram = gram.without(found.coef, found.scores)
            if waiting is not None:
                waiting = waiting.only(range(1, len(waiting)))
                waiting.leave(gram, found.scores)
            # The diagonal of an indefinite K may be small or zero when its components are not.
            negligible = max(negligible, share * float(found.scores @ found.scores))

    def _direction(
        self, gram: Gram, waiting: Followed | None, rng: np.random.Generator
    ) -> Direction:
        """The next direction, from the first of the starts that are waiting, if there are any."""
        if waiting is not None:
            next_one: Any = waiting.only([0])
            if not isinstance(self.finder, SignSearch):
                next_one = gram.table(next_one.signs)
            return self.finder.find(gram, next_one)[0]
        first = self.start(gram, rng, 1)
        return best_of_starts(self.finder, gram, first, self.n_starts, rng)


def _explicit(gram: Gram) -> Gram:
    """A stored copy of K if there are few rows, on which searches take a third of the time."""
    if not gram.few_rows < gram.n_samples <= tuning.SMALL_ROWS:
        return gram
    K = np.ascontiguousarray(gram.columns(np.arange(gram.n_samples)))
    return StoredGram(K, Workers(), floor=gram.rounding())


def _component(
    direction: Direction, A: Array, C: Array, negligible: float, signs: Array
) -> Component | None:
    """The direction as a component, unless it is rounding error or not positive.

    It is made orthogonal in feature space to the earlier ones, with coefficients A and scores C.
    The image already is, up to rounding; a second pass of Gram-Schmidt removes that too, which
    keeps a hundred components orthonormal when the spectrum decays.
    """
    left = A @ direction.image
    coef, image = direction.coef - A.T @ (C @ direction.coef + left), direction.image - C.T @ left
    # coef^T K coef is the squared L1 norm of the scores, never less than the sum of their squares.
    value = float(coef @ image)
    if not value > negligible:
        return None
    length = float(np.sqrt(value))
    scores = image / length
    if scores @ scores <= negligible:
        return None
    how = direction.trace, direction.status, direction.n_starts
    return Component(coef / length, scores, signs.astype(np.int8), *how)
