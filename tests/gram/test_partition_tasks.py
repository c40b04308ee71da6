"""What a worker calculates of its rows, without a cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca import tuning
from l1kpca.gram.partition_tasks import View, largest_gains


@pytest.mark.parametrize("span", [7, 1000])
def test_the_largest_gains_of_a_partition(monkeypatch, span):
    """Where the sign iteration ended: what single flips gain most, and of which rows."""
    monkeypatch.setattr(tuning, "PARTITION_SPAN", span)
    rng = np.random.default_rng(0)
    X, c = rng.normal(size=(40, 5)), np.ones(40)
    for _ in range(40):
        c = np.sign(X @ (X.T @ c))
    Kc, diagonal = X @ (X.T @ c), (X**2).sum(axis=1)
    gain = diagonal - c * Kc
    assert (c == np.sign(Kc)).all()
    assert (gain > 0).sum() == 3
    best = np.argsort(-gain)[:3]

    def signs(view, F, first):
        return c[first : first + len(F)]

    view = View(np.zeros(5), np.empty((0, 5)))
    found = largest_gains(3, signs, X.T @ c, diagonal.max(), view, X, 0)
    found = found[np.argsort(-found[:, 0])]
    assert_allclose(found, np.column_stack([gain[best], best, c[best]]))
