"""Settings of the documentation."""

from l1kpca import __version__

project = "l1kpca"
author = "l1kpca developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
myst_heading_anchors = 3
numpydoc_show_class_members = False
