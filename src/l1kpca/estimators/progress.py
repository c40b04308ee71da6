"""A progress bar over components, on standard error."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_WIDTH = 24


def with_progress(items: Iterable[T], total: int, label: str, done: int = 0) -> Iterator[T]:
    """Pass ``items`` on and show how many came, how many are expected, and the time left."""
    begin, already = time.monotonic(), done
    _show(label, done, total, None)
    for item in items:
        done += 1
        elapsed = time.monotonic() - begin
        _show(label, done, total, elapsed / (done - already) * (total - done))
        yield item
    sys.stderr.write("\n")


def _show(label: str, done: int, total: int, seconds_left: float | None) -> None:
    filled = _WIDTH * done // max(total, 1)
    left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
    bar = "#" * filled + "." * (_WIDTH - filled)
    sys.stderr.write(f"\r{label} [{bar}] {done}/{total} components{left}   ")
    sys.stderr.flush()
