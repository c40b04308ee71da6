"""A place of its own for every test: no data directory, an empty cache, no proxy."""

import numpy as np
import pytest

from l1kpca import datasets


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """The user's cache directory, in an empty home."""
    for variable in ("L1KPCA_DATA", "L1KPCA_DATA_URL", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return datasets.default_cache_dir()


@pytest.fixture(scope="session")
def arrays():
    """Random rows and labels of the size of the ionosphere data."""
    facts = datasets.info("ionosphere")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((facts.n_samples, facts.n_features))
    y = rng.permutation(np.arange(facts.n_samples) < facts.n_outliers).astype(np.int8)
    return {"X": X, "y": y}
