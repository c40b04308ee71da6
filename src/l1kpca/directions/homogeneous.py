"""The paper's framework beyond the L1 norm: maximize a homogeneous function on the unit sphere."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.checks import check_number
from l1kpca.directions.base import MAX_ITER, Direction, Status, why_it_stopped
from l1kpca.directions.sign_iteration import SignIteration
from l1kpca.gram.base import Gram


class HomogeneousIteration(ABC):
    r"""Maximize f on the unit sphere by :math:`x \leftarrow \nabla f(x) / \|\nabla f(x)\|`.

    Here :math:`f(x) = g(\Phi x)` depends only on the projections y of the rows, through a convex
    function g with g(t y) = t g(y) for t > 0.  In dual coordinates, with
    :math:`x = \Phi^T c / \sqrt{c^T K c}`, a step is

    .. math:: c \leftarrow \nabla g\bigl(K c / \sqrt{c^T K c}\bigr)

    and costs one product with K.  Since g is convex and homogeneous of degree one,

    .. math:: f(x_k) = x_k^T \nabla f(x_k) \le \|\nabla f(x_k)\| \le f(x_{k+1}),

    so :math:`c^T K c`, the square of the middle term, never decreases; at the end it is
    :math:`f(x)^2`.  A subclass provides g and a subgradient of it.

    References
    ----------
    C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions
    on Pattern Analysis and Machine Intelligence, 42(8), 2020: the end of section 4.
    """

    tol: float
    max_iter: int

    @abstractmethod
    def value(self, y: Array) -> float:
        """g(y)."""

    @abstractmethod
    def gradient(self, y: Array, previous: Array) -> Array:
        """A subgradient of g at y; where there is a choice, take the ``previous`` one."""

    def find(self, gram: Gram, starts: Array) -> list[Direction]:
        """Iterate from each column of ``starts``."""
        return [self._search(gram, c.astype(gram.dtype)) for c in starts.T]

    def _search(self, gram: Gram, c: Array) -> Direction:
        Kc = gram.apply(c)
        square = float(c @ Kc)
        trace = [(self.value(Kc) / square**0.5) ** 2 if square > 0 else square]
        status = Status.MAX_ITER if Kc.any() else Status.CONVERGED
        while status is Status.MAX_ITER and len(trace) <= self.max_iter:
            new = self.gradient(Kc, previous=c)  # of degree zero: Kc needs no scaling
            K_new = gram.apply(new)
            moved, value = float((new - c) @ (K_new - Kc)), float(new @ K_new)
            # The start is not scaled like a gradient, so always take the first step.
            if len(trace) > 1 and value <= trace[-1]:
                status = why_it_stopped(moved, value)
                break
            c, Kc = new, K_new
            # If c^T K c cancels, the start's value has few digits; it cannot be larger than this.
            trace[0] = min(trace[0], value)
            trace.append(value)
            if moved <= self.tol**2 * value:
                status = why_it_stopped(moved, value)
        return Direction(c, Kc, tuple(trace), status)


@dataclass(frozen=True)
class LpNorm(HomogeneousIteration):
    r"""Maximize the Lp norm of the scores, :math:`\|y\|_p`.

    Parameters
    ----------
    p : float, default=1.5
        At least 1.  1 is Algorithm 1 of the paper, 2 the power iteration for the leading
        eigenvector; in between, outliers count less than in kernel PCA.
    tol : float, default=1e-7
        The search ends when a step moves the unit direction by no more than this.
    max_iter : int, default=1000
        Maximum number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.stored import StoredGram
    >>> from l1kpca.threads import Workers
    >>> gram = StoredGram(np.array([[2.0, 1.0], [1.0, 2.0]]), Workers())
    >>> leading = LpNorm(2.0).find(gram, np.ones((2, 1)))[0]
    >>> leading.coef / leading.coef[0]  # the leading eigenvector
    array([1., 1.])
    """

    p: float = 1.5
    tol: float = 1e-7
    max_iter: int = MAX_ITER

    def __post_init__(self) -> None:
        check_number("p", self.p, at_least=1)

    def find(self, gram: Gram, starts: Array) -> list[Direction]:
        """Iterate from each column of ``starts``."""
        if self.p == 1:
            return SignIteration(self.max_iter).find(gram, starts)
        return super().find(gram, starts)

    def value(self, y: Array) -> float:
        """The norm."""
        largest = float(np.abs(y).max(initial=0))
        # Powers of numbers up to one, so a large p does not overflow.
        return largest * float(np.linalg.norm(y / largest, ord=self.p)) if largest else 0.0

    def gradient(self, y: Array, previous: Array) -> Array:
        r""":math:`\operatorname{sgn}(y)\, |y|^{p-1} / \|y\|_p^{p-1}`; its dual norm is one."""
        powers = np.abs(y / np.abs(y).max()) ** (self.p - 1)
        conjugate = self.p / (self.p - 1)
        return np.copysign(powers / np.linalg.norm(powers, ord=conjugate), y)
