"""Stored counts that were damaged: an InputError, never a crash."""

import json
import random
import subprocess
import sys
import zlib
from math import isnan, nan

import pyarrow as pa
import pytest

from counted_corpora import ALL, corpus, counted
from spanometer import InputError, Spans
from spanometer.analysis.scores.streams import partial_counts, sum_counts
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


def described(table, **values):
    """The same table with other metadata."""
    metadata = {**json.loads(table.schema.metadata[b"spanometer"]), **values}
    return table.replace_schema_metadata({b"spanometer": json.dumps(metadata).encode()})


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


def test_the_bytes_are_an_arrow_stream():
    counts = some_counts()
    with pa.ipc.open_stream(counts.to_bytes()) as reader:
        assert reader.read_all().equals(counts.to_arrow(), check_metadata=True)


def test_rows_may_stand_in_another_order():
    table = some_counts().to_arrow()
    assert read_counts(table.take([2, 0, 1])).score() == some_counts().score()


OPTIONS = [[], {"average": []}, {"zero_division": "x"}, {"average": "micro", "zero_division": 0.0, "other": 1}, {}]
WRONG = {
    "documents": [2**31, 10**30, "3", True],
    "labels": [5, [["A"], "B"], {"A": 1}],
    "columns": [None, [5]],
    "shared": [[["x"]]],
    "rows": [None],
    "measure": [["span_f"], "none"],
    "options": OPTIONS,
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_metadata_that_cannot_be(name, value):
    table = some_counts().to_arrow()
    refused(described(table, **{name: value}))
    said = json.loads(table.schema.metadata[b"spanometer"])
    for name in said:
        kept = {key: value for key, value in said.items() if key != name}
        refused(table.replace_schema_metadata({b"spanometer": json.dumps(kept).encode()}))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000, b'{"a":' * 100_000])
def test_metadata_that_are_none(text):
    assert "not the name of the measure" in refused(
        some_counts().to_arrow().replace_schema_metadata({b"spanometer": text})
    )
    with pytest.raises(InputError, match="the table does not contain counts"):
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
    data = stored.write_stream(described(some_counts().to_arrow(), documents=2**31 - 1))
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
