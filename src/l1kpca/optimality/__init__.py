"""How good an L1 component is: proven bounds, and the global optimum of small problems."""

from l1kpca.components.certificate import Certificate
from l1kpca.directions.exact import ExactResult, Plan
from l1kpca.optimality.certify import certify
from l1kpca.optimality.exact import exact, exact_plan
from l1kpca.optimality.maxcut import MaxCut, as_maxcut

__all__ = [
    "Certificate",
    "ExactResult",
    "MaxCut",
    "Plan",
    "as_maxcut",
    "certify",
    "exact",
    "exact_plan",
]
