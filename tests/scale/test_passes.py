"""How often K is looked at: the cost of a fit that never stores it."""

import numpy as np
import pytest

from l1kpca import L1KernelPCA
from l1kpca.gram.blocked import BlockedGram
from l1kpca.gram.builders import Resources, tile_side
from l1kpca.kernels import kernel_blocks
from oracles import low_rank_rows


class CountedGram(BlockedGram):
    """Counts the entries of K that are evaluated."""

    entries = 0

    def block(self, rows, columns):
        found = super().block(rows, columns)
        self.entries += found.size
        return found


class Counted:
    """Builds it, and keeps it at hand."""

    def build(self, X, kernel, resources: Resources):
        side = tile_side(X.dtype, resources, X.shape[0])
        self.gram = CountedGram(kernel_blocks(X, kernel), resources.workers, side)
        return self.gram, 0, 0.0


@pytest.mark.parametrize("gamma", [None, "paper"])
@pytest.mark.parametrize("rank", [4, 30])
def test_at_most_two_and_a_half_passes_per_component(gamma, rank, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_components = 5000, 10
    X = low_rank_rows(rng, n, 30, rank, noise=0.3)
    X /= X.std(axis=0)
    counted = Counted()
    L1KernelPCA(
        n_components, kernel="rbf", gamma=gamma, gram=counted, random_state=0, n_jobs=1
    ).fit(X)
    one_pass = n * (n + 1) / 2
    assert counted.gram.entries <= 2.5 * n_components * one_pass


def test_one_product_looks_at_half_of_the_matrix(make_rows):
    n = 3000
    counted = Counted()
    L1KernelPCA(1, kernel="rbf", gram=counted, n_jobs=1, center=False).fit(make_rows(n))
    gram = counted.gram
    gram.entries = 0
    gram.apply(np.ones(n))
    assert gram.entries <= 0.6 * n**2
