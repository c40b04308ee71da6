"""From a table to numbers: learned once, then applied to any rows."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.links import Documented
from l1kpca.tables import kinds as k
from l1kpca.tables.categories import learn_categories
from l1kpca.tables.features import PARTS, Change, far_out, gaps, read_columns
from l1kpca.tables.written import DAY

_LEAST = {"value": 0.0, "gap": 0.3, "rarity": 1.0, "position": 1.0}  # gap: one is twice the other


@dataclass(frozen=True, eq=False)
class Encoded:
    """Rows as numbers, and the encoder and the table they come from."""

    X: Array
    encoder: "TableEncoder"
    table: Any
    changes: tuple[Change, ...] = ()

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: Any) -> "Encoded":
        frame = nw.from_native(self.table, eager_only=True, pass_through=True)
        return replace(self, X=self.X[rows], table=nw.to_native(frame[rows], pass_through=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.X, dtype=dtype) if copy else np.asarray(self.X, dtype=dtype)


class TableEncoder(Documented, TransformerMixin, BaseEstimator):
    """Turn the columns of a table into numbers, whatever they hold; holes become NaN.

    Parameters
    ----------
    kinds : dict, default=None
        Kinds of columns that the encoder should not decide by itself.

    Attributes
    ----------
    kinds_, reasons_ : dict
        What each column was taken for, and why: "number", "category", "boolean" or "date"; or "id",
        "text", "constant" or "empty", which are left out.
    columns_ : list of str
        Columns that are used.
    column_of_ : ndarray of shape (n_features_out,)
        The place of each feature's column in ``columns_``.
    least_spread_ : ndarray of shape (n_features_out,)
        The least spread to divide a feature by: 1 for those of categories, which are scaled.
    n_features_in_, feature_names_in_ : int and ndarray of str
        The columns at fit.

    Examples
    --------
    >>> import pandas as pd
    >>> from l1kpca import TableEncoder
    >>> table = pd.DataFrame({"price": ["$1,200", "$80", "-"], "kind": ["a", "b", "a"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.kinds_
    {'price': 'number', 'kind': 'category'}
    >>> encoder.transform(table)[:, 0]
    array([1200.,   80.,   nan])
    """

    unread_: Mapping[str, float] = MappingProxyType({})  # older model files do not tell

    def __init__(self, kinds: Mapping[str, str] | None = None) -> None:
        self.kinds = kinds

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn what the columns are, from all rows or a uniform sample of them.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow frame, or an array, whose numbers stay as they are.
        y : ignored

        Returns
        -------
        self : object
        """
        X = self._checked(X, reset=True)
        columns, said = k.as_columns(X), self.kinds or {}
        if len(X) > tuning.KIND_ROWS:
            rng = np.random.default_rng(0)
            rows = np.sort(rng.choice(len(X), tuning.KIND_ROWS, replace=False))
            columns = {name: cells[rows] for name, cells in columns.items()}
        for name, word in said.items():
            if name not in columns or word not in k.KINDS:
                wanted = f"give a column, and one of {', '.join(k.KINDS)}"
                raise ValueError(f"kinds has {name!r}: {word!r}; {wanted}")
        self.plan_ = dict.fromkeys(columns, k.Kind("number", "an array of numbers"))
        if k.is_table(X):
            self.plan_ = {name: k.kind_of(name, columns[name], said.get(name)) for name in columns}
        self.kinds_ = {name: kind.kind for name, kind in self.plan_.items()}
        if not {"number", "date"} & {*self.kinds_.values()}:  # booleans are the numbers
            for name, kind in self.plan_.items():
                self.plan_[name] = replace(kind, as_number=kind.kind == "boolean")
        self.reasons_ = {name: kind.reason for name, kind in self.plan_.items()}
        self.columns_ = [name for name, kind in self.kinds_.items() if kind in k.USED]
        if not self.columns_:
            why = ", ".join(f"{name} ({kind})" for name, kind in [*self.kinds_.items()][:8])
            raise ValueError(f"no column can be used: {why}; give numbers, categories or dates")
        self._learn(columns)
        return self

    def transform(self, X: Any) -> Array:
        """Rows as numbers, NaN for holes; the rows beside a row make no difference.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)

        Returns
        -------
        X_new : ndarray of shape (n_rows, n_features_out)
        """
        check_is_fitted(self)
        return self.encode(self._checked(X, reset=False)).X

    def encode(self, X: Any) -> Encoded:
        """Rows as numbers, with a list of the cells that are not taken as they are written.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            The columns that are used, in any order; others make no difference.

        Returns
        -------
        encoded : Encoded
        """
        check_is_fitted(self)
        columns = k.as_columns(X, self.plan_)
        for name in self.columns_:
            if name not in columns:
                raise ValueError(f"X lacks the column {name!r}, on which the encoder was fitted")
        numbers, words, changes = read_columns(columns, self.plan_, self.unread_)
        codes = {part: c.codes(words[part]) for part, c in self.categories_.items()}
        parts, out = list(codes), np.empty((len(X), len(self.features_)))
        for place, (name, part, what) in enumerate(self.features_):
            if what == "value":
                cells = numbers[name, part]
                out[:, place] = np.where(np.isinf(cells), self.unread_.get(name, np.nan), cells)
            elif what == "gap":
                days = numbers[name, part]
                out[:, place] = gaps(np.where(np.isinf(days), np.nan, days), self.times_[name])
            else:
                category, own = self.categories_[name, part], codes[name, part]
                given = codes[parts[category.parent]] if category.parent >= 0 else -1
                rare = what == "rarity"
                found = category.rarity[given, own] if rare else category.position[own]
                out[:, place] = np.where(own < 0, np.nan, found)
                new = own == len(category.levels)
                if new.any() and rare and not part:
                    example = repr(words[name, part][int(new.argmax())])
                    changes.append(Change(name, "never seen before", int(new.sum()), example))
        return Encoded(out, self, X, tuple(changes))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features.

        Parameters
        ----------
        input_features : array-like of str, default=None

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        shown = dict(zip(self.plan_, _check_feature_names_in(self, input_features), strict=True))
        names = []
        for name, part, what in self.features_:
            said = part if what == "rarity" and part else "" if what == "value" else what
            names.append(f"{shown[name]} {said}".strip())
        return np.array(names, dtype=object)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        how: Any = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
        how = {"skip_check_array": True} if k.is_table(X) else how
        return validate_data(self, X, reset=reset, **how)

    def _learn(self, columns: Mapping[str, Array]) -> None:
        numbers, words, _ = read_columns(columns, self.plan_, {})
        words = {part: cells for part, cells in words.items() if len({*cells} - {None}) > 1}
        categories = learn_categories(list(words.values()), list(numbers.values()))
        self.categories_ = dict(zip(words, categories, strict=True))
        self.unread_, self.times_, self.features_ = {}, {}, []
        for name, part in itertools.product(self.columns_, PARTS):
            if (cells := numbers.get((name, part))) is not None:
                self.unread_[name] = far_out(cells)
                self.features_.append((name, part, "value"))
                if part:
                    self.times_[name] = np.unique(cells[np.isfinite(cells)])
                    self.features_.append((name, part, "gap"))
            elif (category := self.categories_.get((name, part))) is not None:
                self.features_.append((name, part, "rarity"))
                if category.position.any() and not part:
                    self.features_.append((name, part, "position"))
        place = dict(zip(self.columns_, range(len(self.columns_)), strict=True))
        self.column_of_ = np.array([place[name] for name, _, _ in self.features_])
        self.least_spread_ = np.array([_LEAST[what] for _, _, what in self.features_])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def by_column(encoder: TableEncoder, values: Array, how: np.ufunc = np.add) -> Array:
    """Combine the values of features by the columns that they come from."""
    starts = np.searchsorted(encoder.column_of_, np.arange(len(encoder.columns_)))
    return how.reduceat(values, starts, axis=1)


def unread_cells(encoder: TableEncoder, X: Array) -> Array:
    """Which cells could not be read, by column; those of a column with many of them are holes."""
    found = np.zeros((len(X), len(encoder.columns_)), dtype=bool)
    for place, (name, _, what) in enumerate(encoder.features_):
        if what == "value":
            found[:, encoder.column_of_[place]] = X[:, place] == encoder.unread_.get(name, np.nan)
    return found


def expected_cells(encoder: TableEncoder, X: Any, values: Array) -> Array:
    """What cells should have been, in the words of the table, given their features."""
    words = read_columns(k.as_columns(X, encoder.plan_), encoder.plan_, {})[1]
    out = np.empty((len(values), len(encoder.columns_)), dtype=object)
    for (name, part, what), column, value in zip(
        encoder.features_, encoder.column_of_, values.T, strict=True
    ):
        if what == "value" and part:
            whole_days = not np.any(encoder.times_[name] % 1)
            per_day, unit = (1, "datetime64[D]") if whole_days else (DAY, "datetime64[s]")
            moments = np.rint(np.nan_to_num(value) * per_day).astype(unit)
            out[:, column] = np.where(np.isfinite(value), moments.astype(str), None)
        elif what == "value":
            out[:, column] = value
        elif not part:
            own, given = encoder.categories_[name, part], np.array(-1)
            if own.parent >= 0:
                above = list(encoder.categories_)[own.parent]
                given = encoder.categories_[above].codes(words[above])
            out[:, column] = np.array(own.levels, dtype=object)[own.likely[given]]
    return out
