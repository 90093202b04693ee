"""What readers of trees and attributes hold: columns and a block of documents, not dictionaries of all of them."""

import json
import random
import tracemalloc

import pytest

import spanometer
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
    monkeypatch.setattr("spanometer.readers.entities._ENTITIES", 200)
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


def sentences(generator, documents):
    """Return the words of sentences, and the spans of two words in each."""
    words = [[generator.choice(["Ada", "wrote", "létters", "here"]) for _ in range(18)] for _ in range(documents)]
    return [(row, [(place, place + 2) for place in range(generator.randrange(3), 16, 5)]) for row in words]


def brat_pair(folder, made):
    folder.mkdir()
    rows, texts, place, number = [], [], 0, 0
    for words, spans in made:
        starts = [place + sum(len(word) + 1 for word in words[:token]) for token in range(len(words))]
        for start, end in spans:
            number += 1
            bounds = f"{starts[start]} {starts[end - 1] + len(words[end - 1])}"
            rows.append(f"T{number}\tPER {bounds}\t{' '.join(words[start:end])}\n")
        texts.append(" ".join(words) + "\n")
        place += len(texts[-1])
    (folder / "a.txt").write_text("".join(texts))
    (folder / "a.ann").write_text("".join(rows))
    return folder / "a.ann"


def brat_folder(folder, made):
    folder.mkdir()
    for number in range(0, len(made), 20):
        brat_pair(folder / str(number), made[number : number + 20])
    return folder


def conllu(folder, made):
    folder.mkdir()
    rows = []
    for words, spans in made:
        tags = ["O"] * len(words)
        for start, end in spans:
            tags[start:end] = ["B-PER"] + ["I-PER"] * (end - start - 1)
        # cells that other keys make distinct are no more than their tags
        rows += [f"{n}\t{words[n]}" + "\t_" * 7 + f"\tstart={len(rows) + n}|name={tag}\n" for n, tag in enumerate(tags)]
        rows.append("\n")
    (folder / "a.conllu").write_text("".join(rows))
    return folder / "a.conllu"


@pytest.mark.parametrize("write", [brat_folder, conllu])
def test_documents_as_numbers(tmp_path, monkeypatch, write):
    """Of many short documents neither rows nor spans are all Python's objects at a time."""
    for place, size in {
        "readers.source.BLOCK_SIZE": 1 << 14,
        "readers.columns.conllu._CELLS": 20,
        "documents.building._AT_ONCE": 20,
        "documents.stated._AT_ONCE": 200,
    }.items():
        monkeypatch.setattr(f"spanometer.{place}", size)
    sizes, peaks = [], []
    for documents in (40, 400, 2000):
        made = sentences(random.Random(1), documents)
        path = write(tmp_path / str(documents), made)
        tracemalloc.start()
        found = spanometer.read(path, **({"format": "conllu"} if write is conllu else {}))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(sum(file.stat().st_size for file in path.parent.rglob("*") if str(documents) in str(file)))
        assert len(found.spans) == sum(len(spans) for _, spans in made)
    assert peaks[2] - peaks[1] < 4 * (sizes[2] - sizes[1])
