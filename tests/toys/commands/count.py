"""l1kpca count."""

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import Terminal


def count(data: opt.Data, as_json: opt.Json = False) -> None:
    """Count the rows of a table."""
    from l1kpca.tables.sources import read_table

    rows = len(read_table(data).frame)
    terminal = Terminal(as_json=as_json)
    terminal.say(f"{rows} rows")
    terminal.result({"rows": rows})
