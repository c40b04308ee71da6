"""Data with known outliers: six real data sets by name, and seeded generators."""

from l1kpca.datasets.download import FetchError, fetch
from l1kpca.datasets.generators import LowRankData, make_line, make_low_rank, make_spiral
from l1kpca.datasets.loaders import (
    Dataset,
    DatasetInfo,
    available,
    default_cache_dir,
    info,
    load,
    names,
)

__all__ = [
    "Dataset", "DatasetInfo", "FetchError", "LowRankData", "available", "default_cache_dir",
    "fetch", "info", "load", "make_line", "make_low_rank", "make_spiral", "names",
]  # fmt: skip
