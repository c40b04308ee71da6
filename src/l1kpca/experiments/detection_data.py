"""The six data sets as the experiments take them: standardized, constant columns dropped."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from l1kpca import datasets
from l1kpca._typing import Array
from l1kpca.estimators.outliers.columns import by_mean_and_deviation


@lru_cache(maxsize=2)
def _load(name: str, data_dir: Path | None) -> tuple[Array, Array]:
    X, y = datasets.load(name, data_dir, return_X_y=True)
    return by_mean_and_deviation(X)(X), y


def standardized(name: str, data_dir: Path | None, permutation: int = 0) -> tuple[Array, Array]:
    """Rows and labels, in the order of the file or, for a permutation from 1 on, shuffled.

    Parameters
    ----------
    name : str
        One of `l1kpca.datasets.names`.
    data_dir : Path or None
        Where to look first.
    permutation : int
        0 is the order of the file; any other number is the seed of a permutation.
    """
    X, y = _load(name, data_dir)
    if permutation:
        order = np.random.default_rng(permutation).permutation(len(X))
        return X[order], y[order]
    return X, y
