"""How much memory there is, and how much may be used."""

import math
import os
import re
import sys
from pathlib import Path

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def read_memory_limit(limit: int | float | str | None) -> int:
    """Bytes from ``limit``; None is half of what is free now.

    Examples
    --------
    >>> read_memory_limit("2GB")
    2000000000
    >>> read_memory_limit(1e6)
    1000000
    """
    if limit is None:
        return free_memory() // 2
    text = str(limit).strip().upper()
    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:E\+?\d+)?)\s*([KMGT]?)(I?)B?", text)
    number = float(match[1]) if match else 0.0
    if match is None or not 0 < number < math.inf:
        raise ValueError(
            f"memory_limit={limit!r} must be a positive number of bytes, a text like '2GB', or None"
        )
    return int(number * (1024 if match[3] else 1000) ** _UNITS[match[2]])


def free_memory() -> int:
    """Bytes that can be taken without swapping, within the limit of a container if there is one."""
    candidates = [2 * 10**9]
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        found = re.search(r"MemAvailable:\s+(\d+) kB", meminfo.read_text())
        candidates = [int(found[1]) * 1024] if found else candidates
    elif "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        candidates = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2]
    allowed, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if allowed.exists() and (text := allowed.read_text().strip()).isdigit():
        candidates.append(int(text) - int(used.read_text()))
    return max(min(candidates), 0)


def peak_resident() -> float:
    """Most bytes that this process has held so far; nan where the system does not say.

    Linux hands the ``ru_maxrss`` of a process on to those it starts, so it is not asked for there.

    Examples
    --------
    >>> block = bytearray(10**6)
    >>> peak_resident() > 10**6
    True
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return 1024.0 * int(found[1])
    try:
        import resource  # noqa: PLC0415 (not on every system)
    except ImportError:
        return math.nan
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
