"""Objects as plain data: everything that a model may hold comes back as it was."""

import json
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field, fields, is_dataclass
from enum import IntEnum
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, directions, optimality, outliers, peers
from l1kpca.gram.choose import BUILDERS
from l1kpca.plain import CLASSES, FORMS, class_name, class_names, from_plain, to_plain

MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 6.0]])
VALUES = {
    "nothing": None,
    "truth": True,
    "number": -3,
    "float": 0.1,
    "not a number": float("nan"),
    "infinity": -float("inf"),
    "text": "\x00 \udc80 ü",
    "list": [1, [2.5, "x"], []],
    "tuple": (1, ("a", None)),
    "dict": {"a": (1,), 2: {"class": "L1KernelPCA"}, None: []},
    "NumPy float": np.float32(0.1),
    "NumPy truth": np.bool_(True),
    "NumPy text": np.str_("a"),
    "array": np.arange(6).reshape(2, 3),
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "array without a dimension": np.array(3.5),
    "array without entries": np.empty((0, 3)),
    "array of text": np.array(["a", "bc"]),
    "array of names": np.array(["a", "bc"], dtype=object),
    "dtype": np.dtype("float32"),
    "type": np.float64,
    "Python type": float,
    "sparse array": sparse.csr_array(MATRIX),
    "sparse matrix": sparse.csr_matrix(MATRIX),
    "finder of finders": directions.Then(directions.LpNorm(1.2), directions.BitFlip()),
}


def assert_same(found, value):
    """Of the same type, with the same bits."""
    if isinstance(value, np.dtype | type):
        assert found == np.dtype(value)
        return
    assert type(found) is type(value)
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype
        assert found.flags.f_contiguous == value.flags.f_contiguous
        np.testing.assert_array_equal(found, value)
    elif isinstance(value, list | tuple):
        for part, expected in zip(found, value, strict=True):
            assert_same(part, expected)
    elif sparse.issparse(value):
        assert found.shape == value.shape
        np.testing.assert_array_equal(found.toarray(), value.toarray())
    elif value == value:  # a number
        assert found == value


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_come_back(value):
    arrays = []
    assert_same(from_plain(to_plain(value, arrays), arrays, CLASSES), value)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_plain_data_are_what_json_can_hold(value):
    arrays = []
    tree = json.loads(json.dumps(to_plain(value, arrays)))
    assert_same(from_plain(tree, arrays, CLASSES), value)


NAMES = {
    "BitFlip", "Blocked", "Columns", "Dense", "ExactSearch", "Factor", "FittedPaper",
    "FittedRobust", "GramChoice", "JointL1KernelPCA", "Kernel", "KernelPCAOutlierDetector",
    "KwakKernelPCA", "L1KernelPCA", "L2KernelPCA", "LinearInverse", "LpNorm", "Nystroem", "Paper",
    "Polished", "Projection", "R1KernelPCA", "RidgeInverse", "Robust", "SdpRounding",
    "SignIteration", "Then", "XiaoKernelPCA",
}  # fmt: skip


def test_names_stay():
    """Files that are about have these names in them, whatever the classes are called by now."""
    assert set(CLASSES) >= NAMES
    assert {"tuple", "dict", "dtype", "number", "names", "csr_array", "csr_matrix"} <= set(FORMS)
    assert not set(CLASSES) & set(FORMS)


def test_what_users_choose_has_a_name():
    """Every estimator, rule and builder, and every finder that can be built without arguments."""
    kinds = {L1KernelPCA, KernelPCAOutlierDetector, *map(type, BUILDERS.values())}
    kinds |= {getattr(peers, name) for name in peers.__all__} | set(outliers.RULES.values())
    for module in (directions, optimality):
        public = [getattr(module, name) for name in module.__all__]
        kinds |= {kind for kind in public if is_dataclass(kind) and hasattr(kind, "find")}
    assert {class_name(kind) for kind in kinds} <= CLASSES.keys()


def test_an_array_that_occurs_twice_is_one_array(tmp_path):
    rows = np.eye(3)
    on_disk = np.memmap(tmp_path / "rows", dtype=float, mode="w+", shape=(3, 3))
    for array in (rows, on_disk):
        arrays = []
        tree = to_plain([array, (array, array.copy())], arrays)
        assert len(arrays) == 2
        first, (second, other) = from_plain(tree, arrays, CLASSES)
        assert first is second
        assert other is not first


@dataclass(frozen=True)
class Own:
    """A class of the user."""

    width: float
    rows: np.ndarray = field(default_factory=lambda: np.eye(2))
    area: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "area", self.width**2)


@dataclass(frozen=True, slots=True)
class Slotted:
    width: float = 1.0


class Plain(BaseEstimator):
    """As scikit-learn's are: parameters, and attributes that a fit sets."""

    def __init__(self, width=1.0):
        self.width = width

    def fit(self, X):
        self.rows_ = X
        return self


def test_a_class_of_the_user_is_named_by_its_module():
    arrays = []
    tree = to_plain([Own(3.0), Slotted(), Plain(2).fit(np.eye(2))], arrays)
    assert class_names(tree) == {f"{__name__}:{name}" for name in ("Own", "Slotted", "Plain")}
    known = {class_name(kind): kind for kind in (Own, Slotted, Plain)}
    own, slotted, plain = from_plain(tree, arrays, known)
    assert own.area == 9.0
    assert slotted == Slotted()
    assert plain.width == 2
    np.testing.assert_array_equal(plain.rows_, np.eye(2))


