"""Ortmann's fair evaluation by plain loops over sets, one document at a time, as its program words it.

A document is a collection of spans, a span is ``(label, tokens)``. Nothing is shared with the package.
"""

from collections import Counter


def _key(span):
    """The order of the text: start, end, label, then the tokens."""
    label, tokens = span
    return min(tokens), max(tokens) + 1, label, sorted(tokens)


def _kind(reference, predicted):
    """The kind of a pair that overlaps."""
    if reference[0] != predicted[0]:
        return "LBE"
    if predicted[1] < reference[1]:
        return "BES"
    return "BEL" if predicted[1] > reference[1] else "BEO"


def events(references, predictions):
    """The events of one document: (kind, label of the reference span or None, label of the predicted one or None)."""
    golds = sorted(set(references), key=_key)
    systems = sorted(set(predictions), key=_key)
    found = []
    for gold in list(golds):
        if gold in systems:
            found.append(("TP", gold[0], gold[0]))
            golds.remove(gold)
            systems.remove(gold)
    for gold in list(golds):
        same = [system for system in systems if system[1] == gold[1]]
        if same:
            found.append(("LE", gold[0], same[0][0]))
            golds.remove(gold)
            systems.remove(same[0])

    golds.sort(key=lambda span: len(span[1]))
    systems.sort(key=lambda span: len(span[1]))
    left = {("gold", span): set(span[1]) for span in golds} | {("system", span): set(span[1]) for span in systems}
    used = {"gold": [], "system": []}
    free = {"gold": golds, "system": systems}

    def best(side, span, other, candidates):
        mine = left[side, span]

        def badness(candidate):
            theirs = left[other, candidate]
            return -len(mine & theirs), len(mine - theirs), len(theirs - mine), len(candidate[1])

        return min(candidates, key=badness) if candidates else None

    def one_pass(side, other, pool, alike):
        for span in list(free[side]):
            candidates = [
                candidate
                for candidate in pool[other]
                if (candidate[0] == span[0]) == alike and left[side, span] & left[other, candidate]
            ]
            chosen = best(side, span, other, candidates)
            if chosen is None:
                continue
            gold, system = (span, chosen) if side == "gold" else (chosen, span)
            found.append((_kind(gold, system), gold[0], system[0]))
            shared = left[side, span] & left[other, chosen]
            left[side, span] = left[side, span] - shared
            left[other, chosen] = left[other, chosen] - shared
            free[side].remove(span)
            used[side].append(span)
            if pool is free:
                free[other].remove(chosen)
                used[other].append(chosen)

    for alike in (True, False):
        one_pass("gold", "system", free, alike)
        one_pass("gold", "system", used, alike)
        one_pass("system", "gold", used, alike)
    found += [("FN", gold[0], None) for gold in free["gold"]]
    found += [("FP", None, system[0]) for system in free["system"]]
    return found


def counts(references, predictions, *, focus="target"):
    """How many events of each kind each label has: a Counter of (label, kind)."""
    found = Counter()
    for documents in zip(references, predictions, strict=True):
        for kind, gold, system in events(*documents):
            first, second = (gold, system) if focus == "target" else (system, gold)
            found[second if first is None else first, kind] += 1
    return found


def score(number, weights, zero_division=0.0):
    """Precision, recall and F1 of numbers of events by kind."""
    tp, fp, fn = (sum(weights[kind][part] * number[kind] for kind in weights) for part in range(3))
    precision = tp / (tp + fp) if tp + fp else zero_division
    recall = tp / (tp + fn) if tp + fn else zero_division
    if tp + fp == tp + fn == 0:
        f1 = zero_division
    elif tp == 0:
        f1 = 0.0
    else:
        f1 = 2 * precision * recall / (precision + recall)
    return {"precision": precision, "recall": recall, "f1": f1}
