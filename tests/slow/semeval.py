"""SemEval-2013 task 9.1 by plain loops: every one-to-one pairing is looked at, or nervaluate's reading is followed.

A document is a collection of spans, a span is ``(label, tokens)``. Nothing is shared with the package.
"""

from collections import Counter
from functools import cache

CORRECT = {
    "strict": lambda same_tokens, same_label: same_tokens and same_label,
    "exact": lambda same_tokens, same_label: same_tokens,
    "partial": lambda same_tokens, same_label: same_tokens,
    "ent_type": lambda same_tokens, same_label: same_label,
}


def in_text_order(document):
    """Spans by start, end, label, then by their tokens."""
    return sorted(set(document), key=lambda span: (min(span[1]), max(span[1]), span[0], sorted(span[1])))


def _distance(gold, predicted):
    return abs(min(gold) - min(predicted)) + abs(max(gold) - max(predicted))


def _may_pair(gold, predicted, min_overlap):
    shared = len(gold[1] & predicted[1])
    return shared > 0 and shared / len(gold[1]) >= min_overlap


def _best(golds, systems, min_overlap, worth):
    """Of all pairings the one with the greatest sum of `worth`, a tuple, and the smallest list of pairs."""

    @cache
    def from_here(place, taken):
        if place == len(golds):
            return (), ()
        rest = from_here(place + 1, taken)
        options = [(rest[0], ((len(systems),) + rest[1]))]
        for number, system in enumerate(systems):
            if number not in taken and _may_pair(golds[place], system, min_overlap):
                score, choices = from_here(place + 1, taken | {number})
                own = worth(golds[place], system)
                total = tuple(one + other for one, other in zip(own, score or (0,) * len(own), strict=True))
                options.append((total, (number, *choices)))
        width = max(len(score) for score, _ in options)
        # the last choice first: of equal sums the first gold span has the earliest partner
        return max(options, key=lambda option: (option[0] or (0,) * width, tuple(-choice for choice in option[1])))

    choices = from_here(0, frozenset())[1]
    return [(golds[place], systems[number]) for place, number in enumerate(choices) if number < len(systems)]


def _joint(gold, system):
    same_tokens, same_label = gold[1] == system[1], gold[0] == system[0]
    return (
        int(same_tokens and same_label),
        int(same_tokens),
        int(same_label),
        1,
        len(gold[1] & system[1]),
        -_distance(gold[1], system[1]),
    )


def _nervaluate(golds, systems, min_overlap, correct, schema):
    free = list(golds)
    pairs = []
    for system in systems:
        met = [gold for gold in free if _may_pair(gold, system, min_overlap)]
        right = [gold for gold in met if correct(gold[1] == system[1], gold[0] == system[0])]
        if schema == "ent_type":
            right.sort(key=lambda gold: _distance(gold[1], system[1]))
        chosen = (right or met)[:1]
        for gold in chosen:
            pairs.append((gold, system))
            free.remove(gold)
    return pairs


def counts(references, predictions, *, schema, alignment, min_overlap=0.0):
    """How many of each kind each label has in one document: a Counter of (label, kind)."""
    golds, systems = in_text_order(references), in_text_order(predictions)
    correct = CORRECT[schema]
    if alignment == "joint":
        pairs = _best(golds, systems, min_overlap, _joint)
    elif alignment == "schema":
        pairs = _best(golds, systems, min_overlap, lambda g, s: (int(correct(g[1] == s[1], g[0] == s[0])), 1))
    elif alignment == "first":
        pairs = _nervaluate(golds, systems, min_overlap, CORRECT["strict"], "strict")
    else:
        pairs = _nervaluate(golds, systems, min_overlap, correct, schema)
    found = Counter()
    for gold, system in pairs:
        right = correct(gold[1] == system[1], gold[0] == system[0])
        found[gold[0], "correct" if right else "partial" if schema == "partial" else "incorrect"] += 1
        found[gold[0], "actual"] += 1
    paired = [{pair[side] for pair in pairs} for side in (0, 1)]
    for gold in golds:
        found[gold[0], "possible"] += 1
        found[gold[0], "missing"] += gold not in paired[0]
    for system in systems:
        found[system[0], "spurious"] += system not in paired[1]
        found[system[0], "actual"] += system not in paired[1]
    return +found
