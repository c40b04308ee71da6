"""What the functions of this package are given: a matrix or a model, and a budget."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from l1kpca.estimators.validation import check_count, check_kernel_matrix
from l1kpca.gram.base import Gram
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.threads import Workers


def check_budget(max_nodes: Any, max_seconds: Any) -> None:
    """Refuse budgets that are not numbers, or not positive."""
    check_count("max_nodes", max_nodes)
    if not isinstance(max_seconds, Real) or not float(max_seconds) > 0:
        raise ValueError(f"max_seconds={max_seconds!r} must be a positive number")


def problem_of(K_or_model: Any) -> Gram:
    """The Gram of the first component: a symmetric matrix as it is, or that of a fitted model."""
    if hasattr(K_or_model, "training_gram"):
        return K_or_model.training_gram()
    K = check_array(K_or_model, dtype=[np.float64, np.float32], input_name="K")
    return PrecomputedGram(check_kernel_matrix(K, Workers())[0], Workers())
