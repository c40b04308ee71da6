"""Greedy components: find a direction, remove it from the rows, repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.components import loops
from l1kpca.components.base import Component, negligible_variance
from l1kpca.directions.base import (
    Direction,
    Finder,
    Limits,
    SignSearch,
    Status,
    longest_trace,
    search_limits,
    why_it_stopped,
)
from l1kpca.directions.starts import (
    Start,
    batch_size,
    best_of_starts,
    extended,
    norm,
    random,
    sample,
)
from l1kpca.gram.base import Gram
from l1kpca.gram.followed import Followed
from l1kpca.gram.stored import StoredGram
from l1kpca.loops import Factors
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
    """None: until more starts are unlikely to help.  Else, with more than 4000 rows, all but two
    search a sample of the rows; the last goes on with all rows where the best of them ended."""
    orient: bool = True
    """Turn each component so that its largest score in size is positive."""
    seed: int = 0

    def components(
        self, gram: Gram, limit: int, so_far: Sequence[Component] = ()
    ) -> Iterator[Component]:
        """Yield up to ``limit`` components in total, continuing after ``so_far``."""
        gram = _explicit(gram)
        limits = getattr(self.finder, "limits", None)
        if self.n_starts == 1 and gram.n_samples <= gram.few_rows and limits is not None:
            yield from self._of_few_rows(gram, limit, so_far, limits)
            return
        coefs = scores = gram.table([])
        negligible, share = _noise(gram)
        waiting: Followed | None = None
        ahead = self._starts_ahead(gram)
        for index in range(limit):
            # A zero diagonal may belong to an indefinite K; a small one is rounding error, which a
            # search could improve forever.
            if 0 < abs(gram.diagonal()).sum() <= negligible:
                return
            batch = batch_size(self.start, index, ahead * gram.n_samples) if ahead else 1
            if batch and index + batch > len(so_far):
                # Each batch has its own generator, so an interrupted fit can resume anywhere.
                rng = np.random.default_rng([self.seed, index])
                if ahead:
                    waiting = gram.follow(self._starts(gram, rng, batch, limit - index))
            first = waiting.pop(ahead) if waiting is not None else None
            known = so_far[index] if index < len(so_far) else None
            found = known or self._next(gram, first, rng, (coefs.T, scores.T), negligible)
            if found is None:
                return
            coefs = gram.appended(coefs, found.coef, limit)
            scores = gram.appended(scores, found.scores, limit)
            (*_, coef), (*_, score) = coefs.T, scores.T
            found = replace(found, coef=coef, scores=score)  # so that a million rows are held once
            if known is None:
                yield found
            gram = gram.without(found.coef, found.scores)
            if waiting is not None:
                waiting.leave(gram, found.scores)
            # The diagonal of an indefinite K may be small or zero when its components are not.
            negligible = max(negligible, share * float(found.scores @ found.scores))

    def _of_few_rows(
        self, gram: Gram, limit: int, so_far: Sequence[Component], limits: Limits
    ) -> Iterator[Component]:
        """The same, with one compiled call for each batch of starts."""
        index, done, noise = 0, list(so_far), np.array(_noise(gram))
        coefs = scores = gram.table([])
        while index < limit:
            size = batch_size(self.start, index, gram.n_samples)
            wanted = min(size, limit - index)
            rng = np.random.default_rng([self.seed, index])
            starts, left, failed = self.start(gram, rng, size), gram, -1
            while not 0 < abs(left.diagonal()).sum() <= noise[0]:
                others = done[index : index + wanted], (coefs.T, scores.T), wanted
                new, batch = _batch(gram, starts, limits, others, noise)
                for component in new:
                    yield component.oriented() if self.orient else component
                done, count = [*done, *new], batch.shape[1]
                left = gram.minus(batch[1], batch[1])
                if count == wanted:
                    break
                if count == failed:
                    return
                # Earlier components took all from this start; the largest row has some left.
                starts[:, [count]], failed = norm(left, rng), count
            else:
                return
            for coef, score in zip(*batch, strict=True):
                coefs = gram.appended(coefs, coef, limit)
                scores = gram.appended(scores, score, limit)
            index, gram = index + size, left

    def _starts_ahead(self, gram: Gram) -> int:
        """Starts of a component that are made before its turn comes; 0: all when it comes."""
        if self.n_starts == 1:
            return 1
        return 2 if (self.n_starts or 0) > 2 and gram.n_samples > tuning.SAMPLED_STARTS else 0

    def _starts(self, gram: Gram, rng: np.random.Generator, count: int, wanted: int) -> Any:
        """Starts of as many components; the rival of each is the best on a sample of the rows."""
        starts = self.start(gram, rng, count)
        if self.n_starts is None or self.n_starts <= 2:
            return starts
        rows, seed = sample(gram.n_samples), int(rng.integers(2**32))
        K = np.ascontiguousarray(gram.columns(rows, rows))
        few = StoredGram(K, Workers(), floor=gram.rounding())
        solver = replace(self, start=random, n_starts=self.n_starts - 2, seed=seed)
        found = solver.components(few, min(count, wanted))
        coef = np.array([component.coef for component in found] or [few.diagonal()])
        rivals = extended(gram, coef, count)
        return gram.table(list(chain(*zip(starts.T, rivals.T, strict=True))))

    def _next(
        self, gram: Gram, first: Followed | None, rng: np.random.Generator,
        earlier: tuple[Array, Array], negligible: float,
    ) -> Component | None:  # fmt: skip
        """The next component; None if no more than rounding error is left."""
        direction = self._direction(gram, first, rng)
        new = _component(gram, direction, *earlier, negligible)
        if new is None and first is not None:
            # Earlier components took all from this start; the largest row has some left.
            again = self.finder.find(gram, norm(gram, rng))[0]
            new = _component(
                gram, replace(again, n_starts=direction.n_starts), *earlier, negligible
            )
        return new.oriented() if new and self.orient else new

    def _direction(self, gram: Gram, first: Followed | None, rng: np.random.Generator) -> Direction:
        """The next direction, from the start that is followed already, if there is one."""
        if first is None:
            begin = self.start(gram, rng, 1)
            return best_of_starts(self.finder, gram, begin, self.n_starts, rng)
        signs_alone = not isinstance(self.finder, SignSearch)
        starts: Any = gram.table(first.signs) if signs_alone else first
        found = self.finder.find(gram, starts)
        if len(found) == 1:
            return found[0]
        best = max(found, key=lambda direction: direction.value)
        return replace(best, n_starts=self.n_starts or 1)


def _explicit(gram: Gram) -> Gram:
    """A stored copy of K if there are few rows, on which searches take a third of the time."""
    if not gram.few_rows < gram.n_samples <= tuning.SMALL_ROWS:
        return gram
    K = np.ascontiguousarray(gram.columns(np.arange(gram.n_samples)))
    # Rounding errors of equal rows add up where K is deflated entry by entry.
    return StoredGram(K, Workers(), floor=float(np.sqrt(len(K))) * gram.rounding())


def _noise(gram: Gram) -> tuple[float, float]:
    """The variance that is negligible, and the share of a component's that it may leave behind."""
    share = 10 * float(np.finfo(gram.dtype).eps) * np.sqrt(gram.n_samples)
    return negligible_variance(gram), share


