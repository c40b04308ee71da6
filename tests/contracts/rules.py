"""The table of every outlier rule, and the kernel PCAs that they are tried with."""

from dataclasses import dataclass

import numpy as np

from l1kpca import L1KernelPCA
from l1kpca.outliers import FittedRule, Novelty, Paper, Robust, Rule
from l1kpca.outliers.rules import orthogonal_squares
from l1kpca.peers import L2KernelPCA


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedToy(FittedRule):
    """What `Toy` learned: one number, beside what every rule has."""

    unit: float

    def abnormality(self, rows):
        """The two squared distances of the outlier map, each in its own unit."""
        within, outside = self.distances(rows)
        return within**2 + outside**2 / self.unit


@dataclass(frozen=True)
class Toy(Rule):
    """The smallest rule that could be written: everything else is inherited."""

    n_kept: int = 2

    def fit(self, rows, pca):
        """Look at the first components."""
        kept = np.arange(min(self.n_kept, pca.n_components_))
        scores = rows.scores[:, kept]
        unit = float(orthogonal_squares(rows, kept).mean())
        return FittedToy(
            components=kept, center=scores.mean(axis=0), scale=scores.std(axis=0), unit=unit
        )


RULES = {
    "robust": Robust(),
    "robust, all components": Robust(variance_kept=1.0),
    "novelty": Novelty(),
    "paper": Paper(),
    "paper, half": Paper(variance_kept=0.5),
    "toy": Toy(),
    "toy, one component": Toy(n_kept=1),
}
PCAS = {
    "its own": None,
    "linear": L1KernelPCA(2),
    "gaussian": L1KernelPCA(3, kernel="rbf", gamma=0.2),
    "not centered": L1KernelPCA(3, kernel="rbf", gamma=0.2, center=False),
    "spatial median": L1KernelPCA(2, kernel="laplacian", center="median"),
    "classical": L2KernelPCA(3, kernel="rbf", gamma=0.2),
}


def table(seed, n=80):
    """Rows of three columns, a few of them outliers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3))
    X[:4] += 3 * rng.normal(size=(4, 3))
    return X
