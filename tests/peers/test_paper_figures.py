"""The detection rule of the paper on its data, where the method leaves no free choice."""

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve

from l1kpca.peers import KwakKernelPCA, L2KernelPCA, R1KernelPCA
from oracles import standardized


def outlier_scores(Y):
    variances = Y.var(axis=0)
    order = np.argsort(-variances)
    count = np.searchsorted(np.cumsum(variances[order]), 0.8 * variances.sum()) + 1
    kept = order[:count]
    return ((Y - Y.mean(axis=0)) ** 2 / variances)[:, kept].sum(axis=1)


def pr_auc(pca, data_dir, name):
    with np.load(data_dir / f"{name}.npz", allow_pickle=False) as content:
        X, y = standardized(content["X"]), content["y"]
    precision, recall, _ = precision_recall_curve(y, outlier_scores(pca.fit_transform(X)))
    return auc(recall, precision)


@pytest.mark.parametrize(
    ("name", "expected"), [("breastw", 0.9152), ("cardio", 0.5066), ("musk", 0.9358)]
)
def test_l2_linear(name, expected, data_dir):
    """The paper's own figures."""
    assert pr_auc(L2KernelPCA(), data_dir, name) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(
    ("name", "peer", "expected"),
    [
        ("wbc", KwakKernelPCA, 0.5570),
        ("wbc", R1KernelPCA, 0.4935),
        ("wbc", L2KernelPCA, 0.4627),
        ("breastw", KwakKernelPCA, 0.9220),
        ("breastw", R1KernelPCA, 0.9433),
        ("breastw", L2KernelPCA, 0.9418),
    ],
)
def test_gaussian(name, peer, expected, data_dir):
    """Figures of an independent prototype; d components of a kernel that is not centered."""
    with np.load(data_dir / f"{name}.npz", allow_pickle=False) as content:
        d = content["X"].shape[1]
    pca = peer(d, kernel="rbf", gamma="paper", center=False)
    assert pr_auc(pca, data_dir, name) == pytest.approx(expected, abs=0.002)
