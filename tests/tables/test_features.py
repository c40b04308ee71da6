"""What becomes of a cell that cannot be read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1kpca.tables.features import far_out

COLUMNS = {
    "spread": np.arange(50.0),
    "most alike": np.where(np.arange(50) == 7, 9.0, 5.0),  # the quantiles are equal
    "all alike": np.full(50, 5.0),
    "zeros": np.zeros(50),
    "tiny": 1e-200 * np.arange(50.0),
}


@pytest.mark.parametrize("numbers", COLUMNS.values(), ids=COLUMNS)
def test_a_cell_that_cannot_be_read_is_far_beyond_all_others(numbers):
    far = far_out(np.append(numbers, np.inf))
    assert far - numbers.max() > 5 * np.ptp(numbers)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.floats(-1e6, 1e6))
def test_it_moves_with_the_column(cells, shift):
    """Also by rounding errors only."""
    numbers = np.array(cells)
    far = far_out(numbers)
    assert far > np.quantile(numbers, 0.5, method="inverted_cdf")
    if np.ptp(numbers) > 1e-3:
        assert far_out(numbers + shift) == pytest.approx(far + shift, rel=1e-6, abs=1e-2)


def test_many_such_cells_are_holes():
    numbers = np.arange(100.0)
    numbers[:1] = np.inf
    assert np.isfinite(far_out(numbers))
    numbers[:2] = np.inf
    assert np.isfinite(far_out(numbers))
    numbers[:3] = np.inf
    assert np.isnan(far_out(numbers))
    assert np.isnan(far_out(np.array([np.inf])))
