"""What the detector's parameters stand for, and checks of them: one clear sentence for each."""

from typing import Any

from sklearn.base import clone

from l1kpca.checks import is_int
from l1kpca.estimators.fitted import FittedKernelPCA
from l1kpca.outliers.novelty import Novelty
from l1kpca.outliers.paper import Paper
from l1kpca.outliers.robust import Robust
from l1kpca.outliers.rules import Rule, is_number

RULES: dict[str, type[Rule]] = {"robust": Robust, "novelty": Novelty, "paper": Paper}
"""What ``rule="..."`` stands for."""


def make_rule(rule: Any, contamination: Any = "auto") -> Rule:
    """The rule of a name, or the rule itself; what "auto" is depends on ``contamination``."""
    if isinstance(rule, Rule):
        return rule
    if not isinstance(rule, str) or rule not in ("auto", *RULES):
        raise ValueError(f"rule={rule!r} must be one of {['auto', *RULES]}, or a rule object")
    return RULES[rule_name(rule, contamination)]()


def rule_name(rule: Any, contamination: Any = "auto") -> str:
    """The name of a rule, with "auto" spelled out."""
    if not isinstance(rule, str):
        return type(rule).__name__
    is_clean = is_number(contamination) and float(contamination) == 0
    return rule if rule != "auto" else "novelty" if is_clean else "robust"


def make_pca(detector: Any, rule: Rule, n_columns: int, seed: int) -> Any:
    """The kernel PCA that is given, or the rule's own; what it leaves open is the detector's."""
    pca = rule.kernel_pca(n_columns) if detector.pca is None else clone(detector.pca)
    jobs, limit = detector.n_jobs, detector.memory_limit
    own = {"random_state": seed, "n_jobs": jobs, "memory_limit": limit}
    return pca.set_params(**{name: own[name] for name in own if getattr(pca, name) is None})


def check_detector(detector: Any) -> Rule:
    """The rule; refuses values that no fit could use."""
    rule = make_rule(detector.rule, detector.contamination)
    pca, scaling = detector.pca, detector.scaling
    if pca is not None and not isinstance(pca, FittedKernelPCA):
        name = repr(pca) if isinstance(pca, type) else type(pca).__name__
        raise ValueError(
            f"pca={name} must be a kernel PCA of l1kpca, such as L1KernelPCA(kernel='rbf'), or None"
        )
    if is_precomputed(pca) and rule.needs_norms:
        raise ValueError(
            f"rule={detector.rule!r} needs k(x, x), which kernel='precomputed' does not give: use"
            " rule='paper', or a kernel"
        )
    level, most = detector.contamination, detector.max_samples
    if not _is_auto(level) and not (is_number(level) and 0 <= float(level) <= 0.5):
        raise ValueError(f"contamination={level!r} must be 'auto' or a number between 0 and 0.5")
    if scaling is not None and not (isinstance(scaling, str) and scaling in ("columns", "common")):
        raise ValueError(f"scaling={scaling!r} must be 'columns', 'common' or None")
    if most is not None and not _is_auto(most):
        if not is_int(most) or most < 1:
            raise ValueError(f"max_samples={most!r} must be 'auto', None or a positive integer")
        if is_precomputed(pca):
            raise ValueError(
                f"max_samples={most!r} cannot be used with kernel='precomputed': pass the kernel"
                " matrix of fewer rows instead"
            )
    return rule


def is_precomputed(pca: Any) -> bool:
    """Whether rows are given by their kernels with the training rows."""
    return isinstance(getattr(pca, "kernel", None), str) and pca.kernel == "precomputed"


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
