"""Outlier detection with any kernel PCA of the library.

A rule is an object: `Robust`, `Novelty`, `Paper`, or your own `Rule`; ``rule="robust"`` is a name
in `RULES`.  ``rule.kernel_pca(n_columns)`` is the kernel PCA that it wants for a table with that
many columns that vary (`varying` finds them); change it with ``set_params`` and hand it to the
detector.  The fitted rule, ``detector.rule_``, is a frozen dataclass of plain arrays and numbers.
"""

from l1kpca.outliers.calibration import Calibration
from l1kpca.outliers.cells import CellMap, Cells
from l1kpca.outliers.columns import Columns, is_one_curve, varying
from l1kpca.outliers.door import RULES, make_rule, rule_name
from l1kpca.outliers.judged import QUADRANTS, Judged, OutlierMap
from l1kpca.outliers.novelty import Novelty
from l1kpca.outliers.paper import Paper
from l1kpca.outliers.promises import Drift
from l1kpca.outliers.robust import Robust
from l1kpca.outliers.rules import FittedRule, Rule

__all__ = [
    "QUADRANTS", "RULES", "Calibration", "CellMap", "Cells", "Columns", "Drift", "FittedRule",
    "Judged", "Novelty", "OutlierMap", "Paper", "Robust", "Rule", "is_one_curve", "make_rule",
    "rule_name", "varying",
]  # fmt: skip
