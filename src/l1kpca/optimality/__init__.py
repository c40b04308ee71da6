"""How good an L1 component is: proven bounds, and the global optimum of small problems."""

from l1kpca.optimality.exact import (
    ExactResult,
    ExactSearch,
    MaxCut,
    Plan,
    as_maxcut,
    exact,
    exact_plan,
)
from l1kpca.optimality.sdp import Certificate, SdpRounding, certify

__all__ = [
    "Certificate", "ExactResult", "ExactSearch", "MaxCut", "Plan", "SdpRounding", "as_maxcut",
    "certify", "exact", "exact_plan",
]  # fmt: skip
