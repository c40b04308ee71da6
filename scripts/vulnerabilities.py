"""Look installed versions up in a file of known vulnerabilities, without the network.

The file holds records of the Open Source Vulnerability format (osv.dev), as its database gives them
away: one JSON record, a list of them, or a zip archive of such files ("all.zip" of PyPI).

    python -m scripts.vulnerabilities all.zip
    python -m scripts.vulnerabilities all.zip --lock requirements.lock
"""

import argparse
import json
import sys
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from scripts.sbom import locked


def records(path):
    """All records of a file that stand."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name) for name in archive.namelist() if name.endswith(".json")]
    else:
        texts = [path.read_bytes()]
    for text in texts:
        found = json.loads(text)
        for record in found if isinstance(found, list) else [found]:
            if not isinstance(record, dict) or "id" not in record or "affected" not in record:
                raise ValueError("a record without 'id' and 'affected'")
            if not record.get("withdrawn"):
                yield record


def within(version, events):
    """Whether a range holds a version: events are in order, and each begins or ends it."""
    inside = False
    for event in sorted(events, key=_place):
        if "introduced" in event:
            inside |= event["introduced"] == "0" or version >= Version(event["introduced"])
        elif "fixed" in event:
            inside &= version < Version(event["fixed"])
        elif "last_affected" in event:
            inside &= version <= Version(event["last_affected"])
    return inside


def _place(event):
    (kind, said), *_ = event.items()
    return Version("0.dev0" if said == "0" else said), kind != "introduced"


def affects(affected, name, version):
    """Whether one entry of a record speaks of a version of a package."""
    package = affected.get("package", {})
    if package.get("ecosystem") != "PyPI" or canonicalize_name(package["name"]) != name:
        return False
    if version in affected.get("versions", ()):
        return True
    ranges = [r for r in affected.get("ranges", ()) if r.get("type") == "ECOSYSTEM"]
    try:
        return any(within(Version(version), each["events"]) for each in ranges)
    except InvalidVersion:
        return True  # what cannot be compared is shown, not passed over


def installed():
    """Name and version of all packages of this environment."""
    return {(canonicalize_name(d.metadata["Name"]), d.version) for d in metadata.distributions()}


def found_in(path, packages):
    """A line for each known vulnerability of the packages."""
    by_name = {}
    for name, version in packages:
        by_name.setdefault(name, []).append(version)
    for record in records(path):
        for affected in record["affected"]:
            name = canonicalize_name(affected.get("package", {}).get("name", ""))
            for version in by_name.get(name, ()):
                if affects(affected, name, version):
                    yield f"{name} {version}: {record['id']} {record.get('summary', '')}".rstrip()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="records of the OSV format: JSON, or a zip of them")
    parser.add_argument("--lock", type=Path, help="this lock file instead of what is installed")
    given = parser.parse_args(arguments)
    if given.lock is None:
        packages = installed()
    else:
        packages = {(p["name"], p["version"]) for p in locked(given.lock.read_text("utf-8"))}
    try:
        lines = sorted(set(found_in(given.file, packages)))
    except (OSError, ValueError) as error:
        print(f"{given.file} holds no records of the OSV format: {error}", file=sys.stderr)
        return 2
    print("\n".join([*lines, f"{len(packages)} packages, {len(lines)} known vulnerabilities"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
