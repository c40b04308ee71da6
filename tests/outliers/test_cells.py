"""The view of the cells: who is to blame, and what it should have been."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, tuning
from l1kpca.outliers.cells import standardized
from l1kpca.outliers.columns import learn_cells


def factors(n, d, noise=0.3, n_factors=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_factors)) @ rng.normal(size=(n_factors, d))
    return (X + noise * rng.normal(size=(n, d))) * 10.0 ** rng.integers(-3, 4, d) + 7


def learned(X, one_unit=False):
    return learn_cells(X, np.zeros(X.shape[1]), np.random.RandomState(0), one_unit)


@pytest.fixture(scope="module")
def X():
    return factors(600, 12)


@pytest.fixture(scope="module")
def detector(X):
    return KernelPCAOutlierDetector(random_state=0).fit(X)


def test_ordinary_cells_are_as_expected(X, detector):
    found = detector.cells(X)
    for array in (found.residual, found.expected, found.flagged):
        assert array.shape == X.shape
    assert_array_equal(found.flagged, np.abs(found.residual) > found.cutoff)
    assert found.cutoff >= 3
    assert found.flagged.mean() < 0.002
    assert 0.8 < found.residual.std() < 1.2
    assert (np.abs(found.expected - X) / X.std(axis=0)).mean() < 0.3


@pytest.mark.parametrize("size", [8, 100, 1e6, 1e12])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_wild_cell_of_a_new_row_is_named_first(X, detector, size, sign):
    """Flagged, first among the contributions, and expected where it was."""
    rng = np.random.default_rng(1)
    rows, column = X[:60].copy(), rng.integers(12, size=60)
    at = np.arange(60), column
    truth = rows[at].copy()
    rows[at] += sign * size * X.std(axis=0)[column]
    found = detector.cells(rows)
    assert_array_equal(np.abs(found.residual).argmax(axis=1), column)
    assert found.flagged[at].all()
    assert (np.sign(found.residual[at]) == sign).all()
    assert (np.abs(found.expected[at] - truth) / X.std(axis=0)[column]).max() < 1.5
    assert (detector.explain(rows[:10]).argmax(axis=1) == column[:10]).all()
    assert (detector.predict(rows) == -1).all()


def test_a_value_in_range_but_out_of_place_is_named(X, detector):
    rng = np.random.default_rng(2)
    rows, column = X[:200].copy(), rng.integers(12, size=200)
    at = np.arange(200), column
    low, middle, high = np.quantile(X, [0.01, 0.5, 0.99], axis=0)
    rows[at] = np.where(rows[at] > middle[column], low[column], high[column])
    first = np.abs(detector.cells(rows).residual).argmax(axis=1)
    assert (first == column).mean() > 0.95
    assert (detector.explain(rows[:50]).argmax(axis=1) == column[:50]).mean() > 0.9


def test_grosser_is_more_abnormal(X, detector):
    rows = np.tile(np.median(X, axis=0), (8, 1))
    rows[:, 4] += X[:, 4].std() * 10.0 ** np.arange(1, 9)
    assert (np.diff(-detector.score_samples(rows)) > 0).all()
    assert (np.diff(detector.cells(rows).residual[:, 4]) > 0).all()


def test_wild_cells_and_broken_relations_are_found_among_many_rows():
    X = factors(20_000, 20)
    rng = np.random.default_rng(1)
    X[0, 3] += 200 * X[:, 3].std()
    X[1, 11] -= 200 * X[:, 11].std()
    spread = X.std(axis=0)
    for row in (2, 3, 4):  # each value is possible, all together are not
        X[row] = (X[row] / spread)[rng.permutation(20)] * spread
    detector = KernelPCAOutlierDetector(random_state=0)
    judged = detector.fit_judge(X)
    assert set(np.argsort(-judged.abnormality)[:5]) == set(range(5))
    assert judged.flagged[:5].all()
    assert judged.flagged.mean() < 0.01
    assert_array_equal(np.abs(detector.cells(X[:2]).residual).argmax(axis=1), [3, 11])


def test_wild_cells_spoil_neither_the_others_nor_what_is_expected():
    """One row in ten has a wild cell somewhere."""
    X = factors(1000, 10)
    wild = X.copy()
    rng = np.random.default_rng(0)
    rows, columns = np.arange(0, 1000, 10), rng.integers(10, size=100)
    wild[rows, columns] += rng.choice([-1, 1], 100) * rng.uniform(10, 1000, 100) * X.std(0)[columns]
    found = KernelPCAOutlierDetector(random_state=0).fit(wild).cells(wild)
    assert_array_equal(np.abs(found.residual[rows]).argmax(axis=1), columns)
    assert found.flagged[rows, columns].all()
    assert (np.abs(found.expected - X) / X.std(axis=0)).mean() < 0.4


@pytest.mark.parametrize("size", [-1000, -20, 20, 1000])
def test_a_wild_cell_does_not_change_what_the_others_should_be(size):
    X = factors(1000, 6)
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    rows, place = X[:20].copy(), np.arange(20) % 6
    hole = np.eye(6, dtype=bool)[place]
    wild = np.where(hole, X.mean(axis=0) + size * X.std(axis=0), rows)
    found, true = detector.cells(wild), detector.cells(np.where(hole, np.nan, rows))
    assert found.flagged[hole].all()
    assert_allclose(found.expected, true.expected, rtol=1e-9, atol=1e-9)
    assert_allclose(found.residual[~hole], true.residual[~hole], rtol=1e-9, atol=1e-9)
    holed = np.where(np.roll(hole, 1, axis=1), np.nan, wild)  # and a hole beside it
    true = detector.cells(np.where(hole, np.nan, holed))
    found = detector.cells(holed)
    assert_allclose(found.expected, true.expected, rtol=1e-9, atol=1e-9)
    assert_allclose(found.residual[~hole], true.residual[~hole], rtol=1e-9, atol=1e-9)


def test_a_cell_that_stands_out_is_on_its_side_of_what_is_expected():
    """Also in rows with several wild cells."""
    X = factors(600, 6)
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    rng = np.random.default_rng(1)
    for row in range(100):
        X[row, rng.choice(6, 3, replace=False)] += 4 * rng.normal(size=3)
    found = detector.cells(X)
    assert found.flagged.sum() > 100
    above = (found.expected < X)[found.flagged]
    assert (above == (found.residual > 0)[found.flagged]).mean() > 0.99


def test_skewed_columns_do_not_drown_a_broken_relation():
    rng = np.random.default_rng(0)
    X = np.hstack([factors(3000, 8, noise=0.1), np.exp(1.5 * rng.normal(size=(3000, 4)))])
    X[0, :8] = X[0, [3, 4, 5, 6, 7, 0, 1, 2]] / X.std(0)[[3, 4, 5, 6, 7, 0, 1, 2]] * X.std(0)[:8]
    judged = KernelPCAOutlierDetector(random_state=0).fit_judge(X)
    assert (judged.abnormality >= judged.abnormality[0]).sum() <= 10


def test_a_break_of_a_nearly_exact_relation_is_found(global_random_seed):
    """Sent 25 days before it was ordered, within 300 days; a thermometer that is 5 degrees off."""
    rng = np.random.default_rng(global_random_seed)
    ordered, celsius = rng.uniform(0, 300, 600), rng.normal(15, 8, 600)
    sent, fahrenheit = ordered + rng.uniform(1, 9, 600), 1.8 * celsius + 32
    rest = rng.normal(size=(600, 3))
    X = np.column_stack([ordered, sent, celsius, fahrenheit, rest])
    X[50, 1], X[90, 3] = X[50, 0] - 25, X[90, 3] + 9
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    assert {50, 90} <= set(np.argsort(detector.score_samples(X))[:18])
    assert (detector.predict(X[[50, 90]]) == -1).all()
    found = detector.cells(X)
    assert np.abs(found.residual[50]).argmax() in (0, 1)
    assert np.abs(found.residual[90]).argmax() in (2, 3)


@pytest.mark.parametrize("relation", ["sum", "product", "copy", "square"])
def test_exact_relations_of_clean_rows_are_no_reason_for_flags(relation, global_random_seed):
    a, b, c = np.random.default_rng(global_random_seed).normal(size=(3, 600))
    more = {"sum": a + b + c, "product": a * (5 + b), "copy": a, "square": (a + 5) ** 2}[relation]
    X = np.column_stack([a, b, c, more])
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    assert (detector.predict(X) == -1).mean() < 0.08
    assert detector.cells(X).flagged.mean() < 0.003


def test_far_values_that_agree_break_no_relation(global_random_seed):
    """Lengths in two units: a far one is as far in both, and no further for being told twice."""
    rng = np.random.default_rng(global_random_seed)
    length, rest = rng.normal(170, 10, (600, 1)), rng.normal(size=(600, 3))
    length[50] = 170 + 60
    alone = KernelPCAOutlierDetector(random_state=0).fit(np.hstack([length, rest]))
    X = np.hstack([length, length / 2.54, rest])
    twice = KernelPCAOutlierDetector(random_state=0).fit(X)
    once = np.abs(alone.columns_.cells.map(np.hstack([length, rest])).residual[50]).max()
    assert np.abs(twice.columns_.cells.map(X).residual[50]).max() < 1.5 * once


def test_units_and_places_of_columns_do_not_matter(X):
    order = np.random.default_rng(0).permutation(12)
    one, other = learned(X), learned((1e3 * X - 5)[:, order])
    assert_allclose(other.map((1e3 * X - 5)[:, order]).residual, one.map(X).residual[:, order],
                    rtol=1e-5, atol=1e-7)  # fmt: skip


def test_columns_of_one_unit_count_for_as_much_as_they_vary():
    X = np.random.default_rng(0).normal(size=(300, 3)) * [5.0, 5.0, 0.01]
    row = np.array([[0.0, 0.0, 0.08]])
    odd = [learned(X, one_unit).filled(row)[1][0] for one_unit in (True, False)]
    assert (odd[0] < 1).all()
    assert odd[1][2] > 5


@pytest.mark.parametrize("shape", [(20, 3), (30, 200), (100, 1), (25, 2)])
def test_few_rows_and_many_columns(shape):
    X = factors(*shape, n_factors=1)
    X[3, 0] += 100 * X[:, 0].std()
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    found = detector.cells(X)
    assert np.isfinite(found.residual).all()
    assert np.abs(found.residual[:, 0]).argmax() == 3
    scores = detector.score_samples(X)
    assert (scores <= scores[3]).sum() <= 3, "rows that are odd in all columns may come first"
    assert detector.predict(X[3:4]) == -1


def test_many_columns_are_described_by_their_leading_directions(monkeypatch):
    X = factors(1500, 60)
    full = learned(X).map(X)
    monkeypatch.setattr(tuning, "CELL_RANK", 20)
    few = learned(X)
    assert few.factor.shape == (60, 20)
    assert np.corrcoef(few.map(X).residual.ravel(), full.residual.ravel())[0, 1] > 0.95


def test_constant_and_binary_columns_and_duplicates():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 200), np.full(200, 3.0), rng.random(200) < 0.02,
                         rng.normal(size=200)]).astype(float)  # fmt: skip
    X = np.vstack([X] * 5)
    with pytest.warns(UserWarning, match="1 of 4 columns are constant"):
        detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    found = detector.cells(X)
    assert np.isfinite(found.residual).all()
    assert (found.residual[:, 1] == 0).all()
    assert (found.expected[:, 1] == 3).all()
    assert not found.flagged[:, 0].any(), "both values of a fair coin are ordinary"


def test_a_column_whose_few_values_a_sample_misses(monkeypatch):
    monkeypatch.setattr(tuning, "CELL_ROWS", 50)
    X = np.zeros((2000, 3))
    X[:, :2] = np.random.default_rng(0).normal(size=(2000, 2))
    X[7, 2] = 1
    found = learned(X).map(X)
    assert np.abs(found.residual[:, 2]).argmax() == 7


def test_a_feature_that_does_not_vary_hides_no_relation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1))
    X = np.hstack([x, 2 * x + 0.1 * rng.normal(size=(300, 1)), np.zeros((300, 3))])
    cells = learn_cells(X, np.array([0, 0, 1.0, 1, 1]), np.random.RandomState(0), False)
    assert np.corrcoef(cells.map(X).expected[:, 0], X[:, 0])[0, 1] > 0.95


def test_a_data_frame_is_told_in_its_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"fare": rng.lognormal(2.6, 0.5, 300), "class": rng.choice([*"abc"], 300)})
    frame["tax"] = 0.2 * frame["fare"] + 0.1 * rng.normal(size=300)
    truth = frame.loc[7, "fare"]
    frame.loc[7, "fare"] = 512.0
    frame.loc[3, "tax"] = np.nan
    frame.index = frame.index + 1000
    found = KernelPCAOutlierDetector(random_state=0).fit(frame).cells(frame)
    for table in (found.residual, found.expected, found.flagged):
        assert table.columns.tolist() == ["fare", "class", "tax"]
        assert table.index.equals(frame.index)
    assert found.flagged.loc[1007, "fare"]
    assert found.residual.loc[1007].abs().idxmax() == "fare"
    assert abs(found.expected.loc[1007, "fare"] - truth) < 8
    assert found.residual.loc[1003, "tax"] == 0


def test_no_cells_without_columns():
    K = np.eye(5)
    detector = KernelPCAOutlierDetector(L1KernelPCA(2, kernel="precomputed"), rule="paper").fit(K)
    for method in ("cells", "explain"):
        with pytest.raises(ValueError, match=f"{method} needs the columns of the rows, which"):
            getattr(detector, method)(K)


# Holes.


def with_holes(X, share, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def given(cells, X):
    """Residuals and what is expected in the columns that vary, and how odd each row is."""
    residual, _, expected, _ = cells.told(*standardized(X, cells.used, cells.center, cells.spread))
    return residual, expected, cells.filled(X)[1]


def test_a_hole_is_filled_by_its_conditional_mean(X):
    """By the correlations of the cells that are there, row by row."""
    cells = learned(X)
    rows = with_holes(X[:30], 0.4)
    S = cells.keen.times(np.eye(12))
    z = (rows - cells.center) / cells.spread
    v = (z / np.sqrt(1 + (z / 3) ** 2) - cells.mean) / cells.deviation
    residual, expected_cells, _ = given(cells, rows)
    for i, row in enumerate(v):
        h = np.isnan(row)
        u = cells.mean + cells.deviation * (S[:, ~h] @ np.linalg.solve(S[np.ix_(~h, ~h)], row[~h]))
        u = np.clip(u, -2.9, 2.9)
        expected = cells.center + cells.spread * u / np.sqrt(1 - (u / 3) ** 2)
        assert_allclose(expected_cells[i, h], expected[h], rtol=1e-6)
        alone = replace(cells, used=~h, **{
            name: getattr(cells, name)[..., ~h] for name in
            ("spread", "reach", "mean", "deviation", "weight", "medians", "units")
        }, factor=np.linalg.cholesky(S[np.ix_(~h, ~h)] - 1e-3 * np.eye((~h).sum())),
            rest=1e-3, gain=1.0)  # fmt: skip
        solved = np.linalg.solve(alone.keen.times(np.eye((~h).sum())), row[~h])
        weight = np.linalg.inv(S[np.ix_(~h, ~h)]).diagonal()
        far = np.sign(z[i]) * np.maximum(np.abs(z[i]) - cells.reach, 0) / cells.deviation
        assert_allclose(residual[i, ~h] * cells.units[0, ~h] + cells.medians[0, ~h],
                        solved / np.sqrt(weight) + far[~h], rtol=1e-6)  # fmt: skip
    assert (residual[np.isnan(rows)] == 0).all()


def test_many_columns_with_holes_by_steps(X, monkeypatch):
    cells, rows = learned(X), with_holes(X[:50], 0.3)
    exact = given(cells, rows)[1]
    monkeypatch.setattr(tuning, "HOLE_COLUMNS", 5)
    assert_allclose(given(cells, rows)[1][np.isnan(rows)], exact[np.isnan(rows)], rtol=1e-6)


def test_a_single_hole_leaves_the_others_their_own_deviations(X, monkeypatch):
    """Also with many columns."""
    cells, rows = learned(X), np.where(np.eye(12, dtype=bool), np.nan, X[:12])
    residual, expected, oddness = given(cells, rows)
    monkeypatch.setattr(tuning, "HOLE_COLUMNS", 5)
    for found, exact in zip(given(cells, rows), (residual, expected, oddness), strict=True):
        assert_allclose(found, exact, rtol=1e-9)
    S = cells.keen.times(np.eye(12))
    for hole, weight in enumerate(cells.keen.expected(np.zeros((12, 12)), np.isnan(rows))[2]):
        others = np.delete(np.arange(12), hole)
        inverse = np.linalg.inv(S[np.ix_(others, others)])
        assert_allclose(weight[others], inverse.diagonal(), rtol=1e-9)


def test_holes_in_fit_score_cells_and_explain(X):
    holey = with_holes(X, 0.3)
    holey[5, 2] = X[5, 2] + 50 * X[:, 2].std()
    holey[6] = np.nan
    detector = KernelPCAOutlierDetector(random_state=0).fit(holey)
    scores = detector.score_samples(holey)
    assert np.argmin(scores) == 5
    assert scores[6] > np.quantile(scores, 0.2), "a row without a cell is judged by nothing"
    found = detector.cells(holey)
    assert (found.residual[np.isnan(holey)] == 0).all()
    assert np.isfinite(found.expected).all()
    hidden = np.isnan(holey) & (np.arange(len(X)) > 6)[:, np.newaxis]
    error = np.abs(found.expected - X) / X.std(axis=0)
    assert error[hidden].mean() < 0.5
    shares = detector.explain(holey[:8])
    assert_allclose(shares.sum(axis=1), -scores[:8], rtol=1e-9)
    assert (shares[:6][np.isnan(holey[:6])] == 0).all()
    assert shares[5].argmax() == 2


@pytest.mark.parametrize("rule", ["robust", "novelty", "paper"])
def test_every_rule_takes_holes(X, rule):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(with_holes(X, 0.1))
    assert np.isfinite(detector.score_samples(with_holes(X, 0.5, seed=1))).all()
    assert np.isfinite(detector.pca_.X_fit_).all()


def test_a_hole_in_a_row_that_is_told_its_value_changes_nothing(X, detector):
    """The row view of a hole is that of the expected value."""
    row = X[:1].copy()
    row[0, 3] = np.nan
    filled = row.copy()
    filled[0, 3] = detector.cells(row).expected[0, 3]
    assert_allclose(detector.columns_(row), detector.columns_(filled), rtol=1e-9)


def test_empty_columns_and_tables(X):
    X = X.copy()
    X[:, 1] = np.nan
    with pytest.warns(UserWarning, match="1 of 12 columns are constant or empty and were dropped"):
        detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    assert np.isfinite(detector.score_samples(X)).all()
    with pytest.raises(ValueError, match="X holds no value, only NaN: pass rows with numbers"):
        detector.fit(np.full((5, 3), np.nan))
    with pytest.raises(ValueError, match="infinity"):
        detector.fit(np.full((5, 3), np.inf))
