"""Pictures of models and results.

Displays work as in scikit-learn: ``from_estimator`` computes and draws, the arrays stay on the
object, and ``plot`` draws them again.  They are readable in grey: markers, hatches and line styles
say what colors say.
"""

from l1kpca.plots.components import LoadingsDisplay, ScreeDisplay
from l1kpca.plots.convergence import ConvergenceDisplay
from l1kpca.plots.distances import ContributionsDisplay, OutlierMapDisplay
from l1kpca.plots.preimages import PreimageDisplay
from l1kpca.plots.scores import ComparisonDisplay, ScoresDisplay

__all__ = [
    "ComparisonDisplay",
    "ContributionsDisplay",
    "ConvergenceDisplay",
    "LoadingsDisplay",
    "OutlierMapDisplay",
    "PreimageDisplay",
    "ScoresDisplay",
    "ScreeDisplay",
]
