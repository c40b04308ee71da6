"""Signs that a factor tracks: most entries of an image are known to keep theirs."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram.followed import Change, Followed, Step
from l1kpca.loops import compiled
from l1kpca.threads import spans

if TYPE_CHECKING:
    from l1kpca.gram.factor import FactorGram

_ROUNDING = 64


@compiled
def differing_signs(
    F: Array, rounded: tuple[Array, Array, Array], b: tuple[Array, Array],
    way: tuple[float, float, float], seen: tuple[Array, Array], c: Array,
    span: tuple[int, int, float],
) -> tuple[Array, Array]:  # fmt: skip
    """The rows within the span where the signs of F b - shift and c differ, and F^T (c' - c).

    ``rounded`` is that of `FactorGram`, ``b`` comes with b / |b| in single precision, ``way`` holds
    the distance that b has moved, |b| and the shift.  ``seen`` holds for each row one over its
    length, and the distance up to which its sign is sure to be that of c.  Other entries are
    computed anew, from F itself if near zero; all of them if more than a share ``span[2]``.
    """
    (thin, units, errors), (whole, unit), (moved, size, shift) = rounded, b, way
    (shortness, sure), most = seen, span[2] * (span[1] - span[0])
    at, found = np.empty((2, span[1] - span[0] + 1), np.int64)
    count = near = differ = 0  # no branches below: they would be mispredicted
    for i in range(span[0], span[1]):
        at[count] = i
        count += not sure[i] > moved
    if count > most:
        count = span[1] - span[0]
        for k in range(count):
            at[k] = span[0] + k
    for k in range(count):
        i, total = at[k], np.float32(0)
        for j in range(thin.shape[1]):
            total += np.float32(thin[i, j]) * unit[j]
        entry, unsure = size * units[i] * total - shift, size * errors[i]
        other, unclear = entry * c[i] < 0, not abs(entry) > unsure
        sure[i] = (moved + (abs(entry) - unsure) * shortness[i]) * (not other)
        at[near], found[differ] = i, i
        near += unclear
        differ += other and not unclear
    for k in range(near):
        i, full = at[k], whole[0] * 0
        for j in range(F.shape[1]):
            full += F[i, j] * whole[j]
        entry = full - shift
        other = entry * c[i] < 0
        sure[i] = (moved + abs(entry) * shortness[i]) * (not other)
        found[differ] = i
        differ += other
    change = np.zeros_like(whole)
    for k in range(differ):
        i = found[k]
        twice = c[i] + c[i]
        for j in range(F.shape[1]):
            change[j] -= twice * F[i, j]
    return found[:differ], change


@dataclass
class _Path:
    """How far b of one search has moved, and what is known of the entries of G b."""

    seen: tuple[Array, Array]
    """For each row one over its length, and the length of the path up to which its sign is sure to
    be that of c."""
    end: Array
    length: float = 0.0


class FollowedFactor(Followed):
    """The signs of K c = G b while b = G^T c moves.

    An entry of G b moves by at most the length of its row times the distance that b has moved.  If
    far from zero it keeps its sign for long: a search on 60 000 rows takes two thirds of the time.
    """

    gram: "FactorGram"
    _last: tuple[Array | None, Array] = (None, np.empty(0))
    """The b of the last image that was asked for, and the image."""

    def leave(self, gram: "FactorGram", scores: Array) -> None:  # type: ignore[override]
        """Go on with ``gram``, which is without the component that has these scores."""
        self.gram = gram
        self._now = [gram.projected(b) for b in self._now]
        self._before = self._now.copy()

    @cached_property
    def _paths(self) -> list[_Path]:
        """How far each search has come."""
        gram = self.gram
        slack = _ROUNDING * float(np.finfo(gram.dtype).eps) * gram.row_norms
        lengths = 1.001 * np.sqrt(np.maximum(gram.diagonal(), 0) + slack, dtype=float)
        shortness = 1 / np.maximum(lengths, np.finfo(float).tiny)
        return [_Path((shortness, np.zeros(len(lengths))), b) for b in self._now]

    def flip(self, flips: list[Array]) -> None:
        """Flip the signs of these rows, given as one array per search."""
        for path, rows in zip(self._paths, flips, strict=True):
            path.seen[1][rows] = 0
        super().flip(flips)

    def _first_images(self, starts: Array) -> list[Array]:
        return list(np.ascontiguousarray(self.gram.reduce(starts).T))

    def _images_of(self, changes: list[Change]) -> list[Array]:
        return [self.gram.reduce(values, at=rows) for rows, values in changes]

    def image(self, j: int) -> Array:
        """K c of search ``j``."""
        if self._last[0] is not self._now[j]:
            self._last = self._now[j], self.gram.expand(self._now[j])
        return self._last[1]

    def _steps_to(self, images: dict[int, Array]) -> list[Step | None]:
        steps: list[Step | None] = [None] * len(self.signs)
        gram = self.gram
        most = tuning.CROWDED if gram.rounded[0].nbytes > tuning.FAR_BYTES else 1.0
        cuts = [(rows.start, rows.stop, most) for rows in spans(gram.n_samples, tuning.ROW_SPAN)]
        # At first all entries are computed, later few.
        cost = gram.n_samples * (8 + gram.F.shape[1] // 4)
        for j, image in images.items():
            path, size = self._paths[j], float(np.linalg.norm(image))
            path.length += float(np.linalg.norm(image - path.end))
            path.end = image
            unit = (image / (size or 1)).astype(np.float32)
            way = path.length, size, float(gram.origin @ image)
            state = gram.F, gram.rounded, (image, unit), way, path.seen, self.signs[j]
            found = gram.workers.run(differing_signs, [(*state, cut) for cut in cuts], cost)
            rows = np.concatenate([rows for rows, _ in found])
            total = sum(change for _, change in found)
            if len(rows):
                shift = 2 * self.signs[j][rows].sum() * gram.origin
                steps[j] = rows, gram.projected(total + shift)
        return steps

    def _form(self, image: Array, change: Change, K_change: Array) -> float:
        return float(image @ K_change)
