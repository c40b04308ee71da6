"""What the detector says about rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.checks import check_results, overflow_is_checked
from l1kpca.estimators.advice import warn_user
from l1kpca.outliers.columns import Columns
from l1kpca.outliers.rules import FittedRule, Rows
from l1kpca.threads import computing, spans

QUADRANTS = ("regular", "good leverage", "orthogonal outlier", "bad leverage")
# A thread projects at least so many rows at a time (fewer take 3 times as long with 1500 columns),
# and more while their values stay in the cache.
_ROWS, _VALUES = 512, 50_000


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

        A far row near the components, good leverage, follows the pattern of the others further than
        they do.  A row off the components is an orthogonal outlier, a far one bad leverage.
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
    outlier_map: OutlierMap | None  #: None where k(x, x) is not known.


def projected(pca: Any, columns: Columns, X: Array, *, with_cells: bool = True) -> Rows:
    """Rows with their scores, squared norms and oddness, found a few at a time."""
    cells = columns.cells if with_cells else None

    def found(rows: slice) -> tuple[Array | None, ...]:
        x, oddness = (X[rows], None) if cells is None else cells.filled(X[rows])
        part = pca.projection_(columns(x))
        return part.scores, part.squared_norms, oddness

    with computing(pca.n_jobs) as workers, overflow_is_checked():
        pieces = list(zip(spans(len(X), max(_ROWS, _VALUES // X.shape[1])), strict=True))
        parts = workers.run(found, pieces, cost=X.size * len(pca.projection_.coef))
    scores, norms, oddness = map(_joined, zip(*parts, strict=True))
    for values in (scores, norms):
        if values is not None:
            check_results(values, pca.kernel)
    return Rows(scores=scores, squared_norms=norms, X=X, columns=columns, pca=pca, oddness=oddness)


def _joined(parts: tuple[Any, ...]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)


def judge_parts(parts: Iterable[Rows], rule: FittedRule, offset: float, n_scores: int) -> Judged:
    """Judge projected rows; rows that the rule cannot see are named in a warning."""
    found: list[tuple[Array, ...]] = []
    unseen = 0
    with overflow_is_checked():
        for part in parts:
            plane = np.zeros((len(part.scores), n_scores))
            leading = part.scores[:, :n_scores]
            plane[:, : leading.shape[1]] = leading
            distances = () if part.squared_norms is None else rule.distances(part)
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
