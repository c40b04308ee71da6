"""Classical components are those of L2KernelPCA; steps and gaps are those of the model."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import rankdata

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.gram.choose import Dense
from l1kpca.outliers import FittedRule, Rule
from l1kpca.peers import L2KernelPCA
from l1kpca.report import report


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_classical_ranks_are_those_of_a_detector_with_l2_components(X, labels, rule, unpacked):
    """With all rows in the sample, only the components differ."""
    robust = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    pca = robust.pca_
    twin = KernelPCAOutlierDetector(
        L2KernelPCA(pca.n_components_, kernel="rbf", gamma=pca.gamma_, center=pca.center),
        rule=rule,
    ).fit(X)
    facts = report(robust, X, labels=labels).facts
    order = unpacked(facts["rows"]["row"], "u4") - 1
    expected = rankdata(twin.score_samples(X), method="ordinal")[order]
    np.testing.assert_array_equal(unpacked(facts["rows"]["classical"], "u4"), expected)
    assert 0 < facts["comparison"]["agreement"]["average_precision"] <= 1


def test_a_classical_detector_is_not_compared_with_itself(X):
    classical = KernelPCAOutlierDetector(L2KernelPCA(3, kernel="rbf")).fit(X)
    facts = report(classical, X).facts
    assert facts["rows"]["classical"] is None
    assert facts["comparison"] is None
    assert all(part["gap"] is None for part in facts["convergence"])


def test_an_indefinite_kernel_is_compared_without_further_warnings(X, unpacked):
    pca = L1KernelPCA(5, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semidefinite"):
        detector = KernelPCAOutlierDetector(pca).fit(X)
    classical = unpacked(report(detector, X).facts["rows"]["classical"], "u4")
    assert sorted(classical) == list(range(1, 81))


def test_many_training_rows_are_not_compared():
    X = np.random.default_rng(0).normal(size=(2001, 2))
    detector = KernelPCAOutlierDetector(L1KernelPCA(2), max_samples=None).fit(X)
    assert report(detector, X).facts["rows"]["classical"] is None


def test_convergence_and_gap(facts, detector):
    pca = detector.pca_
    assert len(facts["convergence"]) == pca.n_components_
    first = facts["convergence"][0]
    assert first["steps"] == pca.n_steps_[0]
    np.testing.assert_allclose(first["trace"], pca.objective_trace_[0], rtol=1e-5)
    assert 0 <= first["gap"] < 1


def test_a_certified_model_shows_all_its_gaps(X):
    pca = L1KernelPCA(4, kernel="rbf", certify=True)
    certified = KernelPCAOutlierDetector(pca).fit(X)
    parts = report(certified, X).facts["convergence"]
    np.testing.assert_allclose(
        [part["gap"] for part in parts], certified.pca_.optimality_gap_, rtol=1e-5, atol=1e-12
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedFarthest(FittedRule):
    def abnormality(self, rows):
        return np.abs(self.standardized(rows)).max(axis=1)


@dataclass(frozen=True)
class Farthest(Rule):
    """A rule that a user wrote: the largest standardized score."""

    def fit(self, rows, pca):
        center, scale = rows.scores.mean(axis=0), rows.scores.std(axis=0)
        return FittedFarthest(components=np.arange(len(center)), center=center, scale=scale)


def test_a_rule_of_the_users_own(X, labels, unpacked):
    detector = KernelPCAOutlierDetector(rule=Farthest(), random_state=0).fit(X)
    made = report(detector, X, labels=labels)
    order = unpacked(made.facts["rows"]["row"], "u4") - 1
    np.testing.assert_array_equal(order, np.argsort(detector.score_samples(X), kind="stable"))
    assert sorted(unpacked(made.facts["rows"]["classical"], "u4")) == list(range(1, 81))
    assert "judged by the Farthest rule" in " ".join(made.to_html().split())


class Counted:
    """How K is held, counting how often it is built."""

    built = 0

    def build(self, *rows_kernel_and_resources):
        Counted.built += 1
        return Dense().build(*rows_kernel_and_resources)


def test_rows_are_projected_and_explained_once_and_one_gram_is_built(X, monkeypatch):
    pca = L1KernelPCA(5, kernel="rbf", gram=Counted())
    detector = KernelPCAOutlierDetector(pca, random_state=0)
    judged = detector.fit_judge(X)
    explained, explain = [], detector.explain
    monkeypatch.setattr(detector, "explain", lambda X: explained.extend(X) or explain(X))
    monkeypatch.setattr(detector, "judge", None)
    Counted.built = 0
    facts = report(detector, X, judged=judged).facts
    assert facts["n_explained"] == len(np.unique(explained, axis=0)) == len(explained) == len(X)
    assert facts["comparison"] is not None
    assert facts["convergence"][0]["gap"] is not None
    assert Counted.built == 1
