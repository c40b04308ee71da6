"""What is promised with reference rows, over hundreds of seeded repetitions."""

import re
import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from contracts.rules import Toy
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import RULES
from l1kpca.outliers.calibration import Calibration
from l1kpca.outliers.promises import benjamini_hochberg
from l1kpca.persistence import load, save

DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy": lambda rng, shape: rng.standard_t(3, size=shape),
}


def calibration_of(abnormality, labels=None):
    n = len(abnormality)
    labels = np.full(n, -1) if labels is None else labels
    return Calibration(np.asarray(abnormality, dtype=float), labels, np.arange(n))


@pytest.fixture
def detector():
    X = np.random.default_rng(0).normal(size=(200, 3))
    return KernelPCAOutlierDetector(contamination=0, random_state=0).fit(X)


@pytest.fixture
def reference():
    return np.random.default_rng(1).normal(size=(300, 3))


@pytest.fixture
def batch():
    rows = np.random.default_rng(2).normal(size=(150, 3))
    rows[:15] *= 8
    return rows


@pytest.mark.parametrize("n_columns", [2, 10, 50])
@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("rule", [*RULES, Toy()], ids=str)
def test_the_false_discovery_rate_is_kept_and_ordinary_p_values_are_uniform(rule, kind, n_columns):
    """A rule is fitted once; reference and batch are then drawn from a pool of scored rows."""
    rng, draw = np.random.default_rng(n_columns), DRAWS[kind]
    detector = KernelPCAOutlierDetector(rule=rule, contamination=0, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*so far from all training rows")
        detector.fit(draw(rng, (150, n_columns)))
        ordinary = -detector.score_samples(draw(rng, (3000, n_columns)))
        outliers = -detector.score_samples(
            draw(rng, (500, n_columns)) * rng.choice([5, 20], (500, 1))
        )
    n, m, k = 199, 100, 20
    rates, p_of_ordinary = {0.05: [], 0.1: [], 0.2: []}, []
    for _ in range(300):
        picked = rng.choice(ordinary, n + m - k, replace=False)
        scores = np.r_[rng.choice(outliers, k, replace=False), picked[n:]]
        p = calibration_of(picked[:n]).p_values(scores)
        p_of_ordinary.append(p[k])
        for fdr, found in rates.items():
            flagged = benjamini_hochberg(p, fdr)
            found.append(flagged[k:].sum() / max(flagged.sum(), 1))
    for fdr, found in rates.items():
        assert np.mean(found) <= fdr + 2 * np.std(found) / np.sqrt(len(found))
    # The grid 1/200, 2/200, ...: uniform, up to the steps and the pool that all were drawn from.
    assert stats.kstest(p_of_ordinary, "uniform").pvalue > 1e-4


def test_p_values_count_reference_rows_and_ties_count_as_more_abnormal():
    calibration = calibration_of([1, 2, 2, 3])
    assert_array_equal(
        calibration.p_values(np.array([0, 2, 2.5, 3, 4])), np.array([5, 4, 2, 2, 1]) / 5
    )


def test_equal_rows_are_ties_whatever_rounding_does():
    scores = np.array([0.1, 0.7, 12.3])
    for wiggle in (1 - 1e-12, 1 + 1e-12):
        p = calibration_of(np.repeat(scores, 5)).p_values(scores * wiggle)
        assert_array_equal(p, np.array([16, 11, 6]) / 16)


def test_frames_of_any_kind_are_split(reference):
    frame = pd.DataFrame(reference, columns=list("abc")).assign(kind=list("xyz") * 100)
    frame.loc[::7, "b"] = np.nan
    settings = {"contamination": 0, "calibration": 0.3, "random_state": 0}
    found = [
        KernelPCAOutlierDetector(**settings).fit(table).p_values(table)
        for table in (frame, nw.from_native(frame).to_polars(), nw.from_native(frame).to_arrow())
    ]
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_ties_keep_the_promise():
    """Scores of few values, as rounded ones are."""
    rng, rates = np.random.default_rng(0), []
    for _ in range(300):
        reference, ordinary = rng.poisson(2, 99), rng.poisson(2, 80)
        p = calibration_of(reference).p_values(np.r_[ordinary, rng.poisson(9, 20)])
        flagged = benjamini_hochberg(p, 0.1)
        rates.append(flagged[:80].sum() / max(flagged.sum(), 1))
    assert np.mean(rates) <= 0.1 + 2 * np.std(rates) / np.sqrt(300)


def test_the_methods_say_what_the_parts_say(detector, reference, batch):
    detector.calibrate(reference)
    compared = np.sort(-detector.score_samples(reference))
    assert_array_equal(detector.calibration_.compared, compared)
    scores = -detector.score_samples(batch)
    p = np.array([(1 + (compared >= score).sum()) / 301 for score in scores])
    assert_array_equal(detector.p_values(batch), p)
    flagged = detector.select(batch, fdr=0.2)
    assert_array_equal(flagged, benjamini_hochberg(p, 0.2))
    assert flagged[:15].sum() > 10
    most = detector.most_false(batch)
    assert most[flagged].max() < flagged.sum()
    assert not detector.drift(batch).found
    assert detector.drift(batch + 2).found


def test_a_p_value_depends_on_its_row_alone(detector, reference, batch):
    detector.calibrate(reference)
    alone = [detector.p_values(row[np.newaxis])[0] for row in batch[:20]]
    assert_array_equal(alone, detector.p_values(batch)[:20])


def test_what_scikit_learn_promises_is_untouched(detector, reference, batch):
    before, offset = detector.predict(batch), detector.offset_
    detector.calibrate(reference)
    assert_array_equal(detector.predict(batch), before)
    assert detector.offset_ == offset


def test_confirmed_outliers_are_left_out_and_give_the_power_back():
    rng = np.random.default_rng(0)
    dirty = np.r_[rng.chisquare(9, 300), rng.uniform(40, 60, 20)]
    batch = np.r_[rng.chisquare(9, 130), rng.uniform(40, 60, 20)]
    calibration = calibration_of(dirty)
    assert calibration.suspected == (dirty > 20).sum() > 20  # ordinary rows stand apart, too
    text = r"an estimated 2\d more rows could be flagged: the most abnormal of 320 refer"
    assert re.match(text, calibration.advice(batch, 0.1))
    assert not benjamini_hochberg(calibration.p_values(batch), 0.1).any()
    assert_array_equal(np.sort(calibration.suspects(20)), np.arange(300, 320))
    labels = np.full(320, -1)
    asked = calibration.suspects(30)
    labels[asked] = asked >= 300
    better = calibration_of(dirty, labels)
    assert len(better.compared) == 300
    assert not set(better.suspects(50)) & set(asked)
    assert benjamini_hochberg(better.p_values(batch), 0.1)[130:].all()
    assert better.suspected == 0
    assert better.advice(batch, 0.1) == ""


def test_the_least_abnormal_row_that_stands_apart_is_counted_whatever_rounding_does():
    ordinary = stats.norm.ppf((np.arange(300) + 0.5) / 300)
    for seed in range(30):
        outliers = np.random.default_rng(seed).uniform(1000, 1100, 20)
        assert calibration_of(np.r_[ordinary, outliers]).suspected == 20


@pytest.mark.parametrize("n", [30, 180, 1000])
@pytest.mark.parametrize(
    "draw",
    [
        *DRAWS.values(), lambda rng, n: rng.chisquare(3, n), lambda rng, n: rng.lognormal(0, 2, n),
        lambda rng, n: rng.standard_cauchy(n), lambda rng, n: rng.poisson(2, n),
        lambda rng, n: np.full(n, 7.0),
    ],
    ids=["normal", "heavy", "chi-squared", "lognormal", "Cauchy", "ties", "equal"],
)  # fmt: skip
def test_no_outliers_are_suspected_in_a_clean_reference(draw, n):
    rng, seen = np.random.default_rng(n), 0
    for _ in range(100):
        seen += calibration_of(draw(rng, n)).suspected > 0
    assert seen <= 5


@pytest.mark.parametrize("rule", RULES)
def test_a_clean_reference_costs_no_power_by_any_rule(rule):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 2)) @ rng.normal(size=(2, 4)) + 0.2 * rng.normal(size=(600, 4))
        detector = KernelPCAOutlierDetector(
            rule=rule, contamination=0, calibration=0.3, random_state=seed
        )
        assert detector.fit(X).calibration_.suspected == 0


