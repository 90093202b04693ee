"""Random tags for the tests, legal and illegal, and the spans read from them as plain sets."""

import random

from spanometer import Spans
from spanometer.tags.schemes import SCHEMES


def random_tags(generator, scheme, length, labels=("A", "B")):
    """Return tags with legal and illegal pairs: a random walk that likes to stay inside a span."""
    names = ["O", *(f"{prefix}-{label}" for prefix in SCHEMES[scheme].prefixes for label in labels)]
    tags = []
    for _ in range(length):
        if tags and tags[-1] != "O" and generator.random() < 0.5:
            prefix = generator.choice(list(SCHEMES[scheme].prefixes))
            tags.append(f"{prefix}-{tags[-1].partition('-')[2]}")
        else:
            tags.append(generator.choice(names))
    return tags


def random_corpus(seed, scheme, documents=3000):
    """Return documents of random tags, many of them illegal."""
    generator = random.Random(seed)
    return [random_tags(generator, scheme, generator.choice((0, 1, 2, 3, 5, 8, 12))) for _ in range(documents)]


def by_document(spans):
    """Return the spans of each document as a set of (label, start, end)."""
    return [{(span["label"], span["start"], span["end"]) for span in document} for document in spans.to_dicts()]


def legal_corpus(generator, scheme, *, adjacent=True, documents=12):
    """Return legal tags of random spans; without `adjacent` none that stand side by side with one label."""
    rows, lengths = [], []
    for _ in range(documents):
        spans, at = [], 0
        length = generator.choice((1, 2, 3, 6, 10))
        while at < length:
            size = min(generator.choice((1, 1, 2, 3)), length - at)
            label = generator.choice(("A", "B-C", "ж"))
            beside = spans and spans[-1]["end"] == at and spans[-1]["label"] == label
            if generator.random() < 0.6 and (adjacent or not beside):
                spans.append({"start": at, "end": at + size, "label": label})
            at += size
        rows.append(spans)
        lengths.append(length)
    return Spans.from_dicts(rows, lengths=lengths).to_tags(scheme)
