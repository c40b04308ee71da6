"""Algorithm 1 on the paper's data: the library against a plain loop, sign for sign.

Of the six sets the four small ones run here.  The two may part in one way only: where columns of
both orientations tie for the start, rounding picks one, and the component comes out mirrored.
"""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from l1kpca import L1KernelPCA
from oracles import algorithm_1, deflated, standardized

N_COMPONENTS = 10
AS_THE_PAPER = {"solver": "fixed_point", "start": "column", "center": False}


@cache
def posed(path, kernel):
    """Rows, kernel matrix, and the signs that the plain loop finds."""
    with np.load(path, allow_pickle=False) as file:
        X = standardized(file["X"])
    n, d = X.shape
    K = linear_kernel(X) if kernel == "linear" else rbf_kernel(X, gamma=1 / (2 * d**2))
    return X, K, algorithm_1(K, min(N_COMPONENTS, d if kernel == "linear" else n))


@pytest.mark.parametrize("name", ["wbc", "ionosphere", "breastw", "cardio"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("gram", ["auto", "dense", "blocked", "precomputed"])
def test_the_plain_loop_finds_the_same_signs(data_dir, name, kernel, gram):
    X, K, expected = posed(data_dir / f"{name}.npz", kernel)
    if gram == "precomputed":
        pca = L1KernelPCA(len(expected), kernel="precomputed", **AS_THE_PAPER).fit(K)
    else:
        pca = L1KernelPCA(
            len(expected), kernel=kernel, gamma="paper", gram=gram, **AS_THE_PAPER
        ).fit(X)
    objectives, scale = [], K.diagonal().max()
    for ours, theirs in zip(pca.signs_, expected, strict=True):
        mirrored = -1 if np.array_equal(ours, -theirs) and start_is_a_tie(K, theirs, scale) else 1
        assert_array_equal(mirrored * ours, theirs)
        objectives.append(np.sqrt(theirs @ K @ theirs))
        K = deflated(K, theirs)
    assert_allclose(pca.objective_, objectives, rtol=1e-9)


def start_is_a_tie(K, c, scale):
    """Whether columns that rounding cannot tell apart as starts point both ways along c.

    In the last component of the linear kernel K has rank one, and all columns are equally good.
    """
    merits = np.abs(K).sum(axis=0) / np.sqrt(K.diagonal())
    noise = 4 * np.finfo(float).eps * scale / K.diagonal()
    best = merits * (1 + noise) >= (merits * (1 - noise)).max()
    return len(set(np.sign(c @ K[:, best]))) == 2
