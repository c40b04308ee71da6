"""What goes wrong, as one sentence and an exit status; a user never sees a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from l1kpca.datasets import FetchError
from l1kpca.outputs import OutputError
from l1kpca.persistence import ModelFileError
from l1kpca.report.values import printable

BAD_INPUT = 2
DEFECT = 1
INTERRUPTED = 130
TRACEBACK_VARIABLE = "L1KPCA_TRACEBACK"


class InputError(Exception):
    """Input that cannot be used; the text names the place and says what to do."""


@contextmanager
def library_errors_explained(doing: str) -> Iterator[None]:
    """Pass on what the library says about unfit values as the user's one sentence."""
    try:
        yield
    except (ValueError, OverflowError, ImportError, FileNotFoundError) as error:
        raise InputError(f"{doing}: {_one_line(str(error))}") from error
    except MemoryError as error:
        raise InputError(
            f"{doing}: not enough memory; set a smaller --memory-limit, or use fewer rows."
        ) from error


def exit_status(call: Callable[[], object]) -> int:
    """Run a command; whatever it raises becomes one sentence on stderr and a number.

    Parameters
    ----------
    call : callable
        The command; a whole number that it returns is the status.

    Returns
    -------
    status : int
        0: done.  2: unfit input or options.  130: interrupted.  1: a defect of the program.
    """
    try:
        result = call()
        if result == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()  # a disk that is full is noticed here, and not after the last word
    except (InputError, OutputError, ModelFileError, FetchError) as error:
        _say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted; nothing was written that is not complete.")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away, as `head` does; nobody is left to be told.
        _drop_stdout()
        return 0
    except OSError as error:
        _drop_stdout()
        what = error.filename or "the output"
        _say(f"{what} could not be read or written: {error.strerror or _one_line(str(error))}.")
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001 (the last line of defence against tracebacks)
        return _report_unexpected(error)
    return result if isinstance(result, int) else 0


def _drop_stdout() -> None:
    """What is still waiting to be printed cannot be, and must not fail again at exit."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (stands in for stdout until exit)


def _report_unexpected(error: Exception) -> int:
    if hasattr(error, "format_message"):  # how typer reports options that it cannot read
        complaint = error.format_message()
        if complaint:  # without any argument, the help was shown instead
            _say(f"{_one_line(complaint)} Add --help for what is possible.")
        return BAD_INPUT
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exception(error)
    _say(
        f"unexpected {type(error).__name__}: {_one_line(str(error))} This is a defect of l1kpca;"
        f" set {TRACEBACK_VARIABLE}=1, run the command again, and report what it prints."
    )
    return DEFECT


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _say(sentence: str) -> None:
    print(f"l1kpca: {printable(sentence)}", file=sys.stderr)
