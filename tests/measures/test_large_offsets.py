"""Offsets whose products and sums pass 32 bits: the numbers of plain sets, or an `InputError`."""

import json
import math
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import spanometer
from slow import measures as slow
from spanometer import InputError, Spans
from spanometer.analysis.transformations import transformations
from spanometer.arrays import as_column
from spanometer.measures import MEASURES, Bcubed, IntersectionF, bcubed
from spanometer.readers.formats import writers
from spanometer.spans.entities import _distinct_types
from spanometer.spans.wording import coded_strings

TOP = 2**31 - 1
DOCUMENTS, SPANS, WORDS = 300, 12, 340_000
MEASURED = {name: IntersectionF(cap=True) if name == "intersection_f" else make() for name, make in MEASURES.items()}


def corpus(seed, *, discontinuous=True):
    """Documents as sets of spans, of labels and fragments; the third has spans up to the millionth character.

    Spans are of words of two characters, with a blank between them.
    """
    draw = random.Random(seed)
    documents = []
    for number in range(DOCUMENTS):
        step = WORDS // SPANS if number == 2 else 8
        begins = [step * place + draw.randrange(2) for place in range(SPANS)]
        words = [(begin, begin + draw.randrange(1, 5), draw.choice("AB")) for begin in begins]
        documents.append({(label, ((3 * start, 3 * end - 1),)) for start, end, label in words})
    if discontinuous:
        documents[0].add(("A", ((0, 5), (9, 14))))
    return documents


def as_dicts(documents):
    return [
        [{"label": label, "fragments": list(map(list, fragments))} for label, fragments in sorted(document)]
        for document in documents
    ]


def as_tokens(documents):
    return [
        {(label, frozenset(token for bounds in fragments for token in range(*bounds))) for label, fragments in document}
        for document in documents
    ]


def as_sets(spans, *, in_words=False):
    documents = []
    for document in spans.to_dicts():
        documents.append(set())
        for span in document:
            fragments = span["fragments"] if "fragments" in span else [[span["start"], span["end"]]]
            characters = ((3 * start, 3 * end - 1) if in_words else (start, end) for start, end in fragments)
            documents[-1].add((span["label"], tuple(characters)))
    return documents


@pytest.fixture(scope="module")
def sides():
    return corpus(1), corpus(2)


@pytest.mark.parametrize("name", ["span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm"])
def test_scores_of_plain_sets(sides, name):
    second = getattr(slow, name)
    options = {"cap": True} if name == "intersection_f" else {"format": "IO"} if name == "token_f" else {}
    theirs = second(*map(as_tokens, sides), average="micro", zero_division=0.0, **options)
    measure = MEASURES[name](**options)
    ours = measure.score(measure.counts(*(Spans.from_dicts(as_dicts(side)) for side in sides)))
    assert ours == pytest.approx({key: theirs[key] for key in ours}, rel=1e-9)


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_counts_of_all_documents_are_the_sums_of_those_of_each(name):
    """One by one documents are too few to pass 32 bits."""
    measure = MEASURED[name]
    contiguous = name in ("gamma", "unitizing_alpha", "chance_kappa_f1")
    documents = [corpus(seed, discontinuous=not contiguous)[:: 1 if not contiguous else 2] for seed in (1, 2)]
    lengths = [3 * WORDS if number == (1 if contiguous else 2) else 400 for number in range(len(documents[0]))]
    made = [Spans.from_dicts(as_dicts(side), lengths=lengths) for side in documents]
    try:
        whole = measure.counts(*made).total()
    except InputError as error:
        assert name in ("chance_kappa_f1", "gamma"), error
        return
    parts = []
    for number, length in enumerate(lengths):
        alone = (Spans.from_dicts(as_dicts([side[number]]), lengths=[length]) for side in documents)
        parts.append(measure.counts(*alone).total())
    for key, value in whole.items():
        assert float(value) == pytest.approx(math.fsum(float(part.get(key, 0)) for part in parts), rel=1e-9), key


