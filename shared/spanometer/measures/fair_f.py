"""Fair F1 (Ortmann 2022)."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..alignment.fair_errors import KINDS, FairErrors
from ..alignment.overlaps import Alignment
from ..arrays import is_number, listed_items
from ..counts.counts import Column
from ..exceptions import mention, shown
from ..options import option, options_of
from .aligned import FMeasure, f_results
from .base import COUNTS_PER_LABEL

COLUMNS = {
    "TP": "true_positives",
    "FP": "false_positives",
    "FN": "false_negatives",
    "LE": "label_errors",
    "BES": "boundary_errors_smaller",
    "BEL": "boundary_errors_larger",
    "BEO": "boundary_errors_crossing",
    "LBE": "label_boundary_errors",
}
"""Maps FairEval's abbreviations to the names of the counts."""

BOUNDARY_ERRORS = ("BES", "BEL", "BEO")
"""The three kinds of boundary errors."""

PARTS = ("TP", "FP", "FN")
"""The counts to which an event contributes: true positives, false positives and false negatives."""

Weights = dict[str, tuple[float, ...]]

FAIR: Weights = {
    "TP": (1.0, 0.0, 0.0),
    "FP": (0.0, 1.0, 0.0),
    "FN": (0.0, 0.0, 1.0),
    **dict.fromkeys(("LE", *BOUNDARY_ERRORS, "LBE"), (0.0, 0.5, 0.5)),
}
"""The weights of `fair`: how much an event of each kind adds to TP, FP and FN."""

NAMED: dict[str, Weights] = {
    "fair": FAIR,
    "weighted": {**FAIR, "BES": (0.5, 0.0, 0.5), "BEL": (0.5, 0.5, 0.0), "BEO": (0.5, 0.25, 0.25)},
}
"""The weights that have a name."""

_REMEDY = (
    "Use 'fair', 'weighted' or your own weights. For example, 'LE=0/0.5/0.5' counts a wrong label (LE) as 0 TP, 0.5 FP "
    "and 0.5 FN. The other kinds of events are TP, FP, FN, LBE (wrong label and boundaries), BES (span too small), BEL "
    "(span too large) and BEO (spans cross). A weight for BE applies to BES, BEL and BEO."
)


