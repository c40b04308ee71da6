"""What scoring and fitting hold beside the rows does not grow with their number.

In one thread: each thread holds a block, and how many do so at a moment is chance.
"""

import tracemalloc

import numpy as np
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import rules

MB = 1_000_000


def peak(function, *args):
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(20_000, 40))


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Judge fewer rows together, so that 10 000 are many parts."""
    monkeypatch.setattr(rules, "VALUES", 80_000)


@pytest.mark.parametrize("rule", ["robust", "novelty", "paper"])
def test_scoring_holds_a_block_and_no_kernel_matrix(rows, rule):
    """The kernel between all rows and the training rows would be 80 MB, a copy of them 6 MB."""
    pca = L1KernelPCA(3, kernel="rbf", memory_limit="20MB", n_jobs=1)
    detector = KernelPCAOutlierDetector(pca, rule=rule).fit(rows[:500])
    detector.score_samples(rows[:100])
    few = peak(detector.score_samples, rows[:10_000])
    many = peak(detector.score_samples, rows)
    assert many < 40 * MB
    # one flag and a few numbers for each row: nothing as large as the rows
    assert many - few < 10_000 * 8 * 10


@pytest.mark.parametrize("rule", ["robust", "novelty", "paper"])
@pytest.mark.parametrize("scaling", ["common", None])
def test_fitting_holds_the_scores_and_no_copy_of_the_rows(rows, scaling, rule):
    detector = KernelPCAOutlierDetector(
        L1KernelPCA(2, kernel="rbf", n_jobs=1),
        rule=rule,
        scaling=scaling,
        max_samples=200,
        random_state=0,
    ).fit(rows[:1000])
    few, many = peak(detector.fit, rows[:10_000]), peak(detector.fit, rows)
    assert many - few < 0.6 * rows[:10_000].nbytes


def test_explaining_holds_a_block(rows):
    detector = KernelPCAOutlierDetector(random_state=0).fit(rows[:1000])
    detector.explain(rows[:2])
    assert peak(detector.explain, rows[:100]) < 150 * MB
