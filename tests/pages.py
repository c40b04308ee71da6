"""Pages in Markdown as programs: their Python runs, their commands run, their outputs are right.

A block of Python or of shell commands that is followed by a block of text must print that text.
``python tests/pages.py docs/tour.md`` runs pages and writes what they print into them.
"""

import contextlib
import io
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from l1kpca.cli.app import run

_FENCE = re.compile(
    r"^```(?P<kind>python|sh)\n(?P<code>.*?)^```\n(?:\n*```text\n(?P<printed>.*?)^```$)?",
    flags=re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One block of a page: ``printed`` is the output it shows, None if it shows none."""

    kind: str
    code: str
    printed: str | None


def blocks_of(text):
    """Blocks in the order of the page."""
    return [Block(**found.groupdict()) for found in _FENCE.finditer(text)]


def commands_of(code):
    """Arguments of each call of this program; other commands are for the reader alone."""
    joined = code.replace("\\\n", " ")
    lines = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [line[1:] for line in lines if line[:1] == ["l1kpca"]]


def output_of(block, names, folder):
    """What a block prints when it is run in a folder; Python shares ``names`` along a page."""
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        if block.kind == "python":
            exec(compile(block.code, "page", "exec"), names)
        else:
            for arguments in commands_of(block.code):
                status = run(arguments)
                assert status == 0, f"{arguments} ended with status {status}"
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def rewritten(text, folder):
    """A page with the outputs that it shows as they are."""
    names = {}

    def replaced(found):
        block = Block(**found.groupdict())
        printed = output_of(block, names, folder)
        if block.printed is None:
            return found.group()
        return f"```{block.kind}\n{block.code}```\n\n```text\n{printed}```"

    return _FENCE.sub(replaced, text)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page.read_text(), folder))
