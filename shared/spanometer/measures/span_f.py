"""F1 over exactly matching spans."""

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from ..alignment.overlaps import Alignment
from ..arrays import arrow_array, as_lists, name_codes, offsets_of, ranges, strings
from ..counts.counts import Column, Counts
from ..counts.statistics import joined_values
from ..exceptions import InputError, setting
from ..options import option
from .aligned import FMeasure, f_results, tokens_option, words_of

_BLOCK = 1 << 22
"""The approximate number of forms in resampled corpora that are counted at a time."""


class SpanF(FMeasure):
    """Compute precision, recall and F1 over whole spans: a span is right if label and boundaries are right (CoNLL).

    P = |Ŝ ∩ S| / |Ŝ|, R = |Ŝ ∩ S| / |S|, with S the reference spans and Ŝ the predicted spans. Range [0, 1], higher is
    better. Awasthy's span similarity is the same number. Discontinuous spans are equal if they have the same tokens.

    Attributes:
        duplicates: how often a span counts that one side has k times and the other side k' times. `once`: once. `each`:
            k times, and min(k, k') of them are right. `wrong`: once if it is right, k times if it is wrong (n2c2-2018).
            `forms`: once for each string and label in the corpus, see `tokens`. A document and a resampled corpus count
            their own forms.

    Counts: `both`, `predicted`, `reference`, in spans.
    """

    duplicates: str = option(
        "once",
        help="how to count equal spans",
        choices={
            "once": "equal spans count once",
            "each": "each copy counts; copies are matched one to one",
            "wrong": "each copy of a wrong span counts, but a right span counts once",
            "forms": "spans with the same string and label count once; they are right if one of them is right",
        },
    )
    tokens: Sequence[Sequence[str]] | None = tokens_option("the words of each document; only for duplicates=forms")

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

    def totals(self, counts: Counts, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Sum the counts; a resampled corpus has a form once, in however many of its documents the form is."""
        totals, rows = super().totals(counts, weights), counts.rows
        if weights is None or not rows:
            return totals
        form, names = name_codes(rows["form"].tolist())
        of_label = np.zeros((len(names), len(counts.labels)))
        of_label[form, rows["label"]] = 1
        columns = {name: Column(rows["document"], form, rows[name]) for name in rows.keys() & counts.columns.keys()}
        forms = Counts(columns, names, counts.documents)
        blocks = map(forms.weighted, np.array_split(weights, 1 + len(weights) * len(of_label) // _BLOCK))
        return totals | joined_values({name: (block[name] > 0) @ of_label for name in block} for block in blocks)

    def _count(self, alignment: Alignment) -> Counts:
        """Count equal spans; count forms once, and keep the form of each span, because documents share forms."""
        if self.duplicates != "forms":
            return super()._count(alignment)
        _, codes = words_of(self.tokens, np.diff(alignment.offsets), exact=alignment.lengths is not None)
        sides, forms = (alignment.references, alignment.predictions), list[str]()
        for side in sides:
            part = side.pieces_by_span
            words = arrow_array(codes[ranges(alignment.token(part.start), part.end - part.start)]).cast("string")
            numbers = pc.binary_join(as_lists(offsets_of(side.size), words), " ")
            # the codes of the words and the label are alike for all systems
            forms += pc.binary_join_element_wise(numbers, strings(side.label, alignment.labels), ":").to_pylist()
        form = np.array(forms, dtype=object)
        document, label = (np.concatenate([getattr(side, name) for side in sides]) for name in ("document", "label"))
        predicted, columns = np.arange(len(form)) >= len(sides[0]), {}
        flags = {"both": np.concatenate(alignment.equal), "predicted": predicted, "reference": ~predicted}
        for name, there in flags.items():
            _, first = np.unique(form[there], return_index=True)
            columns[name] = Column(document[there][first], label[there][first])
        rows = {"document": document, "label": label, "form": form, **flags}
        return Counts(columns, alignment.labels, alignment.documents, rows=rows)

    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Count equal spans."""
        references, predictions = alignment.references, alignment.predictions
        equal, equal_predictions = alignment.equal
        reference = predicted = both = None
        if self.duplicates != "once":
            reference, predicted = references.times, predictions.times
            if self.duplicates == "wrong":
                reference, predicted = np.where(equal, 1, reference), np.where(equal_predictions, 1, predicted)
            # equal spans of both sides are in the same order
            both = np.minimum(reference[equal], predicted[equal_predictions])
        return {
            "both": references.column(equal, both),
            "predicted": predictions.column(value=predicted),
            "reference": references.column(value=reference),
        }
