"""What is measured in fresh processes: memory, imports, and the first call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

_PEAK = """
import sys

def resident():
    # (now, at most so far).  Linux: VmRSS and VmHWM.  ru_maxrss would not do there: a new process
    # inherits it from the one that started it.
    try:
        with open("/proc/self/status") as file:
            status = dict(line.split(":", 1) for line in file)
        return tuple(1024 * int(status[name].split()[0]) for name in ("VmRSS", "VmHWM"))
    except OSError:
        import resource
        unit = 1 if sys.platform == "darwin" else 1024
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return most, most

{setup}
try:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew at what is resident now
except OSError:
    pass
before = resident()[0]
{work}
answer = [before, resident()[1]]
"""
_ANSWER = "import json, sys\nsys.stdout.write('\\n' + json.dumps(answer))"


def peak_memory(setup: str, work: str) -> tuple[int, int]:
    """Resident bytes of a fresh process after ``setup``, and at most during ``work``.

    Parameters
    ----------
    setup, work : str
        Python code.

    Examples
    --------
    >>> before, peak = peak_memory("", "block = bytearray(50_000_000)")
    >>> 45_000_000 < peak - before < 60_000_000
    True
    """
    before, peak = run_python(_PEAK.format(setup=setup, work=work))
    return int(before), int(peak)


def import_seconds(statement: str) -> float:
    """Seconds of an import in a fresh interpreter, without the start of the interpreter itself.

    Parameters
    ----------
    statement : str
        Such as "import l1kpca".

    Examples
    --------
    >>> import_seconds("import json") > 0
    True
    """
    clock = "import time; begin = time.perf_counter()"
    return float(run_python(f"{clock}\n{statement}\nanswer = time.perf_counter() - begin"))


def run_python(script: str, variables: Mapping[str, str] | None = None) -> Any:
    """What a script leaves in ``answer``, in a fresh interpreter.

    Parameters
    ----------
    script : str
        Python code that sets ``answer`` to something that JSON can hold.
    variables : mapping, optional
        Variables of its environment beside ours.

    Examples
    --------
    >>> run_python("answer = [1, 2]")
    [1, 2]
    """
    done = subprocess.run(  # noqa: S603 (our own interpreter and script)
        [sys.executable, "-c", f"{script}\n{_ANSWER}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(variables or {})},
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise RuntimeError(f"a measured process failed: {reason[0]}")
    return json.loads(done.stdout.splitlines()[-1])
