"""ETER and SER by brute force: every alignment of a document is listed, its cost summed, the best one taken.

A side is a list of documents, a document a list of entities as users write them,
``{"start", "end", "types": [...], "components": [{"start", "end", "label"}]}``, token offsets with the end exclusive.

Everything is counted per document and label (`counts`), summed, and only then divided (`eter`, `per_label`). The label
of a pair or a deletion is the first type of the reference entity, that of an insertion the first type of the
predicted one; a component slot of SER has its parent's.
"""

import math
from itertools import permutations

TOLERANCE = 1e-9  # two alignments whose costs differ by no more are equally cheap

COUNTS = (
    "references",
    "insertions",
    "deletions",
    "substitution_cost",
    "root_error",
    "component_error",
    "type_substitutions",
    "subtype_substitutions",
    "boundary_substitutions",
    "component_insertions",
    "component_deletions",
    "component_label_substitutions",
    "component_boundary_substitutions",
    "ser_types_correct",
    "ser_types_substitutions",
    "ser_types_deletions",
    "ser_types_insertions",
    "ser_types_cost",
    "ser_components_correct",
    "ser_components_substitutions",
    "ser_components_deletions",
    "ser_components_insertions",
    "ser_components_cost",
)


# The three ways to ask


def eter(references, predictions, *, zero_division=0.0, **options):
    """The totals of COUNTS over all documents and labels, and the rates eter, ser, ser_types, ser_components, muc_err.

    A rate whose denominator is 0 is `zero_division`. The options are those of `counts`.
    """
    entries = [entry for document in counts(references, predictions, **options) for entry in document.values()]
    return _with_rates(_total(entries), zero_division, options)


def per_label(references, predictions, *, zero_division=0.0, **options):
    """The same for each label alone: a dict from each first type of either side to its values."""
    documents = counts(references, predictions, **options)
    labels = sorted({label for document in documents for label in document})
    totals = {label: _total([document[label] for document in documents if label in document]) for label in labels}
    return {label: _with_rates(total, zero_division, options) for label, total in totals.items()}


def counts(
    references,
    predictions,
    *,
    alpha=0.5,
    type_cost=0.5,
    subtype_cost=0.25,
    span_cost=0.25,
    insertion_cost=1,
    deletion_cost=1,
    ser_type_cost=0.5,
    ser_span_cost=0.5,
    type_level="fine",
):
    """For each document a dict from each first type of either side to its COUNTS.

    With the type level "coarse" every type and every label of a component is cut at its first dot beforehand.
    """
    if type_level == "coarse":
        references, predictions = ([cut(document) for document in side] for side in (references, predictions))
    if len(references) != len(predictions):
        raise ValueError(f"{len(references)} reference documents, {len(predictions)} predicted documents")
    if not (0 <= alpha <= 1 and 0 <= subtype_cost <= type_cost and span_cost >= 0):
        raise ValueError("alpha lies in [0, 1], no cost is negative, and a subtype costs no more than a type")
    options = {
        "alpha": alpha,
        "type_cost": type_cost,
        "subtype_cost": subtype_cost,
        "span_cost": span_cost,
        "unmatched": (insertion_cost, deletion_cost),
        "ser_type_cost": ser_type_cost,
        "ser_span_cost": ser_span_cost,
    }
    return [
        _document_counts(_entities(reference), _entities(prediction), options)
        for reference, prediction in zip(references, predictions, strict=True)
    ]


def cut(document):
    """The entities of a document in reading order, their names cut at the first dots."""
    return [
        {
            **entity,
            "types": [name.split(".")[0] for name in entity["types"]],
            "components": [{**part, "label": part["label"].split(".")[0]} for part in entity["components"]],
        }
        for entity in _entities(document)
    ]


def _total(entries):
    """The sums of several COUNTS."""
    return {key: math.fsum(entry[key] for entry in entries) for key in COUNTS}


def _with_rates(total, zero_division, options):
    """The counts and the rates that follow from them."""

    def rate(error, whole):
        return error / whole if whole else zero_division

    part_errors, part_references = {}, {}
    for part in ("ser_types", "ser_components"):
        unmatched = total[f"{part}_deletions"] + total[f"{part}_insertions"]
        part_errors[part] = unmatched + total[f"{part}_cost"]
        part_references[part] = total[f"{part}_correct"] + total[f"{part}_substitutions"] + total[f"{part}_deletions"]
    unmatched = options.get("insertion_cost", 1) * total["insertions"]
    unmatched += options.get("deletion_cost", 1) * total["deletions"]
    correct = total["ser_types_correct"] + total["ser_components_correct"]
    wrong = sum(
        total[f"{part}_{kind}"]
        for part in ("ser_types", "ser_components")
        for kind in ("substitutions", "deletions", "insertions")
    )
    return {
        **total,
        "eter": rate(unmatched + total["substitution_cost"], total["references"]),
        "ser": rate(sum(part_errors.values()), sum(part_references.values())),
        "ser_types": rate(part_errors["ser_types"], part_references["ser_types"]),
        "ser_components": rate(part_errors["ser_components"], part_references["ser_components"]),
        "muc_err": rate(wrong, correct + wrong),
    }


