"""Files in folders and archives, and what is refused of them."""

import io
import tarfile
import zipfile

import pytest

from corpus_releases import DEV, TRAIN, exhaust, packed, refused
from spanometer.corpora import files, load_multiconer
from spanometer.exceptions import InputError


@pytest.mark.parametrize("kind", ["zip", "", "gz", "bz2", "xz"])
def test_archives_give_what_their_folder_gives(release, tmp_path, kind):
    # told from the content, not from the name
    archive = packed(release, kind, tmp_path / "archive")
    assert {name: list(part) for name, part in load_multiconer(archive).items()} == {
        name: list(part) for name, part in load_multiconer(release).items()
    }
    assert [row["id"] for row in exhaust(load_multiconer, archive, "es", "train")] == ["b-1"]


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("name", ["../es_dev.conll", "/etc/es_dev.conll", "a/../../es_dev.conll", "C:\\es_dev.conll"])
def test_paths_that_lead_out(tmp_path, name):
    error = refused(load_multiconer, zipped(tmp_path / "a.zip", {name: DEV}))
    assert "a path outside the archive" in error.problem
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(DEV)
        archive.addfile(member, io.BytesIO(DEV.encode()))
    assert "a path outside the archive" in refused(load_multiconer, tmp_path / "a.tar").problem
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "a.zip"]


def test_links_are_not_followed(tmp_path, file):
    secret = file("secret", DEV)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo("ES-Spanish/es_dev.conll")
        member.type = tarfile.SYMTYPE
        member.linkname = secret
        archive.addfile(member)
    assert "no files" in refused(load_multiconer, tmp_path / "a.tar").problem


def test_limits_of_archives(tmp_path, monkeypatch):
    path = zipped(tmp_path / "a.zip", {"es_dev.conll": DEV, "es_train.conll": TRAIN})
    for limit, least in (("LARGEST_FILE", len(DEV)), ("LARGEST_ARCHIVE", len(DEV + TRAIN)), ("MOST_FILES", 2)):
        with monkeypatch.context() as patched:
            patched.setattr(files, limit, least)
            assert len(load_multiconer(path)) == 2
            patched.setattr(files, limit, least - 1)
            assert "more than" in refused(load_multiconer, path).problem


def test_damaged_archives(release, tmp_path):
    for kind in ("zip", "gz", "xz"):
        whole = packed(release, kind, tmp_path / f"whole.{kind}").read_bytes()
        changed = bytearray(whole)
        middle = whole.index(b"PK\x01\x02") if kind == "zip" else len(whole)
        for place in range(middle // 3, middle // 2):
            changed[place] ^= 0x55
        (tmp_path / "changed").write_bytes(changed)
        error = refused(load_multiconer, tmp_path / "changed")
        assert error.source.startswith(str(tmp_path / "changed"))


def test_one_changed_byte_of_a_zip_file(tmp_path):
    whole = zipped(tmp_path / "a.zip", {"es_dev.conll": DEV}).read_bytes()
    directory = whole.index(b"PK\1\2")
    refusals = []
    for place in (*range(50), *range(directory, len(whole))):
        (tmp_path / "changed").write_bytes(whole[:place] + bytes([whole[place] ^ 99]) + whole[place + 1 :])
        try:
            load_multiconer(tmp_path / "changed", split="dev")
        except InputError as error:
            assert error.source.startswith(str(tmp_path / "changed"))
            refusals.append(error.problem)
    assert any("zip file version 11.9" in problem for problem in refusals)
