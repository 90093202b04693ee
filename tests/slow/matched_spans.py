"""The one-to-one reading of two annotations by listing all matchings of each document, over plain sets."""

import itertools


def text_order(document):
    return sorted(document, key=lambda span: (min(span[1]), max(span[1]), span[0], sorted(span[1])))


def all_matchings(pairs):
    """All sets of pairs in which no end occurs twice."""
    if not pairs:
        yield ()
        return
    first, *others = pairs
    yield from all_matchings(others)
    free = [pair for pair in others if pair[0] != first[0] and pair[1] != first[1]]
    for rest in all_matchings(free):
        yield (first, *rest)


def best_matching(references, predictions, min_overlap=0.0):
    """The best pairs of indices into the lists of spans."""
    pairs = [
        (r, p)
        for (r, (_, gold)), (p, (_, output)) in itertools.product(enumerate(references), enumerate(predictions))
        if gold & output and len(gold & output) / len(gold) >= min_overlap
    ]

    def quality(chosen):
        sums = [0, 0, 0, len(chosen), 0, 0]
        for r, p in chosen:
            (label, gold), (other, output) = references[r], predictions[p]
            sums[0] += label == other and gold == output
            sums[1] += gold == output
            sums[2] += label == other
            sums[4] += len(gold & output)
            sums[5] -= abs(min(gold) - min(output)) + abs(max(gold) - max(output))
        return [-number for number in sums], sorted(chosen)

    return min(all_matchings(pairs), key=quality)


def kind_of(gold, output):
    label, tokens = gold
    other, others = output
    if tokens == others:
        return ("correct" if label == other else "wrong_label"), "same"
    boundary = "shorter" if others < tokens else "longer" if tokens < others else "shifted"
    return ("wrong_boundary" if label == other else "wrong_label_and_boundary"), boundary


def rows_of(references, predictions, min_overlap=0.0):
    """(reference, prediction, kind, boundary, split, merged, nested) of each row of one document."""
    references, predictions = text_order(references), text_order(predictions)
    chosen = best_matching(references, predictions, min_overlap)
    wrong = [
        [span for span in side if span not in other]
        for side, other in ((references, predictions), (predictions, references))
    ]

    def enough(gold, output):
        return gold[1] & output[1] and len(gold[1] & output[1]) / len(gold[1]) >= min_overlap

    split = {gold for gold in wrong[0] if sum(bool(enough(gold, output)) for output in wrong[1]) > 1}
    merged = {output for output in wrong[1] if sum(bool(enough(gold, output)) for gold in wrong[0]) > 1}

    def marks(gold, output):
        if gold in wrong[0]:
            split_here = gold in split
            merged_here = output in merged if output else any(enough(gold, one) for one in merged)
        elif gold:
            split_here = merged_here = False
        else:
            split_here = any(enough(one, output) for one in split)
            merged_here = output in merged
        span, side = (gold, references) if gold else (output, predictions)
        bounds = min(span[1]), max(span[1])
        nested = any(
            min(other[1]) <= bounds[0] and bounds[1] <= max(other[1]) and (min(other[1]), max(other[1])) != bounds
            for other in side
        )
        return split_here, merged_here, nested

    rows = [(references[r], predictions[p], *kind_of(references[r], predictions[p])) for r, p in chosen]
    rows += [(gold, None, "missing", None) for r, gold in enumerate(references) if r not in {r for r, _ in chosen}]
    rows += [(None, out, "spurious", None) for p, out in enumerate(predictions) if p not in {p for _, p in chosen}]
    return [(*row, *marks(row[0], row[1])) for row in rows]