def test_rows_that_are_too_few_to_be_flagged_are_counted():
    """14 of 300 rows are far beyond 180 reference rows: 17 or 214 would do, and do."""
    reference, ordinary = np.arange(180.0), np.linspace(-1, 150, 300)
    batch = np.r_[np.full(14, 1e4), ordinary[:286]]
    text = (
        "14 rows are beyond every reference row; at fdr=0.1 it takes 17 such rows, or at least 214"
        " reference rows instead of 180"
    )
    calibration = calibration_of(reference)
    assert calibration.advice(batch, 0.1) == text
    for n_reference, n_beyond, n_flagged in (
        (180, 14, 0), (180, 16, 0), (180, 17, 17), (213, 14, 0), (214, 14, 14),
    ):  # fmt: skip
        calibration = calibration_of(np.linspace(0, 179, n_reference))
        batch = np.r_[np.full(n_beyond, 1e4), ordinary[: 300 - n_beyond]]
        assert benjamini_hochberg(calibration.p_values(batch), 0.1).sum() == n_flagged
        assert (calibration.advice(batch, 0.1) == "") == (n_flagged > 0)
    assert calibration_of(reference).advice(ordinary, 0.1) == ""


def test_a_reference_with_outliers_is_weak_but_keeps_the_promise():
    rng, rates, found = np.random.default_rng(0), {"clean": [], "dirty": []}, {}
    for _ in range(200):
        clean = rng.normal(size=300)
        dirty = np.r_[clean[:285], rng.normal(5, 1, 15)]
        batch = np.r_[rng.normal(size=190), rng.normal(5, 1, 10)]
        for name, reference in (("clean", clean), ("dirty", dirty)):
            flagged = benjamini_hochberg(calibration_of(reference).p_values(batch), 0.1)
            rates[name].append(flagged[:190].sum() / max(flagged.sum(), 1))
            found[name] = found.get(name, 0) + flagged[190:].sum()
    assert max(np.mean(rates["clean"]), np.mean(rates["dirty"])) < 0.11
    assert found["dirty"] < 0.5 * found["clean"]


