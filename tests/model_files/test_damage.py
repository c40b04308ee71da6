"""A damaged model file is refused in one sentence, or it is the same model."""

import io
import os
import pickle
import re
import stat
import struct
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest

from l1kpca import L1KernelPCA, persistence
from l1kpca.persistence import ModelFileError, load
from model_files.forged import entries_of, rewritten, unchanged

ROWS = np.random.default_rng(1).normal(size=(5, 3))
DAMAGED = "is not a model file, or it is damaged; save the model again"
ODD = "has entries that no saved model has, so it was not read; save the model again"


def refused_or_equal(path, model):
    """Whether the file is refused; if it is not, it must hold the model."""
    complaint = None
    try:
        saved = load(path)
    except ModelFileError as error:
        complaint = str(error)
    if complaint is not None:
        assert complaint.startswith(str(path))
        assert complaint.isprintable()
        return True
    np.testing.assert_array_equal(saved.estimator.score_samples(ROWS), model.score_samples(ROWS))
    assert saved.attached == {"columns": ["a", "b", "c"]}
    return False


def test_a_file_cut_off_anywhere_is_refused(file, good):
    lengths = np.unique(np.linspace(0, len(good) - 1, 150).astype(int))
    for length in [*lengths, *range(len(good) - 25, len(good))]:
        file.write_bytes(good[:length])
        with pytest.raises(ModelFileError, match=DAMAGED):
            load(file)


def table_of_contents(content):
    """Where the entries end and the table begins."""
    (start,) = struct.unpack("<I", content[-6:-2])
    return start


@pytest.mark.parametrize("region", ["entries", "table"])
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_one_altered_byte_is_refused_or_without_effect(file, good, model, region, flip):
    split = table_of_contents(good)
    places = range(split) if region == "entries" else range(split, len(good))
    drawn = np.random.default_rng(flip).choice(places, 120, replace=False)
    refused = 0
    for place in drawn:
        damaged = bytearray(good)
        damaged[place] ^= flip
        file.write_bytes(damaged)
        refused += refused_or_equal(file, model)
    assert refused >= 20


def test_an_array_that_says_it_is_smaller_is_refused(tmp_path):
    """Also if it is so large that the rest of it would not be read."""
    X = np.random.default_rng(0).normal(size=(2000, 5))
    persistence.save(L1KernelPCA(2, kernel="rbf").fit(X), tmp_path / "m.skops")
    whole = (tmp_path / "m.skops").read_bytes()
    for before, after in ((b"'<f8'", b"'<f4'"), (b"(2000,", b"(1000,"), (b"(2000,", b"(0000,")):
        assert before in whole
        for start in [at.start() for at in re.finditer(re.escape(before), whole)]:
            changed = whole[:start] + after + whole[start + len(before) :]
            (tmp_path / "m.skops").write_bytes(changed)
            with pytest.raises(ModelFileError, match=DAMAGED):
                load(tmp_path / "m.skops")


def test_bytes_added_or_left_out_are_refused_or_without_effect(file, good, model):
    rng = np.random.default_rng(0)
    for _ in range(60):
        first, second = sorted(rng.integers(0, len(good), 2))
        for damaged in (
            good[:first] + rng.bytes(16) + good[first:],
            good[:first] + good[min(second, first + 64) :],
            good[:first] + bytes(min(64, second - first)) + good[min(second, first + 64) :],
        ):
            file.write_bytes(damaged)
            refused_or_equal(file, model)


def test_every_entry_is_needed_and_checked(file, good):
    for name in entries_of(file):
        for other in (None, b"", b"\x00", b"{}", b"null", b"\xff\xfe", b"[" * 50_000):
            file.write_bytes(good)
            rewritten(file, **{name: other})
            with pytest.raises(ModelFileError):
                load(file)


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["m.skops", "m.l1kpca", "m.pkl", "m"])
def test_a_renamed_pickle_is_not_opened(tmp_path, protocol, name):
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Trap(tmp_path / "sprung"), protocol))
    with unchanged(tmp_path), pytest.raises(ModelFileError, match=DAMAGED):
        load(path)


def test_a_pickle_before_the_archive_is_not_opened(file, good, tmp_path, model):
    file.write_bytes(pickle.dumps(Trap(tmp_path / "sprung")) + good)
    with unchanged(tmp_path):
        refused_or_equal(file, model)


