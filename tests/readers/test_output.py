"""Files written whole or not at all."""

import gzip
import io
import os
import stat

import pytest

from spanometer import InputError
from spanometer.readers.output import creating, packing, replacing


def test_replacing(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(str(path)) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_replacing_follows_links(tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "a"
    path.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(os.path.join("folder", "a"))
    with replacing(str(link)) as stream:
        stream.write(b"new")
        assert len(os.listdir(tmp_path / "folder")) == 2
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["a"]


@pytest.mark.parametrize("function", ["fsync", "replace", "chmod"])
def test_an_error_leaves_the_old_file(tmp_path, monkeypatch, function):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, function, fail)
    with pytest.raises(OSError, match="no space left"), replacing(str(path)) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("error", [InputError("x"), KeyboardInterrupt()])
def test_an_error_midway_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(type(error)), replacing(str(path)) as stream:
        stream.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_only_files_are_replaced(tmp_path):
    with pytest.raises(InputError, match="not a regular file"), replacing(str(tmp_path)):
        pass
    if os.geteuid() != 0:
        path = tmp_path / "a"
        path.touch(mode=0o400)
        with pytest.raises(InputError, match="write-protected"), replacing(str(path)):
            pass


def test_creating(tmp_path):
    path = tmp_path / "a"
    with creating(str(path)) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(InputError, match="exists already") as caught, creating(str(path)):
        pass
    assert caught.value.source == str(path)
    assert path.read_bytes() == b"new"
    with pytest.raises(KeyError), creating(str(tmp_path / "b")) as stream:
        stream.write(b"new")
        raise KeyError
    assert os.listdir(tmp_path) == ["a"]
    with creating(os.devnull) as stream:
        stream.write(b"new")


def test_packing():
    for packed, unpack in ((True, gzip.decompress), (False, bytes)):
        stream = io.BytesIO()
        with packing(stream, packed=packed) as output:
            output.write(b"text")
        assert unpack(stream.getvalue()) == b"text"
