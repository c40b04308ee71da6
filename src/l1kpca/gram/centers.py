"""Where the center of the rows lies in feature space, as weights that sum to one."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Gram

_MAX_STEPS = 200
_TOLERANCE = 1e-6


def mean_weights(gram: Gram) -> Array:
    """The mean: equal weights."""
    return np.full(gram.n_samples, 1 / gram.n_samples, dtype=gram.dtype)


def spatial_median_weights(gram: Gram) -> Array:
    r"""The spatial median, the point with the least sum of distances to the rows.

    Weiszfeld's iteration in dual weights: :math:`w_i \propto 1 / d_i` with
    :math:`d_i^2 = K_{ii} - 2 (K w)_i + w^T K w`.  A row at distance zero is kept at a small
    positive distance, so that the median may be a data row.  Each step costs one product with K.
    """
    diagonal = gram.diagonal()
    weights = mean_weights(gram)
    for _ in range(_MAX_STEPS):
        image = gram.apply(weights)
        squares = np.maximum(diagonal - 2 * image + weights @ image, 0)
        distances = np.sqrt(squares)
        floor = np.sqrt(np.finfo(gram.dtype).eps) * distances.max()
        if floor == 0:
            return weights
        inverse = 1 / np.maximum(distances, floor)
        updated = (inverse / inverse.sum()).astype(gram.dtype)
        if np.abs(updated - weights).sum() <= _TOLERANCE:
            return updated
        weights = updated
    return weights
