"""Rows that are refused, at every door, and leave nothing fitted; and holes, where they are not."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from refusals import refuses

X = np.random.default_rng(0).normal(size=(30, 4))
FRAME = pd.DataFrame(X, columns=list("abcd"))


def with_entry(value, dtype=float):
    rows = X.astype(dtype)
    rows[3, 2] = value
    return rows


HOLES = {
    "NaN": with_entry(np.nan),
    "NaN in single precision": with_entry(np.nan, np.float32),
    "NA of pandas": FRAME.astype("Float64").mask(FRAME > 2),
    "None among objects": with_entry(None, object),
}
BAD_ROWS = {
    "infinity": with_entry(np.inf),
    "minus infinity": with_entry(-np.inf),
    "infinity in half precision": with_entry(np.inf, np.float16),
    "text": np.array([["a", "b"], ["c", "d"]]),
    "text among objects": with_entry("x", object),
    "the name of a file": "data.csv",
    "an object among objects": with_entry({}, object),
    "a dict": {"a": [1.0, 2.0]},
    "an integer beyond every float": with_entry(10**400, object),
    "dates": np.arange(8).astype("M8[D]").reshape(-1, 2),
    "durations": np.arange(8).astype("m8[s]").reshape(-1, 2),
    "complex": np.array([[1j]]),
    "one dimension": np.arange(2.0),
    "three dimensions": X[np.newaxis],
    "a number": 3.0,
    "nothing": None,
    "an empty list": [],
    "no rows": X[:0],
    "no columns": X[:, :0],
    "a ragged list": [[1.0, 2.0], [3.0]],
    "a record array": np.zeros(5, dtype=[("a", float), ("b", float)]),
    "a matrix of NumPy": np.zeros((3, 4)).view(np.matrix),
    "a column of a frame": FRAME["a"],
    "names of two kinds": pd.DataFrame(X, columns=["a", 1, "b", 2]),
}
BAD_SPARSE_ROWS = {
    f"sparse {value}": sparse.csr_array(with_entry(value)) for value in (np.nan, np.inf, -np.inf)
}
CATEGORIES = FRAME.assign(a=pd.Categorical(["x", "y"] * 15))
# Refused only by who has seen other rows before.
BAD_NEW_ROWS = {"too few columns": X[:, :3], "too many columns": np.ones((2, 5))}
BAD_NAMES = {
    "another name": FRAME.rename(columns={"a": "z"}),
    "another order": FRAME[list("dcba")],
    "a column less": FRAME[list("abc")],
    "a column more": FRAME.assign(e=1.0),
}
MAKERS = {
    "linear": lambda: L1KernelPCA(2),
    "gaussian": lambda: L1KernelPCA(2, kernel="rbf"),
    "robust": lambda: KernelPCAOutlierDetector(random_state=0),
    "paper": lambda: KernelPCAOutlierDetector(rule="paper", random_state=0),
}
USES = {
    "linear": ("transform", "project", "score", "denoise"),
    "gaussian": ("transform",),
    "robust": ("score_samples", "decision_function", "predict", "explain", "outlier_map"),
    "paper": ("score_samples", "explain"),
}
REFUSED = (ValueError, TypeError, OverflowError)


def doors(rows):
    """Each method that takes new rows, of every maker's estimator fitted to ``rows``."""
    return {
        f"{maker}.{method}": getattr(make().fit(rows), method)
        for maker, make in MAKERS.items()
        for method in USES[maker]
    }


USE, NAMED = doors(X), doors(FRAME)
FIT = {f"{maker}.fit": make().fit for maker, make in MAKERS.items()}


def each(table):
    return pytest.mark.parametrize("given", table.values(), ids=table)


def at(table):
    return pytest.mark.parametrize("door", table.values(), ids=table)


def is_detectors(name):
    return name.startswith(("robust", "paper"))


OF_DETECTORS = {name: door for name, door in (FIT | USE).items() if is_detectors(name)}
OF_KERNEL_PCAS = {name: door for name, door in (FIT | USE).items() if not is_detectors(name)}


@each(BAD_ROWS)
@at(FIT | USE)
@pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning")
def test_rows_are_refused_at_every_door(door, given):
    with pytest.raises(REFUSED):
        door(given)


@each(HOLES | {"a category of text": CATEGORIES})
@at(OF_KERNEL_PCAS)
@pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning")
def test_kernel_pcas_take_no_holes_and_no_text(door, given):
    with pytest.raises(REFUSED):
        door(given)


@each(HOLES)
@at({name: door for name, door in OF_DETECTORS.items() if not name.endswith(".fit")})
@pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning")
def test_the_detector_takes_holes(door, given):
    found = door(given)
    assert np.isfinite(getattr(found, "score_distance", found)).all()


@each(HOLES | {"a category of text": CATEGORIES})
@pytest.mark.parametrize("maker", ["robust", "paper"])
def test_the_detector_learns_from_holes_and_text(maker, given):
    assert np.isfinite(MAKERS[maker]().fit(given).score_samples(given)).all()


@at({name: door for name, door in USE.items() if is_detectors(name)})
@pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning")
def test_text_is_refused_by_who_has_seen_numbers(door):
    with pytest.raises(REFUSED):
        door(CATEGORIES)


@each(BAD_SPARSE_ROWS)
@at(OF_KERNEL_PCAS)
def test_sparse_rows_are_finite_too(door, given):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        door(given)


@at(OF_DETECTORS)
def test_the_detector_takes_no_sparse_rows(door):
    with pytest.raises(TypeError):
        door(sparse.csr_array(X))


@each(BAD_NEW_ROWS)
@at(USE)
def test_rows_of_another_width_are_refused(door, given):
    with pytest.raises(ValueError, match="4 features"):
        door(given)


@each(BAD_NAMES)
@at(NAMED)
def test_other_names_are_refused(door, given):
    with pytest.raises(ValueError, match="names"):
        door(given)


@pytest.mark.parametrize("kind", ["dates", "durations"])
@at(FIT | USE)
def test_dates_are_refused_in_our_words(door, kind):
    """NumPy would take them for counts of something."""
    given = BAD_ROWS[kind]
    said = "give numbers, such as days since a date"
    with refuses(f"X holds dates or durations ({given.dtype}): {said}"):
        door(given)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("kind", ["infinity", "complex", "no rows"])
def test_a_refused_fit_leaves_nothing_fitted(maker, kind):
    estimator = MAKERS[maker]().fit(X)
    with pytest.raises(REFUSED):
        estimator.fit(BAD_ROWS[kind])
    with pytest.raises(NotFittedError):
        getattr(estimator, USES[maker][0])(X)
