"""L1KPCA, the PyOD detector: PyOD's contract, and PyOD's own tools working on it."""

import io
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyod.models.base import BaseDetector
from pyod.models.combination import aom, average, majority_vote, maximization, median, moa
from pyod.models.knn import KNN
from pyod.models.lscp import LSCP
from pyod.utils.data import evaluate_print, generate_data
from pyod.utils.utility import standardizer
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import check_estimator

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.adapters import L1KPCA
from l1kpca.outliers import Robust
from l1kpca.peers import L2KernelPCA

DETECTORS = {
    "default": L1KPCA(random_state=0),
    "paper": L1KPCA(rule="paper"),
    "linear": L1KPCA(pca=L1KernelPCA(2)),
    "peer": L1KPCA(pca=L2KernelPCA(2, kernel="rbf"), contamination=0.2),
    "sampled": L1KPCA(max_samples=60, random_state=0, contamination=0.05),
}


@pytest.fixture(scope="module")
def data():
    return generate_data(n_train=200, n_test=100, n_features=4, contamination=0.1, random_state=42)


@pytest.fixture(scope="module", params=DETECTORS)
def fitted(request, data):
    return clone(DETECTORS[request.param]).fit(data[0])


# PyOD's contract.


def test_it_is_a_detector_of_pyod(fitted, data):
    assert isinstance(fitted, BaseDetector)
    for name in ("decision_scores_", "labels_", "threshold_", "_mu", "_sigma", "_classes"):
        assert getattr(fitted, name) is not None


LABELS = "PyOD's labels are 0 and 1, not 1 and -1"
NOT_SCIKIT_LEARN = {
    "check_outliers_fit_predict": LABELS,
    "check_outliers_train": LABELS,
    "check_classifier_data_not_an_array": "PyOD looks at y, to warn of it",
}


@pytest.mark.filterwarnings("ignore:y should not be presented")
@pytest.mark.filterwarnings("ignore:fit_predict.* deprecated:FutureWarning")
@pytest.mark.skipif(
    not issubclass(BaseDetector, BaseEstimator), reason="older PyOD is not made for scikit-learn"
)
def test_scikit_learns_checks():
    check_estimator(L1KPCA(), expected_failed_checks=NOT_SCIKIT_LEARN, on_skip=None)


def test_scores_of_training_rows(fitted, data):
    X, _, y, _ = data
    assert fitted.decision_scores_.shape == (len(X),)
    assert roc_auc_score(y, fitted.decision_scores_) > 0.95
    assert_allclose(fitted.decision_function(X), fitted.decision_scores_, rtol=1e-9)


def test_labels_and_threshold_follow_from_the_scores(fitted):
    scores, share = fitted.decision_scores_, fitted.contamination
    assert_allclose(fitted.threshold_, np.percentile(scores, 100 * (1 - share)))
    assert_array_equal(fitted.labels_, (scores > fitted.threshold_).astype(int))
    assert abs(fitted.labels_.mean() - share) <= 1 / len(scores)


def test_scores_are_those_of_the_detector(data):
    X, X_new, _, _ = data
    adapter = L1KPCA(rule=Robust(0.6), random_state=3).fit(X)
    plain = KernelPCAOutlierDetector(rule=Robust(0.6), random_state=3).fit(X)
    assert_array_equal(adapter.decision_function(X_new), -plain.score_samples(X_new))
    assert_array_equal(adapter.explain(X_new[:3]), plain.explain(X_new[:3]))


def test_new_rows(fitted, data):
    _, X_new, _, y_new = data
    scores = fitted.decision_function(X_new)
    assert scores.shape == (len(X_new),)
    assert roc_auc_score(y_new, scores) > 0.95
    assert_array_equal(fitted.predict(X_new), (scores > fitted.threshold_).astype(int))


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_probabilities(fitted, data, method):
    X_new = data[1]
    probability = fitted.predict_proba(X_new, method=method)
    assert probability.shape == (len(X_new), 2)
    assert (probability >= 0).all()
    assert (probability <= 1).all()
    assert_allclose(probability.sum(axis=1), 1)
    order = np.argsort(fitted.decision_function(X_new))
    assert (np.diff(probability[order, 1]) >= 0).all()
    with_confidence, confidence = fitted.predict_proba(X_new, method, return_confidence=True)
    assert_array_equal(with_confidence, probability)
    assert_array_equal(confidence, fitted.predict_confidence(X_new))


