"""Random corpora for the tests, as plain sets, and what the package makes of them."""

import random

from spanometer import Spans

LABELS = ("A", "B", "C")


def random_span(generator, length, kind):
    """Token positions of a random span of a document."""
    size = min(length, generator.choice((1, 1, 1, 2, 2, 3, 4, 7)))
    if kind == "discontinuous":
        return frozenset(generator.sample(range(length), size))
    start = generator.randrange(length - size + 1)
    return frozenset(range(start, start + size))


def random_document(generator, length, kind, labels=LABELS):
    """A set of (label, tokens): flat, nested (also crossing and adjacent) or discontinuous (and crossing) spans."""
    if length == 0 or generator.random() < 0.15:
        return set()
    spans = {(generator.choice(labels), random_span(generator, length, kind)) for _ in range(generator.randrange(0, 7))}
    if kind not in ("flat", "flat discontinuous"):
        return spans
    return flat_part(spans)


def flat_part(spans):
    """Some of the spans such that none of one label share a token."""
    kept = set()
    for label, tokens in sorted(spans, key=lambda span: (span[0], sorted(span[1]))):
        if not any(label == other and tokens & taken for other, taken in kept):
            kept.add((label, tokens))
    return kept


def disturbed(generator, document, length, kind):
    """A system's output for a document: some spans kept, some moved, relabelled, dropped, some invented."""
    output = set()
    for label, tokens in sorted(document, key=lambda span: (span[0], sorted(span[1]))):
        chance = generator.random()
        if chance < 0.4:
            output.add((label, tokens))
        elif chance < 0.7:
            output.add((label, random_neighbour(generator, tokens, length)))
        elif chance < 0.8:
            output.add((generator.choice((*LABELS, "D")), tokens))
    output |= set(list(random_document(generator, length, kind, (*LABELS, "D")))[: generator.randrange(3)])
    return flat_part(output) if kind in ("flat", "flat discontinuous") else output


def random_neighbour(generator, tokens, length):
    """The span with one token more or less at an end, or itself."""
    first, last = min(tokens), max(tokens)
    changed = generator.choice((tokens | {first - 1}, tokens | {last + 1}, tokens - {first}, tokens - {last}))
    changed = frozenset(token for token in changed if 0 <= token < length)
    return changed or tokens


def random_pair(seed, kind):
    """References and predictions, lists of sets, of a random small corpus, and the documents' lengths."""
    generator = random.Random(seed)
    lengths = [generator.choice((0, 1, 2, 3, 6, 10, 14)) for _ in range(generator.choice((1, 1, 2, 4)))]
    references = [random_document(generator, length, kind) for length in lengths]
    predictions = [
        disturbed(generator, document, length, kind) for document, length in zip(references, lengths, strict=True)
    ]
    if generator.random() < 0.1:
        references = [set() for _ in lengths]
    if generator.random() < 0.1:
        predictions = [set() for _ in lengths]
    return references, predictions, lengths


def random_team(seed, kind, annotators, documents=None):
    """A set of spans of each annotator in each document, and the documents' lengths."""
    generator = random.Random(seed)
    lengths = [generator.choice((0, 1, 3, 6, 10, 14)) for _ in range(documents or generator.choice((1, 2, 4)))]
    gold = [random_document(generator, length, kind) for length in lengths]
    found = [[disturbed(generator, *pair, kind) for pair in zip(gold, lengths, strict=True)] for _ in range(annotators)]
    return found, lengths


def fragments_of(tokens):
    """The runs of neighbouring tokens, as [start, end] pairs."""
    runs = []
    for token in sorted(tokens):
        if runs and runs[-1][1] == token:
            runs[-1][1] += 1
        else:
            runs.append([token, token + 1])
    return runs


def as_dicts(documents, *, fragmented=None):
    """The dictionaries that users pass; `fragmented` is told from the spans where it is None."""
    if fragmented is None:
        fragmented = any(len(fragments_of(tokens)) > 1 for document in documents for _, tokens in document)
    if fragmented:
        return [
            [{"label": label, "fragments": fragments_of(tokens)} for label, tokens in document]
            for document in documents
        ]
    return [
        [{"start": min(tokens), "end": max(tokens) + 1, "label": label} for label, tokens in document]
        for document in documents
    ]


def as_spans(documents, lengths=None):
    """The package's spans."""
    return Spans.from_dicts(as_dicts(documents), lengths=lengths)


def tokens_of(span):
    """The tokens of a span that is a dictionary."""
    pieces = span.get("fragments") or [(span["start"], span["end"])]
    return frozenset(token for start, end in pieces for token in range(start, end))


def as_sets(spans):
    """The package's spans as lists of sets."""
    return [{(span["label"], tokens_of(span)) for span in document} for document in spans.to_dicts()]
