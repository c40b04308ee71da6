"""The rule for clean training rows: how much of a row their span does not explain."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import blas, lapack
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.checks import read_memory_limit
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.kernels import Kernel, KernelBlocks, kernel_blocks, name_of
from l1kpca.outliers.columns import mean_and_deviation
from l1kpca.outliers.rules import FittedRule, Rows, Rule, check_level, leading_scores
from l1kpca.threads import computing, spans

_DISTANCES: dict[Any, Any] = {
    "rbf": lambda X, Y: euclidean_distances(X, Y, squared=True),
    "laplacian": manhattan_distances,
}
"""Of the kernels exp(-gamma distance), which vanish far away."""
_VANISHING = 1e-100  # its square is still a number
_FARTHEST = 1e120
_ALONE = 1e-6  # share below which what others explain of a row is rounding error


@dataclass(frozen=True)
class Novelty(Rule):
    r"""The damped distance of a row to the span of the training rows.

    For training rows without outliers.  With the Gaussian kernel k, the kernel matrix K of m
    training rows and their kernels :math:`k_x` with a row x, the span explains the share

    .. math:: q(x) = k_x^T (K + m \lambda I)^{-1} k_x
                   = \sum_j \frac{\mu_j}{\mu_j + m \lambda} \langle \phi(x), u_j \rangle^2

    of x, where :math:`u_j` are the components of K and :math:`\mu_j` its eigenvalues.  The
    abnormality is :math:`-\log((1 + \lambda) q)`: nearly the damped squared distance :math:`1 - q`
    for ordinary rows, 0 where all training rows agree, and like the squared distance to the nearest
    training row far from all.  (For kernels that do not vanish far away, such as the linear one, it
    is :math:`k(x, x) - q` in units of the mean k(x, x).)

    Columns are standardized, and not bounded.  The kernel is a third as wide as the median distance
    between rows, :math:`\lambda = 10^{-5}`, and m at most 2000 rows, drawn at random.

    A share ``false_alarms`` of new ordinary rows is beyond the line: that quantile of the m rows,
    each judged by the others (in closed form: :math:`1 / (K + m \lambda I)^{-1}_{ii} - m \lambda`
    is the damped distance of row i to the others).

    Parameters
    ----------
    variance_kept : float, default=0.8
        Share of the variance that the components of the outlier map must reach, at most ten.
    false_alarms : float, default=0.01
        Share of ordinary new rows that are flagged if ``contamination`` is 0 or "auto".
    """

    false_alarms: float = 0.01

    center_and_spread: ClassVar[Any] = staticmethod(mean_and_deviation)
    max_samples: ClassVar[int | None] = tuning.SPAN_ROWS
    bound: ClassVar[float] = 1e15  # no bound, but squares are numbers, in single precision too
    for_clean_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_level("false_alarms", self.false_alarms)

    def kernel_pca(self, n_columns: int) -> L1KernelPCA:
        """At most ten components, which only the outlier map looks at, with a narrow kernel."""
        own = super().kernel_pca(min(n_columns, tuning.SPAN_COMPONENTS))
        return own.set_params(gamma="narrow")

    def fit(self, rows: Rows, pca: Any) -> "FittedNovelty":
        """Invert the kernel matrix of the rows that the kernel PCA was fitted on."""
        scores = leading_scores(rows, pca, self.variance_kept)
        scale = scores.std(axis=0, dtype=np.float64)
        kernel, limit = pca.projection_.kernel, read_memory_limit(pca.memory_limit)
        if (needed := 16 * len(pca.X_fit_) ** 2) > limit:
            inverts = f"rule='novelty' inverts the kernel matrix of {len(pca.X_fit_)} rows"
            takes = f"which takes {needed} bytes, more than the {limit} allowed"
            way_out = f"set max_samples to {int(np.sqrt(limit / 16))} or less"
            raise ValueError(f"{inverts}, {takes}: {way_out}")
        K = np.ascontiguousarray(_double(pca).between(slice(None), slice(None)))
        diagonal = K.diagonal().copy()
        unit = float(diagonal.mean()) or 1.0
        damping = tuning.DAMPING * len(K) * unit
        # W, upper triangular, with W W^T = (K + damping I)^-1, takes the place of K.
        K.flat[:: len(K) + 1] += damping
        root, not_positive = lapack.dpotrf(K.T, lower=1, overwrite_a=1)
        if not_positive:
            unfit = f"kernel={name_of(kernel.function)} is not for these rows"
            wanted = "rule='novelty' needs a positive semidefinite kernel"
            raise ValueError(f"{wanted}, and {unfit}: use another, such as 'rbf'")
        whitening = lapack.dtrtri(root, lower=1, overwrite_c=1)[0].T
        others = diagonal + damping - 1 / np.einsum("ij,ij->i", whitening, whitening)
        fitted = FittedNovelty(
            components=np.arange(scores.shape[1]), center=scores.mean(axis=0, dtype=np.float64),
            scale=np.where(scale > 0, scale, np.inf), whitening=whitening, unit=unit,
        )  # fmt: skip
        left_out = fitted.unexplained(others, diagonal, kernel)
        alone = np.flatnonzero(others < _ALONE * diagonal)
        if len(alone) and kernel.function in _DISTANCES:
            left_out[alone] = fitted.judge(pca.X_fit_[alone], pca, alone)
        place = int(np.ceil((len(left_out) + 1) * (1 - self.false_alarms))) - 1
        return replace(fitted, cutoff=float(np.sort(left_out)[min(place, len(left_out) - 1)]))


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNovelty(FittedRule):
    r"""`Novelty`, frozen; W of :math:`W W^T = (K + m \lambda I)^{-1}`, the mean of k(x, x)."""

    whitening: Array
    unit: float

    def abnormality(self, rows: Rows) -> Array:
        """How little the span of the training rows explains, block by block."""
        return self.judge(rows.scaled, rows.pca)

    def judge(self, X: Array, pca: Any, own: Array | None = None) -> Array:
        """The same of scaled rows; ``own`` are places of training rows, judged by the others."""
        training, X = _double(pca), X.astype(np.float64, copy=False)
        kernel, out = training.kernel, np.empty(len(X))

        def work(span: slice) -> None:
            k, at = training.with_new(X[span]), None
            if own is not None:
                at = np.arange(len(k)), own[span]
                k[at] = 0
            shift = _lift_vanished(k, X[span], training, at)
            seen = blas.dtrmm(1.0, self.whitening.T, k.T, lower=1, overwrite_b=1)
            explained = np.einsum("ji,ji->i", seen, seen)
            out[span] = self.unexplained(explained, kernel.diagonal(X[span]), kernel) + shift

        pieces = [(span,) for span in spans(len(X), tuning.TILE_SIDE)]
        with computing(pca.n_jobs) as workers:
            workers.run(work, pieces, cost=len(X) * self.whitening.size)
        return out

    def unexplained(self, explained: Array, norms: Array, kernel: Kernel) -> Array:
        """Minus the logarithm of the explained share, or the distance; never below zero."""
        if kernel.function in _DISTANCES:
            share = (1 + tuning.DAMPING) * explained
            return -np.log(np.clip(share, np.finfo(np.float64).tiny, 1))
        return np.maximum(norms.astype(np.float64) - explained, 0) / self.unit


def _double(pca: Any) -> KernelBlocks:
    """The kernel with the training rows, in double precision."""
    return kernel_blocks(pca.X_fit_.astype(np.float64), pca.projection_.kernel)


def _lift_vanished(k: Array, X: Array, training: KernelBlocks, own: Any) -> Array:
    """Raise kernels of far rows, in place, to at most 1; gives twice the logs of the factors."""
    kernel, shift = training.kernel, np.zeros(len(k))
    if kernel.function not in _DISTANCES:
        return shift
    far = np.flatnonzero(k.max(axis=1) < _VANISHING)
    if len(far):
        x = np.clip(X[far], -_FARTHEST, _FARTHEST)
        with np.errstate(over="ignore"):
            exponents = kernel.params["gamma"] * _DISTANCES[kernel.function](x, training.X)
        if own is not None:
            exponents[np.arange(len(far)), own[1][far]] = np.inf
        exponents = np.minimum(exponents, _FARTHEST**2)
        nearest = exponents.min(axis=1)
        k[far] = np.exp(nearest[:, np.newaxis] - exponents)
        shift[far] = 2 * nearest
    return shift
