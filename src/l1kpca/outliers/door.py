"""The door of the detector: its parameters, data frames, Dask collections; answers like them."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from inspect import cleandoc
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.checks import check_seed, is_dask, is_int, warn_user
from l1kpca.estimators.fitted import FittedKernelPCA
from l1kpca.gram.collections import dask_array, drawn, example_of, joined, on_partitions
from l1kpca.outliers.cells import CellMap
from l1kpca.outliers.novelty import Novelty
from l1kpca.outliers.paper import Paper
from l1kpca.outliers.robust import Robust
from l1kpca.outliers.rules import Rule
from l1kpca.tables.encoder import Encoded, TableEncoder
from l1kpca.tables.kinds import is_frame
from l1kpca.tables.totals import totals_among

DRAWN_ROWS = 200_000  # of a Dask collection, that a detector learns from
_ROWS = """\
Parameters
----------
X : array-like of shape (n_samples, n_features)
    Rows; a Dask collection gives a Dask collection.

"""
#: What ``rule="..."`` stands for.
RULES: dict[str, type[Rule]] = {"robust": Robust, "novelty": Novelty, "paper": Paper}


def make_rule(rule: Any, contamination: Any = "auto") -> Rule:
    """The rule of a name, or the rule itself; what "auto" is depends on ``contamination``."""
    if isinstance(rule, Rule):
        return rule
    if not isinstance(rule, str) or rule not in ("auto", *RULES):
        raise ValueError(f"rule={rule!r} must be one of {['auto', *RULES]}, or a rule object")
    return RULES[rule_name(rule, contamination)]()


def rule_name(rule: Any, contamination: Any = "auto") -> str:
    """The name of a rule, with "auto" spelled out."""
    if not isinstance(rule, str):
        return type(rule).__name__
    is_clean = isinstance(contamination, Real) and contamination == 0
    return rule if rule != "auto" else "novelty" if is_clean else "robust"


def check_detector(detector: Any) -> Rule:
    """The rule; refuses values that no fit could use."""
    rule = make_rule(detector.rule, detector.contamination)
    pca, scaling = detector.pca, detector.scaling
    if pca is not None and not isinstance(pca, FittedKernelPCA):
        name = repr(pca) if isinstance(pca, type) else type(pca).__name__
        allowed = "a kernel PCA of l1kpca, such as L1KernelPCA(kernel='rbf'), or None"
        raise ValueError(f"pca={name} must be {allowed}")
    if is_precomputed(pca) and rule.needs_norms:
        lacking = "k(x, x), which kernel='precomputed' does not give"
        raise ValueError(f"rule={detector.rule!r} needs {lacking}: use rule='paper', or a kernel")
    level, most = detector.contamination, detector.max_samples
    is_share = not isinstance(level, bool) and isinstance(level, Real) and 0 <= float(level) <= 0.5
    if not is_share and not (isinstance(level, str) and level == "auto"):
        raise ValueError(f"contamination={level!r} must be 'auto' or a number between 0 and 0.5")
    if scaling is not None and str(scaling) not in ("columns", "common"):
        raise ValueError(f"scaling={scaling!r} must be 'columns', 'common' or None")
    if most is not None and str(most) != "auto":
        if not is_int(most) or most < 1:
            raise ValueError(f"max_samples={most!r} must be 'auto', None or a positive integer")
        if is_precomputed(pca):
            refused = f"max_samples={most!r} cannot be used with kernel='precomputed'"
            raise ValueError(f"{refused}: pass the kernel matrix of fewer rows instead")
    return rule


def is_precomputed(pca: Any) -> bool:
    """Whether rows are given by their kernels with the training rows."""
    return isinstance(getattr(pca, "kernel", None), str) and pca.kernel == "precomputed"


def warn_of_changes(X: Encoded) -> None:
    """What is not looked at and why, which cells are not taken as written, and rows of totals."""
    encoder = X.encoder
    unused = [name for name in encoder.kinds_ if name not in encoder.columns_]
    if unused:
        why = [f"{name} ({encoder.kinds_[name]}: {encoder.reasons_[name]})" for name in unused]
        shown = ", ".join([*why[:5], *(["..."] if len(why) > 5 else [])])
        verb = "is" if len(unused) == 1 else "are"
        warn_user(f"{len(unused)} of {len(encoder.kinds_)} columns {verb} left out: {shown}")
    if X.changes:
        said = [f"{each.column}: {each.example}, {each.what}" for each in X.changes]
        shown = "; ".join([*said[:5], *(["..."] if len(said) > 5 else [])])
        total = sum(each.count for each in X.changes)
        verb = "cell is" if total == 1 else "cells are"
        warn_user(f"{total} {verb} not taken as written ({shown})")
    for sentence in totals_among(X):
        warn_user(sentence)


def like(X: Any, values: Array, encoder: TableEncoder) -> Any:
    """Values as a frame of the kind of X, with its index; as they are if X is none."""
    X = X.table if isinstance(X, Encoded) else X
    if not is_frame(X):
        return values
    columns = dict(zip(encoder.columns_, map(np.array, values.T.tolist()), strict=True))
    new = nw.from_dict(columns, backend=nw.from_native(X).implementation).to_native()
    if hasattr(new, "index"):
        new.index = X.index
    return new


def in_partitions(method: Callable[[Any, Any], Any]) -> Any:
    """Let a method that judges each row by itself take Dask collections, and document its X."""

    @wraps(method)
    def judge(detector: Any, X: Any) -> Any:
        if not is_dask(X):
            return method(detector, X)
        check_is_fitted(detector)  # on the workers, errors come late
        validate_data(detector, example_of(X), skip_check_array=True, reset=False)
        X = X if detector.encoder_ is not None else dask_array(X, lengths=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these rows are made up
            rows = getattr(X, "_meta_nonempty", np.zeros((1, X.shape[1])))
            example = _judged(rows, detector, method)
        found = on_partitions(X, partial(_judged, method=method), detector)
        if not isinstance(example, CellMap):
            return joined(found, X, example)
        names = ("residual", "expected", "flagged")
        parts = {n: joined([getattr(p, n) for p in found], X, getattr(example, n)) for n in names}
        return replace(example, **parts)

    judge.__doc__ = cleandoc(method.__doc__ or "").replace("Returns\n---", f"{_ROWS}Returns\n---")
    return judge


def _judged(part: Any, detector: Any, method: Any) -> Any:
    found = method(detector, part)
    if isinstance(found, np.ndarray) and hasattr(part, "index"):
        return type(part.index.to_series())(found, index=part.index)
    return found


def collected(detector: Any, X: Any) -> Any:
    """Of a Dask collection, the rows that a detector learns from."""
    rng = np.random.default_rng(check_seed(detector.random_state).randint(2**31 - 1))
    rows, total = drawn(X, DRAWN_ROWS, rng)
    if len(rows) < total:
        warn_user(f"the detector learns from {len(rows)} of {total} rows, drawn at random")
    return rows
