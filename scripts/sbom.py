"""Write sbom.cdx.json: what requirements.lock names, as a CycloneDX bill of materials.

python -m scripts.sbom
"""

import json
import re
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK, BILL = ROOT / "requirements.lock", ROOT / "sbom.cdx.json"
LINE = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>.*?))? \\$")


def locked(text):
    """Packages of a lock file: name, version, marker, hashes of its files, and who asks for it."""
    found = []
    for line in text.splitlines():
        if head := LINE.match(line):
            found.append({**head.groupdict(), "hashes": [], "via": []})
        elif hashed := re.match(r"    --hash=sha256:([0-9a-f]{64})", line):
            found[-1]["hashes"].append(hashed[1])
        elif asked := re.match(r"    #  ?(?:via| ) +([a-z0-9-]+)", line):
            found[-1]["via"].append(asked[1])
    return found


def reference(package):
    """The package URL, which names a package and a version everywhere."""
    return f"pkg:pypi/{package['name']}@{package['version']}"


def component(package):
    """One package as CycloneDX describes it."""
    described = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["marker"]:
        described["properties"] = [{"name": "python:marker", "value": package["marker"]}]
    return described


def bill(packages, version):
    """The bill of materials; the same packages give the same bytes."""
    ours = {"name": "l1kpca", "version": version}
    needs = {
        reference(user): [reference(p) for p in packages if user["name"] in p["via"]]
        for user in [ours, *packages]
    }
    content = json.dumps([ours, needs])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": component({**ours, "marker": None})},
        "components": [component(package) for package in packages],
        "dependencies": [
            {"ref": user, "dependsOn": needed} for user, needed in needs.items() if needed
        ],
    }


def text_of_bill():
    """The bill of this checkout."""
    source = (ROOT / "src" / "l1kpca" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)[1]
    return json.dumps(bill(locked(LOCK.read_text(encoding="utf-8")), version), indent=1) + "\n"


if __name__ == "__main__":
    BILL.write_text(text_of_bill(), encoding="utf-8")
