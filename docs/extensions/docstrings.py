"""What Sphinx needs to know about docstrings beyond numpydoc."""

import re
from dataclasses import is_dataclass
from pathlib import Path

SHAPE = re.compile(r"of shape \([^)]*\)")
OTHERS = ("sklearn.", "pyod.")


def escape_trailing_underscores(app, what, name, obj, options, lines):
    """``n_components_`` in a shape is a name, and not a link as reStructuredText has it."""
    for at, line in enumerate(lines):
        lines[at] = SHAPE.sub(lambda found: re.sub(r"_(?=[,)])", r"\\_", found.group()), line)


def skip_members_of_others(app, what, name, obj, skip, options):
    """What scikit-learn's and PyOD's base classes bring along is documented there."""
    module = getattr(obj, "__module__", None) or ""
    return True if module.startswith(OTHERS) else None


def records(*modules):
    """Patterns of the frozen dataclasses of modules and all that is in them."""
    return [
        rf"^{re.escape(module.__name__)}\.{name}(\.|$)"
        for module in modules
        for name, value in vars(module).items()
        if is_dataclass(value)
    ]


def drop_pages_of_the_past(app):
    """autosummary writes a page for each name that is listed, and leaves it when it is not."""
    folder = Path(app.srcdir) / "api"
    listed = {word for page in folder.glob("*.rst") for word in page.read_text().split()}
    for page in folder.glob("generated/*.rst"):
        if page.stem not in listed:
            page.unlink()


def setup(app):
    app.connect("builder-inited", drop_pages_of_the_past, priority=100)
    # numpydoc rewrites docstrings at the default priority, 500.
    app.connect("autodoc-process-docstring", escape_trailing_underscores, priority=600)
    app.connect("autodoc-skip-member", skip_members_of_others)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