def test_an_unknown_way_to_probabilities_is_refused(fitted, data):
    with pytest.raises(ValueError, match="is not a valid probability conversion method"):
        fitted.predict_proba(data[1], method="guess")


def test_confidence(fitted, data):
    X_new = data[1]
    labels, confidence = fitted.predict(X_new, return_confidence=True)
    assert_array_equal(labels, fitted.predict(X_new))
    assert confidence.shape == (len(X_new),)
    assert ((confidence >= 0) & (confidence <= 1)).all()


def test_rejection_of_doubtful_rows(fitted, data):
    assert set(fitted.predict_with_rejection(data[1], c_r=0.1)) <= {0, 1, -2}


def test_ranks_are_those_of_the_scores(fitted, data):
    X_new = data[1]
    ranks = fitted._predict_rank(X_new)
    expected = [(fitted.decision_scores_ < s).sum() for s in fitted.decision_function(X_new)]
    assert_array_equal(ranks, expected)
    assert fitted._predict_rank(X_new, normalized=True).max() <= 1


def test_fit_predict(data):
    detector = L1KPCA(random_state=0)
    with pytest.warns(FutureWarning, match="deprecated"):
        labels = detector.fit_predict(data[0])
    assert_array_equal(labels, detector.labels_)


def test_labels_in_training_are_not_used(data):
    X, _, y, _ = data
    with pytest.warns(UserWarning, match="y should not be presented"):
        detector = L1KPCA(random_state=0).fit(X, y)
    assert_array_equal(detector.decision_scores_, L1KPCA(random_state=0).fit(X).decision_scores_)


# Parameters.


def test_the_constructor_only_stores():
    pca = L1KernelPCA(3)
    detector = L1KPCA(0.9, pca=pca, rule="no", scaling=3, max_samples="x")
    assert detector.pca is pca
    assert detector.get_params(deep=False) == {
        "contamination": 0.9,
        "pca": pca,
        "rule": "no",
        "scaling": 3,
        "max_samples": "x",
        "random_state": None,
        "n_jobs": None,
        "memory_limit": None,
    }
    assert L1KPCA().contamination == 0.1


def test_stating_a_default_changes_nothing(data):
    X, X_new, _, _ = data
    expected = L1KPCA(random_state=3).fit(X)
    for name, value in L1KPCA().get_params(deep=False).items():
        stated = L1KPCA(**{"random_state": 3} | ({} if name == "random_state" else {name: value}))
        assert_array_equal(stated.fit(X).decision_scores_, expected.decision_scores_)
        assert_array_equal(stated.decision_function(X_new), expected.decision_function(X_new))
        assert stated.threshold_ == expected.threshold_


def test_threads_memory_and_columns_are_those_of_the_detector(data):
    fitted = L1KPCA(random_state=0, n_jobs=1, memory_limit="50MB").fit(data[0])
    assert (fitted.detector_.pca_.n_jobs, fitted.detector_.pca_.memory_limit) == (1, "50MB")
    assert fitted.n_features_in_ == data[0].shape[1]


def test_clone_and_nested_parameters(data):
    detector = L1KPCA(pca=L1KernelPCA(2, kernel="rbf", gamma=0.5), contamination=0.3)
    copy = clone(detector).set_params(pca__gamma=0.25)
    assert (copy.pca.gamma, detector.pca.gamma, copy.contamination) == (0.25, 0.5, 0.3)
    assert copy.fit(data[0]).detector_.pca_.gamma_ == 0.25


