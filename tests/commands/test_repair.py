"""`spanometer convert` of tags to tags: legal ones, and the files that it writes."""

import gzip
import os
import stat

import pytest

from spanometer.readers import Rewriter

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
MENDED = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n# a longer comment\ntoday B-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


@pytest.mark.parametrize("policy", ["conlleval", "discard", "bes", "convert"])
def test_repaired_files_are_legal(run, file, policy, tmp_path):
    path = file("a", "I-A\nE-A\nO\nB-A\nS-B\n\nI-B\nE-A\n\nB-A\nO\nE-B\n")
    assert run("validate", path)[0] == 1
    assert run("convert", path, "--repair", policy, "--to", "IOBES", "-o", tmp_path / "b")[0] == 0
    assert run("validate", tmp_path / "b", "--scheme", "IOBES")[0] == 0


def test_everything_else_stays(written, file):
    content = b"\xef\xbb\xbfform\tner\tx\r\n# a\r\nA\t I-X \t\xc2\xa0\r\n\r\n\r\n\tO\tI-X\r\n \t\r\nB\tI-X\t "
    expected = content.replace(b" I-X ", b" B-X ").replace(b"B\tI-X", b"B\tB-X")
    path = file("a", content)
    assert written("convert", path, "--repair", "conlleval", "--column", "ner", "--scheme", "IOB2") == expected
    packed = file("a.gz", gzip.compress(content))
    output = written("convert", packed, "--repair", "conlleval", "--column", 2, "--scheme", "IOB2")
    assert output[:2] == b"\x1f\x8b"
    assert gzip.decompress(output) == expected


def test_standard_input(written, standard_input):
    for content in (ILLEGAL.encode(), gzip.compress(ILLEGAL.encode())):
        standard_input(content)
        output = written("convert", "-", "--repair", "conlleval")
        assert (gzip.decompress(output) if output[:2] == b"\x1f\x8b" else output) == MENDED.encode()


def test_in_place(run, file):
    path = file("a.conll", ILLEGAL)
    os.chmod(path, 0o604)
    assert run("convert", path, "--repair", "conlleval", "--in-place") == (
        0,
        f"{path}: 2 of 6 tags changed (conlleval).\n",
        "",
    )
    with open(path, "rb") as stream:
        assert stream.read() == MENDED.encode()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o604
    before = os.stat(path)
    assert run("convert", path, "--repair", "conlleval", "--in-place")[1] == (
        f"{path}: 0 of 6 tags changed (conlleval).\n"
    )
    assert os.stat(path) == before


def test_in_place_gzip_and_link(run, file, tmp_path):
    path = file("a.gz", gzip.compress(LEGAL.encode()))
    os.symlink("a.gz", tmp_path / "link")
    assert run("convert", tmp_path / "link", "--to", "IOBES", "--in-place")[1] == (
        f"{tmp_path / 'link'}: 2 of 5 tags changed (to IOBES).\n"
    )
    assert os.path.islink(tmp_path / "link")
    with open(path, "rb") as stream:
        assert gzip.decompress(stream.read()) == IOBES.encode()
    assert sorted(os.listdir(tmp_path)) == ["a.gz", "link"]


def test_an_error_midway_leaves_the_file(complaint, file, monkeypatch, tmp_path):
    path = file("a.conll", ILLEGAL * 3)
    whole = Rewriter.blocks

    def blocks(self, source):
        yield next(whole(self, source))[:10]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Rewriter, "blocks", blocks)
    for arguments in (["--in-place"], ["-o", tmp_path / "b"]):
        said = complaint("convert", path, "--repair", "conlleval", *arguments)
        assert "cannot be written: no space left on device." in said
        assert os.listdir(tmp_path) == ["a.conll"]
        with open(path) as stream:
            assert stream.read() == ILLEGAL * 3


def test_an_error_midway_leaves_all_files(complaint, tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).write_text(ILLEGAL)
    whole, begun = Rewriter.blocks, []

    def blocks(self, source):
        begun.append(self)
        if len(begun) == 3:
            raise OSError(28, "No space left on device")
        yield from whole(self, source)

    monkeypatch.setattr(Rewriter, "blocks", blocks)
    said = complaint("convert", tmp_path, "--repair", "conlleval", "--in-place")
    assert f"{tmp_path / 'c'}: cannot be written: no space left on device." in said
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys("abc", ILLEGAL)


def test_output(run, complaint, file, tmp_path):
    path, out = file("a.conll", ILLEGAL), tmp_path / "b.conll"
    command = ["convert", path, "--repair", "conlleval", "-o", out]
    assert run(*command) == (0, f"{out}: 2 of 6 tags changed (conlleval).\n", "")
    assert out.read_text() == MENDED
    out.write_text("precious")
    out.chmod(0o600)
    assert complaint(*command) == (f"spanometer: {out}: the file exists already. Choose another name, or add --force.")
    assert out.read_text() == "precious"
    assert run(*command, "--force")[0] == 0
    assert out.read_text() == MENDED
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    packed = tmp_path / "b.gz"
    assert run(*command[:-1], packed, "--force")[0] == 0
    assert gzip.decompress(packed.read_bytes()) == MENDED.encode()
