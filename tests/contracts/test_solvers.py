"""What the components of every peer must be, over problems, Grams and precisions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import held, problem
from contracts.grams import WITH_DTYPE, example
from l1kpca.components.decomposed import ProjectionTrick, SingularSystems
from l1kpca.components.deflation import Deflation
from l1kpca.components.subspace import WEIGHTINGS, JointSigns, R1Subspace, Reaching
from l1kpca.directions import LpNorm, SignIteration
from l1kpca.directions.starts import STARTS
from l1kpca.estimators.l2_kernel_pca import Eigenvectors
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import Workers
from oracles import low_rank_rows

MEMORY = 10**9


SOLVERS = {
    "kwak": ProjectionTrick(STARTS["norm"], MEMORY),
    "xiao": SingularSystems(STARTS["eigen"], MEMORY),
    **{f"r1 {name}": R1Subspace(weighting, MEMORY) for name, weighting in WEIGHTINGS.items()},
    "l2 dense": Eigenvectors(MEMORY, "dense"),
    "l2 arpack": Eigenvectors(MEMORY, "arpack"),
    "l2 randomized": Eigenvectors(MEMORY, "randomized", iterated_power=20),
    "joint": JointSigns(Deflation(SignIteration(), STARTS["column"])),
    "l1.5": Deflation(LpNorm(1.5), STARTS["column"]),
    "reaching": Reaching(R1Subspace(WEIGHTINGS["huber"], MEMORY), 0.999999, MEMORY),
}
ONE_BY_ONE = ("kwak", "xiao", "l2 dense", "l1.5")
"""Those whose first components do not depend on how many there are."""


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


def arrays(components):
    """A, C as rows."""
    components = list(components)
    return np.array([c.coef for c in components]), np.array([c.scores for c in components])


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "contaminated", "ties"])
def test_components_are_orthonormal_and_scores_are_their_images(solver, name):
    K, _ = problem(name, 60, 0)
    A, C = arrays(solver.components(held(K), 3))
    assert 1 <= len(A) <= 3
    size = np.sqrt(K.diagonal().max())
    assert_allclose(A @ K @ A.T, np.eye(len(A)), atol=1e-9)
    assert_allclose(C, A @ K, atol=1e-9 * size)
    assert (K.diagonal() - (C**2).sum(axis=0) >= -1e-10 * size**2).all()


OVER = [
    c for c in WITH_DTYPE if c[1] in ("linear", "rbf") and c[2] == "mean" and "dask" not in c[0]
]
PAIRS = [
    (solver, held)
    for i, solver in enumerate(SOLVERS)
    for j, held in enumerate(OVER)
    if held[0] == "dense" or (i + j) % 3 == 0
]


@pytest.mark.parametrize(("solver", "held"), PAIRS, indirect=["solver"])
def test_components_over_every_gram(solver, held):
    """Every solver over the dense Gram and a third of the others, every Gram under some solvers."""
    case, dtype = example(*held), held[3]
    A, C = arrays(solver.components(case.gram, 2))
    noise = 50 * case.tolerance / min((C**2).sum(axis=1))
    assert A.dtype == C.dtype == dtype
    assert_allclose(A.astype(float) @ case.K @ A.T, np.eye(len(A)), atol=max(noise, 1e-9))
    assert_allclose(C, A @ case.K, atol=100 * case.tolerance * np.abs(A).sum(axis=1).max())


@pytest.mark.parametrize("rank", [0, 1, 4])
@pytest.mark.parametrize("scale", [1e-20, 1, 1e20])
def test_stops_at_the_rank_whatever_the_scale(solver, rank, scale):
    X = low_rank_rows(np.random.default_rng(0), 50, 20, rank) if rank else np.zeros((50, 20))
    assert len(list(solver.components(held(scale * X @ X.T), 50))) == rank


@pytest.mark.parametrize("rank", [1, 4])
def test_stops_at_the_rank_in_single_precision(solver, rank):
    X = low_rank_rows(np.random.default_rng(0), 50, 20, rank)
    gram = StoredGram((X @ X.T).astype("float32"), Workers())
    assert len(list(solver.components(gram, 50))) == rank


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_first_components_do_not_depend_on_the_rest(name):
    K, _ = problem("wide", 40, 4)
    few = list(SOLVERS[name].components(held(K), 2))
    many = list(SOLVERS[name].components(held(K), 6))
    assert_allclose([c.scores for c in few], [c.scores for c in many[:2]], atol=1e-9)


def test_orientation_signs_and_objective(solver):
    K, _ = problem("wide", 40, 0)
    for component in solver.components(held(K), 4):
        clear = np.abs(component.scores) > 1e-9
        assert component.scores[np.abs(component.scores).argmax()] > 0
        assert_array_equal(component.signs[clear], np.sign(component.scores[clear]))
        assert component.signs.dtype == np.int8
        assert component.objective == pytest.approx(np.abs(component.scores).sum())


@pytest.mark.parametrize("name", ["kwak", "xiao", "joint"])
def test_objective_never_falls(name):
    K, _ = problem("wide", 80, 1)
    for component in SOLVERS[name].components(held(K), 5):
        assert (np.diff(component.trace) > 0).all()


@pytest.mark.parametrize("name", ["kwak", "xiao"])
def test_trace_ends_at_the_square_of_the_objective(name):
    K, _ = problem("wide", 80, 1)
    for component in SOLVERS[name].components(held(K), 5):
        assert component.objective**2 == pytest.approx(component.trace[-1])


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
@pytest.mark.parametrize("name", ["r1 huber", "joint"])
def test_reaching_takes_the_smallest_number_that_is_enough(name, share):
    K, _ = problem("wide", 60, 2)
    found = list(Reaching(SOLVERS[name], share, MEMORY).components(held(K), 60))
    fewer = list(SOLVERS[name].components(held(K), len(found) - 1)) if len(found) > 1 else []

    def explained(components):
        return sum(c.scores @ c.scores for c in components) / np.trace(K)

    assert explained(found) >= share
    assert explained(fewer) < share
