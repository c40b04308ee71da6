"""Where the line between ordinary rows and outliers is drawn."""

from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.estimators.outliers.rules import QUANTILE


def find_offset(scores: Array, cutoff: float, contamination: Any, rounding: float) -> float:
    """The score below which rows are outliers, from the scores of the training rows.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        Higher is more ordinary.
    cutoff : float
        The abnormality, a negative score, that 97.5 % of ordinary rows do not reach.
    contamination : "auto" or float
        "auto" is that cut-off; a number is the share of rows below the line.
    rounding : float
        Relative error of a score.
    """
    if contamination == "auto":
        # Bounded or lumpy scores may put the cut-off beyond every row: then the training rows
        # themselves say where their 97.5 % point is.
        offset = max(-cutoff, float(np.quantile(scores, 1 - QUANTILE)))
    else:
        offset = float(np.quantile(scores, float(contamination)))
    # Matrix products round differently with other rows beside a row.  The line may be the score
    # of a training row: a little below, no rounding error decides on which side that row is.
    return offset - rounding * abs(offset)
