"""Files and folders written whole or not at all."""

import errno
import gzip
import io
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from spanometer import InputError
from spanometer.readers.writing import packing, writing, writing_folder


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    return path


@pytest.fixture
def umask():
    known = os.umask(0o027)
    yield
    os.umask(known)


def test_a_file_appears_when_it_is_whole(tmp_path, umask):
    path = tmp_path / "a"
    with writing(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_a_replaced_file_keeps_its_mode(old, tmp_path):
    old.chmod(0o604)
    with writing(old, replace=True) as stream:
        stream.write(b"new")
        stream.flush()
        assert old.read_bytes() == b"old"
        # nobody else reads what is written meanwhile
        assert {mode(tmp_path / name) for name in os.listdir(tmp_path)} == {0o604}
    assert (old.read_bytes(), mode(old)) == (b"new", 0o604)
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_is_replaced_only_on_request(old, tmp_path):
    with pytest.raises(InputError, match="the file exists already") as caught, writing(old):
        pass
    assert caught.value.source == str(old)
    with pytest.raises(InputError, match="the file exists already"), writing(tmp_path / "b") as stream:
        stream.write(b"ours")
        (tmp_path / "b").write_bytes(b"of another process")
    assert old.read_bytes() == b"old"
    assert (tmp_path / "b").read_bytes() == b"of another process"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(tmp_path, there):
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "a", tmp_path / "link"
    if there:
        path.write_bytes(b"old")
    link.symlink_to(os.path.join("folder", "a"))
    with writing(link, replace=there) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_devices_and_pipes_are_written_directly(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    with writing(pipe) as stream:
        stream.write(b"new")
    reader.join()
    assert found == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with writing(os.devnull, replace=True) as stream:
        stream.write(b"new")
    assert not os.path.isfile(os.devnull)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_device():
    with pytest.raises(InputError, match="/dev/full: cannot be written: no space left"), writing("/dev/full") as stream:
        stream.write(b"new")


@pytest.mark.parametrize("error", [InputError("x"), KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
def test_an_error_leaves_everything(old, tmp_path, error):
    for path in (old, tmp_path / "b"):
        with pytest.raises((type(error), InputError)) as caught, writing(path, replace=True) as stream:
            stream.write(b"new")
            raise error
        if isinstance(error, OSError):
            assert str(caught.value).startswith(f"{path}: cannot be written: no space left.\n")
    assert old.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("function", ["replace", "chmod"])
def test_a_refusal_of_the_system_leaves_everything(old, tmp_path, monkeypatch, function):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left")

    monkeypatch.setattr(os, function, fail)
    with pytest.raises(InputError, match="no space left"), writing(old, replace=True) as stream:
        stream.write(b"new")
    assert old.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_errors_of_other_files_and_closed_pipes_stay_what_they_are(tmp_path):
    for error in (FileNotFoundError(2, "missing", "input"), BrokenPipeError(errno.EPIPE, "closed")):
        with pytest.raises(type(error)), writing(tmp_path / "a"):
            raise error
    with pytest.raises(InputError, match="cannot be written: no such file or directory"), writing(tmp_path / "b" / "a"):
        pass


_KILLED = """
import os, signal, sys
from spanometer.readers.writing import writing, writing_folder
kind, path = sys.argv[1:]
with writing(path, replace=True) if kind == "file" else writing_folder(path, replace=True) as made:
    stream = made if kind == "file" else open(os.path.join(made, "a"), "wb")
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("there", [True, False])
def test_a_killed_process(tmp_path, kind, there):
    path = tmp_path / "result"
    content = path if kind == "file" else path / "a"
    if there:
        content.parent.mkdir(exist_ok=True)
        content.write_bytes(b"old")
    run = subprocess.run([sys.executable, "-c", _KILLED, kind, path], check=False)
    assert run.returncode == -signal.SIGKILL
    if there:
        assert content.read_bytes() == b"old"
    else:
        assert not path.exists()
    left = [name for name in os.listdir(tmp_path) if name != "result"]
    assert [(name.startswith(".spanometer-"), name.endswith(".tmp")) for name in left] == [(True, True)]


def test_files_written_together(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(b"old")

    def write(failing):
        with ExitStack() as together:
            for path in paths:
                with writing(path, replace=True, together=together) as stream:
                    stream.write(b"new")
                    if path.name == failing:
                        raise OSError(errno.ENOSPC, "No space left")
                assert path.read_bytes() == b"old"

    with pytest.raises(InputError, match="c: cannot be written: no space left"):
        write("c")
    assert [path.read_bytes() for path in paths] == [b"old"] * 3
    write(None)
    assert [path.read_bytes() for path in paths] == [b"new"] * 3
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_what_cannot_be_written(old, tmp_path):
    with pytest.raises(InputError, match="is a folder"), writing(tmp_path, replace=True):
        pass
    with pytest.raises(InputError, match="is a file"), writing_folder(old, replace=True):
        pass
    with pytest.raises(InputError, match="not a valid file name"), writing("a\0b"):
        pass
    if os.geteuid() != 0:
        old.chmod(0o400)
        with pytest.raises(InputError, match="write-protected"), writing(old, replace=True):
            pass


def test_a_folder_appears_when_it_is_whole(tmp_path, umask):
    path = tmp_path / "new"
    for _ in range(2):
        with writing_folder(path) as folder:
            assert os.listdir(path if path.exists() else folder) == []
            open(os.path.join(folder, "a.txt"), "w").close()
        assert os.listdir(path) == ["a.txt"]
        assert os.listdir(tmp_path) == ["new"]
        assert mode(path) == 0o750
        # an empty folder gives way
        (path / "a.txt").unlink()


def test_a_folder_is_replaced_only_on_request(tmp_path):
    path = tmp_path / "new"
    (path / "within").mkdir(parents=True)
    (path / "within" / "old.txt").touch()
    path.chmod(0o700)
    with pytest.raises(InputError, match="the folder exists already"), writing_folder(path):
        pass
    with pytest.raises(InputError, match=r"would be lost \(.txt\)"), writing_folder(path, replace=True) as folder:
        open(os.path.join(folder, "a.ann"), "w").close()
    assert os.listdir(path) == ["within"]
    with writing_folder(path, replace=True) as folder:
        open(os.path.join(folder, "a.txt"), "w").close()
    assert os.listdir(path) == ["a.txt"]
    assert mode(path) == 0o700
    assert os.listdir(tmp_path) == ["new"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_a_folder_is_restored(tmp_path, monkeypatch, error):
    path = tmp_path / "new"
    path.mkdir()
    (path / "old.txt").touch()
    rename = os.replace

    def fail(source, target):
        # the old folder is away, and the new one cannot come
        if target == str(path) and os.listdir(source) == ["a.txt"]:
            raise error
        rename(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((KeyboardInterrupt, InputError)), writing_folder(path, replace=True) as folder:
        open(os.path.join(folder, "a.txt"), "w").close()
    assert os.listdir(path) == ["old.txt"]
    assert os.listdir(tmp_path) == ["new"]


def test_packing():
    for packed, unpack in ((True, gzip.decompress), (False, bytes)):
        stream = io.BytesIO()
        with packing(stream, packed=packed) as output:
            output.write(b"text")
        assert unpack(stream.getvalue()) == b"text"
