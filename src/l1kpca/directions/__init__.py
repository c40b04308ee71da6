"""How one direction is found: deterministic finders, and where they start."""

from l1kpca.directions.base import Direction, Finder, SignSearch, Status
from l1kpca.directions.bit_flip import BitFlip
from l1kpca.directions.compose import Polished, Then
from l1kpca.directions.homogeneous import HomogeneousIteration, LpNorm
from l1kpca.directions.sign_iteration import SignIteration

__all__ = [
    "BitFlip",
    "Direction",
    "Finder",
    "HomogeneousIteration",
    "LpNorm",
    "Polished",
    "SignIteration",
    "SignSearch",
    "Status",
    "Then",
]
