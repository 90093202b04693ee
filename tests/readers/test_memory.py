"""What readers of trees and attributes hold: columns and a block of documents, not dictionaries of all of them."""

import json
import random
import tracemalloc

import pytest

import spanometer
from document_formats import Document, brat, conllu
from spanometer.readers import read_entities


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


def span_rows(generator):
    name = generator.randrange(10**6)
    return "\n".join(f"{name},{n},{n + 9},PERSON,Ada Lovelace {n}" for n in range(0, generator.randrange(90, 200), 9))


@pytest.mark.parametrize(
    ("reader", "line", "head"),
    [
        (read_entities, entity_line, ""),
        (spanometer.read, attribute_line, ""),
        (read_entities, markup_line, ""),
        (spanometer.read, span_rows, "document,start,end,label,text\n"),
    ],
)
def test_readers_hold_columns(tmp_path, monkeypatch, reader, line, head):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 1 << 14)
    monkeypatch.setattr("spanometer.spans.entities._AT_ONCE", 20)
    monkeypatch.setattr("spanometer.documents.stated._AT_ONCE", 200)
    monkeypatch.setattr("spanometer.documents.building._AT_ONCE", 20)
    generator = random.Random(1)
    sizes, peaks = [], []
    # what is imported on the way is no part of it
    for number, documents in enumerate((1, 100, 500)):
        path = tmp_path / f"{number}.txt"
        path.write_text(head + "".join(f"{line(generator)}\n" for _ in range(documents)))
        tracemalloc.start()
        file = reader(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(path.stat().st_size)
        assert len(file.document_lines) == documents
    assert peaks[2] - peaks[1] < 3.2 * (sizes[2] - sizes[1])


def random_documents(count, length):
    """Documents with spans of two words each."""
    generator = random.Random(1)
    made = []
    for number in range(count):
        words = [generator.choice(["Ada", "wrote", "létters", "here"]) for _ in range(length)]
        spans = [(place, place + 2, "PER") for place in range(generator.randrange(3), length - 2, 5)]
        made.append(Document(str(number), words, spans))
    return made


@pytest.mark.parametrize(("format", "length"), [("brat", 360), ("conllu", 18)])
def test_documents_as_numbers(tmp_path, monkeypatch, format, length):
    """Of many short documents neither rows nor spans are all Python's objects at a time."""
    for place, size in {
        "readers.source.BLOCK_SIZE": 1 << 14,
        "readers.columns.conllu._CONLLU_CELLS": 20,
        "documents.building._AT_ONCE": 20,
        "documents.stated._AT_ONCE": 200,
    }.items():
        monkeypatch.setattr(f"spanometer.{place}", size)
    sizes, peaks = [], []
    for words in (720, 7200, 36_000):
        made = random_documents(words // length, length)
        path = tmp_path / str(words)
        if format == "brat":
            brat(path, made)
        else:
            # cells that other keys make distinct are no more than their tags
            cells = conllu(made).split("name=")
            path.write_text(cells[0] + "".join(f"start={number}|name={cell}" for number, cell in enumerate(cells[1:])))
        tracemalloc.start()
        found = spanometer.read(path, format=format)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(sum(file.stat().st_size for file in (path, *path.glob("*")) if file.is_file()))
        assert len(found.spans) == sum(len(document.spans) for document in made)
    assert peaks[2] - peaks[1] < 4 * (sizes[2] - sizes[1])
