"""The rule of the paper: standardized scores, with means and variances."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from l1kpca._typing import Array
from l1kpca.checks import warn_user
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.outliers.columns import mean_and_deviation
from l1kpca.outliers.rules import QUANTILE, FittedRule, Rows, Rule, parts

_VANISHED = 0.1
_REACH = 1000.0  # exp(-1000) is 0


@dataclass(frozen=True)
class Paper(Rule):
    r"""The rule of the paper: :math:`\sum_j (Y_{ij} - m_j)^2 / \lambda_j`.

    The sum is over the components with the largest variances that together reach a share of the
    total; m and lambda are mean and variance of the training scores.  A component whose scores all
    agree says nothing about a row and is left out.

    Parameters
    ----------
    variance_kept : float, default=0.8
        The share.

    Notes
    -----
    The Gaussian kernel with far rows is zero, so the scores of a row far from all training rows
    vanish, and the formula may call it the most ordinary of all.  What they see of a row x is

    .. math:: v(x) = \sum_j \langle \phi(x), w_j \rangle^2 + 2 \langle \phi(x), m \rangle

    with w the components and m the center of feature space.  A row with less than a tenth of the
    smallest v of the training rows is an outlier, with a warning: it gets twice the abnormality of
    the most abnormal training row plus 1.  A kernel matrix does not tell far rows from others.
    """

    center_and_spread: ClassVar[Any] = staticmethod(mean_and_deviation)
    max_samples: ClassVar[int | None] = None
    bound: ClassVar[float] = np.inf
    needs_norms: ClassVar[bool] = False

    def kernel_pca(self, n_columns: int) -> L1KernelPCA:
        """The paper's: sigma = d, its Algorithm 1 and start, no center, d components."""
        return L1KernelPCA(
            max_components=max(1, n_columns), kernel="rbf", gamma="paper", center=False,
            solver="fixed_point", start="column",
        )  # fmt: skip

    def line(self, rule: FittedRule, abnormality: Array) -> float:
        """The abnormality of normal variables is chi-square; never beyond 97.5 % of the rows."""
        return min(rule.score_cutoff**2, float(np.quantile(abnormality, QUANTILE)))

    def fit(self, rows: Rows, pca: Any) -> "FittedPaper":
        """Learn means and variances, and how little the scores of a far row say."""
        mean = rows.scores.mean(axis=0, dtype=np.float64)
        variance = rows.scores.var(axis=0, dtype=np.float64)
        order = np.argsort(-variance, kind="stable")
        reached = np.cumsum(variance[order])
        # One rounding error short of the share is reached; all components must be allowed to.
        short = reached < self.variance_kept * reached[-1:] * (1 - np.finfo(np.float64).eps)
        kept = np.sort(order[: int(short.sum()) + 1])
        rounding = 100 * np.finfo(rows.scores.dtype).eps * np.abs(mean[kept])
        kept = kept[variance[kept] > rounding**2]
        scale, nowhere = np.sqrt(variance[kept]), _far_away(pca)
        rule = FittedPaper(components=kept, center=mean[kept], scale=scale, nowhere=nowhere)
        if nowhere is None:
            return rule
        seen = np.concatenate(list(map(rule.seen, parts(rows))))
        lost = seen <= 100 * np.finfo(rows.scores.dtype).eps * seen.max()
        if lost.any():
            vanish = f"the scores of {int(lost.sum())} of {len(lost)} training rows vanish"
            why = "for they are far from all others, and rule='paper' may take such rows for"
            way_out = "use rule='robust', or a kernel with a smaller gamma"
            warn_user(f"{vanish}, {why} ordinary: {way_out}")
            return rule
        most = max(float(rule.abnormality(part).max()) for part in parts(rows))
        return replace(rule, least=_VANISHED * float(seen.min()), beyond=2 * most + 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedPaper(FittedRule):
    """`Paper`, frozen: scores and squared norm of a row far from all, and what follows for such."""

    nowhere: Array | None = None
    least: float = 0.0
    beyond: float = 0.0

    def abnormality(self, rows: Rows) -> Array:
        """Squared distance to the center in the standardized principal space."""
        found = (self.standardized(rows) ** 2).sum(axis=1, dtype=np.float64)
        return np.where(self.unseen(rows), np.maximum(found, self.beyond), found)

    def unseen(self, rows: Rows) -> Array:
        """Rows so far from all training rows that their scores vanish."""
        return self.seen(rows) < self.least

    def seen(self, rows: Rows) -> Array:
        """How much the training rows see of each row: v of the Notes of `Paper`."""
        if self.nowhere is None:
            return np.full(len(rows.scores), np.inf)
        along = rows.scores.astype(np.float64) - self.nowhere[:-1]
        return (along**2).sum(axis=1) + np.abs(rows.squared_norms - self.nowhere[-1])


def _far_away(pca: Any) -> Array | None:
    """Centered scores and squared norm of a row whose kernel with all training rows is zero."""
    gamma = getattr(pca, "gamma_", None)
    if pca.kernel not in ("rbf", "laplacian") or not gamma or not pca.n_components_:
        return None
    X = pca.X_fit_
    reach = (_REACH / gamma) ** (0.5 if pca.kernel == "rbf" else 1)
    if not reach < float(np.finfo(X.dtype).max) ** 0.5 / (4 * X.shape[1]):
        return None
    row = np.full((1, X.shape[1]), X.max() + reach, dtype=X.dtype)
    found = pca.project(row)
    return np.append(found.scores[0], found.squared_norms[0]).astype(np.float64)
