"""The region of ordinary rows in the plane of two components."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from l1kpca.estimators.outliers.rules import QUANTILE, PaperRule


def tolerance_ellipse(
    rule: Any, first: int = 0, second: int = 1
) -> tuple[float, float, float, float] | None:
    r"""Center and half axes of the ellipse that holds 97.5 % of ordinary rows.

    With m and s the center and scale of the rule, the ellipse is

    .. math:: (y_1 - m_1)^2 / s_1^2 + (y_2 - m_2)^2 / s_2^2 = \chi^2_{2; 0.975}

    Parameters
    ----------
    rule : PaperRule or RobustRule
        Fitted, the ``rule_`` of a detector.
    first, second : int, default=0 and 1
        The components.

    Returns
    -------
    ellipse : tuple of float or None
        Two coordinates of the center and two half axes; None if the rule does not look at both
        components, or they do not vary.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca import KernelPCAOutlierDetector
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> ellipse = tolerance_ellipse(KernelPCAOutlierDetector(random_state=0).fit(X).rule_)
    >>> len(ellipse), min(ellipse[2:]) > 0
    (4, True)
    """
    paper = isinstance(rule, PaperRule)
    center = np.asarray(rule.center)
    scale = np.sqrt(rule.variance) if paper else np.asarray(rule.scale)
    kept = list(rule.kept) if paper else list(range(len(center)))
    if first not in kept or second not in kept:
        return None
    places = [kept.index(first), kept.index(second)]
    axes = scale[places] * np.sqrt(stats.chi2.ppf(QUANTILE, 2))
    if not np.isfinite(axes).all():
        return None
    return float(center[places[0]]), float(center[places[1]]), float(axes[0]), float(axes[1])
