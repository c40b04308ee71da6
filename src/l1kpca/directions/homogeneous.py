"""The paper's framework beyond the L1 norm: maximise a homogeneous function on the unit sphere."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from l1kpca._typing import Array
from l1kpca.directions.base import (
    Direction,
    Search,
    SingleStart,
    Status,
    side_by_side,
    signs_of,
    why_it_stopped,
)
from l1kpca.directions.images import change_of
from l1kpca.gram.base import Gram


class HomogeneousFunction(Protocol):
    """A convex function g of the projections with g(t y) = t g(y) for t > 0."""

    def __call__(self, projections: Array) -> float:
        """g(y)."""

    def gradient(self, projections: Array, previous: Array) -> Array:
        """A subgradient of g at y; ``previous`` is the last one, for where there is a choice."""


@dataclass(frozen=True)
class LpNorm:
    r""":math:`\|y\|_p`, with p at least 1.

    Parameters
    ----------
    p : float, default=1.0
        1 gives Algorithm 1 of the paper, 2 the power iteration for the leading eigenvector.

    Examples
    --------
    >>> import numpy as np
    >>> LpNorm(2.0)(np.array([3.0, -4.0]))
    5.0
    >>> LpNorm(2.0).gradient(np.array([3.0, -4.0]), previous=np.ones(2))
    array([ 0.6, -0.8])
    """

    p: float = 1.0

    def __call__(self, projections: Array) -> float:
        """The norm."""
        largest = float(np.abs(projections).max(initial=0))
        if largest == 0:
            return 0.0
        # Powers of numbers up to one: a large p does not overflow.
        return largest * float(np.linalg.norm(projections / largest, ord=self.p))

    def gradient(self, projections: Array, previous: Array) -> Array:
        r""":math:`\operatorname{sgn}(y)\, |y|^{p-1} / \|y\|_p^{p-1}`; its dual norm is one."""
        if self.p == 1:
            return signs_of(projections, previous=np.copysign(1, previous))
        # Powers of numbers up to one: a large p does not overflow.
        powers = np.abs(projections / np.abs(projections).max()) ** (self.p - 1)
        conjugate = self.p / (self.p - 1)
        return np.copysign(powers / np.linalg.norm(powers, ord=conjugate), projections)


@dataclass(frozen=True)
class HomogeneousPowerIteration(SingleStart):
    r"""Maximise f on the unit sphere by :math:`x \leftarrow \nabla f(x) / \|\nabla f(x)\|`.

    Here :math:`f(x) = g(\Phi x)` depends on the projections of the rows alone, so that in dual
    coordinates, with :math:`x = \Phi^T c / \sqrt{c^T K c}`, a step is

    .. math:: c \leftarrow \nabla g\bigl(K c / \sqrt{c^T K c}\bigr)

    and costs one product with K.  Since g is convex and homogeneous of degree one,

    .. math:: f(x_k) = x_k^T \nabla f(x_k) \le \|\nabla f(x_k)\| \le f(x_{k+1}),

    so :math:`c^T K c`, the square of the middle term, never falls; at the end it is
    :math:`f(x)^2`.

    Parameters
    ----------
    function : HomogeneousFunction, default=LpNorm(1.0)
        g.
    tol : float, default=1e-7
        The search ends where a step moves x, of length one, by no more than this.
    max_iter : int, default=1000
        Bound on the number of steps.

    References
    ----------
    C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions
    on Pattern Analysis and Machine Intelligence, 42(8), 2020: the end of section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> gram = PrecomputedGram(np.array([[2.0, 1.0], [1.0, 2.0]]), Workers())
    >>> leading = HomogeneousPowerIteration(LpNorm(2.0)).find(gram, np.array([1.0, 1.0]))
    >>> leading.coef / leading.coef[0]  # the leading eigenvector
    array([1., 1.])
    """

    function: HomogeneousFunction = LpNorm()
    tol: float = 1e-7
    max_iter: int = 1000

    def find_each(self, gram: Gram, starts: Array, images: Array | None = None) -> list[Direction]:
        """Iterate from each column of ``starts``, side by side."""
        images = gram.apply(starts) if images is None else images
        pairs = zip(starts.T, images.T, strict=True)
        return side_by_side(gram, [self._search(c.copy(), y.copy()) for c, y in pairs])

    def _search(self, c: Array, Kc: Array) -> Search:
        trace = [self._value_of_start(c, Kc)]
        if not Kc.any():
            return Direction(c, Kc, tuple(trace))
        status = Status.MAX_ITER
        for step in range(self.max_iter):
            new = self.function.gradient(Kc, previous=c)  # of degree zero: Kc needs no scaling
            change = new - c
            if not change.any():
                status = Status.CONVERGED
                break
            K_change = yield change_of(change)
            moved, value = float(change @ K_change), float(new @ (Kc + K_change))
            # The start is not scaled as a gradient is, so the first step is always taken.
            if step > 0 and value <= trace[-1]:
                status = why_it_stopped(moved, value)
                break
            c, Kc = new, Kc + K_change
            # Where c^T K c cancels, the value of the start has few digits; it is not larger.
            trace[0] = min(trace[0], value)
            trace.append(value)
            if moved <= self.tol**2 * value:
                status = why_it_stopped(moved, value)
                break
        return Direction(c, Kc, tuple(trace), status)

    def _value_of_start(self, c: Array, Kc: Array) -> float:
        """f(x)^2 at the start."""
        value = float(c @ Kc)
        return (self.function(Kc) / value**0.5) ** 2 if value > 0 else value
