"""What a fitted detector says about rows and cells."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from l1kpca._typing import Array
from l1kpca.checks import check_results, overflow_is_checked, warn_user
from l1kpca.outliers.cells import CellMap
from l1kpca.outliers.columns import Columns
from l1kpca.outliers.door import in_partitions, like, make_rule
from l1kpca.outliers.rules import FittedRule, Rows, fit_rule, parts
from l1kpca.tables.encoder import Encoded, by_column, expected_cells
from l1kpca.threads import computing, spans
from l1kpca.tuning import EXPLAIN_MOVES

QUADRANTS = ("regular", "good leverage", "orthogonal outlier", "bad leverage")
# A thread projects at least so many rows at a time (fewer take 3 times as long with 1500 columns),
# and more while their values stay in the cache.
_ROWS, _VALUES = 512, 50_000
# Of an explanation: steps, and the most rows and values at once.
_MOST_STEPS, _BATCH_ROWS, _BATCH_VALUES = 8, 20_000, 4_000_000
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class OutlierMap:
    """Two distances of each row, their cut-offs, and what the two say together."""

    score_distance: Array  #: Standardized distance to the center within the kept components.
    orthogonal_distance: Array  #: Distance to the kept components in feature space.
    score_cutoff: float  #: 97.5 % of ordinary rows have smaller distances.
    orthogonal_cutoff: float  #: The same.

    @property
    def quadrant(self) -> Array:
        """What each row is: one of `QUADRANTS`.

        Good leverage follows the pattern of the others further than they do; a row off the
        components is an orthogonal outlier, or bad leverage if it is far, too.
        """
        far = self.score_distance > self.score_cutoff
        outside = self.orthogonal_distance > self.orthogonal_cutoff
        return np.array(QUADRANTS)[far + 2 * outside]


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows as a detector sees them."""

    abnormality: Array  #: Higher is more abnormal; ``score_samples`` with the other sign.
    flagged: Array  #: Outliers.
    scores: Array  #: Of the first components; 0 where there is no such component.
    outlier_map: OutlierMap | None  #: None where k(x, x) is not known, or not asked for.


