"""What a fitted detector says about rows and cells beside its scores."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from l1kpca._typing import Array
from l1kpca.checks import check_results, overflow_is_checked
from l1kpca.outliers.cells import CellMap, Cells
from l1kpca.outliers.columns import Columns
from l1kpca.outliers.explain import contributions
from l1kpca.outliers.judged import Judged, OutlierMap, judge_parts, projected
from l1kpca.outliers.parameters import make_rule
from l1kpca.outliers.rules import FittedRule, fit_rule, parts
from l1kpca.outliers.tables import cells_in_columns, in_columns, in_partitions

_TINY = np.finfo(np.float64).tiny


class Views:
    """The part of `KernelPCAOutlierDetector` that shows why."""

    pca_: Any
    rule_: FittedRule
    columns_: Columns
    rule: Any
    contamination: Any
    encoder_: Any
    _rows: Any
    judge: Any

    @property
    def clear_line_(self) -> bool:
        """Whether outliers stand apart: few of the training rows are near the line."""
        return self.rule_.clear_line

    @in_partitions
    def cells(self, X: Any) -> CellMap:
        """Each cell beside what the other cells of its row say that it should be.

        Every column is regressed on all others, with values that are bounded so that wild cells
        spoil nothing; see `Cells`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, of the training data or new; holes (NaN) are given their expected value.

        Returns
        -------
        map : CellMap
            Of a data frame, in its columns, as frames.
        """
        found = self._cells("cells").map(self._rows(X, reset=False))
        return found if self.encoder_ is None else cells_in_columns(self, X, found)

    @in_partitions
    def explain(self, X: Any) -> Array:
        """What each column contributes to the abnormality of each row.

        The contributions of a row add up to its abnormality, ``-score_samples``, for any kernel.
        The abnormality of the row as a whole is followed along the straight line from the row of
        training medians to the row; a column's part is the change while it moved, plus an equal
        share of the abnormality of the median row.  With the rule "robust", the abnormality of the
        cells is added, divided as the squares of their residuals.  A hole contributes nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        contributions : ndarray of shape (n_samples, n_features)
        """
        cells, given, X = self._cells("explain"), X, self._rows(X, reset=False)
        columns, rule = self.columns_, self.rule_
        assert columns.median is not None  # noqa: S101 (for mypy: where there are cells)

        def whole(rows: Array) -> Array:
            with overflow_is_checked():
                found = projected(self.pca_, columns, rows, with_cells=False)
                return check_results(rule.whole_and_cells(found)[0], self.pca_.kernel)

        parts = contributions(whole, X, columns.median, columns.used)
        squares = np.zeros(X.shape)
        squares[:, cells.used] = (cells.weight * cells.map(X).residual[:, cells.used]) ** 2
        rows = projected(self.pca_, columns, X)
        share = rule.whole_and_cells(rows)[1] / np.maximum(squares.sum(axis=1), _TINY)
        parts += squares * share[:, np.newaxis]
        parts *= (rule.abnormality(rows) / np.maximum(parts.sum(axis=1), _TINY))[:, np.newaxis]
        return in_columns(self, given, parts)

    def judge_with(self, pca: Any, X: Any, *, n_scores: int = 2) -> Judged:
        """Judge rows by another kernel PCA, for comparison; the detector itself is not changed.

        Parameters
        ----------
        pca : kernel PCA of this library
            It is fitted on ``pca_.X_fit_``; the rule and its line are learned from X anew.
        X, n_scores
            As for ``judge``.

        Returns
        -------
        judged : Judged
        """
        X = self._rows(X, reset=False)
        pca = clone(pca).fit(self.pca_.X_fit_)
        rows = projected(pca, self.columns_, X)
        rule = make_rule(self.rule, self.contamination)
        fitted, offset = fit_rule(rule, rows, pca, self.contamination)
        return judge_parts(parts(rows), fitted, offset, n_scores)

    def outlier_map(self, X: Any) -> OutlierMap:
        """Score distance and orthogonal distance of rows, with their cut-offs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        map : OutlierMap
        """
        found = self.judge(X, n_scores=0).outlier_map
        if found is None:
            raise ValueError(
                "outlier_map needs k(x, x), which kernel='precomputed' does not give: pass the rows"
                " and a kernel instead"
            )
        return found

    def _cells(self, method: str) -> Cells:
        check_is_fitted(self)
        if self.columns_.cells is None:
            raise ValueError(
                f"{method} needs the columns of the rows, which kernel='precomputed' does not have:"
                " pass the rows and a kernel instead"
            )
        return self.columns_.cells
