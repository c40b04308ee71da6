"""The contract tables hold all that there is."""

import inspect
import pkgutil
from importlib import import_module

import l1kpca
from contracts.finders import FINDERS
from contracts.grams import GRAMS, WITH_DTYPE, example
from contracts.rules import RULES
from contracts.test_solvers import SOLVERS
from estimators.test_parameters import KERNEL_PCAS
from l1kpca import directions, optimality
from l1kpca.estimators.base import KernelPCABase
from l1kpca.gram.base import Gram
from l1kpca.outliers import Rule

ELSEWHERE = {
    "Checkpointed": "tests/estimators/test_checkpoint.py",
    "TiledGram": "a base class",
    "WorkerFactorGram": "tests/gram/test_dask_factor.py: its vectors are not arrays",
}


def classes():
    """Every concrete class of the package."""
    for module in pkgutil.walk_packages(l1kpca.__path__, "l1kpca."):
        if module.name.endswith("__main__"):
            continue
        for _, found in inspect.getmembers(import_module(module.name), inspect.isclass):
            protocol = getattr(found, "_is_protocol", False)
            if found.__module__ == module.name and not (inspect.isabstract(found) or protocol):
                yield found


def missing(is_one, table):
    """Names of classes that nothing in a table is an instance of."""
    held = {type(entry).__name__ for entry in table} | ELSEWHERE.keys()
    return {found.__name__ for found in classes() if is_one(found)} - held


def test_finders():
    public = {*directions.__all__, *optimality.__all__}
    assert not missing(lambda c: hasattr(c, "find") and c.__name__ in public, FINDERS.values())


def test_component_solvers():
    assert not missing(lambda c: callable(getattr(c, "components", None)), SOLVERS.values())


def test_grams():
    held = [example(*case).gram for case in WITH_DTYPE]
    assert {case[0] for case in WITH_DTYPE} == GRAMS.keys()
    assert not missing(lambda c: issubclass(c, Gram), held)


def test_rules():
    assert not missing(lambda c: issubclass(c, Rule), RULES.values())


def test_kernel_pcas():
    found = {c for c in classes() if issubclass(c, KernelPCABase) and c.__name__[0] != "_"}
    assert found == set(KERNEL_PCAS) | {KernelPCABase}
