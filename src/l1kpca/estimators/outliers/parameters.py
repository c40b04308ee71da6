"""Checks of the detector's parameters, one clear sentence for each."""

from numbers import Integral, Real
from typing import Any

from l1kpca.estimators.using import FittedKernelPCA

RULES = ("robust", "paper")


def check_detector(detector: Any) -> None:
    """Refuse values that no fit could use."""
    if not isinstance(detector.rule, str) or detector.rule not in RULES:
        raise ValueError(f"rule={detector.rule!r} must be one of {list(RULES)}")
    _check_pca(detector)
    share = detector.variance_kept
    if not _is_number(share) or not 0 < float(share) <= 1:
        raise ValueError(f"variance_kept={share!r} must be a number above 0 and at most 1")
    _check_contamination(detector.contamination)
    if not isinstance(detector.standardize, bool):
        raise ValueError(f"standardize={detector.standardize!r} must be True or False")
    _check_max_samples(detector)


def is_precomputed(pca: Any) -> bool:
    """Whether rows are given by their kernels with the training rows."""
    return isinstance(getattr(pca, "kernel", None), str) and pca.kernel == "precomputed"


def _check_pca(detector: Any) -> None:
    pca = detector.pca
    if pca is not None and not isinstance(pca, FittedKernelPCA):
        name = repr(pca) if isinstance(pca, type) else type(pca).__name__
        raise ValueError(
            f"pca={name} must be a kernel PCA of l1kpca, such as L1KernelPCA(kernel='rbf'), or None"
        )
    if is_precomputed(pca) and detector.rule == "robust":
        raise ValueError(
            "rule='robust' needs k(x, x), which kernel='precomputed' does not give: use"
            " rule='paper', or a kernel"
        )


def _check_contamination(level: Any) -> None:
    if isinstance(level, str) and level == "auto":
        return
    if not _is_number(level) or not 0 <= float(level) <= 0.5:
        raise ValueError(f"contamination={level!r} must be 'auto' or a number between 0 and 0.5")


def _check_max_samples(detector: Any) -> None:
    most = detector.max_samples
    if most is None or (isinstance(most, str) and most == "auto"):
        return
    if not _is_number(most) or not isinstance(most, Integral) or most < 1:
        raise ValueError(f"max_samples={most!r} must be 'auto', None or a positive integer")
    if is_precomputed(detector.pca):
        raise ValueError(
            f"max_samples={most!r} cannot be used with kernel='precomputed': pass the kernel"
            " matrix of fewer rows instead"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
