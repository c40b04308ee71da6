"""Ctrl-C during a long fit: it ends at once, nothing is half fitted, the checkpoint is good."""

import signal
import time

import numpy as np
import pytest

from l1kpca import L1KernelPCA

# Takes minutes, without an approximation for a single pass over K: whoever waits for the end of a
# pass, or of the fit, runs into the timeout.
LONG_FIT = """
import sys
import numpy as np
from sklearn.base import clone
from l1kpca import L1KernelPCA
from l1kpca.gram.choose import Nystroem

gram = Nystroem(n_landmarks=500) if sys.argv[1] == "nystroem" else sys.argv[1]
pca = L1KernelPCA(50, kernel="rbf", gram=gram, memory_limit="50MB")
X = np.random.default_rng(0).standard_normal((400_000, 40))
clone(pca).set_params(n_components=1).fit(X[:5000])  # loads what is compiled
for last in (False, True):
    try:
        print("fitting", flush=True)
        pca.fit(X)
    except KeyboardInterrupt:
        fitted = [name for name in vars(pca) if name.endswith("_")]
        print("interrupted", fitted, flush=True)
        if last:
            raise
"""

CHECKPOINTED_FIT = """
import sys
import numpy as np
from l1kpca import L1KernelPCA

rows, checkpoint = sys.argv[1:3]
L1KernelPCA(40, kernel="rbf", gram="blocked", random_state=0, checkpoint=checkpoint).fit(
    np.load(rows)
)
"""


@pytest.mark.parametrize(("gram", "waits"), [("blocked", (0.0, 0.3)), ("nystroem", (0.1, 0.5))])
def test_a_long_pass_is_left_and_so_is_the_process(start_script, gram, waits):
    """Twice: the first is caught and another fit begun, the second ends the process."""
    process = start_script(LONG_FIT, gram)
    for seconds in waits:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted []\n"
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors


def test_the_checkpoint_of_an_interrupted_fit_is_used(make_rows, tmp_path, start_script):
    X, rows, path = make_rows(3000), tmp_path / "rows.npy", tmp_path / "fit.npz"
    np.save(rows, X)
    process = start_script(CHECKPOINTED_FIT, rows, path)
    while not path.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    with np.load(path) as saved:
        done = len(saved["coef"])
    settings = {"kernel": "rbf", "gram": "blocked", "random_state": 0}
    resumed = L1KernelPCA(done + 2, **settings, checkpoint=path).fit(X)
    whole = L1KernelPCA(done + 2, **settings).fit(X)
    np.testing.assert_array_equal(resumed.dual_components_, whole.dual_components_)
    np.testing.assert_array_equal(resumed.signs_, whole.signs_)


class KernelError(Exception):
    pass


def test_a_second_fit_that_fails_leaves_no_mixture(make_rows):
    def kernel(x, y):
        if x[0] > 100:
            raise KernelError
        return float(x @ y)

    pca = L1KernelPCA(1, kernel=kernel).fit(make_rows(20))
    with pytest.raises(KernelError):
        pca.fit(make_rows(20) + 1000)
    assert not [name for name in vars(pca) if name.endswith("_")]
