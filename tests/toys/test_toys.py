"""A Gram and a finder of one's own, one file each, through the public door."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.optimality import certify
from toys.forgetful import Forgetful
from toys.sweeps import Sweeps


@pytest.fixture
def X(make_rows):
    return make_rows(120)


@pytest.fixture(params=["linear", "rbf", "laplacian"])
def kernel(request):
    return request.param


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("start", ["auto", "column", "eigen"])
def test_a_gram_of_ones_own_gives_the_components_of_the_matrix(X, kernel, center, start):
    settings = {"kernel": kernel, "center": center, "start": start, "random_state": 0}
    own = L1KernelPCA(4, gram=Forgetful(), **settings).fit(X)
    stored = L1KernelPCA(4, gram="dense", **settings).fit(X)
    assert_array_equal(own.signs_, stored.signs_)
    assert_allclose(own.objective_, stored.objective_, rtol=1e-9)
    assert_allclose(own.transform(X[:9] + 1), stored.transform(X[:9] + 1), atol=1e-9)
    assert own.gram_.name == "forgetful"
    assert str(own.gram_).endswith("asked for")


def test_a_finder_of_ones_own_finds_components(X, kernel):
    pca = L1KernelPCA(4, kernel=kernel, solver=Sweeps(), n_starts=3, random_state=0).fit(X)
    K = pca.training_gram().apply(np.eye(len(X)))
    A = pca.dual_components_
    assert_allclose(A.T @ K @ A, np.eye(4), atol=1e-9)
    assert_allclose(pca.transform(X), K @ A, atol=1e-9)
    assert pca.status_ == ["converged"] * 4
    assert pca.n_starts_.tolist() == [3] * 4
    polished = L1KernelPCA(1, kernel=kernel, n_starts=3, random_state=0).fit(X)
    assert pca.objective_[0] >= 0.9 * polished.objective_[0]


def test_together_they_are_parameters_like_any_other(X):
    pca = L1KernelPCA(2, kernel="rbf", gram=Forgetful(), solver=Sweeps(max_sweeps=50))
    again = clone(pca)
    assert again.get_params() == pca.get_params()
    assert again.get_params()["solver"] == Sweeps(max_sweeps=50)
    assert repr(again) == repr(pca)
    assert_array_equal(pca.fit_transform(X), again.fit_transform(X))
    other = clone(pca).set_params(solver=Sweeps(max_sweeps=1), start="random", gram="dense")
    with pytest.warns(ConvergenceWarning, match="2 of 2 components stopped while still moving"):
        other.fit(X)
    assert other.gram_.name == "dense"


def test_the_rest_of_the_library_takes_them(X, tmp_path):
    """Certificates, checkpoints, several threads, and the detector."""
    settings = {"kernel": "rbf", "gram": Forgetful(), "solver": Sweeps(), "random_state": 0}
    pca = L1KernelPCA(3, **settings, n_jobs=2).fit(X)
    certificate = certify(pca)
    assert_allclose(certificate.value, pca.objective_**2, rtol=1e-9)
    path = tmp_path / "fit.npz"
    L1KernelPCA(1, **settings, checkpoint=path).fit(X)
    resumed = L1KernelPCA(3, **settings, checkpoint=path).fit(X)
    assert_array_equal(resumed.signs_, pca.signs_)
    detector = KernelPCAOutlierDetector(L1KernelPCA(3, **settings)).fit(X)
    assert detector.score_samples(X).shape == (120,)
