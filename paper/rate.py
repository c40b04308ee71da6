"""Algorithm 1 step by step, with the quantities of its linear rate that a search does not keep.

An oracle: the paper's algorithm in plain array code on a stored K, written apart from the library.
"""

import numpy as np


def steps_of_algorithm_1(K, n_components=3):
    """Norm, bound and gap at each step of the first components.

    With |x^k| = sqrt(c^T K c) / |K c|_1 and rho(c) = c^T K c / |K c|_1, Theorem 2 rests on
    |x^{k+1}| - |x*| <= rho(c^k) (|x^k| - |x*|). Gaps are relative to the norm at the end; a row
    holds the bound on its gap by the step before, and the gap over that of the step before."""
    rows = []
    for component in range(n_components):
        norms, rhos, image, value = search(K)
        gaps = [norm / norms[-1] - 1 for norm in norms]
        for step, (gap, rho) in enumerate(zip(gaps, rhos, strict=True)):
            row = {"component": component, "step": step, "gap": gap, "rho": rho}
            if step:
                row["bound"] = gaps[step - 1] * rhos[step - 1]
                row["ratio"] = gap / gaps[step - 1] if gaps[step - 1] else None
            rows.append(row)
        K = K - np.outer(image, image) / value
    return rows


def search(K):
    """The paper's start and sign steps: norms and rhos on the way, K c and c^T K c at the end."""
    usable = K.diagonal() > 1e-12 * K.diagonal().max()
    merit = np.where(usable, np.abs(K).sum(axis=0) / np.sqrt(np.where(usable, K.diagonal(), 1)), -1)
    signs = np.where(K[:, np.argmax(merit)] < 0, -1.0, 1.0)
    norms, rhos = [], []
    while True:
        image = K @ signs
        value, l1 = signs @ image, np.abs(image).sum()
        norms.append(np.sqrt(value) / l1)
        rhos.append(value / l1)
        following = np.where(image == 0, signs, np.sign(image))
        if (following == signs).all():
            return norms, rhos, image, value
        signs = following
