"""What every outlier rule must do, with every kind of kernel PCA."""

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone

from contracts.rules import PCAS, RULES, FittedToy, Toy, table
from l1kpca import KernelPCAOutlierDetector
from l1kpca.outliers import FittedRule, Rule
from l1kpca.outliers.judged import projected

PLAIN = (np.ndarray, float, int, str, bool, type(None), tuple)


@pytest.fixture(params=PCAS)
def pca(request):
    return PCAS[request.param]


@pytest.fixture(params=RULES)
def rule(request):
    return RULES[request.param]


@pytest.fixture
def X(global_random_seed):
    return table(global_random_seed)


@pytest.fixture
def X_new(global_random_seed):
    return table(global_random_seed + 1000, n=25)


@pytest.fixture
def detector(global_random_seed, pca, rule):
    """A copy of a detector that is fitted once for all tests."""
    place = list(RULES.values()).index(rule), list(PCAS.values()).index(pca)
    return deepcopy(fitted(*place, global_random_seed))


@cache
def fitted(rule, pca, seed):
    """The detector of the rule and the kernel PCA at these places of their tables."""
    chosen = [*RULES.values()][rule], [*PCAS.values()][pca]
    return KernelPCAOutlierDetector(chosen[1], rule=chosen[0], random_state=0).fit(table(seed))


pytestmark = pytest.mark.filterwarnings("ignore:.*so far from all training rows")


def test_settings_and_what_was_learned_are_frozen_and_plain(detector, rule):
    """So that a file can hold them as a name and plain arrays."""
    for holder, kind in ((rule, Rule), (detector.rule_, FittedRule)):
        assert isinstance(holder, kind)
        assert is_dataclass(holder)
        for field in fields(holder):
            value = getattr(holder, field.name)
            assert isinstance(value, PLAIN)
            assert not isinstance(value, np.ndarray) or value.dtype.kind in "biuf"
        with pytest.raises(FrozenInstanceError):
            holder.variance_kept = 0.1
    rows = projected(detector.pca_, detector.columns_, table(5))
    learned = {field.name: getattr(detector.rule_, field.name) for field in fields(detector.rule_)}
    again = type(detector.rule_)(**learned)
    assert_array_equal(again.abnormality(rows), detector.rule_.abnormality(rows))


def test_all_is_finite(detector, X, X_new):
    for rows in (X, X_new, 1e3 * X_new, np.zeros((2, 3))):
        judged = detector.judge(rows)
        where = judged.outlier_map
        for values in (judged.abnormality, judged.scores, where.score_distance):
            assert np.isfinite(values).all()
        assert (where.orthogonal_distance >= 0).all()
        assert (judged.abnormality >= 0).all()


def test_one_answer_whichever_way_it_is_asked_for(detector, X, X_new):
    judged = detector.judge(X_new)
    assert_array_equal(detector.score_samples(X_new), -judged.abnormality)
    assert_array_equal(detector.predict(X_new) == -1, judged.flagged)
    assert_array_equal(detector.decision_function(X_new) < 0, judged.flagged)
    assert_array_equal(detector.outlier_map(X_new).quadrant, judged.outlier_map.quadrant)
    leading = detector.pca_.transform(detector.columns_(X_new))[:, :2]
    assert_allclose(judged.scores[:, : leading.shape[1]], leading, rtol=1e-9, atol=1e-12)
    fitted, again = detector.judge(X), clone(detector)
    at_once = again.fit_judge(X)
    assert_allclose(at_once.abnormality, fitted.abnormality, rtol=1e-9)
    assert_array_equal(at_once.flagged, fitted.flagged)
    assert again.offset_ == detector.offset_
    assert_array_equal(clone(detector).fit_predict(X) == -1, fitted.flagged)


def test_another_kernel_pca_of_the_same_kind_judges_alike(detector, X):
    """The report compares with a twin; the twin that is the detector's own changes nothing."""
    before, twin = detector.offset_, detector.judge_with(detector.pca_, X)
    assert_array_equal(twin.abnormality, clone(detector).fit_judge(X).abnormality)
    assert_array_equal(twin.flagged, detector.judge(X).flagged)
    assert detector.offset_ == before


def test_rows_are_judged_one_by_one_as_together(detector, X, X_new):
    rows = np.vstack([X[:10], X_new, X_new[:3]])
    together = detector.judge(rows)
    for i, row in enumerate(rows):
        alone = detector.judge(row[np.newaxis])
        assert_allclose(alone.abnormality[0], together.abnormality[i], rtol=1e-9)
        assert alone.flagged[0] == together.flagged[i]
    assert_allclose(together.abnormality[-3:], together.abnormality[10:13], rtol=1e-9)


def test_the_order_of_the_training_rows_does_not_matter(X, rule, pca):
    order = np.random.default_rng(1).permutation(len(X))
    first, second = (
        KernelPCAOutlierDetector(pca, rule=rule, random_state=0).fit(rows) for rows in (X, X[order])
    )
    assert_allclose(second.score_samples(X), first.score_samples(X), rtol=1e-6)
    assert_allclose(second.offset_, first.offset_, rtol=1e-6)


