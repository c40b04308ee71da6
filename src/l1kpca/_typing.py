"""Names for what travels between the layers."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""A real array; its shape is said where it is used."""

Signs: TypeAlias = NDArray[np.floating[Any]]
"""An array of +1 and -1 in the dtype of the Gram it belongs to."""

Progress: TypeAlias = Callable[[float, float], None]
"""Told how much is done, and of how much in total."""
