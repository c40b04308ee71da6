"""Rows that are refused: the same words at every door, word for word."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from older_words import in_newest_words

X = np.random.default_rng(0).normal(size=(30, 4))
FRAME = pd.DataFrame(X, columns=list("abcd"))
RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or"
    " array.reshape(1, -1) if it contains a single sample."
)
MISSING = (
    "Input X contains NaN.\n{name} does not accept missing values encoded as NaN natively. For"
    " supervised learning, you might want to consider sklearn.ensemble"
    ".HistGradientBoostingClassifier and Regressor which accept missing values encoded as NaNs"
    " natively. Alternatively, it is possible to preprocess the data, for instance by using an"
    " imputer transformer in a pipeline or drop samples with missing values. See"
    " https://scikit-learn.org/stable/modules/impute.html You can find a list of all estimators"
    " that handle NaN values at the following page:"
    " https://scikit-learn.org/stable/modules/impute.html#estimators-that-handle-nan-values"
)
INFINITE = "Input X contains infinity or a value too large for dtype('{dtype}')."
NOT_NAMED = "The feature names should match those that were passed during fit.\n"


def with_entry(value, dtype=float):
    rows = X.astype(dtype)
    rows[3, 2] = value
    return rows


# What is given, the error, and its text; {name} is the estimator's.
BAD_ROWS = {
    "NaN": (with_entry(np.nan), ValueError, MISSING),
    "NaN in single precision": (with_entry(np.nan, np.float32), ValueError, MISSING),
    "NA of pandas": (FRAME.astype("Float64").mask(FRAME > 2), ValueError, MISSING),
    "None among objects": (with_entry(None, object), ValueError, MISSING),
    "infinity": (with_entry(np.inf), ValueError, INFINITE.format(dtype="float64")),
    "minus infinity": (with_entry(-np.inf), ValueError, INFINITE.format(dtype="float64")),
    "infinity in half precision": (
        with_entry(np.inf, np.float16),
        ValueError,
        INFINITE.format(dtype="float64"),
    ),
    "text": (
        np.array([["a", "b"], ["c", "d"]]),
        ValueError,
        "could not convert string to float: np.str_('a')",
    ),
    "text among objects": (
        with_entry("x", object),
        ValueError,
        "could not convert string to float: 'x'",
    ),
    "a category of text": (
        FRAME.assign(a=pd.Categorical(["x", "y"] * 15)),
        ValueError,
        "could not convert string to float: 'x'",
    ),
    "the name of a file": (
        "data.csv",
        ValueError,
        "could not convert string to float: 'data.csv'",
    ),
    "an object among objects": (
        with_entry({}, object),
        TypeError,
        "float() argument must be a string or a real number, not 'dict'",
    ),
    "a dict": (
        {"a": [1.0, 2.0]},
        TypeError,
        "float() argument must be a string or a real number, not 'dict'",
    ),
    "an integer beyond every float": (
        with_entry(10**400, object),
        OverflowError,
        "int too large to convert to float",
    ),
    "dates": (
        np.arange(8).astype("M8[D]").reshape(-1, 2),
        ValueError,
        "X holds dates or durations (datetime64[D]): give numbers, for example days since a date",
    ),
    "durations": (
        np.arange(8).astype("m8[s]").reshape(-1, 2),
        ValueError,
        "X holds dates or durations (timedelta64[s]): give numbers, for example days since a date",
    ),
    "complex": (np.array([[1j]]), ValueError, "Complex data not supported\n[[0.+1.j]]\n"),
    "one dimension": (
        np.arange(2.0),
        ValueError,
        f"Expected 2D array, got 1D array instead:\narray=[0. 1.].\n{RESHAPE}",
    ),
    "three dimensions": (
        X[np.newaxis],
        ValueError,
        "Found array with dim 3, while dim <= 2 is required by {name}.",
    ),
    "a number": (
        3.0,
        ValueError,
        f"Expected 2D array, got scalar array instead:\narray=3.0.\n{RESHAPE}",
    ),
    "nothing": (
        None,
        ValueError,
        f"Expected 2D array, got scalar array instead:\narray=nan.\n{RESHAPE}",
    ),
    "an empty list": (
        [],
        ValueError,
        f"Expected 2D array, got 1D array instead:\narray=[].\n{RESHAPE}",
    ),
    "no rows": (
        X[:0],
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 4)) while a minimum of 1 is required by {name}.",
    ),
    "no columns": (
        X[:, :0],
        ValueError,
        "Found array with 0 feature(s) (shape=(30, 0)) while a minimum of 1 is required by {name}.",
    ),
    "a ragged list": (
        [[1.0, 2.0], [3.0]],
        ValueError,
        (
            "setting an array element with a sequence. The requested array has an inhomogeneous"
            " shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part."
        ),
    ),
    "a record array": (
        np.zeros(5, dtype=[("a", float), ("b", float)]),
        TypeError,
        (
            "Cannot cast array data from dtype([('a', '<f8'), ('b', '<f8')]) to dtype('float64')"
            " according to the rule 'unsafe'"
        ),
    ),
    "a matrix of NumPy": (
        np.zeros((3, 4)).view(np.matrix),
        TypeError,
        (
            "np.matrix is not supported. Please convert to a numpy array with np.asarray. For more"
            " information see: https://numpy.org/doc/stable/reference/generated/numpy.matrix.html"
        ),
    ),
    "a column of a frame": (
        FRAME["a"],
        ValueError,
        (
            "Expected a 2-dimensional container but got <class 'pandas.Series'> instead. Pass a"
            " DataFrame containing a single row (i.e. single sample) or a single column (i.e."
            " single feature) instead."
        ),
    ),
    "names of two kinds": (
        pd.DataFrame(X, columns=["a", 1, "b", 2]),
        TypeError,
        (
            "Feature names are only supported if all input features have string names, but your"
            " input has ['int', 'str'] as feature name / column name types. If you want feature"
            " names to be stored and validated, you must convert them all to strings, by using"
            " X.columns = X.columns.astype(str) for example. Otherwise you can remove feature /"
            " column names from your input data, or convert them all to a non-string data type."
        ),
    ),
}
# Refused only by who has seen other rows before.
BAD_NEW_ROWS = {
    "too few columns": (
        X[:, :3],
        ValueError,
        "X has 3 features, but {name} is expecting 4 features as input.",
    ),
    "too many columns": (
        np.ones((2, 5)),
        ValueError,
        "X has 5 features, but {name} is expecting 4 features as input.",
    ),
}
BAD_NAMES = {
    "another name": (
        FRAME.rename(columns={"a": "z"}),
        NOT_NAMED
        + "Feature names unseen at fit time:\n- z\n"
        + "Feature names seen at fit time, yet now missing:\n- a\n",
    ),
    "another order": (
        FRAME[list("dcba")],
        NOT_NAMED + "Feature names must be in the same order as they were in fit.\n",
    ),
    "a column less": (
        FRAME[list("abc")],
        NOT_NAMED + "Feature names seen at fit time, yet now missing:\n- d\n",
    ),
    "a column more": (
        FRAME.assign(e=1.0),
        NOT_NAMED + "Feature names unseen at fit time:\n- e\n",
    ),
}
MAKERS = {
    "linear": lambda: L1KernelPCA(2),
    "gaussian": lambda: L1KernelPCA(2, kernel="rbf"),
    "robust": lambda: KernelPCAOutlierDetector(random_state=0),
    "paper": lambda: KernelPCAOutlierDetector(rule="paper", random_state=0),
}
USES = {
    "linear": ("transform", "score", "denoise"),
    "gaussian": ("transform",),
    "robust": ("score_samples", "decision_function", "predict", "explain", "outlier_map"),
    "paper": ("score_samples", "explain"),
}


def doors(rows):
    """Every maker's fit and, fitted to ``rows``, each of its methods that take rows."""
    for maker, make in MAKERS.items():
        name = type(make()).__name__
        yield f"{maker}.fit", name, make().fit
        for method in USES[maker]:
            yield f"{maker}.{method}", name, getattr(make().fit(rows), method)


