"""Consensus of annotators, span by span and token by token, over sets of (label, tokens)."""

from collections import Counter
from itertools import combinations

ENOUGH = {
    "majority": lambda votes, size: 2 * votes > size,
    "half": lambda votes, size: 2 * votes >= size,
    "union": lambda votes, size: votes >= 1,
    "intersection": lambda votes, size: votes == size,
}


def enough(votes, size, rule):
    """Whether so many votes win; a rule may be a number."""
    return votes >= rule if isinstance(rule, int) else votes >= 1 and ENOUGH[rule](votes, size)


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


def runs(annotations, rule, test=enough):
    """The runs of tokens of a document that win a label, with those who have the label on all of their tokens."""
    found = {}
    for label in {label for spans in annotations for label, _ in spans}:
        has = [{token for name, tokens in spans if name == label for token in tokens} for spans in annotations]
        begins = [{min(tokens) for name, tokens in spans if name == label} for spans in annotations]
        run = []
        for token in range(max(map(max, filter(None, has))) + 2):
            won = test(sum(token in tokens for tokens in has), len(annotations), rule)
            both = [who for who, tokens in enumerate(has) if {token - 1, token} <= tokens]
            new = 2 * sum(token in begins[who] for who in both) > len(both)
            if run and (new or not won):
                found[label, frozenset(run)] = frozenset(w for w, tokens in enumerate(has) if set(run) <= tokens)
                run = []
            if won:
                run.append(token)
    return found


def resolved(won, resolve):
    """The winners that stay."""

    def rank(span):
        label, tokens = span
        return (-len(won[span]), -len(tokens), min(tokens), max(tokens), label, sorted(tokens))

    stayed = []
    for span in sorted(won, key=rank):
        rivals = [
            other for other in stayed if other[1] & span[1] and (resolve == "overlaps" or not won[other] & won[span])
        ]
        if resolve == "nothing" or not rivals:
            stayed.append(span)
    return set(stayed)


def contradicting(spans, won):
    """How many spans overlap another one that nobody has together with them."""
    pairs = [(one, two) for one, two in combinations(spans, 2) if one[1] & two[1] and not won[one] & won[two]]
    return len({span for pair in pairs for span in pair})
