"""KernelPCAOutlierDetector: scikit-learn's contract, frozen flags, and every size of data."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, datasets
from l1kpca.outliers import Paper
from l1kpca.peers import (
    JointL1KernelPCA,
    KwakKernelPCA,
    L2KernelPCA,
    R1KernelPCA,
    XiaoKernelPCA,
)

RULES = ("robust", "paper")
PEERS = (JointL1KernelPCA, KwakKernelPCA, L2KernelPCA, R1KernelPCA, XiaoKernelPCA)
PCAS = {"default": None, "linear": L1KernelPCA(2)}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4))
    rows[:6] += rng.normal(size=(6, 4)) * 8
    return rows


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(40, 4)) * 3


@parametrize_with_checks(
    [
        KernelPCAOutlierDetector(random_state=0),
        KernelPCAOutlierDetector(L1KernelPCA(2), rule="paper", scaling=None, max_samples=50),
    ]
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("peer", PEERS)
def test_any_kernel_pca_can_be_held(X, X_new, peer, rule):
    pca = peer(2, kernel="rbf", gamma=0.1)
    detector = KernelPCAOutlierDetector(pca, rule=rule).fit(X)
    assert isinstance(detector.pca_, peer)
    assert not hasattr(pca, "dual_components_"), "the given one is not touched"
    assert np.isfinite(detector.score_samples(X_new)).all()
    if rule == "robust":
        assert roc_auc_score(np.arange(len(X)) < 6, -detector.score_samples(X)) > 0.9


# Frozen at fit: a row's flag is its own.


@pytest.mark.parametrize("contamination", [0, 0.1, 0.5])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["default", "linear"])
def test_the_flag_of_a_row_does_not_depend_on_other_rows(X, X_new, name, rule, contamination):
    """Also of the training rows, one of which may be exactly where the line is drawn."""
    detector = KernelPCAOutlierDetector(
        PCAS[name], rule=rule, contamination=contamination, random_state=0
    ).fit(X)
    rows = np.vstack([X, X_new])
    together = detector.predict(rows)
    assert_array_equal([detector.predict(row[np.newaxis])[0] for row in rows], together)
    order = np.random.default_rng(2).permutation(len(rows))
    assert_array_equal(detector.predict(rows[order]), together[order])
    assert_array_equal(detector.predict(rows[::3]), together[::3])


def test_many_rows_are_scored_as_few_are(X):
    """Blocks of any size give the same, here several with a remainder."""
    detector = KernelPCAOutlierDetector(L1KernelPCA(2, memory_limit="100kB")).fit(X)
    repeats = 3000
    rows = np.tile(X, (repeats, 1))[:149_993]
    scores = detector.score_samples(rows)
    expected = np.tile(detector.score_samples(X), repeats)[: len(rows)]
    assert_allclose(scores, expected, rtol=1e-9)


# Where the line is drawn.


@pytest.mark.parametrize("rule", RULES)
def test_contamination_zero_says_the_training_rows_are_clean(rule):
    rng = np.random.default_rng(0)
    clean = rng.normal(size=(200, 3))
    detector = KernelPCAOutlierDetector(L1KernelPCA(3), rule=rule, contamination=0).fit(clean)
    assert (detector.predict(clean) == 1).all()
    assert detector.predict([[30.0, -30.0, 30.0]])[0] == -1
    assert_allclose(detector.offset_, detector.score_samples(clean).min(), rtol=1e-7)


@pytest.mark.parametrize("rule", RULES)
def test_auto_flags_far_rows_and_few_others(rule, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = rng.normal(size=(400, 5))
    rows[:8] = 12 * rng.choice([-1, 1], size=(8, 5)) + rng.normal(size=(8, 5))
    flags = KernelPCAOutlierDetector(rule=rule, random_state=0).fit_predict(rows)
    assert (flags[:8] == -1).mean() >= 0.75
    assert (flags[8:] == -1).mean() < 0.1


# Randomness is in the seed alone.


def test_the_seed_decides(X):
    def scores(seed):
        detector = KernelPCAOutlierDetector(max_samples=40, random_state=seed)
        return detector.fit(X).score_samples(X)

    assert_array_equal(scores(3), scores(3))
    assert not np.array_equal(scores(3), scores(4))


@pytest.mark.parametrize("max_samples", [1, 2, 40, np.int64(40)])
def test_components_come_from_a_sample_and_all_rows_set_the_line(X, max_samples):
    detector = KernelPCAOutlierDetector(
        contamination=0.25, max_samples=max_samples, random_state=0
    ).fit(X)
    assert len(detector.pca_.X_fit_) == max_samples
    if max_samples > 2:
        assert (detector.predict(X) == -1).sum() == 30


def test_a_sample_is_taken_by_default_of_many_rows_alone():
    rows = np.random.default_rng(0).normal(size=(1200, 3))
    assert len(KernelPCAOutlierDetector(random_state=0).fit(rows).pca_.X_fit_) == 1000
    assert len(KernelPCAOutlierDetector(max_samples=None).fit(rows).pca_.X_fit_) == 1200
    assert len(KernelPCAOutlierDetector(L1KernelPCA(2)).fit(rows).pca_.X_fit_) == 1000
    by_paper = KernelPCAOutlierDetector(L1KernelPCA(2), rule="paper")
    assert len(by_paper.fit(rows).pca_.X_fit_) == 1200
    by_matrix = KernelPCAOutlierDetector(L1KernelPCA(2, kernel="precomputed"), rule="paper")
    assert len(by_matrix.fit(rows @ rows.T).pca_.X_fit_) == 1200


# With the tools of scikit-learn.


@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
def test_nested_parameters_in_a_search(X):
    y = np.where(np.arange(len(X)) < 6, -1, 1)
    search = GridSearchCV(
        KernelPCAOutlierDetector(L1KernelPCA(2, kernel="rbf")),
        {"pca__gamma": [1e-3, 1.0], "rule": RULES},
        scoring="roc_auc",
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    ).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.pca_.gamma in (1e-3, 1.0)


def test_clone_and_nested_parameters():
    detector = KernelPCAOutlierDetector(L1KernelPCA(2, gamma=0.5), rule=Paper(0.5))
    copy = clone(detector)
    assert copy.pca is not detector.pca
    assert copy.get_params()["pca__gamma"] == 0.5
    assert copy.set_params(pca__gamma="median").pca.gamma == "median"
    assert detector.pca.gamma == 0.5


@pytest.mark.parametrize("rule", RULES)
def test_pipeline_and_pickle(X, X_new, rule):
    pipeline = make_pipeline(
        StandardScaler(), KernelPCAOutlierDetector(rule=rule, scaling=None, random_state=0)
    ).fit(X)
    scores = pipeline.score_samples(X_new)
    again = pickle.loads(pickle.dumps(pipeline))
    assert_array_equal(again.score_samples(X_new), scores)
    assert_array_equal(again.predict(X_new), pipeline.predict(X_new))


def test_a_failed_fit_leaves_nothing_half_fitted(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    with pytest.raises(ValueError, match="contamination=7"):
        detector.set_params(contamination=7).fit(X)
    with pytest.raises(NotFittedError):
        detector.predict(X)


def test_the_default_finds_most_malignant_cases():
    rows, labels = datasets.load("wbc", return_X_y=True)
    detector = KernelPCAOutlierDetector(random_state=0).fit(rows)
    assert roc_auc_score(labels, -detector.score_samples(rows)) > 0.93