def test_a_pickle_as_any_entry_is_not_opened(file, good, tmp_path):
    trap = Trap(tmp_path / "sprung")
    array = io.BytesIO()
    np.save(array, np.array([trap], dtype=object), allow_pickle=True)
    for name in entries_of(file):
        for hostile in (pickle.dumps(trap), array.getvalue()):
            file.write_bytes(good)
            rewritten(file, **{name: hostile})
            with unchanged(tmp_path), pytest.raises(ModelFileError):
                load(file)


ODD_NAMES = [
    "../up.npy", "..", "/etc/passwd", "//host/share", "a/b.npy", "folder/", "..\\up.npy",
    "C:\\windows\\system.ini", "C:up.npy", "a\\b",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_that_lead_elsewhere_are_refused(file, name):
    rewritten(file, **{name: b"x"})
    with unchanged(file.parent), pytest.raises(ModelFileError, match=ODD):
        load(file)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFBLK])
def test_entries_that_are_no_plain_files_are_refused(file, kind):
    entry = zipfile.ZipInfo("link.npy")
    entry.create_system = 3
    entry.external_attr = (kind | 0o777) << 16
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("name", ["schema.json", "l1kpca.json"])
def test_repeated_names_are_refused(file, name):
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(name, "{}")
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compressed_entry_is_refused_however_small(file, method):
    with zipfile.ZipFile(file, "a", compression=method) as archive:
        archive.writestr("more.npy", bytes(1000))
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


def with_declared_sizes(content, name, compressed, full):
    """The table of contents says other sizes for one entry."""
    content = bytearray(content)
    place = content.index(b"PK\x01\x02")
    while True:
        length, extra, comment = struct.unpack("<HHH", content[place + 28 : place + 34])
        if content[place + 46 : place + 46 + length] == name.encode():
            content[place + 20 : place + 28] = struct.pack("<II", compressed, full)
            return bytes(content)
        place += 46 + length + extra + comment


@pytest.mark.parametrize("compressed", [0, 10, 4_000_000_000])
@pytest.mark.parametrize("full", [0, 10, 4_000_000_000])
@pytest.mark.parametrize("name", ["schema.json", "l1kpca.json"])
def test_sizes_that_lie_are_refused(file, good, name, compressed, full):
    file.write_bytes(with_declared_sizes(good, name, compressed, full))
    with pytest.raises(ModelFileError):
        load(file, max_bytes=10**12)


def test_entries_that_share_their_bytes_are_refused(file, good):
    """A bomb without compression: many names for the same large entry."""
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("big.npy", bytes(100_000))
        big = archive.getinfo("big.npy")
        for number in range(100):
            twin = zipfile.ZipInfo(f"{number}.npy")
            twin.header_offset, twin.CRC = big.header_offset, big.CRC
            twin.file_size = twin.compress_size = big.file_size
            archive.filelist.append(twin)
            archive.NameToInfo[twin.filename] = twin
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


def test_too_many_entries_are_refused(file, monkeypatch):
    monkeypatch.setattr(persistence, "_MAX_ENTRIES", 1000)
    with zipfile.ZipFile(file, "a") as archive:
        for number in range(1001):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


@pytest.mark.parametrize("name", ["schema.json", "l1kpca.json"])
def test_text_that_is_too_long_is_not_read(file, name, monkeypatch):
    """As objects of Python, a text of brackets would be much larger."""
    monkeypatch.setattr(persistence, "_MAX_JSON", 1_000_000)
    rewritten(file, **{name: b"[" + b"{}," * 500_000 + b"{}]"})
    with pytest.raises(ModelFileError, match=ODD):
        load(file)


BOMB = """
import resource, sys
from l1kpca.persistence import ModelFileError, load
import skops.io
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load(sys.argv[1])
except ModelFileError as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(grown < 50_000, error)
"""


def test_a_bomb_is_refused_without_taking_its_memory(tmp_path):
    bomb = tmp_path / "bomb.skops"
    with (
        zipfile.ZipFile(bomb, "w", compression=zipfile.ZIP_DEFLATED) as archive,
        archive.open("schema.json", "w", force_zip64=True) as entry,
    ):
        for _ in range(100):
            entry.write(bytes(1_000_000))
    assert bomb.stat().st_size < 1_000_000
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(bomb)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("True")
    assert ODD in done.stdout


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []

    def read():
        try:
            load(tmp_path / "pipe")
        except ModelFileError as error:
            found.append(str(error))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(20)
    assert found == [f"{tmp_path / 'pipe'} is not a regular file; give the file of a saved model."]


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/null"])
def test_a_device_is_refused(device):
    with pytest.raises(ModelFileError, match=f"{device} is not a regular file; give the file"):
        load(device)
