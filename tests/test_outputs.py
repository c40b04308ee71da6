"""Files are complete or not there, and nothing is overwritten unasked."""

import os
import resource
import stat
import subprocess
import sys

import pytest

from l1kpca.outputs import OutputError, check_writable, replacing


def left_over(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_block_that_succeeds_leaves_the_file_and_nothing_else(tmp_path):
    with replacing(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert left_over(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, MemoryError])
def test_a_block_that_fails_leaves_the_old_file(tmp_path, error):
    (tmp_path / "a.txt").write_text("old")

    def write():
        with replacing(tmp_path / "a.txt", overwrite=True) as temporary:
            temporary.write_text("half of the n")
            raise error

    with pytest.raises(error):
        write()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert left_over(tmp_path) == ["a.txt"]


def test_an_existing_file_is_kept_unless_asked(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with (
        pytest.raises(OutputError, match=r"a\.txt exists and is not overwritten; .* --force"),
        replacing(tmp_path / "a.txt"),
    ):
        pytest.fail("the block must not run")
    with replacing(tmp_path / "a.txt", overwrite=True) as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_file_that_appears_in_the_meantime_is_kept(tmp_path):
    def write():
        with replacing(tmp_path / "a.txt") as temporary:
            temporary.write_text("new")
            (tmp_path / "a.txt").write_text("somebody else's")

    with pytest.raises(OutputError, match="exists and is not overwritten"):
        write()
    assert (tmp_path / "a.txt").read_text() == "somebody else's"
    assert left_over(tmp_path) == ["a.txt"]


def test_permissions_are_those_of_any_file(tmp_path):
    (tmp_path / "plain.txt").write_text("")
    with replacing(tmp_path / "new.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode
    (tmp_path / "new.txt").chmod(0o640)
    with replacing(tmp_path / "new.txt", overwrite=True) as temporary:
        temporary.write_text("newer")
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    with replacing(tmp_path / "link.txt", overwrite=True) as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_places_that_cannot_take_a_file_are_named(tmp_path):
    with pytest.raises(OutputError, match=r"the folder .*nowhere does not exist; create it first"):
        check_writable(tmp_path / "nowhere" / "a.txt")
    with pytest.raises(OutputError, match="is a directory; give the name of a file"):
        check_writable(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe is not a regular file; give another name"):
        check_writable(tmp_path / "pipe", overwrite=True)


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    # Asked of the system, since an administrator may write anywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match=r"the folder .* is not writable; choose another one"):
        check_writable(tmp_path / "a.txt")


def test_a_name_that_the_system_refuses_is_explained(tmp_path):
    with (
        pytest.raises(OutputError, match="was not written: File name too long"),
        replacing(tmp_path / ("a" * 300)) as temporary,
    ):
        temporary.write_text("new")
    assert left_over(tmp_path) == []


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A limit on the size of files stands for a disk that is full: both fail within a write."""
    (tmp_path / "a.txt").write_text("old")
    program = (
        "import sys\n"
        "from l1kpca.outputs import OutputError, replacing\n"
        "try:\n"
        "    with replacing(sys.argv[1], overwrite=True) as temporary:\n"
        "        temporary.write_bytes(bytes(200_000))\n"
        "except OutputError as error:\n"
        "    sys.exit(str(error))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.txt")],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.stderr.strip() == f"{tmp_path / 'a.txt'} was not written: File too large."
    assert (tmp_path / "a.txt").read_text() == "old"
    assert left_over(tmp_path) == ["a.txt"]
