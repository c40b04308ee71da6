"""L1-KPCA: against its plain twin, against Algorithm 1 from the L2 start, and on a singular K."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import held, problem
from l1kpca import L1KernelPCA
from l1kpca.components.deflation import Deflation
from l1kpca.components.singular_systems import SingularSystems
from l1kpca.directions import SignFixedPoint
from l1kpca.directions.starts import STARTS
from l1kpca.peers import XiaoKernelPCA
from oracles import low_rank_rows
from peer_oracles import xiao

MEMORY = 10**9


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "laplacian", "contaminated"])
def test_same_signs_and_scores_as_the_plain_version(name, global_random_seed):
    K, _ = problem(name, 70, global_random_seed)
    found = list(SingularSystems(STARTS["eigen"], MEMORY).components(held(K), 4))
    signs, scores = xiao(K, len(found))
    ours = np.array([component.signs for component in found])
    assert_array_equal(ours * ours[:, :1], signs * signs[:, :1])
    ours = np.array([component.scores for component in found]).T
    assert_allclose(np.abs(ours), np.abs(scores), atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "narrow", "laplacian"])
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("max_iter", [1, 2, 3, 1000])
def test_the_signs_of_algorithm_1_after_every_step(name, start, max_iter, global_random_seed):
    K, _ = problem(name, 70, global_random_seed)
    seed = global_random_seed
    solving = SingularSystems(STARTS[start], MEMORY, max_iter, seed)
    plain = Deflation(SignFixedPoint(max_iter), STARTS[start], seed=seed)
    one = next(solving.components(held(K), 1))
    two = next(iter(plain.components(held(K), 1)))
    assert_array_equal(one.signs, two.signs)
    assert_allclose(one.trace, two.trace, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_estimators_agree_over_all_components(kernel, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(80, 5)) * [5, 4, 3, 2, 1]
    settings = {"kernel": kernel, "gamma": 0.01, "start": "eigen", "n_components": 5}
    one = XiaoKernelPCA(**settings).fit(X)
    two = L1KernelPCA(solver="fixed_point", **settings).fit(X)
    assert_array_equal(one.signs_, two.signs_)
    assert_allclose(one.transform(X), two.transform(X), atol=1e-8)


def test_a_singular_matrix_does_no_harm():
    """Rank 3 in 60 rows: nearly every direction of dual space is in the null space."""
    X = low_rank_rows(np.random.default_rng(0), 60, 10, 3)
    K = X @ X.T
    found = list(SingularSystems(STARTS["eigen"], MEMORY).components(held(K), 10))
    signs, _ = xiao(K, 3)
    ours = np.array([component.signs for component in found])
    assert_array_equal(ours * ours[:, :1], signs * signs[:, :1])
