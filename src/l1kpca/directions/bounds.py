r"""Proven upper bounds on :math:`\max_{c \in \{-1, 1\}^n} c^T K c`.

For any positive y and :math:`\theta \ge \lambda_{\max}(Y^{-1/2} K Y^{-1/2})`, Y = Diag(y), the
matrix :math:`\theta Y - K` has no negative eigenvalue, so :math:`c^T K c \le \theta \sum_i y_i`.
With y = 1 this is the spectral bound :math:`n \lambda_{\max}(K)`; the best y gives the value of the
semidefinite relaxation.  What has to be proven is that theta is large enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    return dual_bound(gram, np.ones(gram.n_samples))


def dual_bound(gram: Gram, y: Array) -> UpperBound:
    """theta * sum(y) with theta proven; ``y`` may be anything that is not negative.

    Parameters
    ----------
    gram : Gram
        K, symmetric; it need not be positive semidefinite.
    y : ndarray of shape (n_samples,)
        The dual variables before they are scaled.

    Returns
    -------
    bound : UpperBound
    """
    y = _positive(y, gram.dtype)
    scale = 1 / np.sqrt(y)

    def scaled(V: Array) -> Array:
        rows = scale[:, np.newaxis] * V
        image = gram.apply(rows.astype(gram.dtype, copy=False))
        return scale[:, np.newaxis] * np.asarray(image, dtype=np.float64)

    seen = extreme_eigenvalues(scaled, gram.n_samples)
    if gram.n_samples <= DENSE_ROWS:
        return UpperBound(cholesky_bound(matrix_of(gram), y, seen.largest), "cholesky")
    size = max(abs(seen.largest), abs(seen.smallest))
    rounding = gram.n_samples * float(np.finfo(gram.dtype).eps) * size
    return UpperBound((seen.upper + rounding) * float(y.sum()), "lanczos")


def _positive(y: Array, dtype: np.dtype[Any]) -> Array:
    """``y`` in double precision, raised where it is zero up to rounding.

    So it is for the rows of K that vanished by deflation; it costs next to nothing.
    """
    y = np.asarray(y, dtype=np.float64)
    floor = np.sqrt(np.finfo(dtype).eps) * float(y.mean())
    return np.maximum(y, floor) if floor > 0 else np.ones_like(y)


def cholesky_bound(K: Array, y: Array, estimate: float) -> float:
    r"""The least theta near ``estimate`` for which theta Y - K passes a Cholesky factorization.

    If the factorization of A runs to its end in floating point, then
    :math:`\lambda_{\min}(A) \ge -\gamma \operatorname{tr} A` with
    :math:`\gamma = (n + 2) u / (1 - (n + 2) u)`, u the unit roundoff (Rump 2006).  This is added.
    """
    n, total = len(y), float(y.sum())
    unit = float(np.finfo(np.float64).eps)
    margin = _FIRST_MARGIN
    while True:
        theta = estimate + margin * max(abs(estimate), unit)
        A = -K
        A.flat[:: n + 1] += theta * y
        trace = float(np.abs(A.diagonal()).sum())
        if _is_positive_definite(A):
            # Twice gamma also covers the rounding of A itself.
            return float(theta * total + n * 2 * (n + 2) * unit * trace)
        margin *= 10


def matrix_of(gram: Gram) -> Array:
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
    values = np.linalg.eigvalsh((T + T.T) / 2)
    return Extremes(float(values[-1]), float(values[0]), error)
