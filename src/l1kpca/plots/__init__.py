"""Pictures of models and of what they say about rows.

Displays work as in scikit-learn: ``from_estimator`` computes and draws, the arrays stay on the
object, and ``plot`` draws them again.  They are readable in gray: markers, hatches and line styles
say what colors say.
"""

from l1kpca.plots.rows import (
    ComparisonDisplay,
    ContributionsDisplay,
    OutlierMapDisplay,
    PreimageDisplay,
    ScoresDisplay,
)
from l1kpca.plots.scree import ConvergenceDisplay, LoadingsDisplay, ScreeDisplay

__all__ = [
    "ComparisonDisplay", "ContributionsDisplay", "ConvergenceDisplay", "LoadingsDisplay",
    "OutlierMapDisplay", "PreimageDisplay", "ScoresDisplay", "ScreeDisplay",
]  # fmt: skip
