"""Files that nobody may write to while they are read."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from l1kpca.tables.table import TableError


class Unchanged:
    """What files were when they were opened: their size, and when they were written."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, int] | None] = {}

    def add(self, paths: Iterable[Path]) -> None:
        """Remember files before they are opened."""
        self._seen |= {path: _stamp(path) for path in paths}

    def check(self) -> None:
        """Refuse files that are other ones now: their rows would not fit those read before."""
        for path, seen in self._seen.items():
            if _stamp(path) != seen:
                raise TableError(f"{path} was changed while it was read; start again.")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A look at the files; what goes wrong in it is blamed on a change if there was one."""
        self.check()
        try:
            yield
        except Exception:
            self.check()
            raise
        self.check()


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
