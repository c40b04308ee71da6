"""Greedy components: find a direction, take it out of the rows, repeat."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.base import Component, Stack, negligible_variance, signs_int8, stacked
from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.multistart import best_of_starts, settled_direction
from l1kpca.directions.starts import Start, looks_at_all
from l1kpca.gram.base import Gram
from l1kpca.gram.wrappers import Deflating


@dataclass(frozen=True)
class Deflation:
    r"""Components of K, each found on :math:`K - C^T C` with C the scores of those before it.

    No matrix is edited.  With :math:`K_j = K - C^T C`, a direction with dual vector c and
    :math:`v = c^T K_j c` becomes the component with

    .. math:: a = (c - A^T C c) / \sqrt v, \qquad K a = K_j c / \sqrt v,

    so that :math:`A K A^T = I`.  The components end where the share of variance is rounding error,
    or where the objective would not be positive.
    """

    finder: Finder
    start: Start
    n_starts: int | None = 1
    """None: until further ones are unlikely to improve."""
    orient: bool = True
    """Turn each component so that its largest score, in size, is positive."""
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in all, going on after ``so_far``."""

        def search(deflated: Gram, rng: np.random.Generator) -> Direction:
            if self.n_starts is None:
                return settled_direction(self.finder, deflated, self.start, rng)
            return best_of_starts(self.finder, deflated, self.start, self.n_starts, rng)

        stack = stacked(so_far, gram)
        whole_passes = limit if looks_at_all(self.start, gram.n_samples) else 0
        deflating = Deflating(gram, whole_passes)
        for component in deflate(deflating, limit, stack, search, self.seed):
            yield component.oriented() if self.orient else component


Searching = Callable[[Gram, np.random.Generator], Direction]
"""From a deflated Gram to a direction."""


def deflate(
    deflating: Deflating, limit: int, stack: Stack, search: Searching, seed: int
) -> Iterator[Component]:
    """Yield components, each searched for on K with those before it taken out."""
    gram = deflating.gram
    negligible = negligible_variance(gram)
    left = gram.diagonal() - np.einsum("ki,ki->i", stack.scores, stack.scores)
    # A zero diagonal may belong to an indefinite K; a small one is rounding error, where a search
    # would find something to improve for ever.
    while stack.size < limit and not 0 < np.abs(left).sum() <= negligible:
        # A generator of its own for each component: an interrupted fit can go on anywhere.
        rng = np.random.default_rng([seed, stack.size])
        direction = search(deflating.without(stack.scores, stack.coef), rng)
        found = _component(direction, stack, negligible)
        if found is None:
            return
        # The diagonal of an indefinite K may be small or zero, its components are not.
        share = 10 * float(np.finfo(gram.dtype).eps) * np.sqrt(gram.n_samples)
        negligible = max(negligible, share * found.variation)
        left -= found.scores**2
        stack.push(found.coef, found.scores)
        yield found


def _component(direction: Direction, stack: Stack, negligible: float) -> Component | None:
    """The direction as a component, unless it is rounding error or not positive."""
    coef, image = _orthogonal(direction, stack)
    # coef^T K coef is the square of the L1 norm of the scores, so never less than their squares.
    value = float(coef @ image)
    if not value > negligible:
        return None
    length = float(np.sqrt(value))
    scores = image / length
    if scores @ scores <= negligible:
        return None
    return Component(
        coef=coef / length,
        scores=scores,
        signs=signs_int8(direction.coef),
        trace=direction.trace,
        status=direction.status,
        n_starts=direction.n_starts,
    )


def _orthogonal(direction: Direction, stack: Stack) -> tuple[Array, Array]:
    """Dual vector and image, orthogonal in feature space to the stack.

    The image is so already, up to rounding; a second pass of Gram-Schmidt takes that out too, which
    keeps a hundred components orthonormal when the spectrum decays.
    """
    coef = direction.coef - stack.coef.T @ (stack.scores @ direction.coef)
    left = stack.coef @ direction.image
    return coef - stack.coef.T @ left, direction.image - stack.scores.T @ left
