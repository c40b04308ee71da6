"""Stand-ins that behave like the real thing and also say what was asked of them."""

from collections import Counter


class CountingGram:
    """Passes everything on to a Gram; counts full products, updated columns and columns read."""

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

    def written(self, minus):
        return None

    def thin(self):
        return None

    def rounding(self):
        return self.gram.rounding()

    def column_l1(self, minus=None):
        self.calls["column sums"] += 1
        return self.gram.column_l1(minus)
