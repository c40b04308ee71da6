"""What the pages show must run, and what they link to must be there."""

import importlib
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pages import blocks_of, output_of

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
WRITTEN = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page.relative_to(DOCS).parts[0] not in {"_build", "auto_gallery", "commands"}
]
PAGES = [ROOT / "README.md", *WRITTEN]
# Their commands run as well as their Python.
GUIDES = [
    page
    for page in WRITTEN
    if page.parent.name in {"guide", "coming_from"} or page.stem in {"index", "tour", "cli"}
]
PUBLIC = (
    "l1kpca",
    "l1kpca.peers",
    "l1kpca.datasets",
    "l1kpca.outliers",
    "l1kpca.optimality",
    "l1kpca.plots",
    "l1kpca.report",
    "l1kpca.directions",
)
WIDTH = 90
BUILT = ("commands/all.md", "auto_gallery/index")  # pages that are made when the site is built


def name_of(page):
    return str(page.relative_to(ROOT))


def code_blocks(page):
    return [block.code for block in blocks_of(page.read_text()) if block.kind == "python"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_files_are_not_broken(page):
    targets = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert [target for target in missing if not target.endswith(BUILT)] == []


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_a_page_runs_from_top_to_bottom_and_prints_what_it_shows(page, tmp_path):
    names = {}
    for block in blocks_of(page.read_text()):
        printed = output_of(block, names, tmp_path)
        assert block.printed is None or printed == block.printed, block.code


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_code_fits_the_width_of_a_page(page):
    lines = [
        line
        for block in blocks_of(page.read_text())
        for line in [*block.code.splitlines(), *(block.printed or "").splitlines()]
    ]
    assert [line for line in lines if len(line) > WIDTH] == []


def test_the_example_of_the_readme_runs():
    (example,) = code_blocks(ROOT / "README.md")
    names = {}
    exec(example, names)
    assert names["scores"].shape == (378, 2)
    assert_allclose(
        names["why"].sum(axis=1),
        -names["detector"].score_samples(names["X"][names["worst"]]),
    )


def test_the_example_of_the_page_on_optimality_runs():
    names = {"X": np.random.default_rng(0).normal(size=(7, 2))}
    # Fewer nodes than the page allows: the last per mille of a bound takes most of the time.
    exec(code_blocks(DOCS / "optimality.md")[0].replace("max_nodes=1000", "max_nodes=10"), names)
    assert names["model"].optimality_gap_.shape == (5,)


def test_what_the_page_on_extending_adds_works(tmp_path):
    """A Gram, a finder and a rule; blocks that print nothing belong to files of their own."""
    names = {"__name__": "page"}
    shown = [b for b in blocks_of((DOCS / "extending.md").read_text()) if b.printed]
    assert len(shown) == 3
    for block in shown:
        assert output_of(block, names, tmp_path) == block.printed


def listed_names():
    """Full names in the tables of the reference."""
    text = "\n".join(page.read_text() for page in (DOCS / "api").glob("*.rst"))
    return set(re.findall(r"^   (l1kpca\.[\w.]+)$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("module", PUBLIC)
def test_everything_public_is_in_the_reference(module):
    public = set(importlib.import_module(module).__all__) - {"__version__", "datasets"}
    assert {f"{module}.{name}" for name in public} - listed_names() == set()


def test_what_the_reference_lists_exists():
    for full_name in sorted(listed_names()):
        module, _, name = full_name.rpartition(".")
        assert hasattr(importlib.import_module(module), name), full_name


def command_pages():
    path = DOCS / "extensions" / "command_pages.py"
    spec = importlib.util.spec_from_file_location("command_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_option_of_every_command_is_in_its_reference():
    pages = command_pages()
    found = dict(pages.all_commands())
    assert {"l1kpca detect", "l1kpca score", "l1kpca datasets fetch"} <= set(found)
    for words, command in found.items():
        page = pages.page_of(words, command)
        assert page.startswith(f"## {words}\n")
        for parameter in pages.parameters_of(command):
            shown = parameter.opts if parameter.param_type_name == "option" else [parameter.name]
            missing = [name for name in shown if f"`{name}".lower() not in page.lower()]
            assert missing == [], words


def test_a_reference_of_a_command_shows_values_choices_and_defaults():
    pages = command_pages()
    found = dict(pages.all_commands())
    detect = pages.page_of("l1kpca detect", found["l1kpca detect"])
    assert "`--encoding TEXT`\n: " in detect
    assert "`--top NUMBER`\n: How many rows to show and explain. Default: `20`." in detect
    assert "`--report PATH`" in detect
    reduce = pages.page_of("l1kpca reduce", found["l1kpca reduce"])
    assert "`--scale`, `--no-scale`" in reduce
    assert "Default: `--scale`." in reduce
