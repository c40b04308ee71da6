"""The wheel and the sdist hold what they should, and the wheel works away from the checkout."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the wheel and the sdist, which the wheel is made of."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path


def package_files():
    """All files of the package, but for what running it leaves there."""
    found = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    return {
        str(path.relative_to(ROOT / "src"))
        for path in found
        if "__pycache__" not in path.parts and path.suffix not in (".nbi", ".nbc", ".pyc")
    }


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == package_files()


def test_the_wheel_holds_types_templates_and_data(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "l1kpca/py.typed" in names
    for suffix in (".html", ".css", ".js"):
        assert any(name.startswith("l1kpca/report/") and name.endswith(suffix) for name in names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_holds_the_sources_and_the_tests(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    names = {member.name.split("/", 1)[1] for member in members}
    assert {f"src/{name}" for name in package_files()} <= names
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "PKG-INFO",
        "sbom.cdx.json",
    } <= names
    tops = {name.split("/")[0] for name in names}
    assert tops <= {
        "src", "tests", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff",
        "PKG-INFO", ".gitignore", "SECURITY.md", "sbom.cdx.json",
    }  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert all(member.isfile() for member in members)


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory):
    """An environment with the wheel; the packages that it needs are those of this one."""
    folder = tmp_path_factory.mktemp("env")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    site = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
    )  # fmt: skip
    # Lines of a .pth file are folders; .pth files within them, such as that of an editable
    # installation of this package, are not read.
    (site / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    zipfile.ZipFile(wheel).extractall(site)
    return python, site


CHECK = """
import sys
from pathlib import Path
import numpy as np
import l1kpca
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.cli.app import run
from l1kpca.report import report

assert Path(l1kpca.__file__).is_relative_to(sys.argv[1]), l1kpca.__file__
X = np.random.default_rng(0).normal(size=(50, 3))
L1KernelPCA(2, kernel="rbf").fit_transform(X)
detector = KernelPCAOutlierDetector(random_state=0).fit(X)
assert "<script" in report(detector, X).to_html()
sys.exit(run(["--version"]) or run(["detect", "wbc", "-q", "--report", "r.html"]))
"""


def test_the_wheel_works_away_from_the_checkout(elsewhere, tmp_path):
    python, site = elsewhere
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", CHECK, site], cwd=tmp_path, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("l1kpca ")
    assert (tmp_path / "r.html").stat().st_size > 10_000


def test_every_requirement_has_a_lower_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        asked += [name for name in extra if not name.startswith("l1kpca[")]
    assert [name for name in asked if ">=" not in name] == []
