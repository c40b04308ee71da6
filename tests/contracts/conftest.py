"""What the contracts share."""

import pytest

from l1kpca import tuning


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture
def small_pieces(monkeypatch):
    """Work is cut into pieces of a few rows, so that small matrices cross the borders of pieces."""
    for name in ("TILE_SIDE", "ROW_SPAN", "LANDMARK_SPAN", "UPDATE_SPAN", "WRITTEN_ROWS"):
        monkeypatch.setattr(tuning, name, 7)
