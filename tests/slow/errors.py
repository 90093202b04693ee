"""Errors of systems over plain sets: kinds by label, confusion, costs, and errors of several systems."""

from collections import Counter

from slow.matched_spans import rows_of


def all_rows(references, predictions):
    """Rows of all documents, with the document in front."""
    return [
        (number, *row)
        for number, pair in enumerate(zip(references, predictions, strict=True))
        for row in rows_of(*pair)
    ]


def kinds_by_label(rows):
    """Numbers of spans by (label, kind): spurious ones at the predicted label, others at that of the reference."""
    return Counter((gold or output)[0] + " " + kind for _, gold, output, kind, *_ in rows)


def confusion(rows, *, exact):
    """Numbers of pairs by (reference label or spurious, predicted label or missing)."""
    cells = Counter()
    for _, gold, output, _, boundary, *_ in rows:
        if gold and output and not (exact and boundary != "same"):
            cells[gold[0], output[0]] += 1
            continue
        if gold:
            cells[gold[0], "missing"] += 1
        if output:
            cells["spurious", output[0]] += 1
    return cells


def is_of(row, kind):
    boundary = kind.removeprefix("wrong_boundary_")
    return row[3] == "wrong_boundary" and row[4] == boundary if boundary != kind else row[3] == kind


def fixed(rows, predictions, kind):
    """The output in which errors of a kind are right."""
    output = [set(document) for document in predictions]
    for row in rows:
        if is_of(row, kind):
            number, gold, found = row[:3]
            if found:
                output[number].discard(found)
            if gold:
                output[number].add(gold)
    return output


def micro_f1(references, predictions):
    """F1 of equal spans."""
    both = sum(len(gold & output) for gold, output in zip(references, predictions, strict=True))
    size = sum(map(len, references)) + sum(map(len, predictions))
    return 2 * both / size if size else 0.0


def errors_of_systems(references, systems):
    """For each span at which some system errs, (document, span, side): what each system makes of it."""
    found = {}
    for name, predictions in systems.items():
        for number, gold, output, kind, *_ in all_rows(references, predictions):
            side = "reference" if gold else "spurious"
            found.setdefault((number, gold or output, side), {})[name] = kind
    return {key: kinds for key, kinds in found.items() if set(kinds.values()) != {"correct"}}
