"""What spans are said to cover: against lists of strings."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import spanometer
from spanometer import Spans
from spanometer.documents import stated as stated_texts
from spanometer.documents.stated import StatedSpans, stated_arrays

TEXTS = (None, "", "a", "Ada", "é", "\ud83d", "💃")


def drawn(chance, documents):
    """Return rows of (start, end, stated text), and the same as columns."""
    rows = []
    for _ in range(documents):
        starts = [chance.randrange(5) for _ in range(chance.randrange(6))]
        rows.append([(start, start + chance.randrange(1, 4), chance.choice(TEXTS)) for start in starts])
    start, end = (np.array([span[bound] for row in rows for span in row], dtype=np.int64) for bound in (0, 1))
    document = np.repeat(np.arange(documents), list(map(len, rows)))
    spans = Spans(document, start, end, np.zeros(len(start), np.int16), ("A",), documents)
    texts = pa.chunked_array(stated_arrays(said for row in rows for *_, said in row), pa.binary())
    return rows, replace(StatedSpans.of(spans), texts=texts)


@pytest.fixture(autouse=True)
def blocks(monkeypatch):
    monkeypatch.setattr(stated_texts, "_AT_ONCE", 7)


@pytest.fixture
def chance():
    return random.Random(5)


def test_beside_texts(chance):
    for _ in range(300):
        texts = [chance.choice(["", "Ada 💃 wrote"]) for _ in range(chance.randrange(1, 9))]
        rows, stated = drawn(chance, len(texts))
        expected = [
            (document, said, text[start:end])
            for document, (text, row) in enumerate(zip(texts, rows, strict=True))
            for start, end, said in row
            if said is not None
        ]
        assert list(stated.beside(texts)) == expected


def test_beside_what_the_other_side_states(chance):
    """Of several spans with one place, the first is compared."""
    for _ in range(500):
        documents = chance.randrange(1, 12)
        (rows, stated), (others, other) = drawn(chance, documents), drawn(chance, documents)
        expected = []
        for document, pair in enumerate(zip(rows, others, strict=True)):
            here, there = ({(start, end): said for start, end, said in reversed(row)} for row in pair)
            expected += [
                (document, here[place], there[place])
                for place in sorted(here.keys() & there.keys())
                if here[place] is not None and there[place] is not None
            ]
        assert list(stated.beside_stated(other)) == expected


def test_documents_and_files(chance):
    text = "Ada 💃 wrote"
    for _ in range(200):
        parts = [chance.randrange(1, 5) for _ in range(3)]
        found = [drawn(chance, size) for size in parts]
        lacking = chance.randrange(3)
        columns = [
            replace(stated, texts=None) if place == lacking else stated for place, (_, stated) in enumerate(found)
        ]
        whole = StatedSpans.end_to_end(columns)
        rows = [row if number != lacking else [] for number, (some, _) in enumerate(found) for row in some]
        chosen = [chance.randrange(sum(parts)) for _ in range(4)]
        expected = [
            (place, said, text[start:end])
            for place, document in enumerate(chosen)
            for start, end, said in rows[document]
            if said is not None
        ]
        assert list(whole.take(np.array(chosen)).beside([text] * 4)) == expected


TABLE = "document,start,end,label,text\na,0,3,PER,{}\na,10,13,PER,Bob\nb,0,3,LOC,Rom\n"


def test_two_tables_about_other_texts(file):
    gold = spanometer.read(file(TABLE.format("Ada"), "gold.csv"))
    system = spanometer.read(file(TABLE.format("Eve"), "system.csv"))
    with pytest.warns(UserWarning, match="^1 of 3 span texts differ .*'Eve', but its offsets point to 'Ada'"):
        spanometer.score(gold, system)
    system = spanometer.read(file(TABLE.format("Eve").replace("Bob", "Max"), "system.csv"))
    assert spanometer.score(gold, system, ignore_words=True).results[0].scores["f1"] == 1.0