class FairF(FMeasure):
    """Compute precision, recall and F1, counting a wrong label or boundary as one error, not two (FairEval).

    Spans form events. The kinds of events, in the order in which they are assigned:

    - TP: a predicted and a reference span with the same tokens and label.
    - LE, label error: a predicted and a reference span with the same tokens and different labels.
    - BE, boundary error: overlapping spans of one label. BES: the predicted span lies within the reference span. BEL:
      it contains the reference span. BEO: the two spans cross.
    - LBE, label and boundary error: overlapping spans of different labels.
    - FN, FP: all other reference and predicted spans.

    BE are assigned in three passes. (1) Each reference span without an event, shortest first, takes the best predicted
    span without an event; their common tokens are then removed from both. (2) Each remaining reference span takes the
    best predicted span that already has an event and still shares tokens with it. (3) Each remaining predicted span
    takes a reference span in the same way. LBE are then assigned in the same three passes. The best span shares the
    most tokens. Ties go to the span with the fewest other tokens left, then the shortest, then the one with the
    earliest first event, then the first in the text. Each span is in at least one event. It can be in several if it was
    split or merged.

    P = tp / (tp + fp), R = tp / (tp + fn). TP, FP and FN count as usual. Each LE, BE and LBE counts as half a false
    positive and half a false negative. With `weights="weighted"` a boundary error is also half a true positive: BES
    adds 1/2 tp and 1/2 fn; BEL 1/2 tp and 1/2 fp; BEO 1/2 tp, 1/4 fp and 1/4 fn. Range [0, 1], higher is better.

    The order of the input does not matter, because ties follow the order of the text (start, end, label). Swapping the
    sides rarely changes the events. Discontinuous spans are compared by their tokens.

    A mapping of `weights` says how much each kind of event adds to TP, FP and FN. Missing numbers are 0; missing kinds
    count as in `fair`.

    Attributes:
        weights: weights of errors. "fair": a wrong label or boundary is 0.5 FP and 0.5 FN. "weighted": like "fair", but
            half of each boundary error is a TP. The other half is 0.5 FN if the predicted span is too small, 0.5 FP if
            it is too large, and 0.25 FN and 0.25 FP if the spans cross. Or write your own weights as TP/FP/FN:
            "BE=0.5/0.25/0.25" sets the weights of boundary errors. In Python, {"BE": {"TP": 0.5, "FP": 0.25, "FN":
            0.25}} does the same.
        focus: the label under which LE and LBE are counted: `target`, the label of the reference span, or `system`, the
            label of the predicted span.

    Counts: `true_positives`, `false_positives`, `false_negatives`, `label_errors`, `boundary_errors_smaller`,
    `boundary_errors_larger`, `boundary_errors_crossing`, `label_boundary_errors`, in events; `reference`, in spans.

    Raises:
        InputError: if weights are not numbers of at least 0; see also `FairErrors`.
    """

    weights: str | Mapping[str, Mapping[str, float]] = option(
        "fair", type="str or dict", convert=lambda weights: _text(_read(weights)), parse=str, label="Weights of errors"
    )
    focus: str = option(
        "target",
        help="the label under which an error is counted if two matched spans have different labels",
        choices={"target": "the label of the reference span", "system": "the label of the predicted span"},
        label="Wrong labels belong to",
    )

    name = "fair_f"
    results = f_results(
        "TP / (TP + FP); by default, a wrong label or boundary is 0.5 FP and 0.5 FN",
        "TP / (TP + FN); by default, a wrong label or boundary is 0.5 FP and 0.5 FN",
    )
    detail_keys = (*FMeasure.detail_keys, COUNTS_PER_LABEL)
    place = 54
    support = "reference"

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count the events."""
        errors = FairErrors(alignment)
        columns = {"true_positives": alignment.references.column(alignment.equal[0])}
        own, other_side = errors.reference, errors.prediction
        if self.focus == "system":
            own, other_side = other_side, own
        label = np.where(own < 0, other_side, own)
        for kind, name in COLUMNS.items():
            if kind in KINDS:
                chosen = errors.kind == KINDS.index(kind)
                columns[name] = Column(errors.document[chosen], label[chosen])
        return columns

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1 from weighted events."""
        weights = _read(self.weights)
        numbers = {kind: np.asarray(quantities[name], dtype=float) for kind, name in COLUMNS.items()}
        tp, fp, fn = (np.asarray(sum(weights[kind][part] * numbers[kind] for kind in weights)) for part in range(3))
        return super().formula({"both": tp, "predicted": tp + fp, "reference": tp + fn})


def _read(option: Any) -> Weights:
    """Read the weights of all kinds of events: a name, text such as `BES=0.5/0/0.5,LE=0/0.5/0.5`, or a mapping."""
    if isinstance(option, str) and option in NAMED:
        return NAMED[option]
    refusal = options_of(FairF)["weights"].refusal(option, _REMEDY)
    weights = dict(FAIR)
    try:
        kinds = dict(_entries(option) if isinstance(option, str) else listed_items(option))
        # BE first, so that BES, BEL and BEO can override it
        for kind in sorted(kinds, key=lambda kind: kind != "BE"):
            parts = dict(listed_items(kinds[kind]) if hasattr(kinds[kind], "items") else [(None, None)])
            numbers = tuple(parts.pop(part, 0.0) for part in PARTS)
            known = kind in {*COLUMNS, "BE"}
            if parts or not known or not all(is_number(number) and 0 <= number < math.inf for number in numbers):
                fault = f"has the weights {shown(kinds[kind])}, but each (TP, FP, FN) must be finite and at least 0"
                problem = f"{mention('weights')}: {shown(kind)} {fault if known else 'is not a kind of event'}."
                raise (refusal := refusal.placed(problem=problem))
            weights.update(dict.fromkeys(BOUNDARY_ERRORS if kind == "BE" else [kind], tuple(map(float, numbers))))
    except ValueError:
        raise refusal from None
    return weights


def _entries(text: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each kind of event in a text with its weights; raise a ValueError if the text cannot be read."""
    for kind, _, numbers in (entry.partition("=") for entry in text.split(",")):
        yield kind.strip(), dict(zip(PARTS, map(float, numbers.split("/")), strict=True))


def _text(weights: Weights) -> str:
    """Write weights as text: a name, or only the weights that differ from `fair`."""
    names = [name for name, named in NAMED.items() if named == weights]
    entries = (
        f"{kind}={'/'.join(f'{number!r}'.removesuffix('.0') for number in numbers)}"
        for kind, numbers in weights.items()
        if numbers != FAIR[kind]
    )
    return names[0] if names else ",".join(entries)
