"""Which Gram is taken, memory limits, and what fits into them."""

import joblib
import numpy as np
import pytest
from scipy import sparse

from l1kpca import L1KernelPCA
from l1kpca.gram.choose import (
    BUILDERS,
    Nystroem,
    Resources,
    choose,
    tile_side,
)
from l1kpca.gram.factor import FactorGram
from l1kpca.gram.stored import BlockedGram, StoredGram
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers
from refusals import refuses
from toys.forgetful import Forgetful, ForgetfulGram

X = np.random.default_rng(0).normal(size=(300, 4))
LINEAR, RBF = Kernel("linear"), Kernel("rbf", {"gamma": 0.5})
K_BYTES = 300 * 300 * 8


@pytest.mark.parametrize(
    ("gram", "rows", "kernel", "memory", "name", "kind"),
    [
        ("auto", X, LINEAR, K_BYTES, "factor", FactorGram),
        ("auto", X.T, LINEAR, K_BYTES, "dense", StoredGram),
        ("auto", sparse.csr_array(X.T), LINEAR, K_BYTES, "factor", FactorGram),
        ("auto", X, RBF, K_BYTES, "dense", StoredGram),
        ("auto", X, RBF, K_BYTES - 1, "blocked", BlockedGram),
        ("dense", X, LINEAR, K_BYTES, "dense", StoredGram),
        ("blocked", X, LINEAR, K_BYTES, "blocked", BlockedGram),
        ("factor", X.T, LINEAR, K_BYTES, "factor", FactorGram),
        ("nystroem", X, RBF, K_BYTES, "nystroem", FactorGram),
        (Nystroem(7), X, RBF, K_BYTES, "nystroem", FactorGram),
        (Forgetful(), X, RBF, K_BYTES, "forgetful", ForgetfulGram),
    ],
)
def test_what_is_chosen_and_why(gram, rows, kernel, memory, name, kind):
    held, choice = choose(gram, rows, kernel, Resources(memory))
    assert type(held) is kind
    assert choice.name == name
    assert choice.n_samples == held.n_samples == rows.shape[0]
    assert choice.bytes_held == held.bytes_held <= memory
    assert (choice.reason == "asked for") == (gram != "auto")
    assert str(choice).startswith(f"{name} ({held.bytes_held / 1e6:.1f} MB")
    assert choice.reason in str(choice)


def test_a_cluster_comes_after_the_linear_kernel_and_before_memory():
    for kernel, name in ((LINEAR, "factor"), (RBF, "forgetful")):
        _, choice = choose("auto", X, kernel, Resources(K_BYTES), cluster=Forgetful())
        assert choice.name == name
    _, choice = choose("dense", X, RBF, Resources(K_BYTES), cluster=Forgetful())
    assert choice.name == "dense"


def test_every_builder_builds_the_same_matrix():
    v = np.cos(np.arange(300))
    for name, builder in BUILDERS.items():
        gram = builder.build(X, LINEAR, Resources(10**9))
        np.testing.assert_allclose(gram.apply(v), X @ (X.T @ v), atol=1e-9, err_msg=name)


def test_a_factor_is_of_the_linear_kernel_alone():
    with refuses(
        "gram='factor' needs kernel='linear', got kernel='rbf': use gram='nystroem' for a factor"
        " that approximates another kernel, or gram='auto'"
    ):
        L1KernelPCA(kernel="rbf", gram="factor").fit(X)


NO_LANDMARK = (
    "memory_limit=4799 bytes cannot hold even one landmark for 300 rows: allow at least 4800 bytes"
)


@pytest.mark.parametrize(
    ("builder", "memory", "text"),
    [
        (Nystroem(0), 10**9, "n_landmarks=0 must be between 1 and n_samples=300"),
        (Nystroem(301), 10**9, "n_landmarks=301 must be between 1 and n_samples=300"),
        (Nystroem(5, "far"), 10**9, "landmarks='far' must be 'kmeans++' or 'random'"),
        (Nystroem(), 4799, NO_LANDMARK),
    ],
    ids=str,
)
def test_landmarks_that_cannot_be(builder, memory, text):
    with refuses(text):
        builder.build(X, RBF, Resources(memory))


@pytest.mark.parametrize(("memory", "count"), [(4800, 1), (48_000, 10), (10**9, 300)])
def test_as_many_landmarks_as_fit(memory, count):
    assert len(Nystroem().build(X, RBF, Resources(memory)).landmarks) == count


@pytest.mark.parametrize("threads", [1, 2, 64])
def test_tiles_do_not_depend_on_the_threads_that_are_used(threads):
    """But on those that there may be: sums would differ in their last digits."""
    cores = joblib.cpu_count()
    sides = {
        tile_side(np.dtype(float), Resources(10**7, Workers(used)), 5000)
        for used in range(1, cores + 1)
    }
    assert len(sides) == 1
    side = tile_side(np.dtype(float), Resources(10**7, Workers(threads)), 5000)
    assert 4 * max(threads, cores) * side**2 * 8 <= 10**7


@pytest.mark.parametrize("gram", ["auto", "blocked"])
def test_too_small_for_one_block(gram):
    """Said before any kernel value is computed."""

    def never(x, y):
        raise AssertionError("the kernel was called")

    cores = joblib.cpu_count()
    least = 64**2 * 4 * 8 * cores
    with refuses(
        f"memory_limit=1000 bytes is too small for even one block of K in each of {cores} threads:"
        f" allow at least {least} bytes"
    ):
        L1KernelPCA(kernel=never, gram=gram, memory_limit=1000).fit(X)
    assert tile_side(np.dtype(float), Resources(least, Workers(cores)), len(X)) == 64


def test_a_gram_that_is_there_serves_as_it_is(make_rows):
    X = make_rows(60)
    settings = {"kernel": "rbf", "gamma": 0.3, "center": False}
    plain = L1KernelPCA(3, **settings).fit(X)
    given = L1KernelPCA(3, **settings, gram=plain.training_gram()).fit(X)
    np.testing.assert_array_equal(given.signs_, plain.signs_)
    assert str(given.gram_).startswith("given")
    with pytest.raises(ValueError, match="gram holds 60 rows, but X has 5: pass the Gram of these"):
        L1KernelPCA(3, **settings, gram=plain.training_gram()).fit(X[:5])
