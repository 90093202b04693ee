"""Buckets of mentions, span by span, from dictionaries and lists of words."""

from collections import Counter


def string(span, words):
    """The string that a span covers; the fragments of a discontinuous one have a blank between."""
    bounds = span.get("fragments") or [[span["start"], span["end"]]]
    return " ".join(" ".join(words[start:end]) for start, end in bounds)


def seen(span, words, train, train_words):
    """The bucket of a span by a training set."""
    known = {(string(one, row), one["label"]) for spans, row in zip(train, train_words, strict=True) for one in spans}
    if (string(span, words), span["label"]) in known:
        return "seen"
    return "seen with another label" if string(span, words) in {text for text, _ in known} else "unseen"


def consistent(span, words, references, all_words):
    """The bucket of a reference span by the labels of its string."""
    labels = Counter(
        one["label"]
        for spans, row in zip(references, all_words, strict=True)
        for one in spans
        if string(one, row) == string(span, words)
    )
    own = labels.pop(span["label"])
    other = max(labels.values(), default=0)
    if own == 1 and not labels:
        return "occurs once"
    if not labels:
        return "always this label"
    return (
        "mostly this label"
        if own > other
        else "another label equally often"
        if own == other
        else "mostly another label"
    )


def density(spans, length):
    """The share of a document that its spans cover."""
    covered = set()
    for span in spans:
        for start, end in span.get("fragments") or [[span["start"], span["end"]]]:
            covered |= set(range(start, end))
    return len(covered) / length


def scored(references, predictions, bucket):
    """Numbers of reference spans, predicted spans and those on both sides, by the bucket of a span and its document."""
    found = {}
    for document, (one, other) in enumerate(zip(references, predictions, strict=True)):
        for place, spans in (
            ("reference", one),
            ("predicted", other),
            ("right", [span for span in one if span in other]),
        ):
            for span in spans:
                found.setdefault(bucket(span, document), Counter())[place] += 1
    return found
