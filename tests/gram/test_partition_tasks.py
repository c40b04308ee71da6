"""What a worker calculates of its rows, and what it is sent, without a cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from l1kpca import tuning
from l1kpca.gram.dask_factor import WorkerFactorGram
from l1kpca.gram.partition_tasks import Signs, View, largest_gains
from l1kpca.gram.spread import Spread


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


def test_components_are_unpacked_each_with_its_own_flips():
    rng, gram = np.random.default_rng(0), object.__new__(WorkerFactorGram)
    kinds = [([3, 8], None), ([], 5), ([1, 2, 9], None), ([4], 0)]
    signs = [Signs(rng.normal(size=3), np.array(flips, int), seed) for flips, seed in kinds]
    terms = {
        "signs": [((number, c),) for number, c in zip([1.0, -1.0, 1.0, -1.0], signs, strict=True)],
        "coef": [tuple((rng.normal(), c) for c in signs[: i + 1]) for i in range(4)],
        "scores": [None] * 4,
    }
    vectors = {
        name: [Spread(gram, t, rng.normal(size=3)) for t in of] for name, of in terms.items()
    }
    packed = gram.packed(vectors)
    found = gram.unpacked(packed)
    for one, (flips, seed) in zip(found["signs"], kinds, strict=True):
        assert_array_equal(one.terms[0][1].flips, flips)
        assert one.terms[0][1].seed == seed
    again = gram.packed(found)
    assert {name: a.tolist() for name, a in again.items()} == {
        name: a.tolist() for name, a in packed.items()
    }
