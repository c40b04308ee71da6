"""What the detector says about rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.checks import check_results, overflow_is_checked
from l1kpca.estimators.advice import warn_user
from l1kpca.outliers.columns import Columns
from l1kpca.outliers.rules import FittedRule, Rows
from l1kpca.threads import spans

QUADRANTS = ("regular", "good leverage", "orthogonal outlier", "bad leverage")
_VALUES = 4_000_000  # columns and scores of the rows of one piece


@dataclass(frozen=True, eq=False)
class OutlierMap:
    """Two distances of each row, their cut-offs, and what the two say together.

    Attributes
    ----------
    score_distance : ndarray of shape (n_samples,)
        Standardized distance to the center within the kept components.
    orthogonal_distance : ndarray of shape (n_samples,)
        Distance to the kept components in feature space.
    score_cutoff, orthogonal_cutoff : float
        97.5 % of ordinary rows have smaller distances.
    """

    score_distance: Array
    orthogonal_distance: Array
    score_cutoff: float
    orthogonal_cutoff: float

    @property
    def quadrant(self) -> Array:
        """What each row is: one of `QUADRANTS`.

        A far row near the components is good leverage: it follows the pattern of the others further
        than they do.  A row off the components is an orthogonal outlier, a far one bad leverage.
        """
        far = self.score_distance > self.score_cutoff
        outside = self.orthogonal_distance > self.orthogonal_cutoff
        return np.array(QUADRANTS)[far + 2 * outside]


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows as a detector sees them.

    Attributes
    ----------
    abnormality : ndarray of shape (n_samples,)
        Higher is more abnormal; ``score_samples`` with the other sign.
    flagged : ndarray of shape (n_samples,), bool
        Outliers.
    scores : ndarray of shape (n_samples, n_scores)
        Of the first components; 0 where there is no such component.
    outlier_map : OutlierMap or None
        The two distances; None where k(x, x) is not known.
    """

    abnormality: Array
    flagged: Array
    scores: Array
    outlier_map: OutlierMap | None


def projected_pieces(pca: Any, columns: Columns, X: Array) -> Iterator[Rows]:
    """Scores, squared norms and oddness of consecutive rows, a few at a time."""
    for rows in spans(len(X), max(1, _VALUES // (X.shape[1] + pca.n_components_))):
        x, oddness = X[rows], None
        if columns.cells is not None:
            x, oddness = columns.cells.filled(x)
        piece = pca.project(columns(x))
        if piece.squared_norms is not None:
            check_results(piece.squared_norms, pca.kernel)
        yield Rows(piece.scores, piece.squared_norms, x, columns, pca, oddness)


def projected(pca: Any, columns: Columns, X: Array) -> Rows:
    """The same of all rows, written into one array each."""
    scores = np.empty((len(X), pca.n_components_), dtype=pca.projection_.coef.dtype)
    norms, oddness = np.empty(len(X), dtype=scores.dtype), np.empty((len(X), 3))
    known, start = (False, False), 0
    for piece in projected_pieces(pca, columns, X):
        at = slice(start, start + len(piece.scores))
        scores[at] = piece.scores
        known = piece.squared_norms is not None, piece.oddness is not None
        if known[0]:
            norms[at] = piece.squared_norms
        if known[1]:
            oddness[at] = piece.oddness
        start = at.stop
    odd = oddness if known[1] else None
    return Rows(scores, norms if known[0] else None, X, columns, pca, odd)


def judge_pieces(
    pca: Any, pieces: Iterable[Rows], rule: FittedRule, offset: float, n_scores: int
) -> Judged:
    """Judge projected rows; rows that the rule cannot see are named in a warning."""
    found: list[tuple[Array, ...]] = []
    unseen = 0
    with overflow_is_checked():
        for piece in pieces:
            known = piece.squared_norms is not None
            plane = np.zeros((len(piece.scores), n_scores))
            leading = piece.scores[:, :n_scores]
            plane[:, : leading.shape[1]] = leading
            distances = rule.distances(piece) if known else ()
            found.append((rule.abnormality(piece), plane, *distances))
            unseen += int(rule.unseen(piece).sum())
    abnormality, plane, *both = map(np.concatenate, zip(*found, strict=True))
    check_results(abnormality, pca.kernel)
    if unseen:
        warn_user(
            f"{unseen} of {len(abnormality)} rows are so far from all training rows that their"
            " scores vanish; they are judged as outliers, whatever the rule says of such scores"
        )
    cutoffs = rule.score_cutoff, rule.orthogonal_cutoff
    where = OutlierMap(both[0], both[1], *cutoffs) if both else None
    return Judged(abnormality, -abnormality < offset, plane, where)