def test_the_constructor_splits_and_remembers_what_it_held_out(reference):
    detector = KernelPCAOutlierDetector(contamination=0, calibration=0.3, random_state=0)
    detector.fit(reference)
    held = detector.calibration_.rows
    assert len(held) == 90
    assert len(np.unique(held)) == 90
    assert detector.calibration_.n_split == 300
    kept = np.delete(np.arange(300), held)
    assert_array_equal(detector.pca_.X_fit_, detector.columns_(reference[kept]))
    again = clone(detector).fit(pd.DataFrame(reference, columns=list("abc")))
    assert_array_equal(again.calibration_.abnormality, detector.calibration_.abnormality)
    judged = clone(detector).fit_judge(reference)
    assert_array_equal(-judged.abnormality, detector.score_samples(reference))
    # Rows that the fit learned from never become reference rows.
    y = np.full(300, -1)
    y[held[:4]] = 1
    y[kept[:7]] = 1
    detector.calibrate(reference, y)
    assert_array_equal(detector.calibration_.rows, held)
    assert (detector.calibration_.labels == 1).sum() == 4
    other = reference + 0.1
    assert len(detector.calibrate(other).calibration_.rows) == 300


def test_a_new_fit_forgets_the_reference(detector, reference):
    detector.calibrate(reference).fit(reference)
    with pytest.raises(ValueError, match=r"there are no reference rows .* call calibrate first"):
        detector.p_values(reference)


def test_a_model_file_holds_the_reference(detector, reference, batch, tmp_path):
    detector.calibrate(reference, np.where(np.arange(300) < 5, 1, -1))
    save(detector, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops").estimator
    assert_array_equal(again.p_values(batch), detector.p_values(batch))
    assert_array_equal(again.calibration_.labels, detector.calibration_.labels)


def test_the_kernels_of_reference_rows_will_do(reference, batch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    given = KernelPCAOutlierDetector(L1KernelPCA(2, kernel="precomputed"), rule="paper")
    given.fit(X @ X.T).calibrate(reference @ X.T)
    assert given.p_values(batch @ X.T).min() == 1 / 301
    with pytest.raises(ValueError, match=r"calibration=0.5 cannot be used with kernel='precom"):
        given.set_params(calibration=0.5).fit(X @ X.T)


def test_few_reference_rows(detector, reference, batch):
    detector.calibrate(reference[:8])
    text = r"no row can be flagged at fdr=0.1: 8 reference rows are too few, it takes at least 9"
    with pytest.warns(UserWarning, match=text):
        assert not detector.select(batch).any()
    detector.calibrate(reference[:9])
    assert detector.select(1000 * np.ones((1, 3))).all()
    few = np.vstack([batch[15:], batch[:1]])
    text = (
        "4 rows are beyond every reference row; at fdr=0.1 it takes 136 such rows, or at least 339"
        " reference rows instead of 9"
    )
    with pytest.warns(UserWarning, match=text):
        assert not detector.select(few).any()


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([0, 1], r"y has shape \(2,\), but X has 300 rows: give one label each"),
        (np.full(300, 2), r"y must hold 1 \(outlier\), 0 \(ordinary\) or -1 \(unknown\), found 2"),
        (np.full(300, np.nan), "y must hold 1 .* found nan"),
        (np.ones(300), "y leaves no reference row: at least one must not be an outlier"),
    ],
)
def test_bad_labels(detector, reference, y, text):
    with pytest.raises(ValueError, match=text):
        detector.calibrate(reference, y)


@pytest.mark.parametrize("level", [0, 1, -0.1, "few", True, None, np.nan])
def test_bad_levels(detector, reference, batch, level):
    detector.calibrate(reference)
    for name, method in (
        ("fdr", detector.select), ("confidence", detector.most_false), ("level", detector.drift),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{name}={level!r} must be a number between 0 and 1"):
            method(batch, level)
    if level is not None:
        with pytest.raises(ValueError, match=f"calibration={level!r} must be a number between"):
            detector.set_params(calibration=level).fit(batch)


def test_bad_rows(detector, reference):
    with pytest.raises(ValueError, match="there are no reference rows to compare with"):
        detector.select(reference)
    with pytest.raises(ValueError, match="2 features"):
        detector.calibrate(reference[:, :2])
    with pytest.raises(ValueError, match="infinity"):
        detector.calibrate(np.where(reference > 2, np.inf, reference))
    with pytest.raises(NotFittedError):
        KernelPCAOutlierDetector().calibrate(reference)
    with pytest.raises(NotFittedError):
        KernelPCAOutlierDetector().p_values(reference)
