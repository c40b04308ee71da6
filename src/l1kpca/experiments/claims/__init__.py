"""Each claim of the paper with its criterion, and the code that decides it from rows."""

from l1kpca.experiments.claims import beyond, outliers, robustness, runtime, toys
from l1kpca.experiments.verdicts import Claim

ALL_CLAIMS: tuple[Claim, ...] = (
    *robustness.CLAIMS,
    *toys.CLAIMS,
    *outliers.CLAIMS,
    *runtime.CLAIMS,
    *beyond.CLAIMS,
)

__all__ = ["ALL_CLAIMS"]
