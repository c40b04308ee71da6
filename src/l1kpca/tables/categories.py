r"""Categories as numbers that count for no more than the numbers of a table do.

A category becomes two features.  Its *rarity* is :math:`-\log(P) / \sqrt 2`, the size that a
Laplace variable of variance 1 exceeds with probability P, the share of the rows whose levels are
not clearly more frequent, given the earlier category that predicts this one best.  Its *position*
is where the rows of a level stand among the numbers; its variance is the share that the level
explains there.  The guide to tables says why ("How categories are weighed").
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array

_ALIKE = 2.0  # a level is rare beside those that are more than twice as frequent
_FEWEST_EXPLAINED = 0.05  # of the variance of the numbers along an axis; less is found by chance
_PRIOR = 10.0  # rows of no special kind that are added to those of a level
_STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # the same, for shares given another level


@dataclass(frozen=True, eq=False)
class Category:
    """How the levels of a column become features; the last entry of an axis is any other level."""

    levels: tuple[str, ...]  # most frequent first
    parent: int  # place of the category that the shares depend on, -1 for none
    rarity: Array  # by the level of the parent, and the level
    likely: Array  # level, by that of the parent
    position: Array  # of the rows of a level among the numbers

    def codes(self, cells: Sequence[str | None]) -> Array:
        """The place of each cell's level; -1 for None."""
        places: dict[str | None, int] = {None: -1}
        places |= {level: place for place, level in enumerate(self.levels)}
        other = len(self.levels)
        return np.array([places.get(cell, other) for cell in cells], dtype=np.intp)


def learn_categories(
    columns: Sequence[Sequence[str | None]], numbers: Sequence[Array]
) -> list[Category]:
    """Learn the features of categories from their cells, and the numbers beside them."""
    found: list[Category] = []
    codes: list[Array] = []
    if not columns:
        return found
    squares, beside = 0.0, _bounded(numbers)
    n_parents = min(tuning.PARENTS, max(3, tuning.PAIRS // len(columns)))
    for cells in columns:
        counts = Counter(cell for cell in cells if cell is not None)
        levels = tuple(sorted(counts, key=lambda level: (-counts[level], level)))
        new = Category(levels, -1, np.zeros((1, 1)), np.zeros(1, dtype=np.intp), np.zeros(1))
        codes.append(new.codes(cells))
        parent, shares, sizes, explained = _shares(codes, [*found, new], n_parents)
        rarity, likely = _rarity(shares, sizes), shares[:, :-1].argmax(axis=1)
        position = _position(codes[-1], len(levels), beside) * np.sqrt(1 - explained)
        found.append(Category(levels, parent, rarity, likely, position))
        at = codes[-1], codes[parent] if parent >= 0 else -1
        squares += np.mean((rarity[at[1], at[0]] ** 2 + position[at[0]] ** 2)[at[0] >= 0])
    weight = min(1.0, (len(numbers) / squares) ** 0.5) if squares > 0 and len(numbers) else 1.0
    return [replace(c, rarity=weight * c.rarity, position=weight * c.position) for c in found]


def _bounded(columns: Sequence[Array]) -> Array:
    """Numbers in units of their spread, at most three of them from the median; 0 for holes."""
    z = np.zeros((len(columns[0]) if columns else 0, len(columns)))
    for numbers, out in zip(columns, z.T, strict=True):
        known = np.isfinite(numbers)
        if known.any():
            low, median, high = np.percentile(numbers[known], [25, 50, 75])
            spread = (high - low) / 1.349 or numbers[known].std() or 1.0
            out[known] = np.clip((numbers[known] - median) / spread, -3, 3)
    return z


def _shares(
    codes: list[Array], categories: list[Category], n_parents: int
) -> tuple[int, Array, Array, float]:
    """The best parent of the last category, its shares given that, of how many rows, and their use.

    Shares given a parent are counts plus some rows of no special kind.  How likely each row is
    given all others decides how many to add, and whether a parent helps at all.
    """
    own, n_levels = codes[-1], len(categories[-1].levels)
    counts = np.bincount(own[own >= 0], minlength=n_levels).astype(float)
    n = counts.sum()
    marginal = np.append(counts, 1.0) / (n + 1)  # one more row would be of another level
    alone = -float(counts @ np.log(np.maximum(counts - 0.5, 0.5) / n))
    best, parent = tuning.PARENT_SURPRISE * alone - 1, -1
    shares, sizes = marginal[np.newaxis], np.array([n + 1])
    for place in range(max(0, len(codes) - 1 - n_parents), len(codes) - 1):
        n_given = len(categories[place].levels)
        if n_given * n_levels > tuning.MOST_LEVELS**2:
            continue
        both = (own >= 0) & (codes[place] >= 0)
        pairs = np.bincount(codes[place][both] * n_levels + own[both], minlength=n_given * n_levels)
        table = pairs.reshape(n_given, n_levels).astype(float)
        rows, columns = np.nonzero(table)
        cells, sums = table[rows, columns], table.sum(axis=1)
        for strength in _STRENGTHS:
            chance = (cells - 1 + strength * marginal[columns]) / (sums[rows] - 1 + strength)
            surprise = -float(cells @ np.log(chance)) * (n / max(both.sum(), 1))
            if surprise < best:
                best, parent = surprise, place
                known = np.hstack([table, np.zeros((n_given, 1))]) + strength * marginal
                shares = np.vstack([known / (sums + strength)[:, np.newaxis], marginal])
                sizes = np.append(sums + strength, n + 1)
    return parent, shares, sizes, 1 - best / alone if parent >= 0 else 0.0


def _rarity(shares: Array, sizes: Array) -> Array:
    """From shares of levels among ``sizes`` rows to the Laplace variable that is as rare."""
    out = np.zeros_like(shares)
    for row, (share, n) in enumerate(zip(shares, sizes, strict=True)):
        ordered = np.sort(share)
        below = np.append(0.0, np.cumsum(ordered))
        alike = _ALIKE * share + 3 * np.sqrt(share / n) + 1e-9  # counts of few rows are chance
        tail = below[np.searchsorted(ordered, alike, side="right")]
        out[row] = np.where(tail < 1 - 1e-9, -np.log(np.maximum(tail, 1e-300)) / np.sqrt(2), 0.0)
    return out


def _position(codes: Array, n_levels: int, numbers: Array) -> Array:
    """Means of the levels along the axis of the numbers that separates them best."""
    known = codes >= 0
    if not numbers.size or not known.any():
        return np.zeros(n_levels + 1)
    rows = numbers[known] - numbers[known].mean(axis=0)
    counts = np.bincount(codes[known], minlength=n_levels + 1).astype(float)
    sums = np.stack([np.bincount(codes[known], c, n_levels + 1) for c in rows.T], axis=1)
    means = sums / (counts + _PRIOR)[:, np.newaxis]
    axis = np.linalg.svd(np.sqrt(counts)[:, np.newaxis] * means, full_matrices=False)[2][0]
    spread = float((rows @ axis).std())
    position = (means @ axis) / spread if spread > 0 else np.zeros(n_levels + 1)
    explained = counts @ position**2 / counts.sum()
    return position if explained > _FEWEST_EXPLAINED else np.zeros(n_levels + 1)
