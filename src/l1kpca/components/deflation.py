"""Greedy components: find a direction, remove it from the rows, repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.starts import Start, best_of_starts
from l1kpca.gram.base import Gram


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
        coefs: list[Array] = []
        scores: list[Array] = []
        negligible = negligible_variance(gram)
        share = 10 * float(np.finfo(gram.dtype).eps) * np.sqrt(gram.n_samples)
        for known in so_far:
            gram = gram.without(known.coef, known.scores)
            coefs.append(known.coef)
            scores.append(known.scores)
        # A zero diagonal may belong to an indefinite K; a small one is rounding error, which a
        # search could improve forever.
        while len(coefs) < limit and not 0 < abs(gram.diagonal()).sum() <= negligible:
            # Each component has its own generator, so an interrupted fit can resume anywhere.
            rng = np.random.default_rng([self.seed, len(coefs)])
            direction = best_of_starts(self.finder, gram, self.start, self.n_starts, rng)
            A, C = gram.table(coefs).T, gram.table(scores).T
            found = _component(direction, A, C, negligible, gram.signs(direction.coef))
            if found is None:
                return
            # The diagonal of an indefinite K may be small or zero when its components are not.
            negligible = max(negligible, share * float(found.scores @ found.scores))
            coefs.append(found.coef)
            scores.append(found.scores)
            gram = gram.without(found.coef, found.scores)
            yield found.oriented() if self.orient else found


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
