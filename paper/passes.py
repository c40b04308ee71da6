"""A Gram that counts how often K is looked at; what ``gram=`` takes."""

import numpy as np

from l1kpca.gram.base import Gram
from l1kpca.gram.choose import BUILDERS


class Counted:
    """Builds a Gram of a known kind, and counts columns of K in products, and flips in between."""

    def __init__(self, kind):
        self.kind, self.columns, self.flips = kind, 0, 0

    def build(self, X, kernel, resources):
        return CountedGram(BUILDERS[self.kind].build(X, kernel, resources), self)


class CountedGram(Gram):
    """Asks another Gram, and counts; deflation and signs are those of any Gram."""

    def __init__(self, inner, count):
        self.inner, self.count = inner, count
        self.n_samples, self.dtype = inner.n_samples, inner.dtype

    def apply(self, V, at=None):
        self.count.columns += self.n_samples if at is None else len(at)
        # The first product of a search has all rows; the later ones only those that changed.
        moved = np.count_nonzero(V) if V.ndim == 1 or V.shape[1] == 1 else 0
        self.count.flips += moved if moved < self.n_samples else 0
        return self.inner.apply(V, at)

    def diagonal(self):
        return self.inner.diagonal()

    def columns(self, index, rows=None):
        self.count.columns += len(index) if rows is None else 0
        return self.inner.columns(index, rows)

    def column_l1(self, minus=None):
        self.count.columns += self.n_samples
        return self.inner.column_l1(minus)

    def projection(self, V):
        return self.inner.projection(V)
