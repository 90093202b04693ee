"""One-to-one F measures by trying every matching there is, with exact fractions."""

from collections import Counter
from fractions import Fraction

from slow.matched_spans import all_matchings
from slow.measures import _as_sets, _averaged, _of_label, _precision_recall_f1

THRESHOLDS = [Fraction(number, 100) for number in range(50, 100, 5)]


def _credits(reference, predicted, credit, threshold):
    """What a pair counts in precision and in recall."""
    both = len(reference & predicted)
    iou = Fraction(both, len(reference | predicted))
    if credit == "mpp":
        return Fraction(both, len(predicted)), Fraction(both, len(reference))
    worth = {"iou": iou, "overlap": Fraction(1), "iou_threshold": Fraction(iou >= threshold)}[credit]
    return worth, worth


def _best(references, predictions, credit, threshold):
    """The summed credits of the best matching of two lists of spans."""
    pairs = [
        (row, column)
        for row, reference in enumerate(references)
        for column, predicted in enumerate(predictions)
        if reference & predicted
    ]
    worth = {(row, column): _credits(references[row], predictions[column], credit, threshold) for row, column in pairs}

    def key(sums):
        precision, recall = sums[0] / len(predictions), sums[1] / len(references)
        total = precision + recall
        return (2 * precision * recall / total if total else 0, total, precision)

    sums = {tuple(sum(worth[pair][side] for pair in chosen) for side in (0, 1)) for chosen in all_matchings(pairs)}
    return max(sums, key=key) if pairs else (Fraction(0), Fraction(0))


def matched_counts(references, predictions, *, credit="iou_threshold", threshold=Fraction(1, 2)):
    """The summed credits of both sides, and the numbers of spans of both sides."""
    thresholds = THRESHOLDS if credit == "iou_50_95" else [threshold]
    credit = "iou_threshold" if credit == "iou_50_95" else credit
    found = Counter()
    for reference, predicted in zip(*_as_sets(references, predictions), strict=True):
        found["predicted"] += len(predicted)
        found["reference"] += len(reference)
        for label in {label for label, _ in reference | predicted}:
            sides = _of_label(reference, label), _of_label(predicted, label)
            for one in thresholds:
                right, of_reference = _best(*sides, credit, one)
                found["right"] += right / len(thresholds)
                found["found"] += of_reference / len(thresholds)
    return found


def matched_f(references, predictions, *, average="micro", zero_division=0.0, **options):
    """F1 over spans that are matched one to one."""

    def score(references, predictions):
        found = matched_counts(references, predictions, **options)
        sums = (found["right"], found["predicted"], found["found"], found["reference"])
        return {key: float(value) for key, value in _precision_recall_f1(*sums, zero_division).items()}

    return _averaged(score, references, predictions, average, zero_division)
