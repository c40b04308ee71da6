"""What parameters stand for; every error names the parameter, its value, and what is allowed."""

import inspect
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import RULES, Robust, make_rule, rule_name

X = np.random.default_rng(0).normal(size=(20, 3))
K = X @ X.T
BY_MATRIX = L1KernelPCA(2, kernel="precomputed")


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "best"}, r"rule='best' must be one of \['auto', 'robust', 'novelty', 'paper'\]"),
        ({"rule": None}, r"rule=None must be one of \['auto', 'robust', 'novelty', 'paper'\]"),
        ({"rule": Robust}, "rule=<class .* must be one of"),
        ({"contamination": 0.6}, "contamination=0.6 must be 'auto' or a number between 0 and 0.5"),
        ({"contamination": -0.1}, "contamination=-0.1 must be 'auto' or a number between 0 and"),
        ({"contamination": "few"}, "contamination='few' must be 'auto' or a number between 0 and"),
        ({"contamination": None}, "contamination=None must be 'auto' or a number between 0 and"),
        ({"contamination": False}, "contamination=False must be 'auto' or a number between 0 and"),
        ({"contamination": np.nan}, "contamination=nan must be 'auto' or a number between 0 and"),
        ({"contamination": [0.1]}, r"contamination=\[0.1\] must be 'auto' or a number between 0"),
        (
            {"contamination": np.array([0.1, 0.2])},
            r"contamination=array\(\[0.1, 0.2\]\) must be 'auto' or a number between 0 and 0.5",
        ),
        ({"scaling": "rows"}, "scaling='rows' must be 'columns', 'common' or None"),
        ({"scaling": False}, "scaling=False must be 'columns', 'common' or None"),
        ({"max_samples": 0}, "max_samples=0 must be 'auto', None or a positive integer"),
        ({"max_samples": 0.5}, "max_samples=0.5 must be 'auto', None or a positive integer"),
        ({"max_samples": True}, "max_samples=True must be 'auto', None or a positive integer"),
        ({"max_samples": "all"}, "max_samples='all' must be 'auto', None or a positive integer"),
        ({"pca": 3}, r"pca=int must be a kernel PCA of l1kpca, such as L1KernelPCA\(kernel='rbf'"),
        ({"pca": KernelPCA()}, "pca=KernelPCA must be a kernel PCA of l1kpca, such as"),
        ({"pca": L1KernelPCA}, "pca=<class '.*L1KernelPCA'> must be a kernel PCA of l1kpca"),
        ({"pca": L1KernelPCA(-1)}, "n_components=-1 must be an integer of at least 1"),
        ({"random_state": -1}, "random_state=-1 must be None, an integer between 0 and"),
        ({"n_jobs": 0}, "n_jobs=0 must be None or an integer other than 0"),
        ({"memory_limit": "a lot"}, "memory_limit='a lot' must be a positive number of bytes"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(**params).fit(X)


@pytest.mark.parametrize("share", [0, 1.1, np.nan, "80%", True])
@pytest.mark.parametrize("rule", RULES.values())
def test_a_rule_refuses_a_share_that_is_none(rule, share):
    text = f"variance_kept={share!r} must be a number above 0 and at most 1"
    with pytest.raises(ValueError, match=text):
        rule(variance_kept=share)


def test_a_kernel_that_breaks_on_new_rows():
    def late_nan(x, y):
        return np.nan if abs(x[0]) > 50 else float(x @ y)

    detector = KernelPCAOutlierDetector(L1KernelPCA(2, kernel=late_nan), scaling=None).fit(X)
    for call in (detector.score_samples, detector.predict, detector.explain):
        with pytest.raises(ValueError, match="kernel=late_nan returned NaN or infinity"):
            call(X * 1000)


def test_a_kernel_matrix_cannot_give_the_robust_distances():
    text = "rule='auto' needs .* kernel='precomputed' does not give: use rule='paper', or a"
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(BY_MATRIX).fit(K)


def test_a_kernel_matrix_cannot_be_sampled():
    text = "max_samples=10 cannot be used with kernel='precomputed': pass the kernel matrix of few"
    with pytest.raises(ValueError, match=text):
        KernelPCAOutlierDetector(BY_MATRIX, rule="paper", max_samples=10).fit(K)


def test_a_kernel_matrix_has_no_outlier_map_and_no_columns_to_blame():
    detector = KernelPCAOutlierDetector(BY_MATRIX, rule="paper").fit(K)
    text = r"outlier_map needs k\(x, x\), which kernel='precomputed' does not give: pass the"
    with pytest.raises(ValueError, match=text):
        detector.outlier_map(K)
    text = "explain needs the columns of the rows, which kernel='precomputed' does not have: pass"
    with pytest.raises(ValueError, match=text):
        detector.explain(K)


@pytest.mark.parametrize(
    "method", ["score_samples", "decision_function", "predict", "explain", "outlier_map", "cells"]
)
def test_use_before_fit_and_with_other_columns(method):
    detector = KernelPCAOutlierDetector(random_state=0)
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        getattr(detector, method)(X)
    detector.fit(X)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        getattr(detector, method)(X[:, :2])
    with pytest.raises(ValueError, match="Input X contains infinity"):
        getattr(detector, method)(np.full((2, 3), np.inf))


# Stating a default changes nothing.

MANY = np.random.default_rng(1).normal(size=(1100, 4)) * [1, 2, 5, 9]
MANY[:9] *= 5


def assert_same_model(one, other):
    for name in ("dual_components_", "X_fit_", "signs_", "gamma_"):
        assert_array_equal(getattr(one.pca_, name), getattr(other.pca_, name))
    assert type(one.rule_) is type(other.rule_)
    assert_same_fields(one.rule_, other.rule_)
    assert_same_fields(one.columns_, other.columns_)
    assert one.offset_ == other.offset_
    assert_array_equal(one.score_samples(MANY), other.score_samples(MANY))


def assert_same_fields(one, other):
    for field in fields(one):
        values = getattr(one, field.name), getattr(other, field.name)
        if is_dataclass(values[0]):
            assert_same_fields(*values)
        else:
            assert_array_equal(*values)


@pytest.fixture(scope="module", params=RULES)
def default(request):
    return KernelPCAOutlierDetector(rule=request.param, random_state=3).fit(MANY)


def test_every_parameter_of_the_detector_written_out(default):
    for name, value in KernelPCAOutlierDetector().get_params(deep=False).items():
        if name not in ("rule", "random_state"):
            stated = KernelPCAOutlierDetector(
                **{"rule": default.rule, "random_state": 3, name: value}
            )
            assert_same_model(stated.fit(MANY), default)


def test_the_rule_as_an_object_and_its_number_of_rows(default):
    rule = RULES[default.rule](variance_kept=0.8)
    stated = {"random_state": 3, "max_samples": rule.max_samples}
    assert_same_model(KernelPCAOutlierDetector(rule=rule, **stated).fit(MANY), default)


def test_the_kernel_pca_of_the_rule(default):
    pca = RULES[default.rule]().kernel_pca(4)
    stated = KernelPCAOutlierDetector(pca, rule=default.rule, random_state=3)
    assert_same_model(stated.fit(MANY), default)
    assert vars(pca).keys() == inspect.signature(type(pca)).parameters.keys(), "nothing is hidden"
    everything = L1KernelPCA(**pca.get_params())
    stated = KernelPCAOutlierDetector(everything, rule=default.rule, random_state=3)
    assert_same_model(stated.fit(MANY), default)


@pytest.mark.parametrize(
    ("rule", "pca"),
    [
        ("robust", L1KernelPCA(0.8, max_components=4, kernel="rbf", gamma="wide")),
        (
            "paper",
            L1KernelPCA(
                max_components=4,
                kernel="rbf",
                gamma="paper",
                center=False,
                solver="fixed_point",
                start="column",
            ),
        ),
    ],
)
def test_the_kernel_pca_of_the_rule_written_out(rule, pca):
    default = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(MANY)
    assert_same_model(KernelPCAOutlierDetector(pca, rule=rule, random_state=0).fit(MANY), default)


def test_constant_columns_do_not_count_for_the_kernel_pca():
    wide = np.insert(MANY, 2, 7.0, axis=1)
    with pytest.warns(UserWarning, match="1 of 5 columns are constant"):
        detector = KernelPCAOutlierDetector(rule="paper").fit(wide)
    assert detector.pca_.max_components == 4


@pytest.mark.parametrize("seed", [0, None, np.random.RandomState(5)])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("pca", [None, L1KernelPCA(2, start="random"), BY_MATRIX])
def test_a_clone_of_the_fitted_kernel_pca_finds_the_same_components(rule, pca, seed):
    if pca is BY_MATRIX and rule != "paper":
        return
    rows = K if pca is BY_MATRIX else MANY[:300]
    fitted = KernelPCAOutlierDetector(pca, rule=rule, random_state=seed).fit(rows).pca_
    again = clone(fitted).fit(fitted.X_fit_)
    assert_array_equal(again.dual_components_, fitted.dual_components_)


def test_what_a_kernel_pca_leaves_open_is_the_detectors():
    own = {"random_state": 7, "n_jobs": 1, "memory_limit": "9MB"}
    detector = KernelPCAOutlierDetector(
        L1KernelPCA(2, **own), random_state=0, n_jobs=2, memory_limit="8MB"
    ).fit(X)
    assert own.items() <= detector.pca_.get_params().items()
    detector.set_params(pca=L1KernelPCA(2)).fit(X)
    assert {"n_jobs": 2, "memory_limit": "8MB"}.items() <= detector.pca_.get_params().items()
    assert detector.pca.n_jobs is None, "the given one is not touched"


@pytest.mark.parametrize(
    ("given", "contamination", "name"),
    [
        ("auto", "auto", "robust"), ("auto", 0.1, "robust"),
        ("auto", 0, "novelty"), ("auto", 0.0, "novelty"),
        *[(name, 0, name) for name in RULES], (Robust(), 0, "Robust"),
    ],
)  # fmt: skip
def test_the_name_of_a_rule(given, contamination, name):
    assert rule_name(given, contamination) == name
    assert type(make_rule(given, contamination)) is RULES[name.lower()]


def test_names_of_rules_are_not_those_of_their_classes(monkeypatch):
    """Pages and results of the command line show them: renaming a class changes neither."""
    monkeypatch.setitem(RULES, "robust", type("Renamed", (Robust,), {}))
    assert rule_name("auto") == "robust"
