"""Objects as plain data, and back: what a model file holds instead of types.

Plain data is what JSON can hold.  An object is ``{"class": name, "params": {...}, "fitted":
{...}}``: the arguments of its constructor, and what a fit has set.  Anything else is ``{"class":
name, "parts": ...}``; for an array, its index in a list.  Names come from the two tables below,
wherever a class lives; a class in neither is named ``"module:Class"``.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from l1kpca import peers
from l1kpca.checks import is_dask
from l1kpca.directions import BitFlip, LpNorm, Polished, SignIteration, Then
from l1kpca.estimators import inverse, l1_kernel_pca
from l1kpca.gram import choose, projection
from l1kpca.kernels import Kernel
from l1kpca.optimality import ExactSearch, SdpRounding
from l1kpca.outliers import calibration, cells, columns, detector, novelty, paper, robust
from l1kpca.tables import categories, encoder, kinds, written

CLASSES: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        l1_kernel_pca.L1KernelPCA, inverse.LinearInverse, inverse.RidgeInverse,
        peers.JointL1KernelPCA, peers.KwakKernelPCA, peers.L2KernelPCA, peers.R1KernelPCA,
        peers.XiaoKernelPCA,
        choose.Blocked, choose.Dense, choose.Factor, choose.GramChoice, choose.Nystroem,
        projection.Projection, Kernel,
        BitFlip, ExactSearch, LpNorm, Polished, SdpRounding, SignIteration, Then,
        detector.KernelPCAOutlierDetector, calibration.Calibration, columns.Columns, cells.Cells,
        robust.Robust, robust.FittedRobust, paper.Paper, paper.FittedPaper, novelty.Novelty,
        novelty.FittedNovelty, encoder.TableEncoder, kinds.Kind, categories.Category,
        written.Numbers, written.Dates,
    )
}  # fmt: skip
"""Our classes that a model may hold; a renamed class also keeps its old name."""
_PLAIN = (type(None), bool, int, float, str)
_OUTPUT = "_sklearn_output_config"  # the settings of set_output


def _is_dtype(value: Any) -> bool:
    return isinstance(value, np.dtype) or any(value is k for k in (float, np.float32, np.float64))


def _of_csr(rows: Any) -> list[Any]:
    return [rows.data, rows.indices, rows.indptr, list(rows.shape)]


def _csr(kind: Any, parts: list[Any]) -> Any:
    rows = kind((parts[0], parts[1], parts[2]), shape=parts[3])
    rows.check_format(full_check=True)  # an index out of bounds would read foreign memory
    return rows


FORMS: Mapping[str, tuple[Any, Any, Any]] = {
    "tuple": (lambda v: type(v) is tuple, list, tuple),
    "dict": (lambda v: type(v) is dict, lambda v: [list(pair) for pair in v.items()], dict),
    "dtype": (_is_dtype, lambda v: np.dtype(v).name, np.dtype),
    "number": (lambda v: isinstance(v, np.generic), np.asarray, lambda part: part[()]),
    "names": (
        lambda v: type(v) is np.ndarray and v.dtype == object and v.ndim == 1,
        np.ndarray.tolist,
        partial(np.array, dtype=object),
    ),
    "csr_array": (lambda v: type(v) is csr_array, _of_csr, partial(_csr, csr_array)),
    "csr_matrix": (lambda v: type(v) is csr_matrix, _of_csr, partial(_csr, csr_matrix)),
}
"""What else a model may hold: a test for such values, their parts, and how to rebuild them."""


def to_plain(value: Any, arrays: list[Any], place: str = "") -> Any:
    """Plain data for a value; its arrays go to ``arrays``, and an error names the ``place``."""
    if type(value) in _PLAIN:
        return value
    if type(value) in (np.ndarray, np.memmap) and not value.dtype.hasobject:
        known = [index for index, array in enumerate(arrays) if array is value]
        arrays += [] if known else [value]
        return {"class": "array", "parts": known[0] if known else len(arrays) - 1}
    for name, (fits, parts, _) in FORMS.items():
        if fits(value):
            return {"class": name, "parts": to_plain(parts(value), arrays, place)}
    if type(value) is list:
        return [to_plain(part, arrays, place) for part in value]
    groups = {
        group: {key: to_plain(v, arrays, f"{place}.{key}".lstrip(".")) for key, v in state.items()}
        for group, state in _state(value, place or "it").items()
    }
    return {"class": class_name(type(value)), **groups}


def from_plain(tree: Any, arrays: list[Any], classes: Mapping[str, type]) -> Any:
    """The value of plain data; calls only the constructors of ``classes``."""
    if type(tree) in _PLAIN:
        return tree
    if type(tree) is list:
        return [from_plain(part, arrays, classes) for part in tree]
    name = tree["class"]
    if name == "array":
        return arrays[tree["parts"]]
    if name in FORMS:
        return FORMS[name][2](from_plain(tree["parts"], arrays, classes))
    params, fitted = (
        {key: from_plain(part, arrays, classes) for key, part in tree[group].items()}
        for group in ("params", "fitted")
    )
    value = classes[name](**params)
    for key, part in fitted.items():
        if not _is_fitted(key):
            raise ValueError(f"a fit of {name} sets no {key}")
        vars(value)[key] = part
    return value


def class_names(tree: Any) -> set[str]:
    """Class names of all objects in plain data."""
    found: set[str] = set()
    if isinstance(tree, dict):
        found = {str(tree["class"])} - {"array", *FORMS} if "class" in tree else found
        tree = list(tree.values())
    return found.union(*map(class_names, tree)) if isinstance(tree, list) else found


def class_name(kind: type) -> str:
    """The name of a class in plain data."""
    if not isinstance(kind, type):
        raise TypeError(f"trusted must hold classes, got {kind!r}: pass the class itself")
    own = [name for name, known in CLASSES.items() if known is kind]
    return own[0] if own else f"{kind.__module__}:{kind.__qualname__}"


def _state(value: Any, place: str) -> dict[str, dict[str, Any]]:
    """Parameters and fitted attributes of an object; it must have no other state."""
    held = getattr(value, "__dict__", {})
    if isinstance(value, type) or not (hasattr(value, "get_params") or is_dataclass(value)):
        raise TypeError(
            f"{place} is of type {type(value).__name__}, which no model file can hold; settings"
            " can be numbers, text, arrays, named kernels, and frozen dataclasses of your own"
        )
    if hasattr(value, "get_params"):
        params = value.get_params(deep=False)
        lost = [name for name in held if name not in params and not _is_fitted(name)]
        if lost:
            raise TypeError(
                f"{place} keeps {lost[0]}, which is neither a parameter nor ends in _: rename it"
            )
    else:  # other attributes are computed from the fields
        params = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    # What is on a cluster stays there: a model does not need it.
    names = [name for name in held if _is_fitted(name) and name not in params]
    return {"params": params, "fitted": {n: held[n] for n in names if not is_dask(held[n])}}


def _is_fitted(name: str) -> bool:
    return name == _OUTPUT or (name.endswith("_") and not name.startswith("_"))
