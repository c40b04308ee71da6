"""The compiled twin of a search on few rows: the same steps as the plain code."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import PROBLEMS, SIZES, problem
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example, written_up_to
from doubles import CountingGram
from l1kpca import tuning
from l1kpca.components.deflation import Deflation
from l1kpca.directions import BitFlip, Polished, SignIteration, Then
from l1kpca.directions.starts import column
from l1kpca.gram.base import Gram
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import Workers

SIGN_ITERATIONS = [
    SignIteration(max_iter, tol, momentum)
    for max_iter in (0, 1, 3, 1000)
    for tol in (0.0, 1e-2)
    for momentum in (False, True)
]
POLISHED = [Polished(), Polished(max_iter=2), Polished(tol=1e-2)]


def both_ways(finder, gram, starts):
    """What the compiled and the plain code find."""
    with written_up_to(gram.n_samples):
        compiled = finder.find(gram, starts)
    with written_up_to(0):
        plain = finder.find(gram, starts)
    return zip(compiled, plain, strict=True)


@pytest.mark.parametrize("finder", SIGN_ITERATIONS + POLISHED, ids=str)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_steps(finder, name, global_random_seed):
    for n in SIZES:
        K, start = problem(name, n, global_random_seed)
        more = np.random.default_rng(3).choice([-1.0, 1.0], (n, 2))
        gram = StoredGram(K, Workers())
        for compiled, plain in both_ways(finder, gram, np.column_stack([start, more])):
            assert_array_equal(compiled.coef, plain.coef)
            assert_allclose(compiled.trace, plain.trace, rtol=1e-9, atol=1e-12 * np.abs(K).sum())
            assert_allclose(compiled.image, plain.image, atol=1e-12 * np.abs(K).sum())
            assert compiled.status is plain.status


OVER = [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and "dask" not in c[0]]


@pytest.mark.parametrize(
    ("case", "momentum"),
    [(case, bool(place % 2)) for place, case in enumerate(OVER)],
    ids=["-".join(case) for case in OVER],
)
def test_over_every_gram(case, momentum):
    """As good an end; in single precision, or near zeros, perhaps not the same."""
    gram, dtype = example(*case).gram, case[3]
    start = np.random.default_rng(1).choice([-1.0, 1.0], (23, 1)).astype(dtype)
    for compiled, plain in both_ways(SignIteration(momentum=momentum), gram, start):
        assert compiled.coef.dtype == compiled.image.dtype == dtype
        if dtype == "float64" and (np.abs(plain.image) > 1e-9).all():
            assert_array_equal(compiled.coef, plain.coef)
        assert_allclose(compiled.image, gram.apply(compiled.coef), atol=1e-3)


@pytest.mark.parametrize("finder", [SignIteration(), Polished()], ids=str)
def test_what_is_small_is_one_number(finder, monkeypatch):
    """Up to it a stored K is searched in one compiled call; a K that is not stored never is."""
    K, start = problem("wide", 200, 0)
    stored = StoredGram(K, Workers())
    for rows, small in ((25, True), (24, False)):
        monkeypatch.setattr(tuning, "SMALL_ROWS", rows)
        for few_rows, compiled in ((Gram.few_rows, False), (stored.few_rows, small)):
            gram = CountingGram(stored)
            gram.few_rows = few_rows
            finder.find(gram, start[:, np.newaxis])
            assert (gram.calls["columns"] == 200 and gram.calls["updates"] == 0) == compiled


def test_few_rows_are_stored_for_all_components_at_once(monkeypatch):
    """One read of K, then no more; the components are those of the Gram that was given."""
    K, _ = problem("wide", 60, 0)
    found = []
    for rows in (60, 59):
        monkeypatch.setattr(tuning, "SMALL_ROWS", rows)
        gram = CountingGram(StoredGram(K, Workers()))
        found.append(list(Deflation(Polished(), column).components(gram, 5)))
        assert (gram.calls["columns"] == 60 and not gram.calls["full products"]) == (rows == 60)
    for stored, asked in zip(*found, strict=True):
        assert_allclose(stored.coef, asked.coef, atol=1e-10)


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_a_stored_matrix_is_taken_as_it_is(order):
    K, start = problem("wide", 60, 0)
    laid_out = np.repeat(K, 2, axis=1)[:, ::2] if order == "strided" else np.array(K, order=order)
    gram = StoredGram(laid_out, Workers()).minus(start[np.newaxis], start[np.newaxis])
    whole, (left, right) = gram.written()
    assert np.shares_memory(whole, laid_out) == (order != "strided")
    assert whole.flags.c_contiguous
    assert_allclose(whole - left.T @ right, K - np.outer(start, start))


def test_polished_is_momentum_then_flips(way, global_random_seed):
    """Sign for sign, in both ways."""
    spelled_out = Then(SignIteration(momentum=True), BitFlip())
    for name in PROBLEMS:
        K, start = problem(name, 60, global_random_seed)
        gram = StoredGram(K, Workers())
        one, other = (f.find(gram, start[:, np.newaxis])[0] for f in (Polished(), spelled_out))
        assert_array_equal(one.coef, other.coef, err_msg=name)
        assert_allclose(one.trace, other.trace, rtol=1e-9, atol=1e-12 * np.abs(K).sum())
