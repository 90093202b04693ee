"""F1 of SemEval-2013 task 9.1, with partial credit for pairs of spans."""

from collections.abc import Mapping

import numpy as np

from ..alignment.matched_spans import CORRECT, WRONG_BOUNDARY, WRONG_LABEL, MatchedSpans, OverlappingSpans
from ..alignment.matching import best_matching, greedy_matching
from ..alignment.overlaps import Alignment, across_labels
from ..counts.counts import Column
from ..options import option
from .aligned import FMeasure, f_results
from .base import COUNTS_PER_LABEL


class SemevalF(FMeasure):
    """Compute precision, recall and F1 over pairs of spans, as in SemEval-2013 and nervaluate.

    The categories are those of SemEval-2013 task 9.1, which follows MUC-5. Reference and predicted spans that share
    tokens are paired one to one. The `schema` decides if a pair is correct (COR), incorrect (INC) or partial (PAR):

    | schema | same tokens and label | same tokens only | same label only | only shared tokens |
    |---|---|---|---|---|
    | strict | COR | INC | INC | INC |
    | exact | COR | COR | INC | INC |
    | partial | COR | COR | PAR | PAR |
    | ent_type | COR | INC | COR | INC |
    | muc | COR | PAR | PAR | INC |

    Unpaired reference spans are missing (MIS), unpaired predicted spans are spurious (SPU). With
    POS = COR + INC + PAR + MIS (all reference spans) and ACT = COR + INC + PAR + SPU (all predicted spans),

        P = (COR + PAR / 2) / ACT, R = (COR + PAR / 2) / POS.

    Range [0, 1], higher is better. A pair counts for the label of its reference span, so the counts per label add up to
    the total. Unless the alignment is `nervaluate`, `strict` over all labels equals `span_f`; so does `exact` without
    labels, if no two spans of a side have the same tokens.

    Paired spans always share a token, also if `min_overlap` is 0, the default. nervaluate's default is 0.01.

    Attributes:
        schema: which pairs are correct.
        alignment: which spans are paired. `joint`: as in `MatchedSpans`, the same pairs for all schemas. `schema`: the
            pairing with the most COR of the schema, then the most pairs. `first`: each predicted span, in text order,
            takes the identical reference span, else the first free one (with `ent_type`, HIPE's fuzzy scores).
            `nervaluate`: as in nervaluate 1.2.1: each predicted span takes the first free reference span with which it
            makes a correct pair (in `ent_type` the one with the nearest boundaries), else the first free one. This can
            miss correct pairs. Text order is by start, end and label.
        min_overlap: pair two spans only if the predicted span covers at least this share of the reference span.

    Counts: `correct`, `incorrect`, `partial`, in pairs; `missing`, `spurious`, `possible`, `actual`, in spans.

    Raises:
        InputError: if too many spans overlap, see `overlaps.PAIR_LIMIT` and `matching.LARGEST_GROUP`.
    """

    schema: str = option(
        "partial",
        choices={
            "strict": "same tokens and same label",
            "exact": "same tokens",
            "partial": "like exact, but a pair that shares only some tokens counts half",
            "ent_type": "same label",
            "muc": "like strict, but a pair counts half if only the tokens or only the label match",
        },
        label="Schema",
    )
    alignment: str = option(
        "joint",
        help="how spans that share tokens are paired",
        choices={
            "joint": "the same pairs for all schemas; as many identical spans as possible are paired",
            "schema": "as many correct pairs as possible in the chosen schema",
            "first": "each predicted span takes the identical reference span, or else the first unmatched one",
            "nervaluate": "predicted spans are paired one after another, as in nervaluate",
        },
        label="Alignment",
    )
    min_overlap: float = option(0.0, low=0, high=1, label="Least overlap")

    name = "semeval_f"
    results = f_results(
        "share of predicted spans that are correct; partial matches count half",
        "share of reference spans that are found; partial matches count half",
    )
    place = 52
    support = "possible"
    detail_keys = (*FMeasure.detail_keys, COUNTS_PER_LABEL)

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count the pairs of each kind, and the unpaired spans."""
        references, predictions = alignment.references, alignment.predictions
        choose = self._joint if self.alignment == "joint" else self._by_schema
        reference, prediction, exact, typed = choose(alignment)
        correct = self._correct(exact, typed)
        half = exact ^ typed if self.schema == "muc" else ~exact & (self.schema == "partial")
        spurious = np.bincount(prediction, minlength=len(predictions)) == 0
        return {
            "correct": references.column(reference[correct]),
            "incorrect": references.column(reference[~correct & ~half]),
            "partial": references.column(reference[half]),
            "missing": references.column(np.bincount(reference, minlength=len(references)) == 0),
            "spurious": predictions.column(spurious),
            "possible": references.column(),
            "actual": Column(
                np.concatenate([references.document[reference], predictions.document[spurious]]),
                np.concatenate([references.label[reference], predictions.label[spurious]]),
            ),
        }

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1; a partial pair counts half."""
        right = quantities["correct"] + quantities["partial"] / 2
        return super().formula({"both": right, "predicted": quantities["actual"], "reference": quantities["possible"]})

    def _correct(self, exact: np.ndarray, typed: np.ndarray) -> np.ndarray:
        """Flag the pairs that are correct under the schema."""
        return (exact | (self.schema == "ent_type")) & (typed | (self.schema in ("exact", "partial")))

    def _joint(self, alignment: Alignment) -> tuple[np.ndarray, ...]:
        """Choose the pairs that all schemas use.

        Returns reference and predicted spans, and whether they have the same tokens and the same label.
        """
        matched = MatchedSpans(alignment, min_overlap=self.min_overlap)
        paired = (matched.reference >= 0) & (matched.prediction >= 0)
        kind = matched.kind[paired]
        exact, typed = np.isin(kind, [CORRECT, WRONG_LABEL]), np.isin(kind, [CORRECT, WRONG_BOUNDARY])
        return matched.reference[paired], matched.prediction[paired], exact, typed

    def _by_schema(self, alignment: Alignment) -> tuple[np.ndarray, ...]:
        """Choose the pairs for this schema, one span after another. Returns the same as `_joint`."""
        unlabelled, *numbers = across_labels(alignment)
        pairs = OverlappingSpans(unlabelled, self.min_overlap)
        left, right, correct = pairs.reference, pairs.prediction, self._correct(pairs.exact, pairs.typed)
        if self.alignment == "schema":
            chosen = best_matching(left, right, correct.astype(float))
        elif self.alignment == "first":
            chosen = greedy_matching(left, right, [~(pairs.exact & pairs.typed)])
        else:
            nearest = pairs.distance * (correct & (self.schema == "ent_type"))
            chosen = greedy_matching(left, right, [~correct, nearest])
        return numbers[0][left[chosen]], numbers[1][right[chosen]], pairs.exact[chosen], pairs.typed[chosen]
