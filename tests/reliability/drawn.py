"""Rows and settings as hypothesis draws them: ties, duplicates, constant columns, odd shapes."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from l1kpca.directions import LpNorm
from l1kpca.directions.starts import STARTS

KERNELS = ("linear", "rbf", "poly", "laplacian", "cosine")
CENTERS = (True, False, "median")
GAMMAS = (None, 0.1, "median", "scale")
ENTRIES = {
    "whole": st.integers(-3, 3).map(float),
    "real": st.floats(-100, 100, allow_subnormal=False).map(lambda x: round(x, 6)),
    "two values": st.sampled_from([0.0, 1.0]),
    "wild": st.sampled_from([0.0, 1e-8, -1.0, 3.0, 1e5, -1e7]),
}


@st.composite
def tables(draw, min_rows=1, max_rows=14, max_columns=5):
    """Rows, some of them repeated, some columns constant."""
    shape = draw(st.integers(min_rows, max_rows)), draw(st.integers(1, max_columns))
    entries = ENTRIES[draw(st.sampled_from(sorted(ENTRIES)))]
    X = draw(hnp.arrays(np.float64, shape, elements=entries))
    if draw(st.booleans()):
        X = np.repeat(X, 2, axis=0)[: max(max_rows, min_rows)]
    if draw(st.integers(0, 4)) == 0:
        X[:, draw(st.integers(0, shape[1] - 1))] = draw(st.sampled_from([0.0, 0.1, -7.0]))
    return X


@st.composite
def settings_of_pca(draw):
    """Parameters of any kernel PCA."""
    kernel = draw(st.sampled_from(KERNELS))
    return {
        "n_components": draw(st.sampled_from([None, 1, 2, 0.9])),
        "kernel": kernel,
        "gamma": 1e-3 if kernel == "poly" else draw(st.sampled_from(GAMMAS)),
        "degree": 2,
        "center": draw(st.sampled_from(CENTERS)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def settings_of_l1(draw):
    """Parameters of L1KernelPCA, the search among them."""
    return draw(settings_of_pca()) | {
        "solver": draw(st.sampled_from(["fixed_point", "polished", LpNorm(1.5, tol=1e-3)])),
        "start": draw(st.sampled_from(sorted(STARTS))),
        "n_starts": draw(st.sampled_from([1, 3])),
        "gram": draw(st.sampled_from(["auto", "dense", "blocked"])),
    }
