"""What is true of the parameters of every estimator."""

import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers
from l1kpca.directions import Polished, SignIteration

PEERS = [getattr(peers, name) for name in peers.__all__]
KERNEL_PCAS = [L1KernelPCA, *PEERS]
REFERENCE = Path(__file__).parents[2] / "docs" / "api"


def defaults(estimator):
    return {p.name: p.default for p in inspect.signature(estimator).parameters.values()}


def assert_same_model(first, second, X):
    for name in ("dual_components_", "signs_", "objective_"):
        assert_array_equal(getattr(first, name), getattr(second, name))
    assert_array_equal(first.transform(X), second.transform(X))


def public():
    """All that the reference lists, and the methods of its classes."""
    text = "\n".join(page.read_text() for page in REFERENCE.glob("*.rst"))
    for name in sorted(set(re.findall(r"^   (l1kpca\.[\w.]+)$", text, flags=re.MULTILINE))):
        thing = pkgutil.resolve_name(name)
        yield name, thing
        for method, found in inspect.getmembers(thing, callable) if inspect.isclass(thing) else ():
            if method[0] != "_" and str(getattr(found, "__module__", "")).startswith("l1kpca"):
                yield f"{name}.{method}", found


def documented_parameters(thing):
    section = (inspect.getdoc(thing) or "").partition("Parameters\n----------\n")[2]
    section = re.split(r"\n\n\w[\w ]*\n-+\n", section)[0]
    lines = re.findall(r"^([\w*][\w*, ]*)(?: : |$)", section, re.MULTILINE)
    return [name.strip(" *") for names in lines for name in names.split(",")]


def test_parameters_are_documented_in_the_order_of_the_signature():
    found = {name: (documented_parameters(thing), thing) for name, thing in public()}
    found = {name: pair for name, pair in found.items() if pair[0]}
    assert {f"l1kpca.{e.__name__}" for e in (L1KernelPCA, KernelPCAOutlierDetector)} < found.keys()
    for name, (documented, thing) in found.items():
        parameters = [p for p in inspect.signature(thing).parameters if p != "self"]
        assert documented == parameters, name


# What a value says that a default stands for.
STANDS_FOR = {
    "max_iter": 1000,
    "gamma": 1 / 4,
    "kernel_params": {},
    "dtype": "float64",
    "n_jobs": 1,
    "memory_limit": "1GB",
    "gram": "dense",
    "max_components": 150,
    "solver": Polished(),
    "center": np.True_,
    "n_starts": np.int64(1),
}


@pytest.mark.parametrize("estimator", KERNEL_PCAS, ids=lambda e: e.__name__)
def test_stating_a_default_changes_nothing(estimator):
    X = np.random.default_rng(0).standard_t(3, size=(150, 4))
    base = {"kernel": "rbf", "n_components": 3}
    expected = estimator(**base).fit(X)
    for name, default in defaults(estimator).items():
        if name not in base:
            assert_same_model(estimator(**base, **{name: default}).fit(X), expected, X)
        if name in STANDS_FOR and not (name == "max_iter" and estimator.__name__[:2] == "L2"):
            assert_same_model(estimator(**base, **{name: STANDS_FOR[name]}).fit(X), expected, X)
    everything = estimator(**defaults(estimator) | base).fit(X)
    assert_same_model(everything, expected, X)


def test_the_finder_of_a_name_is_the_finder_itself():
    X = np.random.default_rng(0).standard_t(3, size=(150, 4))
    for name, finder in (("fixed_point", SignIteration()), ("polished", Polished())):
        named, given = (L1KernelPCA(3, kernel="rbf", solver=s).fit(X) for s in (name, finder))
        assert_same_model(named, given, X)