FIT = list(doors(X))
NAMED = [door for door in doors(FRAME) if not door[0].endswith("fit")]


def refused(door, given, error, text):
    _, name, call = door
    with pytest.raises(error) as caught:
        call(given)
    expected = text.replace("{name}", name)
    assert in_newest_words(str(caught.value)) == in_newest_words(expected)


@pytest.mark.parametrize(("given", "error", "text"), BAD_ROWS.values(), ids=BAD_ROWS)
@pytest.mark.parametrize("door", FIT, ids=lambda door: door[0])
@pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning")
def test_rows_are_refused_at_every_door(door, given, error, text):
    refused(door, given, error, text)


@pytest.mark.parametrize(("given", "error", "text"), BAD_NEW_ROWS.values(), ids=BAD_NEW_ROWS)
@pytest.mark.parametrize("door", [d for d in FIT if not d[0].endswith("fit")], ids=lambda d: d[0])
def test_rows_of_another_width_are_refused(door, given, error, text):
    refused(door, given, error, text)


@pytest.mark.parametrize(("given", "text"), BAD_NAMES.values(), ids=BAD_NAMES)
@pytest.mark.parametrize("door", NAMED, ids=lambda door: door[0])
def test_other_names_are_refused(door, given, text):
    refused(door, given, ValueError, text)


@pytest.mark.parametrize("door", FIT[-3:], ids=lambda door: door[0])
def test_the_detector_takes_no_sparse_rows(door):
    text = (
        "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to"
        " a dense numpy array."
    )
    refused(door, sparse.csr_array(X), TypeError, text)


def test_a_refused_fit_leaves_nothing_fitted():
    for make in MAKERS.values():
        estimator = make().fit(X)
        for given, error, _ in (BAD_ROWS["NaN"], BAD_ROWS["complex"], BAD_ROWS["no rows"]):
            with pytest.raises(error):
                estimator.fit(given)
            with pytest.raises(ValueError, match="is not fitted yet"):
                getattr(estimator, "predict" if hasattr(estimator, "rule") else "transform")(X)
