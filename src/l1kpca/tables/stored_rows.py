"""A matrix in a file of NumPy that is larger than memory."""

from pathlib import Path
from typing import Any

import numpy as np


class StoredRows:
    """Rows of a ``.npy`` file, read when they are asked for.

    A map of the file would be shorter, but the system ends a process whose mapped file shrinks.
    """

    def __init__(self, path: Path) -> None:
        mapped: Any = np.load(path, mmap_mode="r", allow_pickle=False)
        self.path, self.shape, self.dtype, self.ndim = path, mapped.shape, mapped.dtype, mapped.ndim
        self._offset, self._by_columns = mapped.offset, not mapped.flags.c_contiguous

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> Any:
        start, stop, _ = rows.indices(len(self))
        if not self._by_columns:
            width = self.shape[1]
            return self._read(start * width, (stop - start) * width).reshape(-1, width)
        columns = [self._read(j * len(self) + start, stop - start) for j in range(self.shape[1])]
        return np.array(columns).T

    def _read(self, start: int, count: int) -> Any:
        at = self._offset + start * self.dtype.itemsize
        found = np.fromfile(self.path, dtype=self.dtype, count=count, offset=at)
        if len(found) < count:
            raise ValueError(f"{self.path} ends before its last row")
        return found
