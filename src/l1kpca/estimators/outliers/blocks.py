"""Rows taken to feature space in pieces, so that what is held beside them stays small."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.estimators.outliers.columns import Columns
from l1kpca.estimators.scale import check_results
from l1kpca.gram.base import Projected
from l1kpca.threads import spans

_VALUES = 4_000_000  # columns and scores of the rows of one piece


def projected_blocks(pca: Any, columns: Columns, X: Array) -> Iterator[tuple[slice, Projected]]:
    """Scores and squared norms of consecutive pieces of the rows."""
    for rows in spans(len(X), max(1, _VALUES // (X.shape[1] + pca.n_components_))):
        block = pca._project(columns(X[rows]))  # noqa: SLF001 (the library's own kernel PCA)
        if block.squared_norms is not None:
            check_results(block.squared_norms, pca.kernel)
        yield rows, block


def projected(pca: Any, columns: Columns, X: Array) -> Projected:
    """Scores and squared norms of all rows."""
    scores = np.empty((len(X), pca.n_components_), dtype=pca.dual_components_.dtype)
    norms = np.empty(len(X), dtype=scores.dtype)
    known = True
    for rows, block in projected_blocks(pca, columns, X):
        scores[rows] = block.scores
        known = block.squared_norms is not None
        if known:
            norms[rows] = block.squared_norms
    return Projected(scores, norms if known else None)
