"""Rows and models that the displays draw."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 4)) * [3, 2, 1, 0.5]
    X[:3] += 15
    return X


@pytest.fixture(scope="module")
def pca(X):
    return L1KernelPCA(3, certify=True).fit(X)


@pytest.fixture(scope="module", params=["robust", "paper"])
def detector(X, request):
    return KernelPCAOutlierDetector(rule=request.param, random_state=0).fit(X)


@pytest.fixture(scope="session")
def places_of():
    """Sorted places of all drawn points, or of rows."""

    def sort(points):
        if isinstance(points, list):
            points = np.concatenate([np.asarray(one.get_offsets()) for one in points])
        return points[np.lexsort(points.T)]

    return sort
