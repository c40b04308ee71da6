"""The rule for clean training rows: its formula, its line, and planted novelties."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import pairwise_kernels

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, persistence
from l1kpca.outliers import Novelty, Paper, Robust
from l1kpca.outliers.novelty import FittedNovelty

LAMBDA = 1e-5


def clean(**settings):
    return KernelPCAOutlierDetector(contamination=0, random_state=0, **settings)


def explained(K, k, damping):
    """k^T (K + damping I)^-1 k for each row of k, one at a time."""
    A = K + damping * np.eye(len(K))
    return np.array([row @ np.linalg.solve(A, row) for row in k])


# The formula.


def test_the_abnormality_is_minus_the_logarithm_of_the_explained_share(X, X_new):
    detector = clean().fit(X)
    Z, Z_new = ((rows - X.mean(axis=0)) / X.std(axis=0) for rows in (X, X_new))
    squares = [((a - b) ** 2).sum() for i, a in enumerate(Z) for b in Z[:i]]
    gamma = 9 / (2 * np.median(squares))
    assert_allclose(detector.pca_.gamma_, gamma)
    K, k = (pairwise_kernels(rows, Z, metric="rbf", gamma=gamma) for rows in (Z, Z_new))
    share = explained(K, k, len(X) * LAMBDA)
    assert_allclose(-detector.score_samples(X_new), -np.log((1 + LAMBDA) * share), rtol=1e-8)
    # Every component counts, each damped.
    values, vectors = np.linalg.eigh(K)
    scores = (k @ vectors)[:, values > 1e-12] / np.sqrt(values[values > 1e-12])
    damped = values[values > 1e-12] / (values[values > 1e-12] + len(X) * LAMBDA)
    assert_allclose((scores**2) @ damped, share, rtol=1e-6)


def test_kernels_that_do_not_vanish_give_the_distance_itself(X, X_new):
    detector = KernelPCAOutlierDetector(L1KernelPCA(2), rule="novelty", scaling=None).fit(X)
    K, k, norms = X @ X.T, X_new @ X.T, (X_new**2).sum(axis=1)
    unit = K.diagonal().mean()
    distance = norms - explained(K, k, len(X) * LAMBDA * unit)
    assert_allclose(-detector.score_samples(X_new), distance / unit, rtol=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear"])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_line_is_a_quantile_of_rows_judged_by_the_others(X, kernel, share):
    pca = L1KernelPCA(2, kernel=kernel, gamma=0.02)
    detector = KernelPCAOutlierDetector(pca, rule=Novelty(false_alarms=share), scaling=None).fit(X)
    K = pairwise_kernels(X, metric=kernel, **({} if kernel == "linear" else {"gamma": 0.02}))
    unit, left_out = K.diagonal().mean(), []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        damping = len(X) * LAMBDA * unit
        q = explained(K[others][:, others], K[i, others][np.newaxis], damping)[0]
        left_out.append((K[i, i] - q) / unit if kernel == "linear" else -np.log((1 + LAMBDA) * q))
    place = min(len(X), int(np.ceil((len(X) + 1) * (1 - share))))
    assert_allclose(detector.rule_.cutoff, np.sort(left_out)[place - 1], rtol=1e-5)
    assert_allclose(-detector.offset_, detector.rule_.cutoff, rtol=1e-6)


# Which rule is taken.


@pytest.mark.parametrize("zero", [0, 0.0, np.float32(0)])
def test_auto_is_novelty_for_clean_rows(X, zero):
    def rule_of(**settings):
        return type(KernelPCAOutlierDetector(random_state=0, **settings).fit(X).rule_).__name__

    assert rule_of(contamination=zero) == "FittedNovelty"
    assert rule_of(rule="novelty") == "FittedNovelty"
    assert rule_of() == rule_of(contamination=0.1) == "FittedRobust"
    assert rule_of(rule="robust", contamination=zero) == "FittedRobust"
    assert rule_of(rule=Robust(), contamination=zero) == "FittedRobust"
    assert rule_of(rule=Paper(), contamination=zero) == "FittedPaper"


# New ordinary rows.


def ring(rng, n):
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 0.05 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


FACTORS = np.random.default_rng(7).normal(size=(5, 20))
CLEAN = {
    "two columns": lambda rng, n: rng.normal(size=(n, 2)),
    "fifty columns": lambda rng, n: rng.normal(size=(n, 50)),
    "factors": lambda rng, n: rng.normal(size=(n, 5)) @ FACTORS + 0.3 * rng.normal(size=(n, 20)),
    "ring": ring,
    "skewed": lambda rng, n: np.exp(rng.normal(size=(n, 4))),
    "counts": lambda rng, n: rng.poisson(1.0, size=(n, 3)).astype(float),
    "binary": lambda rng, n: (rng.random(size=(n, 6)) < 0.3).astype(float),
    "one column": lambda rng, n: rng.standard_t(3, size=(n, 1)),
}


@pytest.mark.parametrize("kind", CLEAN)
@pytest.mark.parametrize(("n", "share"), [(600, 0.01), (600, 0.1), (60, 0.05)])
def test_new_ordinary_rows_are_flagged_at_the_stated_share(kind, n, share):
    draw = CLEAN[kind]
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        detector = clean(rule=Novelty(false_alarms=share)).fit(draw(rng, n))
        found.append((detector.predict(draw(rng, 500)) == -1).mean())
    # The line is itself an estimate: about n * share of the training rows are beyond it.
    error = 4 * np.sqrt(share / n / 3 + share / 1500)
    assert np.mean(found) <= share + error
    if kind not in ("counts", "binary"):  # in which many rows agree
        assert np.mean(found) >= share - error


def test_many_rows_are_judged_by_a_sample():
    rng = np.random.default_rng(0)
    rows = CLEAN["factors"](rng, 2500)
    detector = clean().fit(rows)
    assert len(detector.pca_.X_fit_) == 2000
    assert detector.rule_.whitening.shape == (2000, 2000)
    left = (detector.predict(CLEAN["factors"](rng, 1000)) == -1).mean()
    assert 0.002 <= left <= 0.02
    assert (detector.predict(rows) == -1).mean() <= 0.01


# Planted novelties.


def test_a_hole_in_the_data_is_no_place_for_a_row():
    rng = np.random.default_rng(0)
    detector = clean().fit(ring(rng, 500))
    hole = 0.5 * ring(rng, 200)
    assert (detector.predict(hole) == -1).mean() >= 0.99
    judged = -detector.score_samples(np.vstack([hole, ring(rng, 200)]))
    assert roc_auc_score(np.arange(400) < 200, judged) > 0.999


@pytest.mark.parametrize("width", [1, 8, 40])
def test_a_broken_relation_among_columns(width):
    """All values are ordinary one by one."""
    rng = np.random.default_rng(width)
    factor = rng.normal(size=(2, 1000, 1))
    rows, new = factor + 0.1 * rng.normal(size=(2, 1000, 1 + width))
    new[:500, 0] = -new[:500, 0]
    moved = np.abs(new[:500, 0]) > 1
    detector = clean().fit(rows)
    flagged = detector.predict(new) == -1
    assert flagged[:500][moved].mean() > 0.99
    assert flagged[500:].mean() < 0.04


@pytest.mark.parametrize("seed", range(3))
def test_a_raised_cell_is_found_and_named(seed):
    rng = np.random.default_rng(seed)
    rows, new = CLEAN["factors"](rng, 800), CLEAN["factors"](rng, 60)
    culprit = rng.integers(20, size=60)
    new[np.arange(60), culprit] += 8 * rows.std(axis=0)[culprit]
    detector = clean().fit(rows)
    assert (detector.predict(new) == -1).all()
    shares = detector.explain(new)
    assert (shares.argmax(axis=1) == culprit).mean() >= 0.98
    assert_allclose(shares.sum(axis=1), -detector.score_samples(new), rtol=1e-9)


# Far rows: no ties, no ends.


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("d", [1, 3, 60])
def test_farther_is_more_abnormal_at_any_distance(d, kernel, dtype):
    rng = np.random.default_rng(d)
    rows = rng.normal(size=(200, d)).astype(dtype)
    pca = None if kernel == "rbf" else L1KernelPCA(2, kernel=kernel, gamma=1 / d)
    detector = clean(pca=pca).fit(rows)
    way = rng.normal(size=d)
    reach = np.geomspace(10, 1e13, 400)[:, np.newaxis]
    found = -detector.score_samples((reach * way / np.linalg.norm(way)).astype(dtype))
    assert (np.diff(found) > 0).all()
    assert detector.predict((reach * way).astype(dtype)).max() == -1
    one = np.zeros((3, d), dtype=dtype)
    one[:, 0] = [1e3, 1e6, 1e9]  # a single cell
    assert (np.diff(-detector.score_samples(one)) > 0).all()


@pytest.mark.parametrize("size", [1e20, 1e100, 1e300])
@pytest.mark.parametrize("scaling", ["columns", None])
def test_the_largest_numbers_are_beyond_all_others(size, scaling):
    rng = np.random.default_rng(0)
    detector = clean(scaling=scaling).fit(rng.normal(size=(100, 3)))
    near = -detector.score_samples([[1e9, 0, 0]])[0]
    for row in ([size, 0, 0], [size, -size, size], [0, 0, -size]):
        found = -detector.score_samples([row])[0]
        assert np.isfinite(found)
        assert found > near


# Bad input.


@pytest.mark.parametrize("share", [0, 1, -0.1, np.nan, "1%", True, None])
def test_a_share_of_false_alarms_that_is_none(share):
    with pytest.raises(ValueError, match=f"false_alarms={share!r} must be a number between 0 and"):
        Novelty(false_alarms=share)


@pytest.mark.filterwarnings("ignore:the Gram matrix is not positive semidefinite")
def test_a_kernel_that_has_no_span(X):
    pca = L1KernelPCA(1, kernel="sigmoid", gamma=2.0, coef0=-1)
    text = "rule='novelty' needs a positive semidefinite kernel, and kernel='sigmoid' is not for"
    with pytest.raises(ValueError, match=text):
        clean(pca=pca).fit(X)


def test_a_matrix_that_does_not_fit(X):
    rows = np.vstack([X] * 4)
    text = "of 200 rows, which takes 640000 bytes, more than the 300000 .* max_samples to 136 or"
    pca = L1KernelPCA(1, memory_limit=300_000, gram="blocked", kernel="rbf", n_jobs=1)
    with pytest.raises(ValueError, match=text):
        clean(pca=pca).fit(rows)
    assert len(clean(pca=pca, max_samples=136).fit(rows).pca_.X_fit_) == 136


def test_a_kernel_matrix_has_no_distances(X):
    text = "rule='auto' needs .* kernel='precomputed' does not give: use rule='paper', or a kernel"
    with pytest.raises(ValueError, match=text):
        clean(pca=L1KernelPCA(1, kernel="precomputed")).fit(X @ X.T)


# Elsewhere.


def test_a_saved_model_judges_alike(X, X_new, tmp_path):
    detector = clean(rule=Novelty(false_alarms=0.05)).fit(X)
    persistence.save(detector, tmp_path / "model.skops")
    again = persistence.load(tmp_path / "model.skops").estimator
    assert isinstance(again.rule_, FittedNovelty)
    assert again.rule == Novelty(false_alarms=0.05)
    assert_array_equal(again.score_samples(X_new), detector.score_samples(X_new))
    assert_array_equal(again.predict(X_new), detector.predict(X_new))