def projected(pca: Any, columns: Columns, X: Array, *, with_cells: bool = True) -> Rows:
    """Rows with their scores, squared norms and oddness, found a few at a time."""
    cells: Any = columns.cells if with_cells else None
    projection, coef = pca.projection_, pca.projection_.coef
    scores = np.empty((len(X), coef.shape[1]), dtype=coef.dtype)
    norms = None if projection.kernel is None else np.empty_like(scores, shape=len(X))
    oddness = None if cells is None else np.empty((len(X), 3))

    def work(rows: slice) -> None:
        x = X[rows]
        if oddness is not None:
            x, oddness[rows] = cells.filled(x)
        part = projection(columns(x))
        scores[rows] = part.scores
        if norms is not None:
            norms[rows] = part.squared_norms

    with computing(pca.n_jobs) as workers, overflow_is_checked():
        pieces = list(zip(spans(len(X), max(_ROWS, _VALUES // X.shape[1])), strict=True))
        workers.run(work, pieces, cost=X.size * len(coef))
    for found in (scores,) if norms is None else (scores, norms):
        check_results(found, pca.kernel)
    return Rows(scores=scores, squared_norms=norms, X=X, columns=columns, pca=pca, oddness=oddness)


def judge_parts(
    parts: Iterable[Rows], rule: FittedRule, offset: float, n_scores: int | None
) -> Judged:
    """Judge projected rows; without ``n_scores``, there are neither scores nor an outlier map."""
    found, unseen = list[tuple[Array, ...]](), 0
    with overflow_is_checked():
        for part in parts:
            plane = np.zeros((len(part.scores), n_scores or 0))
            leading = part.scores[:, : n_scores or 0]
            plane[:, : leading.shape[1]] = leading
            has_map = n_scores is not None and part.squared_norms is not None
            distances = rule.distances(part) if has_map else ()
            found.append((rule.abnormality(part), plane, *distances))
            unseen += int(rule.unseen(part).sum())
    abnormality, plane, *both = map(np.concatenate, zip(*found, strict=True))
    check_results(abnormality, part.pca.kernel)
    if unseen:
        many = f"{unseen} of {len(abnormality)} rows are so far from all training rows that their"
        what = "they are judged as outliers, whatever the rule says of such scores"
        warn_user(f"{many} scores vanish; {what}")
    cutoffs = rule.score_cutoff, rule.orthogonal_cutoff
    where = OutlierMap(both[0], both[1], *cutoffs) if both else None
    return Judged(abnormality, -abnormality < offset, plane, where)


class Views:
    """The part of `KernelPCAOutlierDetector` that shows why."""

    @property
    def clear_line_(self: Any) -> bool:
        """Whether outliers stand apart: few of the training rows are near the line."""
        return bool(self.rule_.clear_line)

    @in_partitions
    def cells(self: Any, X: Any) -> CellMap:
        """Each cell beside what the other cells of its row say that it should be; see `Cells`.

        Returns
        -------
        map : CellMap
            Of a data frame, as frames: of the features of a column, the largest residual.
        """
        rows = self._rows(X, asked="cells")
        found, encoder = self.columns_.cells.map(rows), self.encoder_
        if encoder is None:
            return found
        low = by_column(encoder, found.residual, np.minimum)
        high = by_column(encoder, found.residual, np.maximum)
        table = X.table if isinstance(X, Encoded) else X
        return CellMap(
            residual=like(X, np.where(-low > high, low, high), encoder),
            expected=like(X, expected_cells(encoder, table, found.expected), encoder),
            flagged=like(X, by_column(encoder, found.flagged, np.logical_or), encoder),
            cutoff=found.cutoff,
        )

    @in_partitions
    def explain(self: Any, X: Any) -> Array:
        """What each column contributes to the abnormality of each row.

        They add up to its abnormality, ``-score_samples``, for any kernel.  The abnormality of the
        row as a whole is followed along the straight line from the row of training medians to the
        row; a column's part is the change while it moved, plus an equal share of that of the median
        row.  The abnormality of the cells, with the rule "robust", is added, divided as the squares
        of their residuals.  A hole contributes nothing.

        Returns
        -------
        contributions : ndarray of shape (n_samples, n_features)
        """
        given, X = X, self._rows(X, asked="explain")
        columns, cells, rule = self.columns_, self.columns_.cells, self.rule_

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
        encoder = self.encoder_
        return parts if encoder is None else like(given, by_column(encoder, parts), encoder)

    def judge_with(self: Any, pca: Any, X: Any) -> Judged:
        """Judge rows by another kernel PCA, for comparison; the detector itself is not changed.

        Parameters
        ----------
        pca : kernel PCA of this library
            It is fitted on ``pca_.X_fit_``; the rule and its line are learned from X anew.
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        judged : Judged
        """
        X = self._rows(X)
        pca = clone(pca).fit(self.pca_.X_fit_)
        rows = projected(pca, self.columns_, X)
        rule = make_rule(self.rule, self.contamination)
        fitted, offset = fit_rule(rule, rows, self.contamination)
        return judge_parts(parts(rows), fitted, offset, n_scores=0)

    def outlier_map(self: Any, X: Any) -> OutlierMap:
        """Score distance and orthogonal distance of rows, with their cut-offs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        map : OutlierMap
        """
        found: OutlierMap | None = self.judge(X, n_scores=0).outlier_map
        if found is None:
            lacking = "k(x, x), which kernel='precomputed' does not give"
            raise ValueError(f"outlier_map needs {lacking}: pass the rows and a kernel instead")
        return found


def contributions(
    abnormality: Callable[[Array], Array], X: Array, reference: Array, used: Array
) -> Array:
    """Split the abnormality of each row among its columns, exactly; see ``explain``.

    In two to eight steps, columns move one after the other, forward and then backward.  Holes of a
    row are holes of its reference, too.
    """
    columns, out = np.flatnonzero(used), np.zeros(X.shape, dtype=np.float64)
    if not columns.size:
        return out
    steps = 2 * int(np.clip(EXPLAIN_MOVES // (2 * len(columns)), 1, _MOST_STEPS // 2))
    order = np.resize([*columns, *columns[::-1]], steps * len(columns))
    places = max(2, min(_BATCH_ROWS, _BATCH_VALUES // X.shape[1]))
    for rows in spans(len(X), max(1, places // (len(order) + 1))):
        x, done = X[rows], np.where(used, 0, steps)
        for moves in spans(len(order), places - 1):
            # How many of its steps each column has done at the places around these moves.
            moves_now = order[moves, np.newaxis] == np.arange(X.shape[1])
            shares = np.cumsum(np.vstack([done, moves_now]), axis=0) / steps
            done = done + moves_now.sum(axis=0)
            path = (1 - shares) * reference + shares * x[:, np.newaxis]
            values = abnormality(path.reshape(-1, X.shape[1])).reshape(path.shape[:2])
            np.add.at(out[rows].T, order[moves], np.diff(values, axis=1).T)
            if moves.start == 0:
                moving = used & ~np.isnan(x)
                # A row without a cell has to put its abnormality somewhere.
                moving = np.where(moving.any(axis=1, keepdims=True), moving, used)
                out[rows] += values[:, :1] * moving / moving.sum(axis=1, keepdims=True)
    return out
