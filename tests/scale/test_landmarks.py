"""Landmarks: features that are stored and features that are streamed are the same features."""

from itertools import pairwise

import numpy as np
import pytest

from l1kpca import L1KernelPCA
from l1kpca.gram.builders import Nystroem, Resources
from l1kpca.gram.factor import FactorGram
from l1kpca.gram.nystroem import LandmarkGram
from l1kpca.kernels import Kernel

N, LANDMARKS = 400, 30
BYTES = 2 * N * LANDMARKS * 8  # the features and their centered copy


@pytest.mark.parametrize(("memory", "kind"), [(BYTES, FactorGram), (BYTES - 1, LandmarkGram)])
def test_features_are_stored_if_they_fit(make_rows, memory, kind):
    X, kernel = make_rows(N), Kernel("rbf", {"gamma": 0.2})
    gram, held, _ = Nystroem(LANDMARKS).build(X, kernel, Resources(memory))
    assert type(gram) is kind
    assert held <= memory


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("landmarks", ["kmeans++", "random"])
def test_stored_and_streamed_give_the_same_components(make_rows, center, landmarks):
    X = make_rows(N)
    gram = Nystroem(LANDMARKS, landmarks)
    settings = {"kernel": "rbf", "gram": gram, "center": center, "random_state": 0}
    stored = L1KernelPCA(4, **settings, memory_limit=BYTES).fit(X)
    streamed = L1KernelPCA(4, **settings, memory_limit=BYTES - 1).fit(X)
    assert stored.gram_.bytes_held > streamed.gram_.bytes_held
    assert stored.gram_.lost_share == pytest.approx(streamed.gram_.lost_share, abs=1e-12)
    np.testing.assert_allclose(stored.objective_, streamed.objective_, rtol=1e-6)
    np.testing.assert_array_equal(stored.signs_, streamed.signs_)
    np.testing.assert_allclose(stored.transform(X), streamed.transform(X), atol=1e-7)


def test_what_is_missed_is_said_and_shrinks_with_more_landmarks(make_rows):
    X = make_rows(N)
    lost = []
    for count in (5, 20, 80, 320, N):
        pca = L1KernelPCA(2, kernel="rbf", gram=Nystroem(count, "random"), random_state=0).fit(X)
        lost.append(pca.gram_.lost_share)
    assert all(more > less for more, less in pairwise(lost))
    assert 0.05 < lost[0] < 1
    assert lost[-1] < 1e-9


def test_it_is_shown(make_rows):
    pca = L1KernelPCA(2, kernel="rbf", gram=Nystroem(5), random_state=0).fit(make_rows(N))
    assert f"misses {pca.gram_.lost_share:.2%} of trace K" in str(pca.gram_)