def test_doubled_training_rows_change_what_is_judged_but_not_how(rule):
    """Means, medians and quantiles of doubled rows are those of the rows.

    How odd a single cell must be to count depends on the number of rows.
    """
    X, X_new, found = table(0), table(1), []
    for rows in (X, np.vstack([X, X])):
        detector = KernelPCAOutlierDetector(PCAS["classical"], rule=rule).fit(rows)
        new = projected(detector.pca_, detector.columns_, X_new)
        found.append(detector.rule_.whole_and_cells(new)[0])
    assert_allclose(*found, rtol=1e-6)


def test_contributions_add_up(detector, X, X_new):
    for rows in (X[:8], X_new[:8]):
        shares = detector.explain(rows)
        assert_allclose(shares.sum(axis=1), -detector.score_samples(rows), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pca", ["its own", "not centered"], indirect=True)
def test_a_row_far_from_all_others_is_more_abnormal_than_they_are(detector, X):
    far = np.array([[1, -1, 1], [-1, 1, 1], [1, 1, -1]]) * [[300.0], [1e4], [1e6]]
    judged = detector.judge(far)
    assert judged.abnormality.min() > np.quantile(detector.judge(X).abnormality, 0.975)
    assert judged.flagged.all()


@pytest.mark.parametrize("share", [0, 0.05, 0.2, 0.5])
def test_the_line_leaves_the_share_of_the_training_rows_behind(X, rule, pca, share):
    detector = KernelPCAOutlierDetector(pca, rule=rule, contamination=share, random_state=0)
    assert detector.fit_judge(X).flagged.sum() == pytest.approx(share * len(X), abs=1)


def test_the_auto_line_is_the_rules(detector, X):
    assert_allclose(-detector.offset_, detector.rule_.cutoff, rtol=1e-6)
    flagged = detector.judge(X).flagged
    assert flagged.sum() < 0.5 * len(X)
    assert detector.clear_line_ == detector.rule_.clear_line


def test_the_outlier_map_follows_from_what_was_learned(detector, X):
    fitted, where = detector.rule_, detector.outlier_map(X)
    Y = detector.pca_.transform(detector.columns_(X))[:, fitted.components]
    within = (((Y - fitted.center) / fitted.scale) ** 2).sum(axis=1)
    assert_allclose(where.score_distance**2, within, rtol=1e-9, atol=1e-12)
    cutoff = stats.chi2.ppf(0.975, max(len(fitted.components), 1))
    assert_allclose(where.score_cutoff**2, cutoff)
    assert where.orthogonal_cutoff > 0
    ellipse = fitted.ellipse()
    if ellipse is not None:
        x, y, across, up = ellipse
        assert_allclose([x, y], fitted.center[:2])
        assert_allclose([across, up], fitted.scale[:2] * np.sqrt(stats.chi2.ppf(0.975, 2)))


@pytest.mark.parametrize("scaling", ["columns", "common", None])
def test_columns_that_are_constant_change_nothing(X, X_new, rule, scaling):
    settings = {"rule": rule, "scaling": scaling, "random_state": 0}
    plain = KernelPCAOutlierDetector(PCAS["gaussian"], **settings).fit(X)
    wide = np.insert(X, 1, 7.0, axis=1)
    if scaling is None:
        detector = KernelPCAOutlierDetector(PCAS["gaussian"], **settings).fit(wide)
    else:
        with pytest.warns(UserWarning, match="1 of 4 columns are constant"):
            detector = KernelPCAOutlierDetector(PCAS["gaussian"], **settings).fit(wide)
    scores = detector.score_samples(np.insert(X_new, 1, 7.0, axis=1))
    assert_allclose(scores, plain.score_samples(X_new), rtol=1e-6)


# A rule of the user's own.


def test_a_rule_of_the_users_own_goes_where_the_others_go(X, X_new):
    detector = KernelPCAOutlierDetector(rule=Toy(n_kept=1), random_state=0)
    assert clone(detector).rule == detector.rule
    assert detector.get_params()["rule"] == Toy(n_kept=1)
    assert "n_kept=1" in repr(detector)
    detector.fit(X)
    assert isinstance(detector.rule_, FittedToy)
    assert detector.pca_.max_components == 3, "of the kernel PCA that every rule inherits"
    where = detector.outlier_map(X_new)
    expected = where.score_distance**2 + where.orthogonal_distance**2 / detector.rule_.unit
    assert_allclose(-detector.score_samples(X_new), expected, rtol=1e-9)
    assert_array_equal(pickle.loads(pickle.dumps(detector)).predict(X_new), detector.predict(X_new))
    other = clone(detector).set_params(rule=replace(detector.rule, n_kept=2)).fit(X)
    assert len(other.rule_.components) == 2
