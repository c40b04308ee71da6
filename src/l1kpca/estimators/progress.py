"""A progress bar on standard error: finished components, and the current pass over K."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_WIDTH = 24
_REDRAW_SECONDS = 0.2
_LONG_PASS_SECONDS = 2.0
_TOO_EARLY = 0.02  # share of a pass below which its duration cannot be estimated


class ProgressBar:
    """Before the first component, the time left is a lower bound: one pass over K each.

    Then the components so far set the pace; those loaded from a checkpoint do not count.
    """

    def __init__(self, label: str):
        self._label = label
        self._total: int | None = None
        self._done, self._timed, self._seconds = 0, 0, 0.0  # components, those timed, their time
        self._began = self._pass_began = time.monotonic()
        self._share, self._shown, self._worked = 1.0, 0.0, False

    def over(self, items: Iterable[T], total: int | None) -> Iterator[T]:
        """Yield ``items`` and count them; ``total`` is None if unknown."""
        self._total = total
        self._show(time.monotonic())
        try:
            for item in items:
                now = time.monotonic()
                if self._worked:
                    self._timed, self._seconds = self._timed + 1, self._seconds + now - self._began
                self._done, self._began, self._worked = self._done + 1, now, False
                self._share = 1.0  # whatever ran belongs to the finished component
                self._show(now)
                yield item
        finally:
            sys.stderr.write("\n")

    def hear(self, share: float) -> None:
        """Record which share of the current pass is done."""
        now = time.monotonic()
        if share < self._share:
            self._pass_began = now
        self._share, self._worked = share, True
        if now - self._shown > _REDRAW_SECONDS:
            self._show(now)

    def _show(self, now: float) -> None:
        self._shown, count = now, f"{self._done}"
        if self._total is not None:
            bar = "#" * (_WIDTH * self._done // max(self._total, 1))
            count = f"[{bar:.<{_WIDTH}}] {self._done}/{self._total}"
        line = f"\r{self._label} {count} components{self._time(now)}"
        sys.stderr.write(f"{line:<100}")
        sys.stderr.flush()

    def _time(self, now: float) -> str:
        started = _TOO_EARLY < self._share < 1
        length = (now - self._pass_began) / self._share if started else 0.0
        text = f", this pass {self._share:.0%}" if length > _LONG_PASS_SECONDS else ""
        if self._total is None:
            return text
        to_come = self._total - self._done
        if self._timed:
            mean = self._seconds / self._timed
            return f"{text}, {_duration(mean * to_come - min(now - self._began, mean))} left"
        return f"{text}, more than {_duration(length * to_come)} left" if length else text


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
