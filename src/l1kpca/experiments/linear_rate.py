"""Algorithm 1 step by step, with the quantities of its linear rate that a search does not keep."""

from __future__ import annotations

import numpy as np

from l1kpca._typing import Array
from l1kpca.journal import Row


def steps_of_algorithm_1(K: Array, n_components: int = 3) -> list[Row]:
    r"""Norm, bound and gap at each step of the first components.

    With :math:`\|x^k\| = \sqrt{c^T K c} / \|K c\|_1` and
    :math:`\rho(c) = c^T K c / \|K c\|_1`, Theorem 2 rests on

    .. math:: \|x^{k+1}\| - \|x^*\| \le \rho(c^k) (\|x^k\| - \|x^*\|).

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        The Gram matrix.
    n_components : int, default=3
        How many components, by deflation.

    Returns
    -------
    rows : list of dict
        ``component``, ``step``, ``gap``, ``rho``, the ``bound`` on this gap by the step before, and
        ``ratio``, the gap over that of the step before.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0, -1.0], [1.0, 3.0, 0.5], [-1.0, 0.5, 1.0]])
    >>> last = steps_of_algorithm_1(K, 1)[-1]
    >>> last["gap"], round(last["rho"], 6)
    (0.0, 1.0)
    """
    rows: list[Row] = []
    for component in range(n_components):
        norms, rhos, image, value = _search(K)
        rows += _gaps(component, norms, rhos)
        K = K - np.outer(image, image) / value
    return rows


def _search(K: Array) -> tuple[list[float], list[float], Array, float]:
    usable = K.diagonal() > 1e-12 * K.diagonal().max()
    merit = np.where(usable, np.abs(K).sum(axis=0) / np.sqrt(np.where(usable, K.diagonal(), 1)), -1)
    signs = np.where(K[:, int(np.argmax(merit))] < 0, -1.0, 1.0)
    norms, rhos = [], []
    while True:
        image = K @ signs
        value, l1 = float(signs @ image), float(np.abs(image).sum())
        norms.append(float(np.sqrt(value)) / l1)
        rhos.append(value / l1)
        following = np.where(image == 0, signs, np.sign(image))
        if (following == signs).all():
            return norms, rhos, image, value
        signs = following


def _gaps(component: int, norms: list[float], rhos: list[float]) -> list[Row]:
    gaps = [norm - norms[-1] for norm in norms]
    rows: list[Row] = []
    for step, gap in enumerate(gaps):
        before = gaps[step - 1] if step else None
        rows.append(
            {
                "component": component,
                "step": step,
                "gap": gap / norms[-1],
                "rho": rhos[step],
                "bound": None if before is None else before * rhos[step - 1] / norms[-1],
                "ratio": None if not before else gap / before,
            }
        )
    return rows
