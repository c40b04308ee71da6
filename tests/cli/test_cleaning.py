"""From columns to numbers: learned once, frozen, the same for every row after."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1kpca.cli.cleaning import learn_recipe
from l1kpca.cli.recipes import Recipe
from l1kpca.cli.tables import Table


def table_of(**columns):
    return Table(pd.DataFrame(columns), "rows")


def cleaned(table):
    recipe, notes = learn_recipe(table)
    X, more = recipe.apply(table, "median")
    return X, [*notes, *more]


def test_numbers_pass_unchanged():
    X, notes = cleaned(table_of(a=[1.5, 2.0, -3.0], b=[1, 2, 4], c=[True, False, True]))
    np.testing.assert_array_equal(X, [[1.5, 1, 1], [2, 2, 0], [-3, 4, 1]])
    assert X.columns.tolist() == ["a", "b", "c"]
    assert notes == []


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None, 3, 8], dtype="Int64"),
        pd.array([1.0, None, 3.0, 8.0], dtype="Float64"),
        np.array([1, np.nan, 3, 8]),
        np.array([1, np.nan, 3, 8], dtype=np.float32),
        [Decimal(1), None, Decimal(3), Decimal(8)],
        ["1", None, "3", "8"],
        [1, None, 3, 8],
    ],
    ids=["Int64", "Float64", "float64", "float32", "decimal", "text", "object"],
)
def test_a_missing_number_becomes_the_median_of_the_others(column):
    X, notes = cleaned(table_of(a=column, b=[1, 2, 5, 4]))
    assert X["a"].tolist() == [1, 3, 3, 8]
    assert notes == ["1 missing value was filled in, numbers by the median of their column (a: 1)"]


def test_few_words_become_one_column_each():
    X, notes = cleaned(table_of(a=[1, 2, 3, 4], kind=["x", "y", None, "x"]))
    assert X.columns.tolist() == ["a", "kind=x", "kind=y"]
    assert X["kind=x"].tolist() == [1, 0, 0, 1]
    assert X["kind=y"].tolist() == [0, 1, 0, 0]
    assert notes == [
        "column 'kind' is text: each of its 2 values becomes a 0/1 column",
        "1 missing value was filled in, numbers by the median of their column (kind: 1)",
    ]


def test_categories_and_dates():
    X, notes = cleaned(
        table_of(
            a=[1, 2, 3],
            b=pd.Categorical(["u", "v", "u"]),
            day=pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
            same=["k", "k", "k"],
        )
    )
    assert X.columns.tolist() == ["a", "b=u", "b=v"]
    assert notes == [
        "column 'b' is text: each of its 2 values becomes a 0/1 column",
        "column 'day' holds times and is left out",
        "column 'same' has the same value in every row and is left out",
    ]


def test_many_words_are_left_out():
    words = [f"w{i}" for i in range(11)]
    X, notes = cleaned(table_of(a=np.arange(11) % 3, b=np.arange(11) % 2, words=words))
    assert X.columns.tolist() == ["a", "b"]
    assert notes == [
        "column 'words' is text with 11 different values (more than 10) and is left out"
    ]


def test_dates_of_python_are_text_like_any_other():
    days = [dt.date(2020, 1, i) for i in range(1, 13)]
    X, _ = cleaned(table_of(a=np.arange(12) % 5, b=np.arange(12) % 2, day=days))
    assert X.columns.tolist() == ["a", "b"]


def test_a_counter_is_pointed_out():
    _, notes = cleaned(table_of(number=np.arange(5, 20), b=np.arange(15) % 4))
    assert notes == ["column 'number' counts the rows: if it is an id, say so by --id number"]


def test_single_precision_is_kept_if_all_columns_have_it():
    single = np.ones(3, dtype=np.float32)
    assert (cleaned(table_of(a=single, b=single))[0].dtypes == np.float32).all()
    assert (cleaned(table_of(a=single, b=np.ones(3)))[0].dtypes == np.float64).all()


def test_new_rows_are_filled_by_the_medians_of_the_training_rows():
    recipe, _ = learn_recipe(table_of(a=[1.0, 2.0, 9.0], kind=["x", "y", "x"]))
    new = table_of(kind=["y", "never seen"], extra=[0, 0], a=[np.nan, 100.0])
    X, notes = recipe.apply(new, "median")
    np.testing.assert_array_equal(X, [[2, 0, 1], [100, 0, 0]])
    assert notes == [
        (
            "column 'kind' has 1 values that the model never saw, such as 'never seen': they count"
            " as none of the known ones"
        ),
        "1 missing value was filled in, numbers by the median of their column (a: 1)",
    ]


def test_a_column_may_be_missing_altogether_from_new_rows_but_not_its_name():
    recipe, _ = learn_recipe(table_of(a=[1.0, 2.0, 9.0], b=[1.0, 2.0, 4.0]))
    X, _ = recipe.apply(table_of(a=[None, None], b=[1.0, 2.0]), "median")
    assert X["a"].tolist() == [2, 2]


CELLS = st.one_of(st.none(), st.floats(-1e6, 1e6), st.integers(-1000, 1000))


@given(
    numbers=st.lists(CELLS, min_size=3, max_size=12).filter(
        lambda c: any(x is not None for x in c)
    ),
    seed=st.integers(0, 99),
)
def test_a_row_is_cleaned_alike_alone_and_among_others(numbers, seed):
    words = np.random.default_rng(seed).choice(["u", "v", "w"], size=len(numbers))
    words[:2] = ["u", "v"]
    frame = pd.DataFrame({"a": pd.array(numbers, dtype="Float64"), "b": words})
    recipe, _ = learn_recipe(Table(frame, "rows"))
    again = Recipe.from_plain(recipe.to_plain())
    assert again == recipe
    together, _ = recipe.apply(Table(frame, "rows"), "median")
    assert np.isfinite(together.to_numpy()).all()
    for row in range(len(frame)):
        alone, _ = again.apply(Table(frame.iloc[[row]], "rows"), "median")
        np.testing.assert_array_equal(alone.iloc[0], together.iloc[row])
