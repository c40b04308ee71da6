"""What the command line says about the line and about columns of one unit."""

import json

import numpy as np
import pytest


def written(path, X):
    names = ",".join(f"c{j}" for j in range(X.shape[1]))
    np.savetxt(path, X, delimiter=",", header=names, comments="", fmt="%.6f")
    return path


@pytest.mark.parametrize("apart", [True, False])
def test_a_line_that_is_not_clear_is_called_so(cli, tmp_path, apart):
    X = np.random.default_rng(0).normal(size=(400, 4))
    X[:8] += 30 * apart
    table = written(tmp_path / "rows.csv", X)
    said = cli("detect", table)
    assert said.status == 0
    assert ("There is no clear line" in said.stdout + said.stderr) is not apart
    assert json.loads(cli("detect", table, "--json").stdout)["clear_line"] is apart


def test_columns_that_look_like_one_curve_are_hinted_at(cli, tmp_path):
    rng, x = np.random.default_rng(0), np.linspace(0, 1, 60)
    heights = rng.lognormal(0, 0.3, (120, 3))
    curves = heights @ np.exp(-(((x - np.array([[0.2], [0.4], [0.6]])) / 0.1) ** 2))
    curves += 0.001 * rng.normal(size=curves.shape)
    table = written(tmp_path / "curves.csv", curves)
    hint = "neighboring columns look like one curve: if flat parts are noise, try"
    assert hint in cli("detect", table).stderr
    assert hint not in cli("detect", table, "--scaling", "common").stderr
    other = written(tmp_path / "other.csv", rng.normal(size=(120, 60)))
    assert hint not in cli("detect", other).stderr
