"""How good the components are: their searches, certified gaps, and classical ones beside them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from l1kpca import L1KernelPCA
from l1kpca.optimality.certificate import certified
from l1kpca.peers.l2 import L2KernelPCA
from l1kpca.report.values import short
from l1kpca.threads import computing

_COMPARED_ROWS = 2000  # of the training rows: more eigenvectors would take too long
_CERTIFIED_ROWS = 500
_CERTIFIED_COMPONENTS = 3
_MOST_STEPS = 60


def quality(detector: Any, X: Any) -> tuple[list[dict[str, Any]], np.ndarray | None]:
    """Facts of each component, and the abnormality of the rows by classical components.

    The latter is None if the detector is classical itself, has too many training rows, or is asked
    about no rows.  One Gram serves the gaps and the classical components.
    """
    pca = detector.pca_
    gaps, classical = getattr(pca, "optimality_gap_", np.zeros(0)), None
    compared = pca.n_components_ and not isinstance(pca, L2KernelPCA)
    if compared and len(pca.X_fit_) <= _COMPARED_ROWS:
        gram = pca.training_gram()
        classical = None if X is None else _classical(detector, gram, X)
        # What is certified is the L1 norm; a search for another one has another optimum.
        maximizes_l1 = isinstance(pca, L1KernelPCA) and getattr(pca.solver, "p", 1) == 1
        if maximizes_l1 and not len(gaps) and len(pca.X_fit_) <= _CERTIFIED_ROWS:
            few = slice(_CERTIFIED_COMPONENTS)
            with computing():
                found = certified(gram, pca.dual_components_[:, few], pca.signs_[few])
            gaps = found.gap
    parts = []
    for j, trace in enumerate(pca.objective_trace_):
        # The first and the last step are among those that are drawn.
        steps = np.linspace(0, len(trace) - 1, min(len(trace), _MOST_STEPS)).round().astype(int)
        part = {
            "share": short(pca.explained_variance_ratio_[j]),
            "objective": short(pca.objective_[j]),
            "steps": int(pca.n_steps_[j]),
            "status": str(pca.status_[j]),
            "trace": list(map(short, trace[steps])),
            "gap": short(gaps[j]) if j < len(gaps) else None,
        }
        parts.append(part)
    return parts, classical


def _classical(detector: Any, gram: Any, X: Any) -> np.ndarray:
    pca = detector.pca_
    same = ("kernel", "degree", "coef0", "kernel_params", "n_jobs", "dtype")
    settings = {name: getattr(pca, name) for name in same} | {"gamma": pca.gamma_}
    # The Gram is centered already.
    twin = L2KernelPCA(pca.n_components_, center=False, gram=gram, random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said of the detector itself
        return detector.judge_with(twin, X, n_scores=0).abnormality
