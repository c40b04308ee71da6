"""The center of the rows in feature space, as weights that sum to one."""

from l1kpca._typing import Array
from l1kpca.gram.base import Gram

_MAX_STEPS = 200
_TOLERANCE = 1e-6
_ROUNDS = 2


def spatial_median_weights(gram: Gram) -> Array:
    r"""The spatial median, the point with the least sum of distances to the rows.

    Weiszfeld's iteration in dual weights: :math:`w_i \propto 1 / d_i` with
    :math:`d_i^2 = K_{ii} - 2 (K w)_i + w^T K w`.  Each step costs one product with K.  It runs
    twice, on rows centered first at their mean, then at the first result: far outliers shift the
    mean, and distances between large numbers lose digits.
    """
    weights = gram.equal_weights()
    for _ in range(_ROUNDS):
        centered = gram.center(weights)
        for _ in range(_MAX_STEPS):
            weights, moved = centered.nearer_weights(weights)
            if moved <= _TOLERANCE:
                break
    return weights
