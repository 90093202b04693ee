"""Stored counts that were changed: an InputError, or the same counts, whatever was changed; never a crash."""

import json
import pickle
import random
import subprocess
import sys
import zlib
from math import isnan, nan

import numpy as np
import pyarrow as pa
import pytest

from counted_corpora import ALL, corpus, counted
from spanometer import InputError, Spans
from spanometer.analysis.streams import partial_counts, sum_counts
from spanometer.counts import stored
from spanometer.counts.counts import Counts
from spanometer.measures import ALL_MEASURES, SpanF, read_counts

REFERENCES = Spans.from_tags([["B-A", "B-A", "O"], ["O"], ["B-B"]])
PREDICTIONS = Spans.from_tags([["B-A", "O", "B-B"], ["O"], ["B-B"]])
every_measure = pytest.mark.parametrize("name", ALL)


def some_counts(measure=None):
    return (measure or SpanF()).counts(REFERENCES, PREDICTIONS)


def refused(given):
    with pytest.raises(InputError) as caught:
        read_counts(given)
    return caught.value.problem


def signed(table, **described):
    """The same table with other metadata, and a checksum that fits what is in it."""
    said = {**json.loads(table.schema.metadata[b"spanometer"]), **described}
    labels = said["labels"]
    of_label = table.filter(pa.compute.is_valid(table["label"]))
    code = np.array([labels.index(label) for label in of_label["label"].to_pylist()])
    contents = []
    for name in said["columns"]:
        values = of_label[name].fill_null(0).to_numpy()
        there = np.flatnonzero(values)
        contents.append([of_label["document"].to_numpy()[there], code[there], values[there]])
    said["checksum"] = stored.checksum(said, contents)
    return table.replace_schema_metadata({b"spanometer": json.dumps(said).encode()})


def changed(table, **columns):
    for name, values in columns.items():
        number = table.column_names.index(name)
        table = table.set_column(number, name, pa.array(values, table.schema.field(name).type))
    return table


@every_measure
def test_any_changed_byte(name):
    references, predictions, lengths = corpus(name, 1)
    data = counted(name, references, predictions, lengths, range(len(references))).to_bytes()
    assert read_counts(data).to_bytes() == data
    for place in random.Random(0).sample(range(len(data)), 200):
        other = data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :]
        assert "damaged" in refused(other)
    for end in (0, 1, 4, len(data) // 2, len(data) - 1):
        assert "damaged" in refused(data[:end])
    assert "damaged" in refused(data + b"\0")


CHANGES = """
import pickle, sys, zlib
from spanometer import InputError
from spanometer.measures import read_counts

data = pickle.load(sys.stdin.buffer)
stream, whole = data[:-4], read_counts(data)
refused = 0
for place in range(len(stream)):
    for flip in (0x01, 0x80):
        other = stream[:place] + bytes([stream[place] ^ flip]) + stream[place + 1 :]
        try:
            counts = read_counts(other + zlib.crc32(other).to_bytes(4, "little"))
        except InputError:
            refused += 1
        else:
            found, expected = counts.to_arrow(), whole.to_arrow()
            assert found.to_pylist() == expected.to_pylist(), (place, flip)
            assert found.schema.metadata == expected.schema.metadata, (place, flip)
print(refused)
"""


def test_changed_bytes_with_a_checksum_that_fits():
    """In a process of its own, which Arrow could end."""
    data = some_counts().to_bytes()
    done = subprocess.run(
        [sys.executable, "-c", CHANGES], input=pickle.dumps(data), capture_output=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert int(done.stdout) > 0.5 * len(data)


def test_the_bytes_are_an_arrow_stream():
    counts = some_counts()
    with pa.ipc.open_stream(counts.to_bytes()) as reader:
        assert reader.read_all().equals(counts.to_arrow(), check_metadata=True)


@every_measure
def test_any_changed_number_of_a_table(name):
    references, predictions, lengths = corpus(name, 2)
    table = counted(name, references, predictions, lengths, range(len(references))).to_arrow()
    for column in table.schema:
        if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
            continue
        values = table[column.name].to_pylist()
        row = next((row for row, value in enumerate(values) if value is not None), None)
        if row is None:
            continue
        values[row] = 0 if values[row] else 1
        refused(changed(table, **{column.name: values}))


def test_changed_labels():
    table = some_counts().to_arrow()
    assert "changed" in refused(changed(table, label=["B", "A", "B"]))
    said = json.loads(table.schema.metadata[b"spanometer"])
    for other in ({"labels": ["B", "A"]}, {"documents": 4}, {"options": {**said["options"], "average": "macro"}}):
        edited = json.dumps({**said, **other}).encode()
        assert "changed" in refused(table.replace_schema_metadata({b"spanometer": edited}))


def test_rows_may_stand_in_another_order():
    table = some_counts().to_arrow()
    assert read_counts(table.take([2, 0, 1])).score() == some_counts().score()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"both": [2, None, 1]}, "both (2) is more than predicted (1)"),
        ({"both": [1, 1, 1]}, "both (1) is more than reference (0)"),
        ({"predicted": [1, -1, 1]}, "no negative counts, as predicted (-1)"),
    ],
)
def test_counts_that_no_corpus_has(columns, said):
    table = some_counts().to_arrow()
    assert read_counts(signed(table)).score() == some_counts().score()
    assert said in refused(signed(changed(table, **columns)))


