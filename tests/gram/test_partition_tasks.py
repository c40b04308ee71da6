"""What a worker calculates of its rows, without a cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca import tuning
from l1kpca.gram.partition_tasks import View, best_gain


@pytest.mark.parametrize("span", [7, 1000])
def test_the_best_gain_of_a_partition(monkeypatch, span):
    """Where the sign iteration ended: the best flip, the largest K c, and how many flips gain."""
    monkeypatch.setattr(tuning, "PARTITION_SPAN", span)
    rng = np.random.default_rng(0)
    X, c = rng.normal(size=(40, 5)), np.ones(40)
    for _ in range(40):
        c = np.sign(X @ (X.T @ c))
    Kc, diagonal = X @ (X.T @ c), (X**2).sum(axis=1)
    gain = diagonal - c * Kc
    view = View(np.zeros(5), np.empty((0, 5)))
    found = best_gain(
        lambda view, F, first: c[first : first + len(F)], X.T @ c, diagonal.max(), view, X, 0
    )
    assert (c == np.sign(Kc)).all()
    assert (gain > 0).sum() == 3
    assert_allclose(found, [[gain.max(), np.abs(Kc).max(), (gain > 0).sum()]])
