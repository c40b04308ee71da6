"""No connection is opened by an import, a fit, a saved model or a report."""

import subprocess
import sys

WATCHED = """
import sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
                 "socket.bind", "urllib.Request", "ftplib.connect", "smtplib.connect"}:
        sys.stderr.write(f"{event} {arguments}\\n")
        sys.stderr.flush()
        import os
        os._exit(66)  # not an error that somebody could catch

sys.addaudithook(refuse)
"""

WORK = """
import tempfile
from pathlib import Path
import numpy as np
import l1kpca, l1kpca.adapters, l1kpca.cli.app, l1kpca.datasets, l1kpca.peers
import l1kpca.optimality, l1kpca.plots, l1kpca.report
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, datasets, persistence

X = np.random.default_rng(0).normal(size=(60, 4))
L1KernelPCA(2, kernel="rbf").fit(X).transform(X)
detector = KernelPCAOutlierDetector(random_state=0).fit(X)
datasets.load("wbc")
with tempfile.TemporaryDirectory() as folder:
    persistence.save(detector, Path(folder) / "m.skops")
    persistence.load(Path(folder) / "m.skops")
    l1kpca.report.report(detector, X).save(Path(folder) / "r.html")
    status = l1kpca.cli.app.run(["detect", "wbc", "-q", "--out", f"{folder}/o.csv"])
print("done", status)
"""


def watched(work):
    return subprocess.run(
        [sys.executable, "-c", WATCHED + work], capture_output=True, text=True, check=False
    )


def test_no_connection_is_opened():
    done = watched(WORK)
    assert (done.returncode, done.stdout) == (0, "done 0\n"), done.stderr


def test_a_connection_would_have_been_seen():
    """Guards the test above."""
    done = watched("import socket; socket.create_connection(('127.0.0.1', 9))")
    assert done.returncode == 66
    assert done.stderr.startswith("socket.")