@pytest.mark.parametrize("format", sorted(writers()))
def test_converting_changes_no_span(tmp_path, format):
    if format == "spacy":
        pytest.importorskip("spacy")
    discontinuous = bool(writers()[format].discontinuous)
    documents = corpus(1, discontinuous=discontinuous)
    path = tmp_path / "given.jsonl"
    rows = [
        {"id": f"d{number}", "text": "ab " * (WORDS if number == 2 else 120), "spans": spans}
        for number, spans in enumerate(as_dicts(documents))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    known = spanometer.read(path)
    assert as_sets(known.spans) == documents
    written = tmp_path / {"columns": "out.conll", "brat": "out", "spacy": "out.spacy"}.get(format, "out.jsonl")
    in_words = writers()[format].unit == "token"
    spanometer.write(known, written, format=format, lossy=True, **({"tokenizer": "words"} if in_words else {}))
    found = spanometer.read(written)
    # a folder's documents are in the order of their names
    order = sorted(range(DOCUMENTS), key=lambda number: f"d{number}") if format == "brat" else range(DOCUMENTS)
    assert as_sets(found.spans, in_words=found.in_tokens) == [documents[number] for number in order]


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_an_end_at_the_limit(name):
    """Where lengths do not matter, a place does not: the numbers are those of the same spans at the beginning."""
    measure = MEASURED[name]
    bounds = [[(0, 10), (20, 30), (40, 60)], [(0, 10), (22, 30), (41, 60)]]

    def scored(moved):
        sides = [[[{"label": "A", "fragments": [[s + moved, e + moved]]} for s, e in side]] for side in bounds]
        return measure.score(measure.counts(*map(Spans.from_dicts, sides)))

    try:
        assert scored(TOP - 60) == pytest.approx(scored(0), rel=1e-9)
    except InputError:
        assert name in ("unitizing_alpha", "chance_kappa_f1")
    whole = Spans.from_dicts([[{"label": "A", "fragments": [[0, 7], [9, TOP]]}]] * 5, lengths=[TOP] * 5)
    try:
        scores = measure.score(measure.counts(whole, whole))
    except InputError:
        assert name in ("link_f", "unitizing_alpha", "chance_kappa_f1", "gamma")
    else:
        assert scores[measure.headline] == 1 or name == "sl_icm"


def test_tokens_are_drawn_in_blocks(monkeypatch):
    spans = Spans.from_dicts([[{"label": "A", "start": 2, "end": 5}], [], []], lengths=[40, 0, 60])
    whole = transformations.Invent(rate=0.2)(spans)
    assert len(whole.spans) > 3
    monkeypatch.setattr(transformations, "_BLOCK", 7)
    assert transformations.Invent(rate=0.2)(spans).spans.to_dicts() == whole.spans.to_dicts()


def test_codes_of_pairs():
    many = 1 << 16
    entity, code = np.array([0, 0, many], dtype=np.int32), np.array([0, 1, 0], dtype=np.int32)
    assert _distinct_types(entity, code, many, many + 1)[0][-1] == 3
    assert coded_strings(pa.array(["a", "b"]))[0][0].dtype == np.int64


def test_more_items_than_a_column_of_lists_has():
    with pytest.raises(InputError, match="too many items in one batch: 4294967296"):
        as_column(np.broadcast_to(np.int8(0), (4, 2**30)))


def test_bcubed_in_blocks(monkeypatch):
    draw = random.Random(3)
    documents = [[], []]
    for side in documents:
        for _ in range(3):
            bounds = [sorted(draw.sample(range(30), 2)) for _ in range(12)]
            side.append([{"label": draw.choice("AB"), "start": start, "end": end} for start, end in bounds])
    sides = list(map(Spans.from_dicts, documents))
    whole = Bcubed().score(Bcubed().counts(*sides))
    for pairs, pieces in ((1, 1 << 16), (1 << 18, 2), (9, 4)):
        monkeypatch.setattr(bcubed, "_BLOCK", pairs)
        monkeypatch.setattr(bcubed, "_PIECES", pieces)
        assert Bcubed().score(Bcubed().counts(*sides)) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("form", ["nested", "crossing"])
def test_memory_of_overlapping_spans(form):
    """In a process that may not take more than 350 MB beside what its modules take."""
    script = f"""
import resource
from spanometer import InputError, Spans
from spanometer.measures import MEASURES
import scipy.optimize, scipy.sparse.csgraph
number = 3000
bounds = [
    [(2 * i, 2 * (i + number) - own * i % 2) if {form!r} == "crossing" else (i, 4 * number - i - own * i % 2)
     for i in range(number)]
    for own in (0, 1)
]
rows = [[[dict(label="A", start=start, end=end) for start, end in side]] for side in bounds]
sides = [Spans.from_dicts(side, lengths=[5 * number]) for side in rows]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 350_000_000, used + 350_000_000))
scored = []
for name, measure in MEASURES.items():
    try:
        measure(**({{"cap": True}} if name == "intersection_f" else {{}})).counts(*sides).score()
        scored.append(name)
    except InputError as error:
        assert "overlap" in str(error), error
assert scored == ["span_f", "token_f", "link_f", "bcubed", "intersection_f", "relaxed_f"], scored
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
