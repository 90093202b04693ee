"""Consensus of annotators, span by span, over sets of (label, tokens)."""

from collections import Counter

ENOUGH = {
    "majority": lambda votes, size: 2 * votes > size,
    "half": lambda votes, size: 2 * votes >= size,
    "union": lambda votes, size: votes >= 1,
    "intersection": lambda votes, size: votes == size,
}


def enough(votes, size, rule):
    """Whether so many votes win."""
    return votes >= 1 and ENOUGH[rule](votes, size)


def is_tie(votes, size, rule):
    return rule in ("majority", "half") and 2 * votes == size and votes > 0


def winners(annotations, rule, test=enough):
    """The spans of a document that win, with their voters."""
    votes = Counter(span for spans in annotations for span in spans)
    return {
        span: frozenset(who for who, spans in enumerate(annotations) if span in spans)
        for span, number in votes.items()
        if test(number, len(annotations), rule)
    }
