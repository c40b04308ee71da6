"""Certificates of fitted models."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import NotFittedError

from l1kpca import L1KernelPCA
from l1kpca.gram.choose import Nystroem
from l1kpca.optimality import certify, exact, sdp
from l1kpca.peers import KwakKernelPCA, L2KernelPCA
from oracles import best_by_enumeration

GRAMS = ["auto", "dense", "blocked", Nystroem(n_landmarks=12, landmarks="random")]


def rows(n=30, d=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[:2] *= 6
    return X


@pytest.fixture(
    params=[(k, c) for k in ("linear", "rbf") for c in (True, "median", False)], ids=str
)
def settings(request):
    kernel, center = request.param
    return {"kernel": kernel, "center": center, "random_state": 0}


def test_value_and_optimum_lie_below_the_bound(settings):
    """Every component, in the problem that those before it left."""
    X = rows(13)
    model = L1KernelPCA(3, **settings).fit(X)
    K = model.training_gram().apply(np.eye(13))
    certificate = certify(model)
    assert_allclose(certificate.value, model.objective_**2, rtol=1e-9)
    for j in range(3):
        c = model.signs_[j].astype(float)
        best, _ = best_by_enumeration(K)
        assert certificate.value[j] <= best * (1 + 1e-9) <= certificate.upper_bound[j] * (1 + 2e-9)
        K = K - np.outer(K @ c, K @ c) / (c @ K @ c)
    assert_allclose(certificate.gap, certificate.upper_bound / certificate.value - 1, atol=1e-12)
    assert certificate.proof == ("cholesky",) * 3


@pytest.mark.parametrize("gram", GRAMS, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_training_gram_is_that_of_the_fit(gram, dtype, settings):
    """Rebuilt from what the model keeps, landmarks included: A^T K A = I again."""
    model = L1KernelPCA(3, gram=gram, **settings).fit(rows().astype(dtype))
    K = model.training_gram().apply(np.eye(30, dtype=dtype))
    A = model.dual_components_
    assert_allclose(A.T @ K @ A, np.eye(3), atol=1e-9 if dtype == "float64" else 2e-3)
    certificate = certify(model)
    assert_allclose(
        certificate.value, model.objective_**2, rtol=1e-9 if dtype == "float64" else 1e-3
    )
    assert (certificate.upper_bound >= certificate.value).all()


def test_landmarks_of_an_unseeded_fit_are_found_again():
    model = L1KernelPCA(2, kernel="rbf", gram=Nystroem(8, "random")).fit(rows())
    A = model.dual_components_
    assert_allclose(A.T @ model.training_gram().apply(A), np.eye(2), atol=1e-9)


def test_a_kernel_matrix_and_sparse_rows():
    X = rows()
    given = L1KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    thin = L1KernelPCA(2).fit(sparse.csr_matrix(X))
    dense = certify(L1KernelPCA(2).fit(X))
    for model in (given, thin):
        assert_allclose(certify(model).upper_bound, dense.upper_bound, rtol=1e-4)


def test_bounds_in_order_of_their_cost():
    """Spectral, relaxation, branch and bound: each at most as large as the one before."""
    model = L1KernelPCA(3, kernel="rbf", random_state=0).fit(rows(40))
    spectral = certify(model, bound="spectral")
    sdp = certify(model)
    branched = certify(model, max_nodes=200)
    assert (sdp.upper_bound <= spectral.upper_bound * (1 + 1e-6)).all()
    assert (branched.upper_bound <= sdp.upper_bound).all()
    assert branched.gap.sum() < sdp.gap.sum()
    assert "branch and bound" in branched.proof
    assert (branched.upper_bound >= branched.value * (1 - 1e-12)).all()


def test_the_spectral_bound_is_the_cheap_one(monkeypatch):
    """It solves no relaxation."""
    model = L1KernelPCA(2, kernel="rbf").fit(rows())
    expected = certify(model, bound="spectral").upper_bound
    monkeypatch.delattr(sdp, "relaxation")
    assert_allclose(certify(model, bound="spectral").upper_bound, expected)


def test_branch_and_bound_to_the_end_is_the_optimum():
    model = L1KernelPCA(1, kernel="rbf", random_state=0).fit(rows(24))
    best = exact(model).value
    assert certify(model, max_nodes=10**6).upper_bound[0] == pytest.approx(best, rel=1e-8)


def test_certify_true_stores_the_gap():
    X = rows()
    model = L1KernelPCA(2, kernel="rbf", certify=True, random_state=0).fit(X)
    assert_allclose(model.optimality_gap_, certify(model).gap)
    plain = L1KernelPCA(2, kernel="rbf", random_state=0).fit(X)
    assert not hasattr(plain, "optimality_gap_")
    assert_allclose(plain.transform(X), model.transform(X))


@pytest.mark.parametrize("peer", [KwakKernelPCA, L2KernelPCA])
def test_other_methods_can_be_certified(peer):
    model = peer(2, kernel="rbf").fit(rows())
    certificate = certify(model)
    assert (certificate.upper_bound >= certificate.value).all()
    assert (certificate.value > 0).all()


def test_more_than_4000_rows_are_certified_through_products_alone():
    X = rows(4200, 6)
    certificate = certify(L1KernelPCA(1, random_state=0).fit(X))
    assert certificate.proof == ("lanczos",)
    assert 0 <= certificate.gap[0] < 0.6


def test_bad_arguments_are_named():
    model = L1KernelPCA(1).fit(rows())
    said = re.escape("bound='lp' must be one of ['spectral', 'sdp']")
    with pytest.raises(ValueError, match=said):
        certify(model, bound="lp")
    with pytest.raises(ValueError, match="max_nodes=0 must be an integer of at least 1"):
        certify(model, max_nodes=0)
    with pytest.raises(NotFittedError):
        certify(L1KernelPCA())
