"""A team's agreement by chance: every arrangement of all annotators' spans listed."""

from itertools import combinations, product

from .placement import arrangements


def teams(lengths, annotators):
    """Every annotation by chance, as likely as the next: of each annotator a list of (document, label, start, end).

    `annotators` has for each the lengths of its spans by (document, label).
    """
    places = [(annotator, place) for annotator, own in enumerate(annotators) for place in own]
    ways = [list(arrangements(lengths[place[0]], annotators[annotator][place])) for annotator, place in places]
    for chosen in product(*ways):
        yield _joined(annotators, zip(places, chosen, strict=True))


def _joined(annotators, chosen):
    team = [[] for _ in annotators]
    for (annotator, (document, label)), starts in chosen:
        sizes = annotators[annotator][document, label]
        team[annotator] += [(document, label, start, start + size) for start, size in zip(starts, sizes, strict=True)]
    return team


def f1(first, second, level):
    """F1 of two annotators; of tokens or of spans."""
    sides = [set(own) if level == "span" else _tokens(own) for own in (first, second)]
    both = sum(map(len, sides))
    return 2 * len(sides[0] & sides[1]) / both if both else 0.0


def _tokens(spans):
    return {(document, label, token) for document, label, start, end in spans for token in range(start, end)}


def mean_f1(team, level="token"):
    """The mean of F1 over pairs of annotators."""
    values = [f1(*pair, level) for pair in combinations(team, 2)]
    return sum(values) / len(values)
