"""Speed and memory against the peers, as ratios measured in one run; nothing here draws."""

from l1kpca.bench.base import DEFAULT_BUDGET, DEFAULT_MINUTES, Settings
from l1kpca.bench.results import read_results
from l1kpca.bench.runner import PARTS, run

__all__ = ["DEFAULT_BUDGET", "DEFAULT_MINUTES", "PARTS", "Settings", "read_results", "run"]
