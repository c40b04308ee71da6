"""The lock names every package with its hashes, and the bill of materials says the same."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from scripts import sbom

ROOT = Path(__file__).parents[2]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@pytest.fixture(scope="module")
def packages():
    return sbom.locked(sbom.LOCK.read_text())


def versions(packages, python):
    """What Linux with a version of Python installs."""
    environment = {
        "python_version": python, "python_full_version": f"{python}.9", "os_name": "posix",
        "sys_platform": "linux", "platform_python_implementation": "CPython",
        "implementation_name": "cpython", "platform_system": "Linux",
    }  # fmt: skip
    kept = [p for p in packages if not p["marker"] or Marker(p["marker"]).evaluate(environment)]
    found = {package["name"]: package["version"] for package in kept}
    assert len(found) == len(kept), "two versions of one package"
    return found


def requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return [Requirement(line) for line in asked if not line.startswith("l1kpca[")]


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_meets_every_requirement(packages, python):
    found = versions(packages, python)
    for asked in requirements():
        assert asked.specifier.contains(found[asked.name]), asked


def test_every_package_has_hashes_and_no_host_is_named(packages):
    text = sbom.LOCK.read_text()
    assert len(packages) == len(re.findall("==", text)) - len(re.findall(r" == ", text))
    assert [p["name"] for p in packages if not p["hashes"]] == []
    assert sum(len(p["hashes"]) for p in packages) == text.count("--hash=sha256:")
    assert "://" not in text
    assert "--index" not in text


def test_the_bill_of_materials_is_that_of_the_lock():
    """After make lock or a new version: python -m scripts.sbom."""
    assert sbom.BILL.read_text() == sbom.text_of_bill()


def test_the_bill_names_what_is_locked_and_who_needs_it(packages):
    bill = json.loads(sbom.BILL.read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert {c["purl"] for c in bill["components"]} == {
        f"pkg:pypi/{p['name']}@{p['version']}" for p in packages
    }
    known = {c["bom-ref"] for c in [*bill["components"], bill["metadata"]["component"]]}
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    assert set(needs) | {ref for refs in needs.values() for ref in refs} <= known
    ours = {
        ref.split("/")[1].split("@")[0] for ref in needs[bill["metadata"]["component"]["bom-ref"]]
    }
    assert ours == {asked.name for asked in requirements()}
