"""Every error of the detector: it names the parameter, its value, and what is allowed."""

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA

X = np.random.default_rng(0).normal(size=(20, 3))
K = X @ X.T
BY_MATRIX = L1KernelPCA(2, kernel="precomputed")


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "best"}, r"rule='best' must be one of \['robust', 'paper'\]"),
        ({"rule": None}, r"rule=None must be one of \['robust', 'paper'\]"),
        ({"variance_kept": 0}, "variance_kept=0 must be a number above 0 and at most 1"),
        ({"variance_kept": 1.1}, "variance_kept=1.1 must be a number above 0 and at most 1"),
        ({"variance_kept": np.nan}, "variance_kept=nan must be a number above 0 and at most 1"),
        ({"variance_kept": "80%"}, "variance_kept='80%' must be a number above 0 and at most 1"),
        ({"variance_kept": True}, "variance_kept=True must be a number above 0 and at most 1"),
        ({"contamination": 0.6}, "contamination=0.6 must be 'auto' or a number between 0 and 0.5"),
        ({"contamination": -0.1}, "contamination=-0.1 must be 'auto' or a number between 0 and"),
        ({"contamination": "few"}, "contamination='few' must be 'auto' or a number between 0 and"),
        ({"contamination": None}, "contamination=None must be 'auto' or a number between 0 and"),
        ({"contamination": False}, "contamination=False must be 'auto' or a number between 0 and"),
        ({"contamination": np.nan}, "contamination=nan must be 'auto' or a number between 0 and"),
        ({"contamination": [0.1]}, r"contamination=\[0.1\] must be 'auto' or a number between 0"),
        (
            {"contamination": np.array([0.1, 0.2])},
            r"contamination=array\(\[0.1, 0.2\]\) must be 'auto' or a number between 0 and 0.5",
        ),
        ({"standardize": "yes"}, "standardize='yes' must be True or False"),
        ({"max_samples": 0}, "max_samples=0 must be 'auto', None or a positive integer"),
        ({"max_samples": 0.5}, "max_samples=0.5 must be 'auto', None or a positive integer"),
        ({"max_samples": True}, "max_samples=True must be 'auto', None or a positive integer"),
        ({"max_samples": "all"}, "max_samples='all' must be 'auto', None or a positive integer"),
        ({"pca": 3}, r"pca=int must be a kernel PCA of l1kpca, such as L1KernelPCA\(kernel='rbf'"),
        ({"pca": KernelPCA()}, "pca=KernelPCA must be a kernel PCA of l1kpca, such as"),
        ({"pca": L1KernelPCA}, "pca=<class '.*L1KernelPCA'> must be a kernel PCA of l1kpca"),
        ({"pca": L1KernelPCA(-1)}, "n_components=-1 must be an integer of at least 1"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(**params).fit(X)


def test_a_kernel_matrix_cannot_give_the_robust_distances():
    text = "rule='robust' needs .* kernel='precomputed' does not give: use rule='paper', or a"
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(BY_MATRIX).fit(K)


def test_a_kernel_matrix_cannot_be_sampled():
    text = "max_samples=10 cannot be used with kernel='precomputed': pass the kernel matrix of few"
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(BY_MATRIX, rule="paper", max_samples=10).fit(K)


def test_a_kernel_matrix_has_no_outlier_map_and_no_columns_to_blame():
    detector = KernelPCAOutlierDetector(BY_MATRIX, rule="paper").fit(K)
    text = "distance to the components needs .* use rule='paper' without outlier_map, or a kernel"
    with pytest.raises(ValueError, match=text):
        detector.outlier_map(K)
    text = "explain needs the columns of the rows, which kernel='precomputed' does not have: pass"
    with pytest.raises(ValueError, match=text):
        detector.explain(K)


@pytest.mark.parametrize(
    "method", ["score_samples", "decision_function", "predict", "explain", "outlier_map"]
)
def test_use_before_fit_and_with_other_columns(method):
    detector = KernelPCAOutlierDetector(random_state=0)
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        getattr(detector, method)(X)
    detector.fit(X)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        getattr(detector, method)(X[:, :2])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        getattr(detector, method)(np.full((2, 3), np.nan))