@pytest.mark.parametrize(
    "described",
    [
        {"documents": 2**31},
        {"documents": 10**30},
        {"documents": "3"},
        {"documents": True},
        {"labels": 5},
        {"labels": [["A"], "B"]},
        {"labels": {"A": 1}},
        {"columns": None},
        {"columns": [5]},
        {"columns": {}},
        {"shared": [["x"]]},
        {"rows": None},
        {"measure": ["span_f"]},
        {"measure": "none"},
        {"options": []},
        {"options": {"average": []}},
        {"options": {"zero_division": "x"}},
        {"options": {"average": "micro", "zero_division": 0.0, "other": 1}},
        {"options": {}},
        {"checksum": None},
    ],
)
def test_metadata_that_cannot_be(described):
    table = some_counts().to_arrow()
    said = {**json.loads(table.schema.metadata[b"spanometer"]), **described}
    refused(table.replace_schema_metadata({b"spanometer": json.dumps(said).encode()}))
    for name in said:
        kept = {key: value for key, value in said.items() if key != name}
        refused(table.replace_schema_metadata({b"spanometer": json.dumps(kept).encode()}))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000, b'{"a":' * 100_000])
def test_metadata_that_are_none(text):
    assert "does not say which measure" in refused(
        some_counts().to_arrow().replace_schema_metadata({b"spanometer": text})
    )
    with pytest.raises(InputError, match="not a counts table"):
        Counts.from_arrow(some_counts().to_arrow().replace_schema_metadata({b"spanometer": text}), SpanF())


def test_very_many_documents_take_no_memory():
    """What the metadata say of them is not believed before it is checked, and then costs nothing."""
    script = """
import resource, sys, spanometer, scipy.sparse, pyarrow.compute
from spanometer.measures import read_counts
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
data = sys.stdin.buffer.read()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
counts = read_counts(data)
assert counts.documents == 2**31 - 1
print(counts.condensed().score()["f1"] == counts.score()["f1"])
"""
    data = stored.write_stream(signed(some_counts().to_arrow(), documents=2**31 - 1))
    done = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, timeout=300, check=False)
    assert done.stdout.strip() == b"True", done.stderr.decode()[-2000:]


@every_measure
def test_options_are_stored_as_json(name):
    references, predictions, lengths = corpus(name, 1)
    table = counted(name, references, predictions, lengths, range(len(references))).to_arrow()
    said = json.loads(table.schema.metadata[b"spanometer"], parse_constant=lambda text: pytest.fail(f"{text} in JSON"))
    assert said["options"]["zero_division"] == 0.0
    assert "'" not in json.dumps(said["options"])


@pytest.mark.parametrize("name", ALL_MEASURES)
@pytest.mark.parametrize("value", [nan, 0.0, 1.0])
def test_zero_division_comes_back(name, value):
    measure = ALL_MEASURES[name](zero_division=value)
    references, predictions, lengths = corpus(name, 1)
    counts = counted(name, references, predictions, lengths, range(len(references)))
    again = read_counts(
        measure.counts_type(
            counts.columns, counts.labels, counts.documents, counts.shared, counts.rows, measure
        ).to_bytes()
    )
    found = again.measure.zero_division
    assert found == value or (isnan(found) and isnan(value))
    assert (again + again).measure is again.measure


def test_tables_of_parts_that_were_changed():
    batch = pa.table({"references": [["B-A", "O"]], "predictions": [["B-A", "O"]]})
    table = partial_counts(batch, scheme="IOB2")
    assert sum_counts(table)["span_f"].score()["f1"] == 1.0
    data = table["counts"][0].as_py()
    for other in (None, b"", data[:-1], data[:100] + b"x" + data[101:]):
        with pytest.raises(InputError):
            sum_counts(changed(table, counts=[other]))
    for columns in (
        {"measure": [5], "counts": [data]},
        {"measure": [["a"]], "counts": [data]},
        {"measure": ["span_f"], "counts": [5]},
    ):
        with pytest.raises(InputError):
            sum_counts(pa.table(columns))
    assert zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
