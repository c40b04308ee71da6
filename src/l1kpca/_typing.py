"""Names for the arrays that travel between the layers."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""A real array; its shape is said where it is used."""

Signs: TypeAlias = NDArray[np.floating[Any]]
"""An array of +1 and -1 in the dtype of the Gram it belongs to."""
