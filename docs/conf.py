"""Settings of the documentation."""

import sys
from pathlib import Path

import l1kpca.optimality
import l1kpca.persistence
import l1kpca.report
from l1kpca import __version__

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
from docstrings import records

project = "l1kpca"
author = "l1kpca developers"
version = release = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "docstrings",
    "native_math",
    "command_pages",
]
exclude_patterns = ["_build", "commands", "auto_gallery/*.md5", "auto_gallery/*.py"]
# Pages that a checkout may not have yet: a table of contents takes them when they are there.
suppress_warnings = ["toc.empty_glob"]

# --- pages in Markdown -------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# --- the reference, from the docstrings ---------------------------------------------------------

autosummary_generate = True
templates_path = ["templates"]
autodoc_typehints = "none"  # numpydoc sections say the types
autodoc_member_order = "groupwise"
default_role = "py:obj"
smartquotes_action = "q"  # quotes only: an option such as --top keeps its dashes
numpydoc_show_class_members = False  # the templates do it
numpydoc_validation_checks = {"GL03", "GL08", "SS01", "PR01", "PR02", "PR10", "RT01"}
# Inner layers have one-line docstrings; records document their fields as attributes.
numpydoc_validation_exclude = {
    r"\.[A-Z_]+$",  # constants, which have the docstrings of their types
    r"^l1kpca\.(components|directions|estimators|gram|kernels|outliers|threads)\.",
    *records(l1kpca.datasets, l1kpca.optimality, l1kpca.persistence),
    *records(l1kpca.report),
    r"^l1kpca\.plots\.\w+$",  # the fields of a display, too; its methods are validated
    r"^l1kpca\.plots\.\w+\.(ellipse|shape|upper_bounds)$",  # fields whose default is None
}

# --- the gallery -------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "gallery_order.WhyToScale",
    "doc_module": ("l1kpca",),
    "backreferences_dir": "api/generated/backreferences",
    "show_memory": False,
    "remove_config_comments": True,
    "download_all_examples": False,
}

# --- looks -------------------------------------------------------------------------------------

html_theme = "furo"
html_title = f"l1kpca {version}"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_show_copyright = False
copybutton_exclude = ".linenos, .gp, .go"
