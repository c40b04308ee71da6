"""The sign problem as a maximum cut of a weighted graph."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.optimality.bounds import matrix_of, problem_of


@dataclass(frozen=True)
class MaxCut:
    r"""A complete graph with weights :math:`w_{ij} = -K_{ij}`.

    The side of a node is its sign, and :math:`c^T K c = 1^T K 1 + 4 \operatorname{cut}(c)`: the
    largest cut is the best direction.
    """

    weights: Array  #: (n, n), symmetric, zeros on the diagonal.
    total: float  #: 1^T K 1, the value of the empty cut.

    def cut(self, signs: Array) -> float:
        """Sum of the weights between the two sides."""
        left = np.asarray(signs) > 0
        return float(self.weights[np.ix_(left, ~left)].sum())

    def value(self, cut: float) -> float:
        """c^T K c of a cut of this weight."""
        return self.total + 4 * cut

    def edges(self) -> tuple[Array, Array, Array]:
        """Arrays i < j and w_ij of the edges whose weight is not zero."""
        i, j = np.nonzero(np.triu(self.weights, 1))
        return i, j, self.weights[i, j]


def as_maxcut(K_or_model: Any) -> MaxCut:
    """The graph whose maximum cut is the best sign vector; its weights have either sign.

    Parameters
    ----------
    K_or_model : ndarray of shape (n, n), or a fitted L1KernelPCA
        A symmetric matrix, or a model whose first component is meant.

    Returns
    -------
    graph : MaxCut

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.optimality import as_maxcut
    >>> graph = as_maxcut(np.array([[1.0, -0.5], [-0.5, 1.0]]))
    >>> graph.cut([1, -1]), graph.value(graph.cut([1, -1]))
    (0.5, 3.0)
    """
    K = matrix_of(problem_of(K_or_model))
    return MaxCut(np.diag(K.diagonal()) - K, float(K.sum()))
