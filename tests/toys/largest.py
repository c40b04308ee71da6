"""A rule in one file: how far out a row is along the component where it is farthest out.

``KernelPCAOutlierDetector(rule=Largest())`` uses it; on the command line,
``--rule toys.largest:Largest``.
"""

from dataclasses import dataclass

import numpy as np

from l1kpca.outliers import FittedRule, Rule


@dataclass(frozen=True)
class Largest(Rule):
    power: float = 1.0

    def fit(self, rows, pca):
        center = np.median(rows.scores, axis=0)
        return FittedLargest(
            components=np.arange(rows.scores.shape[1]),
            center=center,
            scale=np.abs(rows.scores - center).mean(axis=0),
            power=self.power,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLargest(FittedRule):
    power: float

    def abnormality(self, rows):
        return np.abs(self.standardized(rows)).max(axis=1) ** self.power
