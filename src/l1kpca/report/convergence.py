"""How the search for each component went, and how good its result is at least."""

from __future__ import annotations

from typing import Any

import numpy as np

from l1kpca.components.certificate import Certifier
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA
from l1kpca.report.packing import short
from l1kpca.threads import single_threaded_blas

_CERTIFIED_ROWS = 500
_CERTIFIED_COMPONENTS = 3
_MOST_STEPS = 60


def convergence(pca: Any) -> list[dict[str, Any]]:
    """Facts of each component, as what JSON can hold.

    Parameters
    ----------
    pca : kernel PCA
        Fitted.

    Returns
    -------
    components : list of dict
        Share of variance, L1 norm of the scores, steps, how the search ended, the objective of
        each step, and the certified gap where there is one.
    """
    gaps = _gaps(pca)
    return [
        {
            "share": short(float(pca.explained_variance_ratio_[j])),
            "objective": short(float(pca.objective_[j])),
            "steps": int(pca.n_iter_[j]),
            "status": str(pca.status_[j]),
            "trace": [short(float(value)) for value in _thinned(pca.objective_trace_[j])],
            "gap": short(float(gaps[j])) if j < len(gaps) else None,
        }
        for j in range(pca.n_components_)
    ]


def _gaps(pca: Any) -> np.ndarray:
    """What is certified: all components if the model was, else the first few where it is cheap."""
    if hasattr(pca, "optimality_gap_"):
        return pca.optimality_gap_
    maximises_l1 = isinstance(pca, L1KernelPCA) and pca.solver != "lp"
    if not maximises_l1 or len(pca.X_fit_) > _CERTIFIED_ROWS or not pca.n_components_:
        return np.zeros(0)
    few = slice(min(_CERTIFIED_COMPONENTS, pca.n_components_))
    with single_threaded_blas():
        found = Certifier().certify(
            pca.training_gram(), pca.dual_components_[:, few], pca.signs_[few]
        )
    return found.gap


def _thinned(trace: np.ndarray) -> np.ndarray:
    """At most so many steps, the first and the last among them."""
    if len(trace) <= _MOST_STEPS:
        return trace
    return trace[np.linspace(0, len(trace) - 1, _MOST_STEPS).astype(int)]
