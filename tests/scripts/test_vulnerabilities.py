"""Known vulnerabilities are found by version, in a file and without the network."""

import json
import zipfile

import numpy as np
import pytest

from scripts import vulnerabilities

LOCK = "aaa==1.4.0 \\\n    --hash=sha256:" + "0" * 64 + "\nb-b==2.0 \\\n"


def record(name="aaa", **said):
    affected = {"package": {"ecosystem": "PyPI", "name": name}, **said}
    return {"id": "PYSEC-1", "summary": "reads too much", "affected": [affected]}


def between(*events):
    return [{"type": "ECOSYSTEM", "events": [dict([event]) for event in events]}]


@pytest.fixture
def look_up(tmp_path, capsys):
    """Status and printed lines for records, with a lock of aaa 1.4.0 and b-b 2.0."""

    def look(content, name="known.json"):
        path, lock = tmp_path / name, tmp_path / "lock"
        lock.write_text(LOCK)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        status = vulnerabilities.main([str(path), "--lock", str(lock)])
        return status, capsys.readouterr()

    return look


@pytest.mark.parametrize(
    ("said", "affected"),
    [
        ({"versions": ["1.3", "1.4.0"]}, True),
        ({"versions": ["1.3"]}, False),
        ({"ranges": between(("introduced", "0"), ("fixed", "1.10"))}, True),
        ({"ranges": between(("introduced", "0"), ("fixed", "1.4.0"))}, False),
        ({"ranges": between(("introduced", "1.4"), ("last_affected", "1.4"))}, True),
        ({"ranges": between(("introduced", "0"), ("last_affected", "1.3.9"))}, False),
        ({"ranges": between(("introduced", "1.5"))}, False),
        ({"ranges": between(("introduced", "0"), ("fixed", "1.2"), ("introduced", "1.3"))}, True),
        ({"ranges": between(("introduced", "0"), ("fixed", "not a version"))}, True),
        ({"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}, False),
        ({"package": {"ecosystem": "npm", "name": "aaa"}, "versions": ["1.4.0"]}, False),
    ],
    ids=str,
)
def test_a_version_is_affected_or_not(look_up, said, affected):
    status, said_so = look_up([record(**said)])
    assert status == int(affected)
    assert ("aaa 1.4.0: PYSEC-1 reads too much\n" in said_so.out) == affected
    assert said_so.out.endswith(f"2 packages, {int(affected)} known vulnerabilities\n")


def test_names_are_the_same_however_they_are_written(look_up):
    assert look_up(record("B_b", versions=["2.0"]))[0] == 1


def test_what_was_withdrawn_is_no_vulnerability(look_up):
    assert look_up(record(versions=["1.4.0"]) | {"withdrawn": "2026-01-01T00:00:00Z"})[0] == 0


def test_the_archive_of_the_database_is_read(tmp_path, capsys):
    """By the packages of this environment, of which NumPy is one."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("1.json", json.dumps(record("numpy", versions=[np.__version__])))
        archive.writestr("2.json", json.dumps(record("unheard-of", versions=["1"])))
    assert vulnerabilities.main([str(tmp_path / "all.zip")]) == 1
    assert capsys.readouterr().out.startswith(f"numpy {np.__version__}: PYSEC-1")


@pytest.mark.parametrize("content", ["{", "[3]", '{"id": 1}'])
def test_another_file_is_refused(look_up, content):
    status, said = look_up(content)
    assert status == 2
    assert "holds no records of the OSV format" in said.err


def test_a_file_that_is_not_there_is_refused(tmp_path, capsys):
    assert vulnerabilities.main([str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
