r"""The semidefinite relaxation of :math:`\max_{c \in \{-1, 1\}^n} c^T K c`: starts and proofs.

.. math:: \max \operatorname{tr}(K X), \quad X_{ii} = 1, \; X \succeq 0

contains every :math:`X = c c^T`.  We solve it in the low-rank form :math:`X = V V^T` with unit rows
of V (Burer and Monteiro).  If :math:`\operatorname{Diag}(y) - K` has no negative eigenvalue,
:math:`c^T K c \le \sum_i y_i`.  We raise y to :math:`y + \tau w`, and prove that tau is enough.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import isqrt
from time import monotonic
from typing import Any

import numpy as np
from scipy import linalg

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.compose import Polished
from l1kpca.gram.base import Gram
from l1kpca.kernels import unit_of
from l1kpca.optimality.searches import branch_and_bound, check_budget
from l1kpca.threads import computing

MAX_RANK = 24
MAX_STEPS = 300
_TOLERANCE = 1e-8
_DIAGONAL_SHARE = 0.5
_ROUNDINGS = 256
_ROUNDED_ENTRIES = 4_000_000
_POLISHED_ENTRIES = 20_000
_FEWEST = 16  # roundings; else as many as fit into these entries
DENSE_ROWS = 4000  # up to here K is formed and tau is proven by a Cholesky factorization
FAILURE_PROBABILITY = 1e-9  # of the proof by Lanczos iteration, over its random start
_BLOCK_WIDTH = 8
_BLOCK_STEPS = 60
_NEGLIGIBLE = 1e-11
_FIRST_MARGIN = 1e-8
_GOOD_ENOUGH = 1 + 1e-6  # a bound this near to the value is not tightened
_BRANCHED_ROWS = 1000


@dataclass(frozen=True)
class Relaxation:
    """An almost optimal point, and the dual variables that belong to it."""

    V: Array  # unit rows, (n_samples, rank)
    value: float  # tr(V^T K V)
    dual: Array  # y; sum(y) is the value of the relaxation at its optimum


def relaxation(gram: Gram, seed: int = 0, max_steps: int = MAX_STEPS) -> Relaxation:
    r"""Solve the relaxation by :math:`v_i \leftarrow (M V)_i / \|(M V)_i\|`, a pass over K a step.

    M is K less half of its diagonal: a constant in the objective, and faster when K is nearly
    diagonal.  Should the objective fall (M is too indefinite), M becomes K, with which it never
    falls.
    """
    n = gram.n_samples
    rank = min(isqrt(2 * n) + 2, MAX_RANK)
    V = np.random.default_rng([seed, n]).standard_normal((n, rank)).astype(gram.dtype)
    V, _ = unit_rows(V, V)
    diagonal = gram.diagonal()
    share, value = _DIAGONAL_SHARE, -np.inf
    for step in range(1, max_steps + 1):
        image = gram.apply(V)
        along = np.einsum("ij,ij->i", image, V, dtype=np.float64)
        fell = float(along.sum()) < value - _TOLERANCE * abs(value)
        share, value = 0.0 if fell else share, float(along.sum())
        pull = image - (share * diagonal)[:, np.newaxis] * V
        moved, norms = unit_rows(pull, V)
        # At the optimum every row is parallel to its pull.
        slack = float(norms.sum() + share * diagonal.sum() - value)
        if slack <= _TOLERANCE * abs(value) or step == max_steps:
            break
        V = moved
    return Relaxation(V, value, np.maximum(norms + share * diagonal, 0))


def unit_rows(W: Array, instead: Array) -> tuple[Array, Array]:
    """Rows of W at length one, those of zeros taken from ``instead``; and their lengths."""
    unit = unit_of(W) if W.size else 1.0  # no square overflows or vanishes
    norms = unit * np.linalg.norm(W / unit, axis=1)
    divisors = np.where(norms > 0, norms, 1)[:, np.newaxis]
    return np.where(norms[:, np.newaxis] > 0, W / divisors, instead), norms


@dataclass(frozen=True)
class SdpRounding:
    """Round the relaxation by random hyperplanes, then polish the best of the roundings.

    Parameters
    ----------
    polish : finder
        Goes on from each rounding, and from the given starts; by default `Polished`.
    seed : int, default=0
        Of the relaxation and the hyperplanes.
    """

    polish: Finder = field(default_factory=Polished)
    seed: int = 0

    def find(self, gram: Gram, starts: Signs) -> list[Direction]:
        """For each column of ``starts``, the better of what it and the roundings lead to."""
        rng = np.random.default_rng([self.seed, 1])
        count = min(_ROUNDINGS, max(_FEWEST, _ROUNDED_ENTRIES // gram.n_samples))
        V = relaxation(gram, self.seed).V
        signs = np.where(V @ rng.standard_normal((V.shape[1], count)) < 0, -1, 1).astype(V.dtype)
        signs = np.unique(signs * signs[0], axis=1)  # each once; c and -c are the same
        rounded = gram.apply(signs)
        affordable = max(_FEWEST, _POLISHED_ENTRIES // gram.n_samples)
        order = np.argsort(-np.einsum("ij,ij->j", signs, rounded))[:affordable]
        found = self.polish.find(gram, signs[:, order])
        own = self.polish.find(gram, starts)
        return [max(*found, direction, key=lambda d: d.value) for direction in own]


def dual_bound(gram: Gram, y: Array) -> tuple[float, str]:
    """sum(y) + tau * sum(w), for any K and any y; and how tau is proven.

    With y = 0 it is n times the largest eigenvalue, with the dual of a relaxation as good as that.
    tau must not be below the largest eigenvalue of W^(-1/2) (K - Diag(y)) W^(-1/2).
    """
    y = np.asarray(y, dtype=np.float64)
    # Large dual variables are raised more, and all a little.
    w = np.abs(y) + np.abs(y).mean() if y.any() else np.ones_like(y)
    scale, shift = (1 / np.sqrt(w))[:, np.newaxis], (y / w)[:, np.newaxis]

    def scaled(V: Array) -> Array:
        image = gram.apply((scale * V).astype(gram.dtype, copy=False))
        return scale * np.asarray(image, dtype=np.float64) - shift * V

    smallest, largest, upper = extreme_eigenvalues(scaled, gram.n_samples)
    if gram.n_samples <= DENSE_ROWS:
        return cholesky_bound(matrix_of(gram), y, w, largest), "cholesky"
    size = 1 + max(abs(largest), abs(smallest))
    rounding = gram.n_samples * float(np.finfo(gram.dtype).eps) * size
    return float(y.sum() + (upper + rounding) * w.sum()), "lanczos"


def cholesky_bound(K: Array, y: Array, w: Array, estimate: float) -> float:
    r"""The bound with the least tau near ``estimate`` for which a Cholesky factorization succeeds.

    If that of :math:`A = \operatorname{Diag}(y + \tau w) - K` runs to its end in floating point,
    :math:`\lambda_{\min}(A) \ge -\gamma \operatorname{tr} A` with
    :math:`\gamma = (n + 2) u / (1 - (n + 2) u)`, u the unit roundoff (Rump 2006).  We add this.
    """
    n = len(y)
    unit = float(np.finfo(np.float64).eps)
    scale = max(abs(estimate), float(np.abs(y).mean() / w.mean()), unit)
    margin = _FIRST_MARGIN
    while True:
        raised = y + (estimate + margin * scale) * w
        A = -K
        A.flat[:: n + 1] += raised
        trace = float(np.abs(A.diagonal()).sum())
        margin *= 4
        with suppress(linalg.LinAlgError):
            linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
            # Twice gamma also covers the rounding of A itself.
            return float(raised.sum() + n * 2 * (n + 2) * unit * trace)


def matrix_of(gram: Gram) -> Array:
    """K as one array in double precision."""
    return np.array(gram.columns(np.arange(gram.n_samples)), dtype=np.float64, order="C")


def extreme_eigenvalues(apply: Callable[[Array], Array], n: int) -> tuple[float, float, float]:
    r"""Smallest and largest Ritz value, by block Lanczos; and what no eigenvalue exceeds.

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
    return smallest, largest, largest + error * (largest - smallest) / (1 - 2 * error)


