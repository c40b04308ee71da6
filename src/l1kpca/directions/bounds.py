r"""Proven upper bounds on :math:`\max_{c \in \{-1, 1\}^n} c^T K c`.

If :math:`\operatorname{Diag}(y) - K` has no negative eigenvalue, :math:`c^T K c \le \sum_i y_i`.  A
constant y gives the spectral bound :math:`n \lambda_{\max}(K)`; the best y gives the value of the
semidefinite relaxation.  A y that is nearly good enough is raised to :math:`y + \tau w`, and what
has to be proven is that tau is large enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import linalg

from l1kpca._typing import Array
from l1kpca.gram.base import Gram

DENSE_ROWS = 4000
"""Up to here K is formed and theta is proven by a Cholesky factorization."""
FAILURE_PROBABILITY = 1e-9
"""Of the proof by Lanczos iteration, over its random start."""
_BLOCK_WIDTH = 8
_BLOCK_STEPS = 60
_NEGLIGIBLE = 1e-11
_FIRST_MARGIN = 1e-8


class Products(Protocol):
    """The part of a `Gram` that a bound needs."""

    @property
    def n_samples(self) -> int:
        """Number of rows and columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""

    def apply(self, V: Array) -> Array:
        """K @ V, for a block V."""

    def columns(self, index: Array) -> Array:
        """K[:, index]."""


@dataclass(frozen=True)
class UpperBound:
    """No sign vector has a larger value than this."""

    value: float
    proof: str
    """``"cholesky"``: holds up to nothing; ``"lanczos"``: fails with probability 1e-9 at most."""


@dataclass(frozen=True)
class Extremes:
    """The extreme eigenvalues of a symmetric matrix, as a Krylov space sees them."""

    largest: float
    smallest: float
    vector: Array
    """Unit vector of the largest."""
    error: float
    """Bound on the share of the spread (largest - smallest) that is not seen."""

    @property
    def upper(self) -> float:
        """Above the largest eigenvalue, with probability at least 1 - 1e-9."""
        unseen = self.error * (self.largest - self.smallest) / (1 - 2 * self.error)
        return self.largest + unseen


def spectral_bound(gram: Gram) -> UpperBound:
    r"""n times the largest eigenvalue of K.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> bound = spectral_bound(PrecomputedGram(np.eye(3), Workers()))
    >>> round(bound.value, 6), bound.proof
    (3.0, 'cholesky')
    """
    return dual_bound(gram, np.zeros(gram.n_samples))


def dual_bound(gram: Products, y: Array) -> UpperBound:
    """sum(y) + tau * sum(w), with w = |y| + mean |y| and tau proven; ``y`` may be anything.

    Parameters
    ----------
    gram : Gram
        K, symmetric; it need not be positive semidefinite.
    y : ndarray of shape (n_samples,)
        Dual variables; zeros give the spectral bound.

    Returns
    -------
    bound : UpperBound
    """
    y = np.asarray(y, dtype=np.float64)
    return proven_bound(gram, y, dual_slack(gram, y))


def dual_slack(gram: Products, y: Array) -> Extremes:
    """The eigenvalues of W^(-1/2) (K - Diag(y)) W^(-1/2): tau must not be below the largest."""
    w = slack_weights(y)
    scale = (1 / np.sqrt(w))[:, np.newaxis]
    shift = (y / w)[:, np.newaxis]

    def scaled(V: Array) -> Array:
        image = gram.apply((scale * V).astype(gram.dtype, copy=False))
        return scale * np.asarray(image, dtype=np.float64) - shift * V

    return extreme_eigenvalues(scaled, gram.n_samples)


def proven_bound(gram: Products, y: Array, seen: Extremes) -> UpperBound:
    """The bound of ``y``, given what is seen of its `dual_slack`."""
    if gram.n_samples <= DENSE_ROWS:
        return UpperBound(cholesky_bound(matrix_of(gram), y, seen.largest), "cholesky")
    size = 1 + max(abs(seen.largest), abs(seen.smallest))
    rounding = gram.n_samples * float(np.finfo(gram.dtype).eps) * size
    raised = (seen.upper + rounding) * slack_weights(y).sum()
    return UpperBound(float(y.sum() + raised), "lanczos")


