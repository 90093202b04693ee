"""Places where annotators differ, their costs and kinds, over plain sets, by searching and counting."""

import itertools

from slow.matched_spans import rows_of


def places_of(documents):
    """The places of one document: lists of spans (label, tokens) that touch each other's tokens.

    `documents` has the set of spans of each annotator.
    """
    everything = set.union(*documents)
    rest = {span for span in everything if not all(span in one for one in documents)}
    places = []
    while rest:
        place = {rest.pop()}
        while more := {span for span in rest if any(span[1] & other[1] for other in place)}:
            place |= more
            rest -= more
        places.append(place)
    return sorted(places, key=lambda place: min(min(tokens) for _, tokens in place))


def cost_of(place, documents, corpora, level):
    """The mean over pairs of what one has here and the other has not, by what both have in all."""
    pairs = list(itertools.combinations(range(len(documents)), 2))
    total = 0
    for one, other in pairs:
        sizes = sum(len(units(document, level)) for number in (one, other) for document in corpora[number])
        apart = units(documents[one] & place, level) ^ units(documents[other] & place, level)
        # what is covered by a span that all have is not apart
        shared = units(set.intersection(*documents), level)
        total += len(apart - shared) / sizes if sizes else 0
    return total / len(pairs)


def units(spans, level):
    return spans if level == "span" else {(label, token) for label, tokens in spans for token in tokens}


def kinds_of(place, documents):
    """How many differences of each kind two annotators have here: other label, other boundary, split, only one."""
    counts = [0, 0, 0, 0]
    for one, other in itertools.combinations(documents, 2):
        for first, second, kind, boundary, split, merged, nested in rows_of(one, other):
            if kind == "correct" or (first or second) not in place:
                continue
            apart = split or merged
            if kind in ("missing", "spurious"):
                counts[2 if apart and not nested else 3] += 1
                continue
            counts[0] += kind in ("wrong_label", "wrong_label_and_boundary")
            if boundary != "same":
                counts[2 if apart else 1] += 1
    return counts


def readings_of(place, documents):
    """What is said here, and by whom, that of most annotators first."""
    said = {}
    for number, document in enumerate(documents):
        said.setdefault(frozenset(document & place), []).append(number)
    return sorted(said.items(), key=lambda pair: (-len(pair[1]), pair[1]))
