"""Bytes of files: packing, encodings, blocks, and what is not text."""

import gzip
import io
import random
import subprocess
import sys

import pytest

from spanometer.readers import read, read_parts, source, tag_lists
from spanometer.readers.columns import columns, layout
from tag_files import TWO, TWO_COLUMNS, refused


def test_missing_file_and_folder(tmp_path):
    assert "no such file" in refused(tmp_path / "none.conll").problem
    assert refused(tmp_path).problem == "this folder has no files."


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


BOMB = 64 * gzip.compress(b"a" * (1 << 20))
"""A long line: a megabyte of it in each member of the archive."""


def test_long_lines_have_a_limit(file):
    for content in (BOMB, b"a O\n" + b"b" * 17_000_000 + b" O\nc O\n"):
        error = refused(file(content))
        assert "longer than 16 MB" in error.problem and "max_line" in str(error)
        assert error.line == (1 if content is BOMB else 2)
    # a long line in a file of many short ones, which together are longer
    short = "a O\n" * 700_000
    assert refused(file(short + "b" * 2_500_000 + " O\n" + short), max_line=2).line == 700_001
    assert len(read(file(short), max_line=2).tags[0].codes) == 700_000
    assert len(read(file(b"b" * 17_000_000 + b" O\n"), max_line=20).tags[0].codes) == 1


def test_files_have_a_limit(file):
    path = file("a O\n\n" * 1000)
    error = refused(path, max_size=0.004)
    assert "larger than 0.004 MB" in error.problem and "max_size" in str(error)
    assert len(read(path, max_size=0.006).tags[0].codes) == 1000
    # in parts a document is limited, not the file
    assert sum(part.tags[0].codes.size for part in read_parts(path, max_size=0.1)) == 1000


def test_blank_lines_are_not_looked_at_one_by_one(file, monkeypatch):
    made = []

    class Counted(columns.Lines):
        def __init__(self, first, block, *more, **options):
            made.append(len(block))
            super().__init__(first, block, *more, **options)

    monkeypatch.setattr(columns, "Lines", Counted)
    monkeypatch.setattr(layout, "Lines", Counted)
    blank = gzip.compress(b" \n" * (1 << 22))
    found = read(file(blank + gzip.compress(b"a O\n") + blank + gzip.compress(b"b O\n")))
    assert found.document_lines.tolist() == [(1 << 22) + 1, (1 << 23) + 2]
    assert sum(made) < 6 << 20
    assert "no rows" in refused(file(blank)).problem


IN_PROCESS = """
import resource, sys
from spanometer.commands import input_files
from spanometer.tables import screen
from spanometer.commands.main import main
from spanometer.measures import MEASURES

def kilobytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

more = float(sys.argv[1])
if more:
    bytes = int(kilobytes("VmSize") * 1024 + more * 1e6)
    resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))
status = main(sys.argv[2:])
print("peak", kilobytes("VmHWM") * 1024)
sys.exit(status)
"""


def in_process(more, *arguments):
    """Run the command line in a process that may take so many megabytes more than it has at its beginning."""
    command = [sys.executable, "-c", IN_PROCESS, str(more), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured as Linux does it")
def test_memory_of_all_measures(file):
    # every second token begins a span: exact chance and the alignment are what takes memory
    generator = random.Random(1)
    documents = ["".join(f"x {generator.choice(['B-A', 'I-A', 'B-B', 'O'])}\n" for _ in range(20)) for _ in range(400)]
    text = "\n".join(generator.choices(documents, k=150_000)).encode()
    ran = in_process(0, "score", file(text), file(text.replace(b"B-B", b"B-A")))
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout.split()[-1]) < 3 * len(text) + 200_000_000


def test_blank_lines_before_json_lines(file):
    row = b'{"tags": ["B-X"]}\n'
    assert "only blank lines for more than 16 MB" in refused(file(b"\n" * 18_000_000, "a.jsonl")).problem
    after = read(file(b"\n" * 3_000_000 + row + b"\n" * 3_000_000 + row, "b.jsonl"))
    assert after.document_lines.tolist() == [3_000_001, 6_000_002]


def test_comments_alone(file):
    text = b"# nothing but this\n" * 1_000_000
    assert "no row of tags and no document in the first 16 MB" in refused(file(text)).problem
    assert "no rows of tags" in refused(file(text), max_line=40).problem
    assert read(file(text[:19_000] + b"a O\n")).document_lines.tolist() == [1001]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured and limited as Linux does it")
def test_memory(file):
    text = b"O\n" * 9_000_000
    path = file(text)
    ran = in_process(0, "score", path, path, "--measures", "span_f")
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout.split()[-1]) < 3 * len(text) + 200_000_000
    # a file that does not fit, and a line that would not
    for more, content, said in ((60, path, "not enough memory. Split"), (120, file(BOMB), "longer than 16 MB")):
        ran = in_process(more, "score", content, content)
        assert ran.returncode == 2, ran.stderr
        assert said in ran.stderr and "Traceback" not in ran.stderr and str(content) in ran.stderr