@dataclass(frozen=True)
class Certificate:
    """Values of components and proven bounds on the best possible, one entry for each."""

    value: Array  #: c^T K c, the square of the L1 norm of the scores.
    upper_bound: Array  #: No sign vector has a larger c^T K c.
    #: "cholesky", "lanczos" (fails with probability 1e-9 at most), or "branch and bound".
    proof: tuple[str, ...]

    @property
    def gap(self) -> Array:
        """upper_bound / value - 1: the optimum is larger than the value by no more than this."""
        return np.maximum(self.upper_bound / self.value - 1, 0)


def certified(
    gram: Gram, coef: Array, signs: Array, bound: str = "sdp", max_nodes: int = 1,
    max_seconds: float = 60.0,
) -> Certificate:  # fmt: skip
    """Certify greedy components, dual coefficients (n, k) and signs (k, n), as in `certify`."""
    scores = np.ascontiguousarray(gram.apply(coef).T) if coef.size else coef.T
    values, bounds, proofs = list[float](), list[float](), list[str]()
    for a, s, c in zip(coef.T, scores, signs.astype(gram.dtype), strict=True):
        value = float(c @ gram.apply(c))
        relaxed = relaxation(gram) if bound == "sdp" or max_nodes > 1 else None
        dual = np.zeros(len(c)) if bound == "spectral" or relaxed is None else relaxed.dual
        upper, proof = dual_bound(gram, dual)
        loose = gram.n_samples <= _BRANCHED_ROWS and upper > value * _GOOD_ENOUGH
        if loose and max_nodes > 1 and relaxed is not None:
            start, deadline = c.astype(float), monotonic() + max_seconds
            best = branch_and_bound(matrix_of(gram), start, relaxed.V, max_nodes, deadline)
            if (tighter := max(best.upper_bound, best.value)) < upper:
                upper, proof = tighter, "branch and bound"
        values.append(value)
        bounds.append(max(upper, value))
        proofs.append(proof)
        gram = gram.without(a, s)
    return Certificate(np.array(values), np.array(bounds), tuple(proofs))


