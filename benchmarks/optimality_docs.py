"""Tables as Markdown, written between the marks of a page of the documentation."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "optimality.md"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def write(name, text, page=PAGE):
    """Replace what stands between ``<!-- name -->`` and ``<!-- end of name -->``."""
    before, begin, rest = page.read_text().partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    if not begin or not end:
        raise SystemExit(f"{page} has no marks for {name}")
    page.write_text(f"{before}{begin}{text}\n{end}{after}")


def percent(value):
    return f"{100 * value:.2f} %"
