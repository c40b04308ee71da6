"""What the pages show must run, and what they link to must be there."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca.directions import Polished
from l1kpca.gram.tiles import TiledGram
from l1kpca.threads import Workers

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def code_blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_are_not_broken(page):
    targets = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_the_example_of_the_readme_runs():
    (example,) = code_blocks(ROOT / "README.md")
    names = {}
    exec(example, names)
    assert names["scores"].shape == (378, 2)
    assert_allclose(
        names["why"].sum(axis=1),
        -names["detector"].score_samples(names["X"][names["worst"]]),
    )


def test_the_gram_of_the_page_on_extending_works():
    names = {"np": np, "TiledGram": TiledGram}
    exec(code_blocks(ROOT / "docs" / "extending.md")[0], names)
    F = np.random.default_rng(0).integers(-4, 5, (40, 3)).astype(float)
    gram = names["HalfGram"](F @ F.T, Workers())
    found = Polished().find(gram, np.ones(40))
    assert_allclose(found.image, F @ F.T @ found.coef)
