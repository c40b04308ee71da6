"""Every example of the gallery runs, with nothing to complain about."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("plot_*.py"))
OWN_PROCESS = ("plot_dask",)  # starts processes, which read the main script again


def test_the_gallery_has_a_header_and_examples():
    assert (FOLDER / "GALLERY_HEADER.rst").read_text().startswith("Examples\n=")
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning(path, tmp_path, monkeypatch, capfd):
    if path.stem in OWN_PROCESS:
        done = subprocess.run(
            [sys.executable, "-W", "error", str(path)],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"MPLBACKEND": "Agg"},
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)  # without a screen it would warn
    runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    plt.close("all")
    assert "Warning" not in capfd.readouterr().err


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_begins_with_its_title(path):
    """The docstring is the head of the page: a title, as wide as its underline, and a text."""
    _, title, underline, blank, text, *_ = path.read_text().splitlines()
    assert title
    assert underline == "=" * len(title)
    assert not blank
    assert text
