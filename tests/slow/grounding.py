"""Grounding by the words of its definition: lists of characters, every window, every chain."""

import itertools
import re
import unicodedata
from functools import lru_cache

QUOTES = "\"'`´‘’‚‛“”„‟‹›«»′″‵‶＂＇「」『』〝〞〟"


def loose(cluster):
    if cluster in QUOTES:
        return "'"
    result = ""
    for one in unicodedata.normalize("NFKC", cluster):
        if one in QUOTES:
            result += "'"
        elif unicodedata.category(one) == "Pd" or one == "−":
            result += "-"
        elif not (one.isspace() or unicodedata.category(one) == "Cf"):
            result += one.lower()
    return result


def folded(text, fold):
    """The characters of the normal form, each with the bounds of what it stems from."""
    if fold == "exact":
        parts = [(one, place, place + 1) for place, one in enumerate(text)]
        change = str
    elif fold == "case":
        parts = [(one, place, place + 1) for place, one in enumerate(text)]
        change = str.lower
    else:
        parts = []
        for place, one in enumerate(text):
            if parts and unicodedata.combining(one):
                parts[-1] = (parts[-1][0] + one, parts[-1][1], place + 1)
            else:
                parts.append((one, place, place + 1))
        change = loose
    return [(letter, start, end) for one, start, end in parts for letter in change(one)]


def occurrences(text, tokens, mention, fold, inside):
    form = folded(text, fold)
    wanted = [one[0] for one in folded(mention, fold)]
    found, place = [], 0
    while wanted and place + len(wanted) <= len(form):
        window = form[place : place + len(wanted)]
        if [one[0] for one in window] != wanted:
            place += 1
            continue
        bounds = snapped(set(range(window[0][1], window[-1][2])), tokens, inside)
        place += len(wanted) if bounds else 1
        if bounds:
            found.append(bounds)
    return found


def snapped(characters, tokens, inside):
    tokens = [set(range(*token)) for token in tokens]
    cut = [token for token in tokens if token & characters and not token <= characters]
    if cut and inside == "whole":
        return None
    if cut and inside == "expand":
        characters = characters.union(*cut)
    if cut and inside == "contract":
        whole = [token for token in tokens if token <= characters]
        if not whole:
            return None
        # from the whole tokens on, where the one before them is cut, and to them likewise
        first, last = min(characters), max(characters) + 1
        for token in cut:
            if min(token) < first:
                first = min(min(each) for each in whole)
            if max(token) >= last:
                last = max(max(each) for each in whole) + 1
        return first, last
    return min(characters), max(characters) + 1