def test_rows_with_holes_are_judged_by_what_is_there(data):
    """What docs/coming_from/pyod.md says: most detectors of PyOD refuse them."""
    X = data[0].copy()
    X[5, 1] = np.nan
    assert np.isfinite(L1KPCA(random_state=0).fit(X).decision_function(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        KNN().fit(X)


@pytest.mark.parametrize("level", [0, -0.1, 0.51, np.nan, "auto", None, True])
def test_bad_contamination(data, level):
    text = f"contamination={level!r} must be a number above 0 and at most 0.5, or a PyThresh object"
    with pytest.raises(ValueError, match=text):
        L1KPCA(contamination=level).fit(data[0])


def test_other_parameters_are_checked_by_the_detector(data):
    with pytest.raises(ValueError, match="rule='best' must be one of"):
        L1KPCA(rule="best").fit(data[0])


@pytest.mark.parametrize("method", ["decision_function", "predict", "explain"])
def test_use_before_fit(data, method):
    with pytest.raises(NotFittedError):
        getattr(L1KPCA(), method)(data[1])


class AboveMean:
    """A threshold in the form of PyThresh: labels for scores above their mean."""

    def fit(self, scores):
        self.thresh_ = scores.mean()
        self.labels_ = self.predict(scores)
        return self

    def predict(self, scores):
        return (scores > self.thresh_).astype(int)

    def eval(self, scores):
        """What PyThresh had instead of fit, and older versions of PyOD call."""
        return self.fit(scores).labels_


def test_a_threshold_object(data):
    X, X_new, _, _ = data
    detector = L1KPCA(contamination=AboveMean(), random_state=0).fit(X)
    assert detector.threshold_ == detector.decision_scores_.mean()
    expected = detector.decision_function(X_new) > detector.threshold_
    assert_array_equal(detector.predict(X_new), expected)
    assert detector.predict_confidence(X_new).shape == (len(X_new),)


# PyOD's tools.


def test_combination(data):
    X, X_new, y, _ = data
    detectors = [L1KPCA(random_state=0), L1KPCA(rule="paper"), KNN(), L1KPCA(pca=L1KernelPCA(2))]
    train = np.column_stack([detector.fit(X).decision_scores_ for detector in detectors])
    new = np.column_stack([detector.decision_function(X_new) for detector in detectors])
    train, new = standardizer(train, new)
    for combine in (average, maximization, median):
        assert combine(new).shape == (len(X_new),)
        assert roc_auc_score(y, combine(train)) > 0.95
    for combine in (aom, moa):
        assert combine(train, n_buckets=2, random_state=0).shape == (len(X),)
    votes = majority_vote(np.column_stack([detector.predict(X) for detector in detectors]))
    assert set(votes.ravel()) <= {0, 1}


def test_it_can_be_a_member_of_a_pyod_ensemble(data):
    X, X_new, _, _ = data
    ensemble = LSCP([L1KPCA(random_state=0), KNN()], random_state=0, local_region_size=40, n_bins=2)
    ensemble.fit(X)
    assert ensemble.decision_function(X_new).shape == (len(X_new),)


def test_evaluation(data, capsys):
    X, _, y, _ = data
    evaluate_print("L1KPCA", y, L1KPCA(random_state=0).fit(X).decision_scores_)
    assert "L1KPCA ROC:1.0" in capsys.readouterr().out


def test_persistence(fitted, data):
    X_new = data[1]
    stored = io.BytesIO()
    joblib.dump(fitted, stored)
    stored.seek(0)
    for again in (joblib.load(stored), pickle.loads(pickle.dumps(fitted))):
        assert_array_equal(again.decision_function(X_new), fitted.decision_function(X_new))
        assert_array_equal(again.predict(X_new), fitted.predict(X_new))
        assert_array_equal(again.labels_, fitted.labels_)


def test_ranking_agrees_with_a_neighbour_method_on_easy_data(data):
    """A sign that were turned around would show here."""
    X = data[0]
    ours = rankdata(L1KPCA(random_state=0).fit(X).decision_scores_)
    theirs = rankdata(KNN().fit(X).decision_scores_)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.5


# Without PyOD.


def test_without_pyod_the_error_names_the_extra():
    code = "import sys; sys.modules['pyod'] = None; import l1kpca; import l1kpca.adapters"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert run.returncode == 1
    text = "ImportError: l1kpca.adapters needs PyOD, which is not installed: pip install"
    assert f"{text} 'l1kpca[pyod]'" in run.stderr
