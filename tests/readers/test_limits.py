"""What a reader holds at once has a limit in every format: parts that do not end, and lines of nothing."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spanometer import InputError
from spanometer.readers import read
from spanometer.readers.reading import read_documents

XML = "<collection><document><id>1</id><passage><offset>0</offset><text>Ada</text></passage></document>"
TASK = '[{"id": 1, "data": {"text": "Ada"}, "annotations": []}'
TEXT = "<document><id>2</id><passage><offset>0</offset><text>"


@pytest.mark.parametrize(
    ("begun", "filling", "problem"),
    [
        # texts, lists, keys and comments that do not end
        (XML + TEXT, "a", "a document"),
        (XML, "<x/>", "a document"),
        (XML, "\n", "a document"),
        (XML, "<document>", "a document"),
        (XML + "<!--", "a", "a document"),
        (TASK + ', {"data": {"text": "', "a", "a JSON item"),
        (TASK + ', {"id": 1', ',"k":1', "a JSON item"),
        # blank lines in formats of lines
        ("T1\tPER 0 3\tAda\n", "\n", "only blank lines"),
        ("1|t|Ada\n1|a|wrote\n", " \r\n", "only blank lines"),
        ("[Ada](PER)\n", "\n", "only blank lines"),
    ],
)
def test_parts_that_do_not_end(tmp_path, begun, filling, problem):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress((begun + filling * (5_000_000 // len(filling))).encode(), 1))
    with pytest.raises(InputError, match=f"{problem}.* (longer|more) than 2 MB") as error:
        read_documents(path, limits={"max_line": 2})
    assert "raise the limit with max_line=" in str(error.value)
    assert error.value.line is not None


def test_the_limit_is_of_each_part(tmp_path):
    text = "a" * 700_000
    one = f"<document><id>D</id><passage><offset>0</offset><text>{text}</text></passage></document>"
    path = tmp_path / "a.xml"
    path.write_text(f"<collection>{''.join(one.replace('D', str(n)) for n in range(6))}</collection>")
    assert read_documents(path, limits={"max_line": 2}).documents.size == 6
    task = json.dumps({"data": {"text": text}, "annotations": [{"result": []}]})
    path = tmp_path / "a.json"
    path.write_text(f"[{','.join([task] * 6)}]")
    assert read_documents(path, limits={"max_line": 2}).documents.size == 6


def test_the_text_beside_annotations(tmp_path):
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAda\n")
    (tmp_path / "a.txt").write_text("Ada" + " wrote" * 1000)
    for reading in (
        lambda: read_documents(tmp_path / "a.ann", limits={"max_size": 0.005}),
        lambda: read_documents(tmp_path, format="brat", limits={"max_size": 0.005}),
    ):
        with pytest.raises(InputError, match=r"a\.ann: the text beside it is larger than 0\.005 MB"):
            reading()
    assert read_documents(tmp_path, format="brat", limits={"max_size": 0.007}).documents.size == 1


def test_packed_files_have_the_limit_of_plain_ones(tmp_path):
    """However little space a packed file takes, what it unpacks to counts."""
    rows = b"O\n" * 1_500_000
    tags = pa.table({"tags": [["O"] * 10] * 100_000})
    pq.write_table(tags, tmp_path / "a.parquet", compression="zstd")
    (tmp_path / "a.conll").write_bytes(rows)
    (tmp_path / "a.conll.gz").write_bytes(gzip.compress(rows))
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert sorted(sizes)[-2] < 100_000 < sorted(sizes)[-1]
    for name in ("a.conll", "a.conll.gz", "a.parquet"):
        with pytest.raises(InputError, match="is larger than 2 MB"):
            read_documents(tmp_path / name, limits={"max_size": 2})
    plain, packed = (read(tmp_path / name, max_size=4).tags[0].codes for name in ("a.conll", "a.conll.gz"))
    assert np.array_equal(plain, packed)


@pytest.mark.parametrize("line", ["[" * 400_000, "[Ada](PER) [x](A" + " " * 400_000])
def test_marks_that_do_not_end_take_no_longer(tmp_path, line):
    """Each is a fraction of a second; hours, where every beginning was followed to the end of the line."""
    path = tmp_path / "a.txt"
    path.write_text(f"{line}\n")
    script = """
import sys
from spanometer import InputError
from spanometer.readers.reading import read_documents
try:
    read_documents(sys.argv[1])
except InputError:
    pass
"""
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=120)


def test_rows_of_parquet(tmp_path):
    """A file of a few hundred bytes may hold a row of millions of values."""
    path, count = str(tmp_path / "a.parquet"), 1_000_000
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, dtype=np.int32)), pa.array(["O"]))
    rows = pa.ListArray.from_arrays(pa.array([0, count], type=pa.int32()), same)
    pq.write_table(pa.table({"tags": rows}), path, compression="zstd")
    assert len(read(path).tags[0].codes) == count
