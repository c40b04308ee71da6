"""Cells and arrays as text: for readers, for JSON, and safe inside a page."""

import numpy as np
import pandas as pd
import pytest

from l1kpca.report import document


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.int64(3), 3), (float("nan"), None), (np.bool_(True), True), (pd.NaT, None), ("a", "a")],
)
def test_plain_values(value, plain):
    assert document.plain_value(value) == plain


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.123456789, "0.1235"),
        (91552.89, "91,552.89"),
        (-1e5, "-100,000"),
        (1e20, "1e+20"),
        ("two\nlines", "two lines"),
        ("red \x1b[31m", "red \ufffd[31m"),
        (None, "missing"),
        ("x" * 50, "x" * 37 + "..."),
    ],
)
def test_cells_for_readers(value, shown):
    assert document.shown_value(value) == shown


def test_what_was_typed_is_kept_in_full():
    assert document.short(0.1 + 0.2) == 0.3
    assert document.short(91552.89) == 91552.89
    assert document.short(10**20) == "100000000000000000000"
    assert document.short("x" * 200) == "x" * 117 + "..."


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.02134, 0.0897), "0.021 to 0.09"),
        ((-3.0, 91552.89), "-3 to 91,553"),
        ((1936.0, 2013.0), "1936 to 2013"),
        ((5772.0, 26414.0), "5,772 to 26,414"),
        ((1e-9, 3e-9), "1e-09 to 3e-09"),
        ((5.0, 5.0), "5 to 5"),
        ((0.0, 0.0), "0 to 0"),
        ((float("nan"), float("nan")), "missing"),
    ],
)
def test_ranges_have_the_digits_that_tell_their_ends_apart(ends, text):
    assert document.range_text(*ends) == text


def test_inside_a_page():
    assert document.embedded({"name": "</script>"}) == '{"name":"\\u003c/script\\u003e"}'
    assert document.packed(np.array([1, 2]), "u4") == "AQAAAAIAAAA="
    assert list(document.within(["ab", "cd", "ef"], 10)) == ["ab", "cd"]