def test_a_derived_class_is_not_taken_for_its_base():
    class Derived(L1KernelPCA):
        pass

    assert to_plain(Derived(), [])["class"].endswith("Derived")
    assert ":" in to_plain(Derived(), [])["class"]


def test_what_was_computed_from_the_fields_is_left_out():
    """The blocks of a projection are kept for the next time, and large."""
    projection = L1KernelPCA(1, kernel="rbf").fit(np.eye(5)).projection_
    projection(np.eye(5))
    assert "blocks" in vars(projection)
    tree = to_plain(projection, [])
    assert set(tree["params"]) == {part.name for part in fields(projection)}
    assert tree["fitted"] == {}


class Number(IntEnum):
    ONE = 1


class Hidden(Plain):
    def fit(self, X):
        self._center = 0.0
        return super().fit(X)


UNFIT = {
    "function": (print, "place.at is of type builtin_function_or_method, which no model file can"),
    "partial": (partial(max, 1), "place.at is of type partial"),
    "class": (L1KernelPCA, "place.at is of type"),
    "path": (Path("x"), "place.at is of type PosixPath"),
    "random state": (np.random.RandomState(0), "place.at is of type RandomState"),
    "generator": (np.random.default_rng(0), "place.at is of type Generator"),
    "set": ({1}, "place.at is of type set"),
    "bytes": (b"x", "place.at is of type bytes"),
    "complex": (1j, "place.at is of type complex"),
    "enumeration": (Number.ONE, "place.at is of type Number"),
    "named tuple": (namedtuple("Pair", "a b")(1, 2), "place.at is of type Pair"),
    "ordered": (OrderedDict(a=1), "place.at is of type OrderedDict"),
    "array of objects": (np.array([[object()]]), "place.at is of type ndarray"),
    "object in an array": (np.array([object()]), "place.at is of type object"),
    "masked array": (np.ma.array([1.0], mask=True), "place.at is of type MaskedArray"),
    "other sparse": (sparse.coo_array(np.eye(2)), "place.at is of type coo_array"),
    "other type": (int, "place.at is of type type"),
    "state": (Hidden().fit(1), "place.at keeps _center, which is neither a parameter nor en"),
    "inner": (Slotted(print), "place.at.width is of type builtin_function_or_method"),
}


@pytest.mark.parametrize(("value", "complaint"), UNFIT.values(), ids=UNFIT)
def test_what_cannot_be_plain_is_named_with_its_place(value, complaint):
    with pytest.raises(TypeError, match=complaint):
        to_plain([value], [], "place.at")


HOSTILE = {
    "a name that nobody has": {"class": "os:system", "params": {}, "fitted": {}},
    "no name": {"params": {}, "fitted": {}},
    "a name that is no text": {"class": ["LpNorm"], "params": {}, "fitted": {}},
    "another parameter": {"class": "LpNorm", "params": {"evil": 1}, "fitted": {}},
    "a value that it refuses": {"class": "LpNorm", "params": {"p": 0.5}, "fitted": {}},
    "parameters that are none": {"class": "LpNorm", "params": [1], "fitted": {}},
    "no attributes": {"class": "LpNorm", "params": {}},
    "a method": {"class": "L1KernelPCA", "params": {}, "fitted": {"transform": 1}},
    "a private attribute": {"class": "L1KernelPCA", "params": {}, "fitted": {"_fit": 1}},
    "a class of its own": {"class": "L1KernelPCA", "params": {}, "fitted": {"__class__": 1}},
    "a tuple of nothing": {"class": "tuple", "parts": None},
    "keys that are lists": {"class": "dict", "parts": [[[1], 2]]},
    "a number that is text": {"class": "number", "parts": "x"},
    "an unknown dtype": {"class": "dtype", "parts": "evil"},
    "too few parts": {"class": "csr_array", "parts": [1]},
    "an array that is not there": {"class": "array", "parts": 99},
    "an array by name": {"class": "array", "parts": "x"},
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_what_no_model_is_made_of_is_refused(tree):
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError)):
        from_plain(tree, [], CLASSES)


@pytest.mark.parametrize("name", ["csr_array", "csr_matrix"])
@pytest.mark.parametrize(("place", "value"), [(1, 10**6), (1, -1), (2, 10**6), (2, -1)])
def test_sparse_rows_cannot_lead_beyond_the_end(name, place, value):
    arrays = []
    tree = to_plain(VALUES["sparse array"].copy(), arrays)
    assert from_plain({**tree, "class": name}, arrays, CLASSES).shape == (4, 3)
    arrays[place][1] = value
    with pytest.raises(ValueError):  # noqa: PT011 (SciPy's)
        from_plain({**tree, "class": name}, arrays, CLASSES)


def test_a_list_in_itself_is_refused():
    endless = []
    endless.append(endless)
    for change in (partial(to_plain, arrays=[]), class_names):
        with pytest.raises(RecursionError):
            change(endless)
    with pytest.raises(RecursionError):
        from_plain(endless, [], CLASSES)
