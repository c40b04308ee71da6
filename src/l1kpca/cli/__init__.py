"""The command line."""

import io
import signal
import sys


def main() -> None:
    """Run the program ``l1kpca``; ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # letters that a terminal lacks are spelled out
            stream.reconfigure(errors="backslashreplace")
    # A kill, like Ctrl-C, lets unfinished files be removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if sys.argv[1:] == ["--version"]:  # at once, without the packages of the command line
            from l1kpca import __version__

            print(f"l1kpca {__version__}", flush=True)
            sys.exit()
        # Imported here, so that a plain installation says in one sentence what is missing.
        from l1kpca.cli.app import run
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (a user never sees a traceback)
        from l1kpca.cli.terminal import status_of

        sys.exit(status_of(error))
    sys.exit(run())
