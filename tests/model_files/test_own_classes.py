"""Rules, finders, Grams and kernels of the user in a model file: loaded if they are trusted."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.persistence import ModelFileError
from model_files.round_trips import X_NEW, X, assert_same, through_file
from toys.forgetful import Forgetful
from toys.largest import FittedLargest, Largest
from toys.sweeps import Sweeps


@dataclass(frozen=True)
class Product:
    """A kernel as an object; a function could not be saved."""

    power: int = 1

    def __call__(self, x, y):
        return float(x @ y) ** self.power


OWN = [Forgetful, Sweeps, Largest, FittedLargest]


@pytest.fixture
def again(tmp_path):
    """A model, saved and loaded."""
    return lambda model, **options: through_file(model, tmp_path / "m.skops", **options)


@pytest.fixture(scope="module")
def own():
    """A detector whose rule, finder and Gram are of the user's own."""
    pca = L1KernelPCA(2, kernel="rbf", gram=Forgetful(), solver=Sweeps(50), random_state=0)
    return KernelPCAOutlierDetector(pca, rule=Largest(power=3.0), random_state=0).fit(X)


def test_classes_of_the_user_are_loaded_if_they_are_trusted(again, own):
    found = again(own, trusted=OWN)
    assert_same(found, own)
    assert found.rule == Largest(power=3.0)
    assert found.pca_.solver == Sweeps(50)
    np.testing.assert_array_equal(found.fit(X).score_samples(X_NEW), own.score_samples(X_NEW))


@pytest.mark.parametrize("missing", OWN)
def test_a_class_that_is_not_trusted_is_named(again, own, missing):
    name = f"{missing.__module__}:{missing.__qualname__}"
    with pytest.raises(ModelFileError) as caught:
        again(own, trusted=[kind for kind in OWN if kind is not missing])
    assert str(caught.value).endswith(
        f"m.skops holds classes that are not trusted ({name}); if they are your own, name them:"
        " load(..., trusted=[Class]), on the command line --trust module:Class."
    )


def test_a_kernel_of_the_user_is_saved_as_an_object(again):
    model = L1KernelPCA(1, kernel=Product(3)).fit(X[:10])
    assert_same(again(model, trusted=[Product]), model)


def test_a_class_that_moved(again, own):
    names = {f"{kind.__module__}:{kind.__qualname__}": kind for kind in OWN}

    @dataclass(frozen=True)
    class Moved(Largest):
        pass

    names["toys.largest:Largest"] = Moved
    assert again(own, trusted=names).rule == Moved(power=3.0)


def test_a_class_that_changed(again, own):
    @dataclass(frozen=True)
    class Other:
        sweeps: int = 3

    names = {f"{kind.__module__}:{kind.__qualname__}": kind for kind in OWN}
    with pytest.raises(ModelFileError, match=r"holds a model that cannot be built \(TypeError: .*"):
        again(own, trusted={**names, "toys.sweeps:Sweeps": Other})


def test_nothing_is_imported(again, own, monkeypatch):
    for name in ("toys.sweeps", "toys.largest", "toys.forgetful", "toys"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    again(own, trusted=OWN)
    with pytest.raises(ModelFileError, match="not trusted"):
        again(own)
    assert not {"toys.sweeps", "toys.largest", "toys.forgetful"} & sys.modules.keys()


@pytest.mark.parametrize("trusted", [["toys.sweeps:Sweeps"], [Sweeps(3)], "ab"])
def test_only_classes_are_trusted(again, trusted):
    with pytest.raises(TypeError, match="trusted must hold classes, got "):
        again(L1KernelPCA(1).fit(X), trusted=trusted)
