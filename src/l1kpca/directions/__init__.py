"""How one direction is found: deterministic finders, starts, and how they are combined."""

from l1kpca.directions.base import Direction, Finder, Status
from l1kpca.directions.bit_flip import BitFlip
from l1kpca.directions.compose import Polished, Then, best_direction
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.directions.homogeneous import HomogeneousPowerIteration, LpNorm
from l1kpca.directions.momentum import MomentumSigns

__all__ = [
    "BitFlip",
    "Direction",
    "Finder",
    "HomogeneousPowerIteration",
    "LpNorm",
    "MomentumSigns",
    "Polished",
    "SignFixedPoint",
    "Status",
    "Then",
    "best_direction",
]
