"""Parts of a page in Markdown."""

from __future__ import annotations

from l1kpca.page_parts import Section, Table


def article(parts: list[str], about: list[tuple[str, str]]) -> str:
    """The parts of a page, and at its end where it ran."""
    facts = grid(["", ""], [list(fact) for fact in about])
    return "\n\n".join([*parts, "## Where it ran", facts]) + "\n"


def section_of(section: Section, figures: dict[str, str], verdicts: str = "") -> list[str]:
    """Heading, text, a table of verdicts if there is one, figures that were drawn, and tables."""
    pictures = [
        f"![{figure.caption}]({figures[figure.name]}.png)\n\n*{figure.caption}*"
        for figure in section.figures
        if figure.name in figures
    ]
    tables = [table_of(table) for table in section.tables if table.lines]
    found = ["### Verdicts", verdicts] if verdicts else []
    return [f"## {section.title}", *section.text, *found, *pictures, *tables]


def tally_of(tally: dict[str, int], what: str) -> str:
    """How many got each verdict.

    Examples
    --------
    >>> tally_of({"met": 3, "not met": 1, "not judged": 0}, "targets")
    '**Of 4 targets: 3 met, 1 not met.**'
    """
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally.items() if count)
    return f"**Of {sum(tally.values())} {what}: {counts}.**"


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
