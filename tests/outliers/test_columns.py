"""How columns are scaled."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import Paper, Robust, is_one_curve
from oracles import standardized
from outliers import twins


def test_robust_columns(X, X_new):
    assert_allclose(Robust().columns(X)(X_new), twins.bounded_columns(X, X_new), rtol=1e-9)


def test_paper_columns(X):
    assert_allclose(Paper().columns(X)(X), standardized(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rule", [Robust(), Paper()])
def test_a_common_spread_keeps_the_columns_relative_to_each_other(X, X_new, rule):
    """The columns as scaled by their own spreads, times those spreads over their mean square."""
    own, common = rule.columns(X), rule.columns(X, "common")
    unit = np.sqrt(np.mean([spread**2 for spread in own.spread]))
    assert_allclose(common(X_new), own(X_new) * own.spread / unit, rtol=1e-9)
    if isinstance(rule, Paper):
        assert_allclose(common(X), (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).mean()), atol=1e-9)
        assert_allclose((common(X) ** 2).sum(axis=1).mean(), X.shape[1])


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_a_common_spread_has_any_unit(X, unit):
    found = KernelPCAOutlierDetector(scaling="common", random_state=0).fit(X)
    rescaled = KernelPCAOutlierDetector(scaling="common", random_state=0).fit(unit * X)
    assert_allclose(rescaled.score_samples(unit * X), found.score_samples(X), rtol=1e-6)


def test_a_noisy_column_of_no_importance_does_not_count_in_a_common_spread():
    """As in spectra: a column that hardly varies is noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [5.0, 5.0, 0.01]
    row = np.array([[0.0, 0.0, 0.08]])
    judged = [
        KernelPCAOutlierDetector(scaling=scaling, random_state=0).fit(X).predict(row)[0]
        for scaling in ("columns", "common")
    ]
    assert judged == [-1, 1]


def test_bounded_values_keep_their_order_and_never_pass_the_bound(X):
    values = np.sort(np.random.default_rng(0).standard_cauchy(300))[:, np.newaxis]
    z = Robust().columns(values)(values)[:, 0]
    assert (np.diff(z) > 0).all()
    assert np.abs(z).max() < 3
    ordinary = np.linspace(-0.5, 0.5, 9)[:, np.newaxis]
    columns = Robust().columns(values)
    plain = (ordinary - columns.center) / columns.spread
    assert_allclose(columns(ordinary), plain, rtol=0.02)


def test_a_column_most_of_whose_values_agree_is_scaled_by_its_deviation():
    column = np.r_[np.zeros(90), np.ones(10)][:, np.newaxis]
    columns = Robust().columns(column)
    assert_allclose(columns.spread, column.std())
    detector = KernelPCAOutlierDetector(random_state=0).fit(column)
    assert np.isfinite(detector.score_samples(column)).all()


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_constant_columns_are_dropped_with_one_warning(X, X_new, rule):
    """And change nothing: neither scores nor flags, whatever value a new row has there."""
    plain = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    wide = np.insert(X, [0, 3], 7.0, axis=1)
    with pytest.warns(UserWarning, match="^2 of 7 columns are constant and were dropped: 0, 4$"):
        detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(wide)
    wide_new = np.insert(X_new, [0, 3], 1e6, axis=1)
    assert_allclose(detector.score_samples(wide_new), plain.score_samples(X_new), rtol=1e-9)
    assert_allclose(detector.offset_, plain.offset_, rtol=1e-9)
    shares = detector.explain(wide_new)
    assert (shares[:, [0, 4]] == 0).all()
    assert_allclose(np.delete(shares, [0, 4], axis=1), plain.explain(X_new), rtol=1e-6, atol=1e-9)


def test_the_warning_is_short_and_speaks_of_names(X):
    frame = pd.DataFrame(X).assign(**{f"flat{i}": 1.0 for i in range(7)})
    frame.columns = [str(name) for name in frame.columns]
    text = r"^7 of 12 columns are left out: flat0 .* flat4 [^,]*, \.\.\.$"
    with pytest.warns(UserWarning, match=text) as caught:
        KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
def test_the_unit_of_a_column_does_not_matter(X, rule, unit):
    """Where squares would overflow or vanish, too."""
    scores = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X).score_samples(X)
    rescaled = X * [1, unit, 1, 1 / unit, 1]
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(rescaled)
    assert_allclose(detector.score_samples(rescaled), scores, rtol=1e-6)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_columns_as_they_are(X, rule):
    pca = L1KernelPCA(2)
    plain = KernelPCAOutlierDetector(pca, rule=rule, scaling=None).fit(X)
    assert_allclose(plain.pca_.X_fit_, X)
    assert plain.columns_(X) is X


def test_neighbors_that_look_like_one_curve():
    rng = np.random.default_rng(0)
    place = np.linspace(0, 1, 100)
    curves = np.array([np.sin(6 * place + s) + h for s, h in rng.normal(size=(50, 2))])
    assert is_one_curve(curves)
    assert not is_one_curve(curves[:, rng.permutation(100)])
    assert not is_one_curve(curves * 10.0 ** rng.integers(-3, 4, 100)), "columns of many units"
    assert not is_one_curve(curves[:, :10]), "too few columns to tell"
    assert not is_one_curve(rng.normal(size=(50, 100)))


@pytest.mark.parametrize(
    ("better", "noise", "height", "place", "least"),
    [("columns", 0.001, 0.05, 0.8, 0.98), ("common", 0.3, 1.5, 0.2, 0.9)],
)
def test_strange_curves_by_the_scaling_that_suits_them(better, noise, height, place, least):
    """A faint peak where curves are flat needs each column's spread; much noise there needs one."""
    x, found = np.linspace(0, 1, 150), {"columns": [], "common": []}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        peaks = np.exp(-(((x - np.array([[0.05], [0.15], [0.25], [0.35]])) / 0.04) ** 2))
        X = rng.lognormal(0, 0.5, (300, 4)) @ peaks + noise * rng.normal(size=(300, 150))
        X[:15] += height * np.exp(-(((x - place) / 0.025) ** 2))
        for scaling, scores in found.items():
            detector = KernelPCAOutlierDetector(scaling=scaling, random_state=0).fit(X)
            scores.append(roc_auc_score(np.arange(300) < 15, -detector.score_samples(X)))
    means = {scaling: np.mean(scores) for scaling, scores in found.items()}
    assert max(means, key=means.get) == better
    assert means[better] > least
