"""Files are complete or not there, nothing is overwritten unasked, nothing is unpickled."""

import os
import resource
import stat
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from l1kpca.files import OutputError, check_writable, read_arrays, replacing, unfinished


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
        "from l1kpca.files import OutputError, replacing\n"
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


def test_what_a_killed_process_left_is_found(tmp_path):
    for name in (".a.txt.1234.part", ".a.txt.1234.other", ".b.txt.1234.part", "a.txt"):
        (tmp_path / name).write_text("half")
    assert [path.name for path in unfinished(tmp_path / "a.txt")] == [".a.txt.1234.part"]
    (tmp_path / "link").symlink_to(tmp_path / "b.txt")
    assert [path.name for path in unfinished(tmp_path / "link")] == [".b.txt.1234.part"]


def test_the_file_that_is_being_written_is_unfinished(tmp_path):
    with replacing(tmp_path / "[a]*.txt") as temporary:
        assert unfinished(tmp_path / "[a]*.txt") == [temporary]
    assert unfinished(tmp_path / "[a]*.txt") == []


ROWS = np.random.default_rng(0).standard_normal((50, 4))


@pytest.fixture(params=[".npz", ".mat"])
def path(request, tmp_path):
    return tmp_path / f"some{request.param}"


def write_arrays(path, compressed):
    if path.suffix == ".npz":
        (np.savez_compressed if compressed else np.savez)(path, X=ROWS, y=np.zeros(50))
    else:
        savemat(path, {"X": ROWS, "y": np.zeros((50, 1))}, do_compression=compressed)


@pytest.mark.parametrize("compressed", [True, False])
def test_arrays_are_read_by_name(path, compressed):
    write_arrays(path, compressed)
    arrays = read_arrays(str(path))
    assert sorted(arrays) == ["X", "y"]
    np.testing.assert_array_equal(arrays["X"], ROWS)


def test_a_bare_array_is_called_X(tmp_path):
    np.save(tmp_path / "a.npy", ROWS)
    np.testing.assert_array_equal(read_arrays(tmp_path / "a.npy")["X"], ROWS)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_pickled_objects_are_never_loaded(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    (np.save if suffix == ".npy" else np.savez)(path, np.array([{"a": 1}, None], dtype=object))
    with pytest.raises(ValueError, match="holds pickled objects, which are never loaded; save"):
        read_arrays(path)


@pytest.mark.parametrize("content", [b"", b"not an archive at all", bytes(300)])
def test_a_file_of_other_content_is_refused(path, content):
    path.write_bytes(content)
    try:
        arrays = read_arrays(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert arrays == {}  # older versions of SciPy read zeros as a file without arrays


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("compressed", [True, False])
def test_half_a_file_is_refused(path, share, compressed):
    write_arrays(path, compressed)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    try:
        arrays = read_arrays(path)
    except ValueError as error:
        assert f"is not a readable {path.suffix} file, or it is damaged" in str(error)  # noqa: PT017
    else:
        assert "y" not in arrays  # cut between two variables of MATLAB


@pytest.mark.parametrize("start", [b"MATLAB 7.3 MAT-file".ljust(124), b"\x89HDF\r\n\x1a\n"])
def test_matlab_7_3_files_are_refused_with_advice(tmp_path, start):
    path = tmp_path / "new.mat"
    path.write_bytes(start + bytes(500))
    with pytest.raises(
        ValueError, match=r"is a MATLAB 7.3 \(HDF5\) file; save it with -v7, or as .npz"
    ):
        read_arrays(path)


def test_a_zip_of_an_unknown_method_is_refused(tmp_path):
    path = tmp_path / "odd.npz"
    np.savez(path, X=np.eye(2))
    whole = bytearray(path.read_bytes())
    entry = whole.index(b"PK\x01\x02")  # the directory entry of X; its bytes 10 and 11 say how
    whole[entry + 10] = 77
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"is not a readable \.npz file, or it is damaged"):
        read_arrays(path)


def test_a_link_that_appears_in_the_meantime_is_not_replaced(tmp_path):
    def written():
        with replacing(tmp_path / "a") as temporary:
            temporary.write_text("new")
            (tmp_path / "a").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OutputError, match="was not written: File exists"):
        written()
    assert (tmp_path / "a").is_symlink()
    assert left_over(tmp_path) == ["a"]


def test_a_matlab_file_on_which_the_reader_crashes_is_refused(tmp_path):
    """With one byte of the type of its numbers, SciPy's reader takes the whole process with it."""
    path = tmp_path / "crash.mat"
    savemat(path, {"X": np.arange(6.0).reshape(3, 2)})
    content = bytearray(path.read_bytes())
    at = content.index(np.arange(6.0).reshape(3, 2).tobytes(order="F")) - 8
    content[at] = 255
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"not a readable \.mat file, or it is damaged"):
        read_arrays(path)


def test_a_matlab_file_is_never_read_in_this_process(tmp_path, monkeypatch):
    """On a damaged file the reader may survive once, and crash the next time."""
    path = tmp_path / "rows.mat"
    kept = {
        "X": ROWS,
        "file": np.arange(3),
        "S": sparse.eye(3, format="csc"),
        "notes": {"a": [1, "b"]},
    }
    savemat(path, kept)
    monkeypatch.setattr("scipy.io.loadmat", None)
    arrays = read_arrays(path)
    assert set(arrays) == set(kept)
    np.testing.assert_array_equal(arrays["X"], ROWS)
    np.testing.assert_array_equal(arrays["S"], np.eye(3))
    assert arrays["notes"].dtype == object


def test_a_matlab_file_beside_modules_of_other_names(tmp_path, monkeypatch):
    """What lies in the folder of the user is not imported."""
    (tmp_path / "scipy.py").write_text("raise SystemExit(1)")
    savemat(tmp_path / "rows.mat", {"X": ROWS})
    monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(read_arrays("rows.mat")["X"], ROWS)