def _batch(
    gram: Gram, starts: Array, limits: Limits,
    others: tuple[Sequence[Component], Factors, int], noise: Array,
) -> tuple[list[Component], Array]:  # fmt: skip
    """New components from these starts; the coefficients and scores of the whole batch.

    ``others`` holds the components of the batch that are known, the coefficients and scores of all
    earlier ones, and how many of the batch are wanted.
    """
    (known, earlier, wanted), (n, size) = others, starts.shape
    followed, (K, (left, right)) = gram.follow(starts), gram.written()
    room = np.empty((size, n), dtype=gram.dtype)
    minus = np.concatenate([left, room]), np.concatenate([right, room])
    signs, images = np.array(followed.signs), np.array([*map(followed.image, range(size))])
    batch = np.empty((2, size, n), dtype=gram.dtype)
    for j, component in enumerate(known):
        batch[:, j] = component.coef, component.scores
    ends, traces = np.empty((wanted, 3)), np.empty((wanted, longest_trace(limits, n)))
    count = loops.deflate(
        K, minus, (*earlier, *batch), len(known), (signs, images, gram.diagonal()),
        search_limits(gram, limits), (noise, ends, traces),
    )  # fmt: skip
    found = []
    for j in range(len(known), count):
        taken, moved, ended = ends[j].tolist()
        trace = tuple(traces[j, : int(taken) + 1].tolist())
        status = why_it_stopped(moved, trace[-1]) if ended else Status.MAX_ITER
        found.append(Component(batch[0, j], batch[1, j], signs[j].astype(np.int8), trace, status))
    return found, batch[:, :count]


def _component(
    gram: Gram, direction: Direction, A: Array, C: Array, negligible: float
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
    signs = gram.signs(direction.coef).astype(np.int8)
    how = direction.trace, direction.status, direction.n_starts
    return Component(coef / length, scores, signs, *how)