# Entities


def _entities(document):
    """The entities of one document without duplicates, in reading order.

    Reading order: start, end, sorted types, sorted components. Duplicate types, components and entities collapse; the
    first one stays, so an entity keeps the first type of its first mention.
    """
    kept = {}
    for entity in document:
        start, end = entity["start"], entity["end"]
        types = []
        for type_ in entity["types"]:
            if type_ not in types:
                types.append(type_)
        components = sorted({(part["start"], part["end"], part["label"]) for part in entity["components"]})
        if not start < end or not types or any(not start <= first < last <= end for first, last, _ in components):
            raise ValueError(f"no entity: {entity!r}")
        key = (start, end, tuple(sorted(types)), tuple(components))
        if key not in kept:
            kept[key] = {
                "start": start,
                "end": end,
                "types": types,
                "components": [{"start": first, "end": last, "label": label} for first, last, label in components],
            }
    return [kept[key] for key in sorted(kept)]


def _bounds(item):
    """Start and end."""
    return item["start"], item["end"]


def _share_a_token(one, other):
    """Whether two items have a token in common."""
    return bool(set(range(*_bounds(one))) & set(range(*_bounds(other))))


# Alignment


def _every_alignment(reference_count, prediction_count, allowed, taken=frozenset(), position=0):
    """All one-to-one alignments along the allowed (reference, prediction) pairs.

    Each is a tuple with, for each reference, the number of its prediction or None.
    """
    if position == reference_count:
        yield ()
        return
    for number in (None, *range(prediction_count)):
        if number is None:
            others = taken
        elif number not in taken and (position, number) in allowed:
            others = taken | {number}
        else:
            continue
        for rest in _every_alignment(reference_count, prediction_count, allowed, others, position + 1):
            yield (number, *rest)


def _align(references, predictions, compare, unmatched=(1, 1)):
    """The cheapest one-to-one alignment of overlapping items, with the costs of an insertion and of a deletion.

    `compare` gives a dict for a pair, of which `cost` and `differences` matter here. Among equally cheap alignments:
    most pairs, then the least sum of each of the pairs' `differences` in turn, then reading order: the first reference
    has the earliest prediction (none is later than all), then the second, and so on. Both lists are in reading order.

    Returns the matched (reference, prediction, comparison), the unmatched references, the unmatched predictions.
    """
    pairs = {
        (row, column): compare(reference, prediction)
        for row, reference in enumerate(references)
        for column, prediction in enumerate(predictions)
        if _share_a_token(reference, prediction)
    }

    def matched(alignment):
        return [(row, column) for row, column in enumerate(alignment) if column is not None]

    def cost(alignment):
        kept = matched(alignment)
        left_out = unmatched[1] * (len(references) - len(kept)) + unmatched[0] * (len(predictions) - len(kept))
        return math.fsum(pairs[pair]["cost"] for pair in kept) + left_out

    def preference(alignment):
        kept = matched(alignment)
        differences = [pairs[pair]["differences"] for pair in kept]
        reading_order = [len(predictions) if column is None else column for column in alignment]
        return -len(kept), [sum(numbers) for numbers in zip(*differences, strict=True)], reading_order

    priced = [(cost(alignment), alignment) for alignment in _every_alignment(len(references), len(predictions), pairs)]
    cheapest = min(price for price, _ in priced)
    best = min((alignment for price, alignment in priced if price <= cheapest + TOLERANCE), key=preference)

    return (
        [(references[row], predictions[column], pairs[row, column]) for row, column in matched(best)],
        [reference for row, reference in enumerate(references) if best[row] is None],
        [prediction for column, prediction in enumerate(predictions) if column not in best],
    )


# The cost of one pair of entities


def _same_first_part(one, other):
    """Whether two types agree up to the first dot."""
    return one.split(".")[0] == other.split(".")[0]


def _compare_types(reference_types, predicted_types, options):
    """The type part of the root error, and whether it is a type or a subtype substitution."""
    smaller, larger = sorted((reference_types, predicted_types), key=len)

    def type_pair_cost(one, other):
        if one == other:
            return 0.0
        return options["subtype_cost"] if _same_first_part(one, other) else options["type_cost"]

    prices = []
    partnered_throughout = False
    for partners in permutations(larger, len(smaller)):
        pairs = list(zip(smaller, partners, strict=True))
        unmatched = len(larger) - len(smaller)
        prices.append(math.fsum(type_pair_cost(*pair) for pair in pairs) + unmatched * options["type_cost"])
        if unmatched == 0 and all(_same_first_part(*pair) for pair in pairs):
            partnered_throughout = True

    return {
        "cost": min(prices) / len(larger),
        "type": not partnered_throughout,
        "subtype": partnered_throughout and set(smaller) != set(larger),
    }