def common(first, second):
    """The length of the longest common subsequence."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def window(wanted, tokens):
    best = None
    for start, end in itertools.combinations(range(len(tokens) + 1), 2):
        size = common(wanted, tokens[start:end])
        if 4 * size >= 3 * len(wanted) and 3 * size >= end - start and size:
            key = (-size, end - start, start)
            if best is None or key < best[0]:
                best = key, (start, end)
    return best and best[1]


def chain(found, tokens):
    """The bounds of each item in the best chain, None for those that are not in it."""

    def size(bounds):
        return sum(start < bounds[1] and bounds[0] < end for start, end in tokens)

    @lru_cache(None)
    def best(items, limit):
        """The best chain of the first items up to a limit: tokens, end, spans by item."""
        top = (0, 0, ())
        for item in range(items):
            for bounds in found[item]:
                if bounds[1] <= limit:
                    before = best(item, bounds[0])
                    new = (before[0] + size(bounds), bounds[1], (*before[2], (item, bounds)))
                    if (new[0], -new[1]) > (top[0], -top[1]):
                        top = new
        return top

    chosen = dict(best(len(found), 10**9)[2])
    return [chosen.get(item) for item in range(len(found))]


def ground(text, tokens, items, actions, labels, token_mention, broken=False, offsets=()):
    """Return the placed (start, end, label), the labels of wrong items, and the numbers of items.

    `offsets` are the bounds that hold of each item, or None: `check` grounds the others after them.
    """
    if_broken, outside, fold, inside, repeat, surplus, absent, overlap = actions
    if broken and if_broken == "empty":
        items = []
    if outside == "drop":
        items = [item for item in items if item[0] in labels]
    offsets = offsets or [None] * len(items)
    found = [occurrences(text, tokens, mention, fold, inside) for _, mention in items]
    places = [(number, bounds) for number, bounds in enumerate(offsets) if bounds]
    taken = [(bounds, items[number][0]) for number, bounds in places]
    if repeat == "chain":
        open_ = [
            [] if bounds else [one for one in all_ if (one, item[0]) not in taken]
            for item, bounds, all_ in zip(items, offsets, found, strict=True)
        ]
        chained = chain(open_, tokens)
    wrong = []
    numbers = {"surplus": 0, "absent": 0}
    for number, (label, mention) in enumerate(items):
        if offsets[number]:
            continue
        all_, mine = found[number], []
        unused = [one for one in all_ if one not in [span for span, _ in taken]]
        own = [one for one in all_ if (one, label) not in taken]
        free = [one for one in all_ if all(one[1] <= span[0] or span[1] <= one[0] for span, _ in taken)]
        after = [one for one in all_ if one[0] >= (taken[-1][0][1] if taken else 0)]
        if repeat == "all":
            mine = own
        elif repeat == "chain":
            mine = [chained[number]] if chained[number] else []
        else:
            mine = {
                "first": [one for one in all_[:1] if one in own],
                "next": unused,
                "next by label": own,
                "next free": free,
                "prefer free": free or own,
                "order": after,
            }[repeat][:1]
        if not all_:
            if absent == "fuzzy":
                spelled = ["".join(one[0] for one in folded(token, fold)) for token in token_mention(mention)]
                said = ["".join(one[0] for one in folded(text[start:end], fold)) for start, end in tokens]
                best = window(spelled, said)
                mine = [(tokens[best[0]][0], tokens[best[1] - 1][1])] if best else []
            if not mine:
                numbers["absent"] += 1
                if absent != "drop":
                    wrong.append(label)
        elif not mine:
            numbers["surplus"] += 1
            if surplus == "wrong":
                wrong.append(label)
        taken += [(span, label) for span in mine]
        places += [(number, span) for span in mine]
    kept = []
    order = {
        "keep": lambda one: 0,
        "longest": lambda one: (one[1][0] - one[1][1], one[1][0], one[0]),
        "earlier": lambda one: one[0],
        "later": lambda one: -one[0],
    }[overlap]
    for number, span in sorted(places, key=order):
        if overlap == "keep" or all(span[1] <= other[0] or other[1] <= span[0] for _, other in kept):
            kept.append((number, span))
    return {(*span, items[number][0]) for number, span in kept}, wrong, numbers


def squad(text):
    kept = "".join(one for one in text.lower() if one not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    parts = re.findall(r"\w+|\W", kept)
    return " ".join("".join(" " if part in ("a", "an", "the") else part for part in parts).split())


def strings(text, items, gold, broken, actions, labels):
    """The numbers of mentions of both, the predicted side and the reference."""
    when_broken, outside, fold, copies, surplus, absent = actions
    if broken and when_broken == "empty":
        items = []
    if outside == "drop":
        items = [item for item in items if item[0] in labels]

    def form(said):
        return squad(said) if fold == "squad" else "".join(one[0] for one in folded(said, fold))

    items = [(label, mention.strip()) for label, mention in items]
    gold = [(label, mention.strip()) for label, mention in gold]

    predicted, seen = [], []
    for label, mention in items:
        wanted, rest, times = form(mention), form(text), 0
        while wanted and wanted in rest:
            rest = rest[rest.index(wanted) + len(wanted) :]
            times += 1
        seen.append(wanted)
        kept = absent == "wrong" if times == 0 else seen.count(wanted) <= times or surplus == "wrong"
        if kept:
            predicted.append((label, wanted))
    expected = [(label, form(mention)) for label, mention in gold]
    if copies == "set":
        predicted, expected = list(set(predicted)), list(set(expected))
    left, both = list(expected), 0
    for item in predicted:
        if item in left:
            left.remove(item)
            both += 1
    return {"both": both, "predicted": len(predicted), "reference": len(expected)}
