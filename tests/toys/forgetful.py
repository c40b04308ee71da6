"""A Gram in one file: K is evaluated each time it is asked for, and forgotten.

``L1KernelPCA(gram=Forgetful())`` uses it.  It has the four methods that a Gram must have; the base
class does the rest: centering, deflation, the paper's start, following signs.
"""

from dataclasses import dataclass

import numpy as np

from l1kpca.gram.base import Gram
from l1kpca.gram.projection import Projection


class ForgetfulGram(Gram):
    def __init__(self, X, kernel):
        self.X = X
        self.kernel = kernel
        self.n_samples = len(X)
        self.dtype = X.dtype

    def apply(self, V, at=None):
        V = V.astype(self.dtype, copy=False)
        return self.columns(np.arange(self.n_samples) if at is None else at) @ V

    def diagonal(self):
        return np.array(self.kernel.diagonal(self.X), dtype=self.dtype)

    def columns(self, index, rows=None):
        rows = self.X if rows is None else self.X[rows]
        if len(index) == 0:  # scikit-learn takes no empty arrays
            return np.empty((len(rows), 0), dtype=self.dtype)
        return self.kernel(rows, self.X[index]).astype(self.dtype, copy=False)

    def projection(self, V):
        return Projection(self.kernel, self.X, V)


@dataclass(frozen=True)
class Forgetful:
    def build(self, X, kernel, resources):
        return ForgetfulGram(X, kernel)
