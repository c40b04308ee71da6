"""A model that was saved and loaded is the same."""

import numpy as np

from l1kpca.persistence import load, save

X = np.random.default_rng(0).normal(size=(40, 4))
X_NEW = np.random.default_rng(1).normal(size=(7, 4))


def through_file(model, path, **options):
    """The same model, from a file."""
    save(model, path, overwrite=True)
    return load(path, **options).estimator


def assert_same(again, model, X_new=X_NEW):
    """The same answers, bit by bit."""
    assert str(again.get_params()) == str(model.get_params())
    for name in ("transform", "score_samples", "predict", "explain"):
        if hasattr(model, name):
            expected = getattr(model, name)(X_new)
            np.testing.assert_array_equal(getattr(again, name)(X_new), expected)
    if getattr(model, "inverse_", None) is not None:
        scores = model.transform(X_new)
        found, expected = again.inverse_transform(scores), model.inverse_transform(scores)
        np.testing.assert_array_equal(found, expected)
