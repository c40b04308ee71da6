"""Bounds and estimates of false flags against planted truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers.promises import (
    _largest_counts,
    benjamini_hochberg,
    estimated_false_share,
    most_false,
)


@given(
    p=st.lists(st.integers(1, 40).map(lambda i: i / 40), min_size=1, max_size=12),
    fdr=st.sampled_from([0.05, 0.1, 0.25, 0.5]),
)
def test_benjamini_hochberg_by_definition(p, fdr):
    ks = [k for k in range(1, len(p) + 1) if sum(q <= fdr * k / len(p) + 1e-12 for q in p) >= k]
    line = fdr * max(ks) / len(p) + 1e-12 if ks else 0
    assert_array_equal(benjamini_hochberg(np.array(p), fdr), np.array(p) <= line)


@given(n=st.integers(1, 40), k=st.integers(1, 40), level=st.sampled_from([0.001, 0.01, 0.1]))
def test_counts_are_quantiles_of_the_beta_binomial(n, k, level):
    c = np.arange(n)
    found = _largest_counts(c, n, k, level)
    assert (stats.betabinom.sf(found, k, c + 1, n - c) <= level + 1e-9).all()
    above = found > 0
    tighter = stats.betabinom.sf(found[above] - 1, k, (c + 1)[above], (n - c)[above])
    assert (tighter > level - 1e-9).all()


@pytest.mark.parametrize(
    ("n", "m", "k", "kind"),
    [
        (50, 200, 20, "normal"), (200, 100, 0, "normal"), (500, 300, 30, "normal"),
        (100, 100, 10, "heavy"), (300, 60, 5, "ties"),
    ],
)  # fmt: skip
def test_the_bound_holds_at_all_lines_at_once(n, m, k, kind):
    rng, broken, useful = np.random.default_rng(n), 0, []
    draw = {
        "normal": lambda size: rng.normal(size=size),
        "heavy": rng.standard_cauchy,
        "ties": lambda size: rng.poisson(3, size),
    }[kind]
    for _ in range(200):
        scores = np.r_[draw(k) + 30, draw(m - k)]
        found = most_false(draw(n), scores, 0.95)
        flagged = scores >= scores[:, np.newaxis]  # by the line below each row
        broken += (flagged[:, k:].sum(axis=1) > found).any()
        assert (found <= flagged.sum(axis=1)).all()
        useful.append(1 - (found / flagged.sum(axis=1)).min())
    assert broken <= 0.05 * 200
    if n == 500:
        assert np.mean(useful) > 0.6


def test_the_bound_follows_the_order_and_more_reference_rows_help():
    rng = np.random.default_rng(0)
    scores, reference = np.r_[rng.normal(size=200), rng.normal(9, 1, 20)], rng.normal(size=2000)
    found = most_false(reference, scores, 0.95)
    assert (np.diff(found[np.argsort(-scores)]) >= 0).all()
    assert most_false(reference[:100], scores, 0.95)[200:].max() > found[200:].max()
    assert (most_false(reference, scores, 0.99) >= found).all()


@pytest.mark.parametrize("share", [0, 0.05, 0.1])
@pytest.mark.parametrize("df", [5, 20, 100])
def test_the_estimate_is_near_the_truth_when_outliers_are_apart(df, share):
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = np.arange(1000) < 1000 * share
        scores = np.where(
            truth, stats.chi2.isf(1e-6, df) * rng.uniform(1.2, 2, 1000), rng.chisquare(df, 1000)
        )
        try:
            estimate = estimated_false_share(scores)
        except ValueError:
            continue
        order = np.argsort(-scores)[: max(int(1000 * share), 30)]
        errors.append(estimate[order[-1]] - (~truth[order]).mean())
    assert len(errors) > 5
    assert abs(np.mean(errors)) < 0.2


@pytest.mark.parametrize("seed", range(5))
def test_a_heavy_tail_is_refused(seed):
    with pytest.raises(ValueError, match="outliers cannot be told from a heavy tail; calibrate"):
        estimated_false_share(np.random.default_rng(seed).standard_t(3, 3000))


def test_the_detector_estimates_for_its_own_rows():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(480, 6)), rng.uniform(30, 60, (20, 6))])
    detector = KernelPCAOutlierDetector(L1KernelPCA(6), rule="paper").fit(X[:480])
    share = detector.estimated_false_share(X)
    order = np.argsort(detector.score_samples(X))
    assert share[order[19]] < 0.5 < share[order[200]]
    assert_array_equal(share, estimated_false_share(-detector.score_samples(X)))


def test_too_few_rows_and_equal_scores_are_refused():
    with pytest.raises(ValueError, match="cannot be estimated from 99 rows: it takes 100, or cal"):
        estimated_false_share(np.arange(99.0))
    with pytest.raises(ValueError, match="cannot be estimated: most scores are equal"):
        estimated_false_share(np.repeat([1.0, 2.0], [190, 10]))
