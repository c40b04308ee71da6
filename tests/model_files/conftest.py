"""A good model file, to be spoiled."""

import numpy as np
import pytest

from l1kpca import KernelPCAOutlierDetector
from l1kpca.persistence import save


@pytest.fixture(scope="session")
def model():
    X = np.random.default_rng(0).normal(size=(12, 3))
    return KernelPCAOutlierDetector(random_state=0).fit(X)


@pytest.fixture(scope="session")
def good(model, tmp_path_factory):
    """The bytes of a model file."""
    path = tmp_path_factory.mktemp("good") / "model.skops"
    save(model, path, attached={"columns": ["a", "b", "c"]})
    return path.read_bytes()


@pytest.fixture
def file(good, tmp_path):
    """A good model file of this test's own."""
    path = tmp_path / "model.skops"
    path.write_bytes(good)
    return path
