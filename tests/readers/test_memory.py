"""What readers of trees and attributes hold: columns and a block of documents, not dictionaries of all of them."""

import json
import random
import tracemalloc

import pytest

from spanometer.readers import read_attributes, read_entities


def entity_line(generator):
    length = generator.randrange(10, 40)
    entities = [
        {"start": n, "end": n + 3, "types": ["pers"], "components": [{"start": n, "end": n + 1, "label": "name"}]}
        for n in range(0, length - 3, 4)
    ]
    return json.dumps({"tokens": ["word"] * length, "entities": entities})


def attribute_line(generator):
    length = generator.randrange(10, 40)
    spans = [
        {"start": n, "end": n + 2, "label": "A", "attributes": {"negated": n % 3 == 0, "carrier": "C1", "family": None}}
        for n in range(0, length - 3, 4)
    ]
    return json.dumps({"tokens": ["word"] * length, "spans": spans})


def markup_line(generator):
    return " ".join(["<pers.ind> <name> Ada </name> Lovelace </pers.ind> wrote"] * generator.randrange(3, 9))


@pytest.mark.parametrize(
    ("reader", "line"),
    [(read_entities, entity_line), (read_attributes, attribute_line), (read_entities, markup_line)],
)
def test_readers_hold_columns(tmp_path, monkeypatch, reader, line):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 1 << 14)
    monkeypatch.setattr("spanometer.arrays._ITEMS", 200)
    generator = random.Random(1)
    sizes, peaks = [], []
    # what is imported on the way is no part of it
    for number, documents in enumerate((1, 100, 500)):
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(f"{line(generator)}\n" for _ in range(documents)))
        tracemalloc.start()
        file = reader(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(path.stat().st_size)
        assert len(file.document_lines) == documents
    assert peaks[2] - peaks[1] < 2.5 * (sizes[2] - sizes[1])
