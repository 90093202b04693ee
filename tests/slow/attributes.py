"""Attributes of spans by brute force: items in plain sets, loops over spans, one function for each average precision.

A side is a list of documents, a document is a list of span dicts with `start`, `end`, `label`, `attributes` and perhaps
`scores`. Nothing is checked here.
"""

FALSY = ((bool, False), (int, 0), (float, 0.0), (str, ""), (type(None), None))


def typed(value):
    """A value that equals only values of its own type."""
    return type(value), value


def values_and_scores(span, attribute):
    """The typed values of an attribute of a span, each with its score."""
    given = span["attributes"].get(attribute)
    score = span.get("scores", {}).get(attribute)
    values = given if isinstance(given, list) else [given]
    pairs = []
    for position, value in enumerate(values):
        if value is None:
            continue
        if isinstance(score, dict):
            found = None
            for key, number in score.items():
                if typed(key) == typed(value):
                    found = number
        elif isinstance(score, list):
            found = score[position]
        else:
            found = score
        pairs.append((typed(value), 1.0 if found is None else found))
    return pairs


def occurring(sides):
    """The names of all attributes, in alphabetical order."""
    names = {name for side in sides for document in side for span in document for name in span["attributes"]}
    return dict.fromkeys(sorted(names), True)


def items_of(side, asked, default_values, include_falsy):
    """All items in order, with repeats, each with its score."""
    found = []
    for number, document in enumerate(side):
        for span in document:
            for attribute, labels in asked.items():
                if labels is not True and span["label"] not in labels:
                    continue
                for value, score in values_and_scores(span, attribute) or [(typed(None), 1.0)]:
                    if value in FALSY and not include_falsy:
                        continue
                    if attribute in default_values and value == typed(default_values[attribute]):
                        continue
                    found.append(((number, span["start"], span["end"], attribute, value), score))
    return found


def looks_like(value):
    """A value as a careless reader of JSON sees it: true, 1, 1.0 and "1" are one."""
    text = str(value).lower()
    text = {"true": "1", "false": "0"}.get(text, text)
    return text.removesuffix(".0")


def first_clash(references, predictions):
    """The place and the name of the first value that another one before it looks like, of another type; or None."""
    known = {}
    for side, documents in (("references", references), ("predictions", predictions)):
        for number, document in enumerate(documents):
            for index, span in enumerate(document):
                for name, given in span["attributes"].items():
                    for value in given if isinstance(given, list) else [given]:
                        if value is None:
                            continue
                        kind = known.setdefault((name, looks_like(value)), type(value))
                        if kind is not type(value):
                            return (side, number, index), repr(name)
    return None


def same_spans(references, predictions):
    """Whether both sides have the same spans in each document."""
    return all(
        {(span["start"], span["end"], span["label"]) for span in one}
        == {(span["start"], span["end"], span["label"]) for span in other}
        for one, other in zip(references, predictions, strict=True)
    )


def ap_ties(scores, reference):
    """Over all distinct scores, highest first: gained recall times precision of what has that score or more."""
    total, before = 0.0, 0.0
    for threshold in sorted(set(scores.values()), reverse=True):
        above = {item for item, score in scores.items() if score >= threshold}
        recall = len(above & reference) / len(reference)
        total += (recall - before) * len(above & reference) / len(above)
        before = recall
    return total


def ap_in_order(scores, reference, first=1):
    """Over all items, highest score first, equal ones in order; ranks before `first` gain nothing."""
    ranking = sorted(scores, key=lambda item: -scores[item])
    total, hits = 0.0, 0
    for rank, item in enumerate(ranking, start=1):
        if item in reference:
            hits += 1
            if rank >= first:
                total += hits / rank / len(reference)
    return total


def scored(reference_items, predicted_items, average_precision, zero_division):
    """The values of some items."""
    reference = {item for item, _ in reference_items}
    scores = {}
    for item, score in predicted_items:
        # of a repeated item the highest score, or the last
        scores[item] = max(score, scores.get(item, score)) if average_precision == "ties" else score
    predicted = set(scores)
    tp = len(reference & predicted)
    if not reference:
        ap = zero_division
    elif average_precision == "ties":
        ap = ap_ties(scores, reference)
    else:
        ap = ap_in_order(scores, reference, 2 if average_precision == "edsnlp-0.20" else 1)
    return {
        "f": 2 * tp / (len(reference) + len(predicted)) if reference or predicted else zero_division,
        "p": tp / len(predicted) if predicted else zero_division,
        "r": tp / len(reference) if reference else zero_division,
        "tp": tp,
        "support": len(reference),
        "positives": len(predicted),
        "ap": ap,
    }


def span_attribute(
    references,
    predictions,
    attributes=None,
    default_values=None,
    include_falsy=False,
    micro_key="micro",
    average_precision="ties",
    zero_division=0.0,
):
    """The whole result."""
    asked = occurring([references, predictions]) if attributes is None else attributes
    if isinstance(asked, list):
        asked = dict.fromkeys(asked, True)
    sides = [items_of(side, asked, default_values or {}, include_falsy) for side in (references, predictions)]
    result = {micro_key: scored(*sides, average_precision, zero_division)}
    for attribute in asked:
        own = [[pair for pair in side if pair[0][3] == attribute] for side in sides]
        result[attribute] = scored(*own, average_precision, zero_division)
    return result
