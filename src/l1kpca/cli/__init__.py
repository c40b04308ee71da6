"""The command line."""

import sys

_EXTRAS = ("typer", "rich", "pandas", "pyarrow", "skops")


def main() -> None:
    """Run the program ``l1kpca``; ends the process."""
    try:
        # Imported here, so that a plain installation says in one sentence what is missing.
        from l1kpca.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        print(
            f"l1kpca: the command line needs {error.name}, which is not installed; install it"
            " with: pip install 'l1kpca[cli]'.",
            file=sys.stderr,
        )
        sys.exit(2)
    sys.exit(run())
