"""What the paper reports, number by number; ours are put beside it."""

from __future__ import annotations

from collections.abc import Iterable

from l1kpca.experiments.methods import ALGORITHM_1, KPCA_L1, L1_KPCA, L2_KPCA, METHODS, R1_KPCA

REFERENCE = (
    'C. Kim and D. Klabjan, "A Simple and Fast Algorithm for L1-norm Kernel PCA", IEEE Transactions'
    " on Pattern Analysis and Machine Intelligence, 42(8), 2020"
)

EXPLAINED_LINEAR = {R1_KPCA: 96.0, ALGORITHM_1: 95.0, KPCA_L1: 94.0, L1_KPCA: 93.0, L2_KPCA: 90.0}
"""Percent of the variation, about, over all shares of corrupted rows."""

_COLUMNS: list[tuple[str, str | None]] = [
    (method, kernel) for kernel in ("linear", "gaussian") for method in METHODS
]
_COLUMNS += [("LOF", None), ("iForest", None)]
_AUC: dict[str, list[float | None]] = {
    "wbc": [.5208, .5288, .5320, .4658, .4798, .5292, .5340, .5337, .5072, .5224, .3451, .5525],
    "ionosphere": [.6625, .7319, .6834, .7642, .7057, .7238, .6806, .6887, .7041, .6992, .7032,
                   .7067],
    "breastw": [.9250, .9125, .9218, .9269, .9152, .9428, .9287, .9354, .9521, .9309, .3750, .9513],
    "cardio": [.5790, .5551, .5799, .4265, .5066, .6096, .5752, .5963, .5116, .4664, .1921, .5114],
    "musk": [.9947, .9947, .9947, .8055, .9358, .9947, .9947, .9947, .9916, .9947, .0925, .7596],
    "mnist": [.3985, .4002, None, None, .3914, .3966, .3913, None, None, .3639, .1924, .3380],
}  # fmt: skip
AUC = {
    (dataset, *column): value
    for dataset, values in _AUC.items()
    for column, value in zip(_COLUMNS, values, strict=True)
}
"""Area under the precision-recall curve by data set, method and kernel; None: not completed."""

_INFINITE = float("inf")
_MINUTES: dict[str, list[float]] = {
    "wbc": [0.0, 0.0, 0.1, 0.2, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0],
    "ionosphere": [0.0, 0.0, 0.1, 0.2, 0.0, 0.0, 0.0, 0.1, 0.2, 0.0],
    "breastw": [0.0, 0.0, 0.1, 0.2, 0.0, 0.0, 0.0, 0.1, 0.1, 0.0],
    "cardio": [0.0, 1.9, 12.3, 7.6, 0.1, 0.0, 1.8, 15.3, 6.2, 0.1],
    "musk": [0.5, 69.6, 999.1, 973.5, 0.3, 0.5, 12.9, 1018.0, 968.3, 0.1],
    "mnist": [0.9, 263.3, _INFINITE, _INFINITE, 1.8, 1.0, 263.2, _INFINITE, _INFINITE, 1.8],
}
MINUTES = {
    (dataset, *column): value
    for dataset, values in _MINUTES.items()
    for column, value in zip(_COLUMNS, values, strict=False)
}
"""Minutes for all components; infinite: more than a day."""


def datasets_of(present: Iterable[str]) -> list[str]:
    """The data sets that are present, in the order of the paper's tables.

    Examples
    --------
    >>> datasets_of(["cardio", "wbc", "cardio"])
    ['wbc', 'cardio']
    """
    found = set(present)
    return [name for name in _AUC if name in found]


def time_ratio(dataset: str, method: str, kernel: str) -> float | None:
    """The paper's time over that of Algorithm 1; None where the latter is given as zero.

    Examples
    --------
    >>> time_ratio("mnist", "L2-KPCA", "linear")
    2.0
    >>> time_ratio("wbc", "L2-KPCA", "linear") is None
    True
    """
    unit = MINUTES[dataset, ALGORITHM_1, kernel]
    return MINUTES[dataset, method, kernel] / unit if unit > 0 else None
