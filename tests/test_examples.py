"""Every example of the gallery runs as a script, with nothing to complain about."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("plot_*.py"))


def test_the_gallery_has_a_header_and_examples():
    assert (FOLDER / "GALLERY_HEADER.rst").read_text().startswith("Examples\n=")
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning(path, tmp_path):
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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_begins_with_its_title(path):
    """The docstring is the head of the page: a title, as wide as its underline, and a text."""
    _, title, underline, blank, text, *_ = path.read_text().splitlines()
    assert title
    assert underline == "=" * len(title)
    assert not blank
    assert text
