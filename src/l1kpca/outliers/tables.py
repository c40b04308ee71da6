"""Data frames and Dask collections at the door of the detector, and its answers like them."""

import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from l1kpca._typing import Array
from l1kpca.checks import check_seed, is_dask
from l1kpca.estimators.advice import warn_user
from l1kpca.gram.collections import dask_array, drawn, example_of, joined, on_partitions
from l1kpca.outliers.cells import CellMap
from l1kpca.outliers.parameters import is_precomputed
from l1kpca.tables.encoder import Encoded, TableEncoder, by_column, expected_cells
from l1kpca.tables.kinds import is_frame
from l1kpca.tables.totals import totals_among

DRAWN_ROWS = 200_000
"""Rows of a Dask collection that a detector learns from."""


def encoded(detector: Any, X: Any, *, reset: bool) -> tuple[Array | None, TableEncoder | None]:
    """The numbers of a table and their encoder; None if X is no table or no encoder was fitted."""
    encoder: Any = None if reset else detector.encoder_
    if isinstance(X, Encoded):
        encoder = X.encoder
        for name in ("n_features_in_", "feature_names_in_") if reset else ():
            if hasattr(encoder, name):
                setattr(detector, name, getattr(encoder, name))
    elif is_precomputed(detector.pca) or (encoder is None and not (reset and is_frame(X))):
        return None, encoder
    else:
        validate_data(detector, X, reset=reset, skip_check_array=True)
        encoder = TableEncoder().fit(X) if reset else encoder
        X = encoder.encode(X)
        for sentence in _notes(encoder, X) if reset else ():
            warn_user(sentence)
    return check_array(X.X, ensure_all_finite="allow-nan"), encoder


def _notes(encoder: TableEncoder, X: Encoded) -> list[str]:
    """What is not looked at and why, which cells are not taken as written, and rows of totals."""
    notes, changes = [], X.changes
    unused = [name for name in encoder.kinds_ if name not in encoder.columns_]
    if unused:
        why = [f"{name} ({encoder.kinds_[name]}: {encoder.reasons_[name]})" for name in unused]
        count = f"{len(unused)} of {len(encoder.kinds_)}"
        notes.append(f"{count} columns are left out: {_first_five(why, ', ')}")
    if changes:
        said = [f"{each.column}: {each.example}, {each.what}" for each in changes]
        total = sum(each.count for each in changes)
        verb = "cell is" if total == 1 else "cells are"
        notes.append(f"{total} {verb} not taken as written ({_first_five(said, '; ')})")
    return [*notes, *totals_among(X)]


def _first_five(texts: list[str], between: str) -> str:
    return between.join([*texts[:5], *(["..."] if len(texts) > 5 else [])])


def in_columns(detector: Any, X: Any, values: Array) -> Any:
    """A number for each feature as one for each column of the table; a frame if X is one."""
    if detector.encoder_ is None:
        return values
    return _like(X, by_column(detector.encoder_, values), detector.encoder_)


def cells_in_columns(detector: Any, X: Any, found: CellMap) -> CellMap:
    """The cells of the table: of the features of a column, the one with the largest residual."""
    encoder = detector.encoder_
    low, high = (by_column(encoder, found.residual, how) for how in (np.minimum, np.maximum))
    table = X.table if isinstance(X, Encoded) else X
    return CellMap(
        residual=_like(X, np.where(-low > high, low, high), encoder),
        expected=_like(X, expected_cells(encoder, table, found.expected), encoder),
        flagged=_like(X, by_column(encoder, found.flagged, np.logical_or), encoder),
        cutoff=found.cutoff,
    )


def _like(X: Any, values: Array, encoder: TableEncoder) -> Any:
    """Values as a frame of the kind of X, with its index; as they are if X is none."""
    X = X.table if isinstance(X, Encoded) else X
    if not is_frame(X):
        return values
    columns = {n: np.array(v.tolist()) for n, v in zip(encoder.columns_, values.T, strict=True)}
    new = nw.from_dict(columns, backend=nw.from_native(X).implementation).to_native()
    if hasattr(new, "index"):
        new.index = X.index
    return new


def in_partitions(method: Callable[[Any, Any], Any]) -> Any:
    """Let a method that judges each row by itself take Dask collections, and return them."""

    @wraps(method)
    def judge(detector: Any, X: Any) -> Any:
        if not is_dask(X):
            return method(detector, X)
        check_is_fitted(detector)
        validate_data(detector, example_of(X), skip_check_array=True, reset=False)
        X = X if detector.encoder_ is not None else dask_array(X, lengths=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these rows are made up
            rows = getattr(X, "_meta_nonempty", np.zeros((1, X.shape[1])))
            example = _judged(rows, detector, method)
        found = on_partitions(X, partial(_judged, method=method), detector)
        if not isinstance(example, CellMap):
            return joined(found, X, example)
        parts = {
            name: joined([getattr(part, name) for part in found], X, getattr(example, name))
            for name in ("residual", "expected", "flagged")
        }
        return CellMap(**parts, cutoff=example.cutoff)

    return judge


def _judged(part: Any, detector: Any, method: Any) -> Any:
    found = method(detector, part)
    if isinstance(found, np.ndarray) and hasattr(part, "index"):
        return type(part.index.to_series())(found, index=part.index)
    return found


def collected(detector: Any, X: Any) -> Any:
    """Of a Dask collection, the rows that a detector learns from; anything else as it is."""
    if not is_dask(X):
        return X
    rng = np.random.default_rng(check_seed(detector.random_state).randint(2**31 - 1))
    rows, total = drawn(X, DRAWN_ROWS, rng)
    if len(rows) < total:
        warn_user(f"the detector learns from {len(rows)} of {total} rows, drawn at random")
    return rows
