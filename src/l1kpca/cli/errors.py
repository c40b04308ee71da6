"""What goes wrong, as one sentence and an exit status; a user never sees a traceback."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from l1kpca.cli import EXTRAS, lacking

BAD_INPUT = 2
DEFECT = 1
DRIFT = 3
INTERRUPTED = 130
TRACEBACK_VARIABLE = "L1KPCA_TRACEBACK"


class InputError(Exception):
    """Options that cannot be used; the text names the option and says what to do."""


@contextmanager
def library_errors_explained(doing: str) -> Iterator[None]:
    """Pass on what the library says about unfit values as the user's one sentence."""
    try:
        yield
    except (ValueError, OverflowError, ImportError, FileNotFoundError, ConnectionError) as error:
        if type(error).__module__.startswith("l1kpca."):  # says itself which file is to blame
            raise
        raise InputError(f"{doing}: {_one_line(str(error))}") from error
    except MemoryError as error:
        way_out = "set a smaller --memory-limit, or use fewer rows."
        raise InputError(f"{doing}: not enough memory; {way_out}") from error


def status_of(error: BaseException) -> int:
    """Say what went wrong in one sentence on stderr; the exit status.

    0: nobody reads any more.  1: a defect.  2: unfit input or options.  130: interrupted.
    """
    if isinstance(error, KeyboardInterrupt):
        say("interrupted; no partial files were left.")
        return INTERRUPTED
    if isinstance(error, OSError):
        # What is still waiting to be printed cannot be, and must not fail again at exit.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (stands in until exit)
    if isinstance(error, BrokenPipeError):  # the reader went away, as `head` does
        return 0
    sentence = _sentence(error)
    if sentence is not None:
        say(sentence)
        return BAD_INPUT
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exception(error)
    say(
        f"unexpected {type(error).__name__}: {_one_line(str(error))} This is a defect of l1kpca;"
        f" set {TRACEBACK_VARIABLE}=1, run the command again, and report what it prints."
    )
    return DEFECT


def _sentence(error: BaseException) -> str | None:
    """What a user can do something about; None for a defect."""
    if type(error).__module__.startswith("l1kpca."):  # errors of our own are such a sentence
        return str(error)
    if hasattr(error, "format_message"):  # how typer reports options that it cannot read
        return f"{_one_line(error.format_message())} Add --help for what is possible."
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        return lacking(error.name)
    if isinstance(error, OSError):
        what = error.filename or "the output"
        return f"{what} could not be read or written: {error.strerror or _one_line(str(error))}."
    return None


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def say(sentence: str) -> None:
    """Tell the user on stderr."""
    print(f"l1kpca: {printable(sentence)}", file=sys.stderr)


def printable(text: str) -> str:
    """The same text without characters that could command a terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