def _compare_components(reference, prediction, options):
    """The component error of a pair of entities, and what it consists of."""

    def compare(one, other):
        label, boundary = one["label"] != other["label"], _bounds(one) != _bounds(other)
        cost = label * options["type_cost"] + boundary * options["span_cost"]
        return {"cost": cost, "differences": (label,), "boundary": boundary}

    matched, deleted, inserted = _align(
        reference["components"], prediction["components"], compare, options["unmatched"]
    )
    cost = math.fsum(pair["cost"] for _, _, pair in matched)
    cost += options["unmatched"][0] * len(inserted) + options["unmatched"][1] * len(deleted)
    return {
        "cost": cost / max(1, len(reference["components"])),
        "insertions": len(inserted),
        "deletions": len(deleted),
        "labels": sum(pair["differences"][0] for _, _, pair in matched),
        "boundaries": sum(pair["boundary"] for _, _, pair in matched),
    }


def _compare_entities(reference, prediction, options):
    """E of a pair of entities, (1 - alpha) root + alpha components, and what it consists of."""
    types = _compare_types(reference["types"], prediction["types"], options)
    components = _compare_components(reference, prediction, options)
    boundary = _bounds(reference) != _bounds(prediction)
    root = types["cost"] + boundary * options["span_cost"]
    return {
        "cost": (1 - options["alpha"]) * root + options["alpha"] * components["cost"],
        "differences": (types["type"], types["subtype"]),
        "root": root,
        "boundary": boundary,
        "components": components,
    }


# One document


def _document_counts(references, predictions, options):
    """The COUNTS of one document by label, of ETER's alignment and of SER's two."""
    found = {entity["types"][0]: dict.fromkeys(COUNTS, 0) for entity in references + predictions}

    for entity in references:
        found[entity["types"][0]]["references"] += 1
    matched, deleted, inserted = _align(
        references,
        predictions,
        lambda reference, prediction: _compare_entities(reference, prediction, options),
        options["unmatched"],
    )
    for entity in deleted:
        found[entity["types"][0]]["deletions"] += 1
    for entity in inserted:
        found[entity["types"][0]]["insertions"] += 1
    for reference, _, pair in matched:
        entry = found[reference["types"][0]]
        entry["substitution_cost"] += pair["cost"]
        entry["root_error"] += pair["root"]
        entry["component_error"] += pair["components"]["cost"]
        entry["type_substitutions"] += pair["differences"][0]
        entry["subtype_substitutions"] += pair["differences"][1]
        entry["boundary_substitutions"] += pair["boundary"]
        entry["component_insertions"] += pair["components"]["insertions"]
        entry["component_deletions"] += pair["components"]["deletions"]
        entry["component_label_substitutions"] += pair["components"]["labels"]
        entry["component_boundary_substitutions"] += pair["components"]["boundaries"]

    _count_slots(found, "ser_types", _entity_slots(references), _entity_slots(predictions), options)
    _count_slots(found, "ser_components", _component_slots(references), _component_slots(predictions), options)
    return found


# SER's slots


def _entity_slots(entities):
    """One slot an entity, in reading order; its label is the set of its types."""
    return [
        {
            "start": entity["start"],
            "end": entity["end"],
            "label": frozenset(entity["types"]),
            "first_type": entity["types"][0],
        }
        for entity in entities
    ]


def _component_slots(entities):
    """One slot a component that is no entity itself, by start, end, label and, where these agree, its parent's place.

    A component is an entity where another entity than its parent has its bounds and, among its types, its label.
    """
    slots = []
    for parent in entities:
        others = [entity for entity in entities if entity is not parent]
        for component in parent["components"]:
            is_entity = any(
                _bounds(other) == _bounds(component) and component["label"] in other["types"] for other in others
            )
            if not is_entity:
                slots.append({**component, "first_type": parent["types"][0]})
    return sorted(slots, key=lambda slot: (slot["start"], slot["end"], slot["label"]))


def _count_slots(found, part, references, predictions, options):
    """Align the slots of one part, 0.5 for another label and 0.5 for other bounds, and book the outcome by label.

    Other costs are options; a wrong slot costs 1 at most.
    """

    def compare(one, other):
        label, boundary = one["label"] != other["label"], _bounds(one) != _bounds(other)
        cost = min(1, options["ser_type_cost"] * label + options["ser_span_cost"] * boundary)
        return {"cost": cost, "differences": (label,), "wrong": label or boundary}

    matched, deleted, inserted = _align(references, predictions, compare)
    for slot in deleted:
        found[slot["first_type"]][f"{part}_deletions"] += 1
    for slot in inserted:
        found[slot["first_type"]][f"{part}_insertions"] += 1
    for slot, _, pair in matched:
        entry = found[slot["first_type"]]
        entry[f"{part}_substitutions" if pair["wrong"] else f"{part}_correct"] += 1
        entry[f"{part}_cost"] += pair["cost"]
