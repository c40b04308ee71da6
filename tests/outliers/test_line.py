"""Where the line is, and whether there is one."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers.tails import fit_tail, surplus
from toys.largest import Largest


def fitted(X):
    detector = KernelPCAOutlierDetector(random_state=0)
    return detector, detector.fit_judge(X).flagged


@pytest.mark.parametrize("d", [2, 3, 10, 50])
@pytest.mark.parametrize("mixed", [False, True])
def test_few_flags_and_no_clear_line_on_clean_normal_rows(d, mixed):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(1000, d))
    detector, flagged = fitted(X @ rng.normal(size=(d, d)) if mixed else X)
    assert 0 < flagged.mean() <= 0.02
    assert not detector.clear_line_


@pytest.mark.parametrize("n", [400, 1000])
def test_clean_rows_of_one_strong_factor_are_not_called_outliers(n):
    rng = np.random.default_rng(n)
    X = 7.5 * rng.normal(size=(n, 1)) + rng.normal(size=(n, 5))
    assert fitted(X)[1].mean() <= 0.08


@pytest.mark.parametrize("share", [0.01, 0.1, 0.25, 0.4])
def test_as_many_flags_as_outliers(share):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8))
    n_outliers = int(1000 * share)
    X[:n_outliers] = rng.normal(size=(n_outliers, 8)) * 2 + 12 * rng.choice([-1, 1], size=8)
    X[:n_outliers:2] *= -1
    detector, flagged = fitted(X)
    assert flagged[:n_outliers].mean() > 0.9
    assert flagged[n_outliers:].mean() < 0.03
    assert detector.clear_line_


def test_there_is_no_floor():
    """Three wild rows in many: three flags."""
    X = np.random.default_rng(0).normal(size=(10_000, 5))
    X[:3] += 40
    flagged = fitted(X)[1]
    assert flagged[:3].all()
    assert flagged.sum() < 40


def test_a_clear_line_has_few_rows_near_it():
    even = np.linspace(-9, 9, 201)
    apart = np.where(np.abs(even) > 8, 10 * even, even / 8)
    for X, contamination, clear in ((apart, 0.1, True), (even, 0.11, False), (apart, 0, False)):
        detector = KernelPCAOutlierDetector(
            L1KernelPCA(1), rule=Largest(), scaling=None, contamination=contamination
        )
        assert detector.fit(X[:, np.newaxis]).clear_line_ == clear, "none is beyond the last line"


def test_a_rule_may_set_its_line_when_it_is_fitted():
    @dataclass(frozen=True)
    class Beyond(Largest):
        line_at: float = 2.5

        def fit(self, rows, pca):
            return replace(super().fit(rows, pca), cutoff=self.line_at)

    X = np.random.default_rng(0).normal(size=(200, 3))
    detector = KernelPCAOutlierDetector(rule=Beyond(), random_state=0).fit(X)
    assert detector.rule_.cutoff == 2.5
    np.testing.assert_allclose(-detector.offset_, 2.5, rtol=1e-6)
    own = KernelPCAOutlierDetector(rule=Largest(), random_state=0).fit(X)
    assert own.predict(X).tolist().count(-1) >= 0.02 * len(X), "else it is the 97.5 % point"


def test_the_surplus_over_normal_values(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    x = rng.normal(size=20_000) + 10
    assert surplus(x) < 0.02
    x[:4000] = 30
    assert abs(surplus(x) - 0.2) < 0.01
    assert surplus(np.r_[np.ones(70), np.full(30, 2.0)]) == 0.3, "lumps"


@pytest.mark.parametrize("n", [100, 400])
def test_the_surplus_of_a_few_values_is_seen_only_if_it_is_clear(n):
    rng = np.random.default_rng(n)
    assert np.mean([surplus(rng.normal(size=n)) for _ in range(200)]) < 0.005
    far = np.r_[rng.normal(size=n - n // 5), np.full(n // 5, 30.0)]
    assert abs(surplus(far) - 0.2) < 0.01, "what stands apart is counted in full"


@pytest.mark.parametrize("draw", ["normal", "exponential", "standard_cauchy", "lognormal"])
def test_a_tail_says_how_rare_a_value_is(draw):
    rng = np.random.default_rng(0)
    values, new = (np.abs(getattr(rng, draw)(size=50_000)) for _ in range(2))
    tail = fit_tail(values, 0.98)
    found = tail(new)
    for level in (0.86, 0.92, 0.98):
        assert abs((found > -np.log(1 - level)).mean() - (1 - level)) < 0.01
    order = np.argsort(new)
    assert (np.diff(found[order]) >= 0).all()
    wild = tail(np.array([1e3, 1e6, 1e9, 1e12]) * values.max())
    assert (np.diff(wild) > 0).all()
    np.testing.assert_allclose(tail(np.array([tail.at(s) for s in (1.0, 3.0, 20.0)])), [1, 3, 20])


@pytest.mark.parametrize("values", [np.zeros(20), np.ones(20), np.r_[np.zeros(19), 5.0]])
def test_the_tail_of_lumps(values):
    found = fit_tail(values, 0.9)(np.array([0.0, 1.0, 5.0, 50.0]))
    assert np.isfinite(found).all()
    assert (np.diff(found) > 0).all()
