"""Stand-ins that behave like the real thing and also say what was asked of them."""

from collections import Counter

import numpy as np

from l1kpca.gram.base import Gram
from l1kpca.gram.stored import BlockedGram


class CountingGram(Gram):
    """Passes everything on to a Gram; counts full products, updated columns and columns read.

    What is centered, deflated or followed through it goes the plain way of the base class.
    """

    def __init__(self, gram):
        self.gram = gram
        self.n_samples = gram.n_samples
        self.dtype = gram.dtype
        self.calls = Counter()

    def apply(self, V, at=None):
        if at is None:
            self.calls["full products"] += 1
        else:
            self.calls["updates"] += 1
            self.calls["updated columns"] += len(at)
        return self.gram.apply(V, at=at)

    def diagonal(self):
        self.calls["diagonals"] += 1
        return self.gram.diagonal()

    def columns(self, index, rows=None):
        self.calls["columns"] += len(index)
        return self.gram.columns(index, rows)

    def column_l1(self, minus=None):
        self.calls["column sums"] += 1
        return self.gram.column_l1(minus)

    def projection(self, V):
        return self.gram.projection(V)

    def rounding(self):
        return self.gram.rounding()


class CountingBlocks(BlockedGram):
    """Counts the entries of K that are evaluated."""

    entries = 0

    def block(self, rows, columns):
        found = super().block(rows, columns)
        self.entries += found.size
        return found


class CountingFinder:
    """Passes everything on to a finder; remembers the starts of every call."""

    def __init__(self, finder):
        self.finder = finder
        self.starts = []

    def find(self, gram, starts):
        self.starts.append(np.array(starts))
        return self.finder.find(gram, starts)

    @property
    def n_searches(self):
        return sum(starts.shape[1] for starts in self.starts)
