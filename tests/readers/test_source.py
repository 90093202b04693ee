"""Bytes of files: packing, encodings, blocks, and what is not text."""

import gzip
import io

import pytest

from spanometer.readers import read, source, tag_lists
from tag_files import TWO, TWO_COLUMNS, refused


def test_binary(file):
    error = refused(file(b"a O\nb \0O\n"))
    assert error.line == 2
    assert "NUL" in error.problem


def test_invalid_utf_8(file):
    error = refused(file(b"a O\n\nb\xe9 O\n"))
    assert error.line == 3
    assert error.problem == "the byte 0xe9 is not UTF-8."


def test_utf_16(file):
    assert "UTF-16" in refused(file("a O\n".encode("utf-16"))).problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "the file is empty."),
        (gzip.compress(b"", mtime=0), "the file is empty."),
        ("\ufeff", "the file has no rows of tags."),
        ("\n \n\n", "the file has no rows of tags."),
        ("# only\n# comments\n", "the file has no rows of tags."),
        ("-DOCSTART- O\n", "the file has no rows of tags."),
        ("token\ttag\n", "the file has no rows of tags."),
        (b"PK\x03\x04...", "this is a zip archive."),
        ("a O\rb B-X\r\rc O\r", "the lines end in a carriage return alone."),
        ("# id 1\ra O\r", "the lines end in a carriage return alone."),
    ],
)
def test_nothing_to_read(file, content, problem):
    assert refused(file(content)).problem == problem


def test_missing_file_and_folder(tmp_path):
    assert "no such file" in refused(tmp_path / "none.conll").problem
    assert "directory" in refused(tmp_path).problem


def test_damaged_gzip(file):
    packed = gzip.compress(TWO_COLUMNS.encode() * 1000)
    assert "gzip" in refused(file(packed[:-20])).problem
    assert "gzip" in refused(file(packed[:30] + b"xxxxxxxx" + packed[38:])).problem


def test_streams(file):
    stream = io.BytesIO(gzip.compress(TWO_COLUMNS.encode()))
    read_file = read(stream, name="standard input")
    assert tag_lists(read_file.tags[0]) == TWO
    assert read_file.source == "standard input"
    assert not stream.closed


def test_progress_counts_the_bytes_of_the_file(file):
    for path in (file(TWO_COLUMNS * 100), file(gzip.compress(TWO_COLUMNS.encode() * 100))):
        steps = []
        read(path, progress=steps.append)
        assert sum(steps) == path.stat().st_size


def test_errors_far_into_a_file_name_their_lines(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 16)
    head = "a O\n\n" * 50
    assert refused(file(head + "b\n")).line == 101
    assert refused(file(head.encode() + b"b \xff\n")).line == 101
    assert refused(file(head.replace(" ", "\t") + "b\t\n")).line == 101


def test_a_long_line_is_read_in_one_go(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 4096)
    word = "w" * 3_000_000
    assert tag_lists(read(file(f"{word} B-X\na O\n"), words=True).words) == [[word, "a"]]
