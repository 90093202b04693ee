"""F1 over exactly matching spans."""

from collections.abc import Sequence

import numpy as np

from ..alignment.overlaps import Alignment
from ..arrays import begins_run, offsets_of, ranges, row_codes
from ..counts.counts import Column
from ..exceptions import InputError, setting
from ..options import option
from .aligned import TOKENS_REMEDY, FMeasure, f_results, tokens_option, words_of


class SpanF(FMeasure):
    """Compute precision, recall and F1 over whole spans: a span is right if label and boundaries are right (CoNLL).

    P = |Ŝ ∩ S| / |Ŝ|, R = |Ŝ ∩ S| / |S|, with S the reference spans and Ŝ the predicted spans. Range [0, 1], higher is
    better. Awasthy's span similarity is the same number. Discontinuous spans are equal if they have the same tokens.

    Attributes:
        duplicates: how often a span counts that one side has k times and the other side k' times. `once`: once. `each`:
            k times, and min(k, k') of them are right. `wrong`: once if it is right, k times if it is wrong (n2c2-2018).
            `forms`: once for each string and label in the corpus, see `tokens`.

    Counts: `both`, `predicted`, `reference`, in spans.
    """

    duplicates: str = option(
        "once",
        help="how to count equal spans",
        choices={
            "once": "equal spans count once",
            "each": "each copy counts; copies are matched one to one",
            "wrong": "each copy of a wrong span counts, but a right span counts once",
            "forms": "spans with the same string and label count as one span, right if any of them is right",
        },
    )
    tokens: Sequence[Sequence[str]] | None = tokens_option("the words of each document, for duplicates=forms")

    name = "span_f"
    leading = True
    results = f_results("share of predicted spans that are right", "share of reference spans that are found")
    place = 10
    support = "reference"
    unusual = ("duplicates", *FMeasure.unusual)

    @property
    def needs_tokens(self) -> bool:
        """Whether surface forms are counted but the words are missing."""
        return self.duplicates == "forms" and self.tokens is None

    def require_additive(self) -> None:
        """Raise an `InputError` if surface forms are counted: several parts of a corpus may have the same form."""
        if self.duplicates == "forms":
            forms = setting("duplicates", "forms")
            problem = f"{forms} counts each string once in the whole corpus, so the corpus cannot be scored in parts."
            raise InputError(problem, "Score the corpus as a whole.", option="duplicates")

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count equal spans."""
        references, predictions = alignment.references, alignment.predictions
        equal, equal_predictions = alignment.equal
        reference = predicted = both = None
        if self.duplicates != "once":
            reference, predicted = self._copies(alignment)
            # equal spans of both sides are in the same order
            both = np.minimum(reference[equal], predicted[equal_predictions])
        return {
            "both": references.column(equal, both),
            "predicted": predictions.column(value=predicted),
            "reference": references.column(value=reference),
        }

    def _copies(self, alignment: Alignment) -> list[np.ndarray]:
        """Compute how often each reference span and each predicted span counts."""
        if self.duplicates == "forms":
            return self._first_of_forms(alignment)
        times = [side.times for side in alignment.sides.values()]
        if self.duplicates == "each":
            return times
        return [np.where(right, 1, of_side) for right, of_side in zip(alignment.equal, times, strict=True)]

    def _first_of_forms(self, alignment: Alignment) -> list[np.ndarray]:
        """Return 1 for one span of each surface form on each side, a right one if possible, and 0 for other spans."""
        if self.tokens is None:
            problem = f"{setting('duplicates', 'forms')} compares words, but there are no words."
            raise InputError(problem, TOKENS_REMEDY, option="duplicates")
        _, codes = words_of(self.tokens, np.diff(alignment.offsets), exact=alignment.lengths is not None)
        sides = alignment.references, alignment.predictions
        pieces = (side.pieces_by_span for side in sides)
        rows = [codes[ranges(alignment.token(part.start), part.end - part.start)] for part in pieces]
        ends = offsets_of(np.concatenate([side.size for side in sides]))
        forms = row_codes(np.concatenate([side.label for side in sides]), ends[:-1], ends[1:], np.concatenate(rows))
        of_side = np.repeat([0, 1], [len(side) for side in sides])
        order = np.lexsort((~np.concatenate(alignment.equal), forms, of_side))
        flags = np.zeros(len(forms), dtype=np.int64)
        flags[order[begins_run(forms[order], of_side[order])]] = 1
        return np.split(flags, [len(sides[0])])