def certify(
    model: Any, *, bound: str = "sdp", max_nodes: int = 1, max_seconds: float = 60.0
) -> Certificate:
    r"""Bound how far each component of a fitted model can be from the best possible.

    A component maximizes :math:`c^T K_j c` over sign vectors c, where :math:`K_j` is the centered
    Gram matrix without the components before it.  Beyond 4000 rows the proof of the bound fails
    with probability 1e-9.

    Parameters
    ----------
    model : L1KernelPCA
        Fitted; or another kernel PCA of the library, for its sign vectors.
    bound : {"sdp", "spectral"}, default="sdp"
        The semidefinite relaxation, or the cheaper and looser n times the largest eigenvalue.
    max_nodes : int, default=1
        Above 1, and up to 1000 rows, tighten the bound by this many nodes of branch and bound.
    max_seconds : float, default=60.0
        Time to tighten the bound of one component.

    Returns
    -------
    certificate : Certificate

    Examples
    --------
    >>> from l1kpca import L1KernelPCA
    >>> from l1kpca.optimality import certify
    >>> bool(certify(L1KernelPCA(1).fit([[1.0, 1.1], [2.0, 1.9], [-6.0, 40.0]])).gap[0] < 1e-6)
    True
    """
    if bound not in ("spectral", "sdp"):
        raise ValueError(f"bound={bound!r} must be one of ['spectral', 'sdp']")
    check_budget(max_nodes, max_seconds)
    gram = model.training_gram()
    with computing():
        coef, signs = model.dual_components_, model.signs_
        return certified(gram, coef, signs, bound, max_nodes, max_seconds)
