"""The sign problem as a maximum cut."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca.optimality import as_maxcut
from oracles import best_by_enumeration, mean_centered


def test_maxcut_has_the_same_values():
    """c^T K c = 1^T K 1 + 4 cut(c), for every sign vector; the best cut is the optimum."""
    X = np.random.default_rng(0).normal(size=(9, 4))
    K = mean_centered(rbf_kernel(X))
    graph = as_maxcut(K)
    rng = np.random.default_rng(0)
    i, j, w = graph.edges()
    assert (i < j).all()
    for _ in range(50):
        c = rng.choice([-1.0, 1.0], 9)
        assert graph.value(graph.cut(c)) == pytest.approx(c @ K @ c)
        assert graph.cut(c) == pytest.approx(w[c[i] != c[j]].sum())
    best, c = best_by_enumeration(K)
    assert graph.value(graph.cut(c)) == pytest.approx(best)
    assert_allclose(as_maxcut(L1KernelPCA(1, kernel="rbf").fit(X)).weights, graph.weights)
    assert not graph.weights.diagonal().any()
