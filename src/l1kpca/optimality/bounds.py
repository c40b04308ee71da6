r"""Proven upper bounds on :math:`\max_{c \in \{-1, 1\}^n} c^T K c`.

If :math:`\operatorname{Diag}(y) - K` has no negative eigenvalue, :math:`c^T K c \le \sum_i y_i`.  A
constant y gives the spectral bound, the best y the value of the semidefinite relaxation.  We raise
y to :math:`y + \tau w`, and prove that tau is large enough.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_array

from l1kpca._typing import Array
from l1kpca.checks import check_count, check_kernel_matrix
from l1kpca.gram.base import Gram
from l1kpca.gram.stored import StoredGram
from l1kpca.kernels import unit_of
from l1kpca.threads import Workers

DENSE_ROWS = 4000  # up to here K is formed and tau is proven by a Cholesky factorization
FAILURE_PROBABILITY = 1e-9  # of the proof by Lanczos iteration, over its random start
_BLOCK_WIDTH = 8
_BLOCK_STEPS = 60
_NEGLIGIBLE = 1e-11
_FIRST_MARGIN = 1e-8


class Extremes(NamedTuple):
    """The extreme eigenvalues of a symmetric matrix, as a Krylov space sees them."""

    largest: float
    smallest: float
    upper: float  # above the largest eigenvalue, with probability at least 1 - 1e-9


def dual_bound(gram: Gram, y: Array) -> tuple[float, str]:
    """sum(y) + tau * sum(w), with w of `slack_weights` and tau proven, for any K and any y.

    With y = 0 it is n times the largest eigenvalue, with the dual of a relaxation as good as that.
    tau must not be below the largest eigenvalue of W^(-1/2) (K - Diag(y)) W^(-1/2).  The proof is
    by "cholesky" or "lanczos".
    """
    y = np.asarray(y, dtype=np.float64)
    w = slack_weights(y)
    scale, shift = (1 / np.sqrt(w))[:, np.newaxis], (y / w)[:, np.newaxis]

    def scaled(V: Array) -> Array:
        image = gram.apply((scale * V).astype(gram.dtype, copy=False))
        return scale * np.asarray(image, dtype=np.float64) - shift * V

    seen = extreme_eigenvalues(scaled, gram.n_samples)
    if gram.n_samples <= DENSE_ROWS:
        return cholesky_bound(matrix_of(gram), y, seen.largest), "cholesky"
    size = 1 + max(abs(seen.largest), abs(seen.smallest))
    rounding = gram.n_samples * float(np.finfo(gram.dtype).eps) * size
    return float(y.sum() + (seen.upper + rounding) * w.sum()), "lanczos"


def slack_weights(y: Array) -> Array:
    """w = |y| + mean |y|: large dual variables are raised more, and all a little."""
    size = np.abs(y)
    return size + size.mean() if size.any() else np.ones_like(y)


def cholesky_bound(K: Array, y: Array, estimate: float) -> float:
    r"""The bound with the least tau near ``estimate`` for which a Cholesky factorization succeeds.

    If that of :math:`A = \operatorname{Diag}(y + \tau w) - K` runs to its end in floating point,
    :math:`\lambda_{\min}(A) \ge -\gamma \operatorname{tr} A` with
    :math:`\gamma = (n + 2) u / (1 - (n + 2) u)`, u the unit roundoff (Rump 2006).  We add this.
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
        try:
            linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            margin *= 4
            continue
        # Twice gamma also covers the rounding of A itself.
        return float(raised.sum() + n * 2 * (n + 2) * unit * trace)


def matrix_of(gram: Gram) -> Array:
    """K as one array in double precision."""
    return np.array(gram.columns(np.arange(gram.n_samples)), dtype=np.float64, order="C")


def extreme_eigenvalues(apply: Callable[[Array], Array], n: int) -> Extremes:
    r"""Extreme eigenvalues of a symmetric n x n matrix, by block Lanczos from random vectors.

    After k steps from one random vector the largest Ritz value misses more than a share e of the
    spread with probability at most :math:`1.648 \sqrt n \exp(-\sqrt e (2 k - 1))` (Kuczynski and
    Wozniakowski 1992); from b independent vectors, at most the b-th power of it.
    """
    width, steps = min(_BLOCK_WIDTH, n), 1
    block = np.linalg.qr(np.random.default_rng([0, n]).standard_normal((n, width)))[0]
    basis, image = block, apply(block)
    images = image  # of the whole basis; ``image`` is that of the last block
    while steps < _BLOCK_STEPS and basis.shape[1] < n:
        left = image - basis @ (basis.T @ image)
        left -= basis @ (basis.T @ left)
        Q, R, _ = linalg.qr(left, mode="economic", pivoting=True, check_finite=False)
        size = max(np.linalg.norm(image), np.finfo(float).tiny)
        Q = Q[:, np.abs(R.diagonal()) > _NEGLIGIBLE * size]
        # Once more: a small remainder carries what rounding left of the basis in it.
        block = np.linalg.qr(Q - basis @ (basis.T @ Q))[0]
        if not block.shape[1]:
            break
        image = apply(block)
        basis, images = np.hstack([basis, block]), np.hstack([images, image])
        steps += 1
    error = _NEGLIGIBLE  # share of the spread that is not seen: the span is all there is
    if block.shape[1] and basis.shape[1] < n:
        exponent = np.log(1.648 * np.sqrt(n)) + np.log(2 / FAILURE_PROBABILITY) / width
        error = float((exponent / (2 * steps - 1)) ** 2)
    T = basis.T @ images
    smallest, largest = np.linalg.eigvalsh((T + T.T) / 2)[[0, -1]].tolist()
    return Extremes(largest, smallest, largest + error * (largest - smallest) / (1 - 2 * error))


def row_lengths(W: Array) -> Array:
    """Euclidean length of each row; no square overflows or vanishes."""
    unit = unit_of(W) if W.size else 1.0
    return unit * np.linalg.norm(W / unit, axis=1)


def check_budget(max_nodes: Any, max_seconds: Any) -> None:
    """Refuse budgets that are not positive numbers."""
    check_count("max_nodes", max_nodes)
    if not isinstance(max_seconds, Real) or not float(max_seconds) > 0:
        raise ValueError(f"max_seconds={max_seconds!r} must be a positive number")


def problem_of(K_or_model: Any) -> Gram:
    """The Gram of the first component: of a symmetric matrix, or of a fitted model."""
    if hasattr(K_or_model, "training_gram"):
        return K_or_model.training_gram()
    K = check_array(K_or_model, dtype=[np.float64, np.float32], input_name="K")
    return StoredGram(check_kernel_matrix(K, Workers())[0], Workers())
