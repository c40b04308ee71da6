"""The outlier map: two distances of each row and what they say together."""

from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array

QUADRANTS = ("regular", "good leverage", "orthogonal outlier", "bad leverage")


@dataclass(frozen=True)
class OutlierMap:
    """Two distances of each row, their cut-offs, and what the two say together.

    Attributes
    ----------
    score_distance : ndarray of shape (n_samples,)
        Standardised distance to the center within the kept components.
    orthogonal_distance : ndarray of shape (n_samples,)
        Distance to the kept components in feature space.
    score_cutoff, orthogonal_cutoff : float
        97.5 % of ordinary rows have smaller distances.
    """

    score_distance: Array
    orthogonal_distance: Array
    score_cutoff: float
    orthogonal_cutoff: float

    @property
    def quadrant(self) -> Array:
        """What each row is: one of `QUADRANTS`.

        A far row near the components is good leverage: it follows the pattern of the others further
        than they do.  A row off the components is an orthogonal outlier, a far one bad leverage.
        """
        far = self.score_distance > self.score_cutoff
        outside = self.orthogonal_distance > self.orthogonal_cutoff
        return np.array(QUADRANTS)[far + 2 * outside]
