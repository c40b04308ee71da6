"""The figures of the reproduction by name; each reads tidy rows and runs nothing."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from l1kpca.plots import experiments_beyond, experiments_tables, experiments_toys

FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    **experiments_tables.FIGURES,
    **experiments_toys.FIGURES,
    **experiments_beyond.FIGURES,
}
"""From the name of a figure to a function that draws it from the rows of its experiment."""
