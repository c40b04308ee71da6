"""Tables in Markdown."""

from __future__ import annotations

from l1kpca.page_parts import Table


def table_of(table: Table) -> str:
    """A table under its title."""
    return f"### {table.title}\n\n{grid(table.columns, table.lines)}"


def grid(columns: list[str], lines: list[list[str]]) -> str:
    r"""Lines of cells under the names of the columns.

    Examples
    --------
    >>> print(grid(["x", "norm"], [["2", "|x|"]]))
    | x | norm |
    | --- | --- |
    | 2 | \|x\| |
    """
    rows = [columns, ["---"] * len(columns), *lines]
    return "\n".join(f"| {' | '.join(cell(text) for text in row)} |" for row in rows)


def cell(text: str) -> str:
    """A text whose bars do not end the cell; bars that are escaped already stay so."""
    return text.replace("\\|", "|").replace("|", "\\|")
