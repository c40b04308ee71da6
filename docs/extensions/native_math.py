"""Formulas as MathML, which browsers draw themselves: no script, nothing loaded from a network."""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

# LaTeX that docutils does not know, and what says the same.
SAME = {r"\Big": "", r"\dots": r"\ldots"}

logger = logging.getLogger(__name__)


def drawn(node, as_block):
    text = node.astext()
    for unknown, known in SAME.items():
        text = text.replace(unknown, known)
    try:
        return tex2mathml(text, as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node)
        return ""


def draw_inline(writer, node):
    writer.body.append(drawn(node, as_block=False))
    raise nodes.SkipNode


def draw_block(writer, node):
    writer.body.append(f'<div class="math-block">{drawn(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("native", (draw_inline, None), (draw_block, None))
    app.config.html_math_renderer = "native"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