def slack_weights(y: Array) -> Array:
    """w: where the dual variables are raised, in proportion to their size and all a little."""
    size = np.abs(y)
    mean = float(size.mean())
    return size + mean if mean > 0 else np.ones_like(y)


def cholesky_bound(K: Array, y: Array, estimate: float) -> float:
    r"""The bound with the least tau near ``estimate`` for which a Cholesky factorization succeeds.

    If the factorization of :math:`A = \operatorname{Diag}(y + \tau w) - K` runs to its end in
    floating point, then :math:`\lambda_{\min}(A) \ge -\gamma \operatorname{tr} A` with
    :math:`\gamma = (n + 2) u / (1 - (n + 2) u)`, u the unit roundoff (Rump 2006).  This is added.
    """
    n, w = len(y), slack_weights(y)
    unit = float(np.finfo(np.float64).eps)
    scale = max(abs(estimate), float(np.abs(y).mean() / w.mean()), unit)
    margin = _FIRST_MARGIN
    while True:
        raised = y + (estimate + margin * scale) * w
        A = -K
        A.flat[:: n + 1] += raised
        trace = float(np.abs(A.diagonal()).sum())
        if _is_positive_definite(A):
            # Twice gamma also covers the rounding of A itself.
            return float(raised.sum() + n * 2 * (n + 2) * unit * trace)
        margin *= 4


def matrix_of(gram: Products) -> Array:
    """K as one array in double precision."""
    K = gram.columns(np.arange(gram.n_samples))
    return np.array(K, dtype=np.float64, order="C")


def _is_positive_definite(A: Array) -> bool:
    try:
        linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return False
    return True


def extreme_eigenvalues(apply: Callable[[Array], Array], n: int, seed: int = 0) -> Extremes:
    r"""Extreme eigenvalues of a symmetric n x n matrix, by block Lanczos from random vectors.

    After k steps from one random vector the largest Ritz value misses more than a share e of the
    spread with probability at most :math:`1.648 \sqrt n \exp(-\sqrt e (2 k - 1))` (Kuczynski and
    Wozniakowski 1992).  The space of a block contains that of each of its b independent columns, so
    its probability is at most the b-th power of this.  Both ends of the spectrum are covered.

    Parameters
    ----------
    apply : callable
        The product of the matrix with an (n, b) block.
    n : int
        Number of rows.
    seed : int, default=0
        Of the random block.

    Returns
    -------
    extremes : Extremes
    """
    rng = np.random.default_rng([seed, n])
    block = np.linalg.qr(rng.standard_normal((n, min(_BLOCK_WIDTH, n))))[0]
    width = block.shape[1]
    basis, images, steps = block, apply(block), 1
    while steps < _BLOCK_STEPS and basis.shape[1] < n:
        block = _new_directions(images[:, -block.shape[1] :], basis)
        if block.shape[1] == 0:
            return _ritz_extremes(basis, images, error=_NEGLIGIBLE)
        basis = np.hstack([basis, block])
        images = np.hstack([images, apply(block)])
        steps += 1
    if basis.shape[1] >= n:
        return _ritz_extremes(basis, images, error=_NEGLIGIBLE)
    exponent = np.log(1.648 * np.sqrt(n)) + np.log(2 / FAILURE_PROBABILITY) / width
    return _ritz_extremes(basis, images, error=float((exponent / (2 * steps - 1)) ** 2))


def _new_directions(images: Array, basis: Array) -> Array:
    """What the images add to the span of the basis, orthonormal."""
    size = np.linalg.norm(images)
    left = images - basis @ (basis.T @ images)
    left -= basis @ (basis.T @ left)
    Q, R, _ = linalg.qr(left, mode="economic", pivoting=True, check_finite=False)
    kept = np.abs(R.diagonal()) > _NEGLIGIBLE * max(size, np.finfo(float).tiny)
    # Once more: a small remainder carries what rounding left of the basis in it.
    Q = Q[:, kept]
    return np.linalg.qr(Q - basis @ (basis.T @ Q))[0]


def _ritz_extremes(basis: Array, images: Array, error: float) -> Extremes:
    T = basis.T @ images
    values, vectors = np.linalg.eigh((T + T.T) / 2)
    return Extremes(float(values[-1]), float(values[0]), basis @ vectors[:, -1], error)
