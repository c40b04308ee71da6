"""Where the center of the rows lies in feature space, as weights that sum to one."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Gram

_MAX_STEPS = 200
_TOLERANCE = 1e-6
_ROUNDS = 2


def mean_weights(gram: Gram) -> Array:
    """The mean: equal weights."""
    return np.full(gram.n_samples, 1 / gram.n_samples, dtype=gram.dtype)


def spatial_median_weights(gram: DataGram) -> Array:
    r"""The spatial median, the point with the least sum of distances to the rows.

    Weiszfeld's iteration in dual weights: :math:`w_i \propto 1 / d_i` with
    :math:`d_i^2 = K_{ii} - 2 (K w)_i + w^T K w`.  Each step costs one product with K.  It is run on
    rows centered at their mean and then, from there, on rows centered at what was found: far
    outliers move the mean, and distances between large numbers lose their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.factor import linear_gram
    >>> from l1kpca.threads import Workers
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [1e9]])
    >>> weights = spatial_median_weights(linear_gram(X, Workers()))
    >>> (weights @ X).round(3)
    array([2.])
    """
    weights = mean_weights(gram)
    for _ in range(_ROUNDS):
        weights = _weiszfeld(gram.center(weights), weights)
    return weights


def _weiszfeld(gram: Gram, weights: Array) -> Array:
    diagonal = gram.diagonal()
    for _ in range(_MAX_STEPS):
        image = gram.apply(weights)
        distances = np.sqrt(np.maximum(diagonal - 2 * image + weights @ image, 0))
        positive = distances[distances > 0]
        if not positive.size:
            return weights
        # A row at the median itself is kept at a small distance.
        floor = np.sqrt(np.finfo(gram.dtype).eps) * np.median(positive)
        inverse = 1 / np.maximum(distances, floor)
        updated = (inverse / inverse.sum()).astype(gram.dtype)
        moved = np.abs(updated - weights).sum()
        weights = updated
        if moved <= _TOLERANCE:
            break
    return weights
