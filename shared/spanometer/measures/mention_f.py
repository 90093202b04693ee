"""F1 over mentions, compared as strings."""

import numpy as np

from ..arrays import numbers_in_runs, ordered_codes, recoded
from ..counts.counts import Column, Counts
from ..exceptions import require_sides
from ..grounding.policies import STRING_FORMS, form_text
from ..options import option
from ..spans.mentions import Mentions
from .aligned import PrecisionRecallF1, f_results

_ANY_LABEL = "_"


class MentionF(PrecisionRecallF1):
    """Compute precision, recall and F1 over mention strings: a mention is right if the reference has it, too.

    P = |M̂ ∩ M| / |M̂|, R = |M̂ ∩ M| / |M|. M are the reference mentions and M̂ the predicted mentions of a document; a
    mention is a label with a normalised text. Positions do not matter, so you can score answers of language models
    directly, also against references without offsets. All scores are in [0, 1], higher is better.

    Attributes:
        fold: how texts are normalised on both sides after whitespace at their ends is removed; see `forms.form_of`.
        copies: `set`: each mention counts once in a document. `multiset`: each copy counts.
        match_labels: whether mentions must have the same label to be equal.

    Counts: `both`, `predicted`, `reference`, in mentions.

    Raises:
        InputError: if the sides have different documents.
    """

    fold: str = option("exact", help="how texts are normalised", choices=STRING_FORMS, label="Normal form")
    copies: str = option(
        "multiset",
        help="how to count repeated mentions",
        choices={"set": "once", "multiset": "each copy counts"},
        label="Copies",
    )
    match_labels: bool = option(True, help="compare labels, not only texts", label="Labels must agree")

    name = "mention_f"
    leading = True
    place = 110
    input = "mentions"
    results = f_results("share of predicted mentions that are right", "share of reference mentions that are found")
    support = "reference"

    def counts(self, references: Mentions, predictions: Mentions) -> Counts:
        """Count the mentions of both sides, and the mentions they have in common."""
        require_sides(Mentions, references, predictions)
        sides = references, predictions
        names = tuple(sorted({*references.labels, *predictions.labels}))
        number = {name: code for code, name in enumerate(names)}
        if not self.match_labels:
            number = dict.fromkeys(names, 0)
            names = (_ANY_LABEL,) if names else ()
        forms: dict[str, int] = {}
        labels = np.concatenate([recoded(side.label, side.labels, number) for side in sides])
        texts = np.concatenate([self._forms(side, forms) for side in sides])
        documents = np.concatenate([side.document for side in sides])
        # of each side, the first of equal rows is its first copy
        of_side = np.repeat([0, 1], [len(side) for side in sides])
        copy = numbers_in_runs(ordered_codes(of_side, documents, labels, texts))
        code = ordered_codes(documents, labels, texts, copy)
        counted = copy == 0 if self.copies == "set" else np.ones(len(copy), dtype=bool)
        reference, predicted = (np.flatnonzero(counted & (of_side == side)) for side in (0, 1))
        common = reference[np.isin(code[reference], code[predicted])]
        columns = {
            name: Column(documents[rows], labels[rows])
            for name, rows in (("both", common), ("predicted", predicted), ("reference", reference))
        }
        return self.with_document_scores(Counts(columns, names, references.documents, measure=self))

    def _forms(self, side: Mentions, forms: dict[str, int]) -> np.ndarray:
        """Convert the texts of a side's mentions to integers, equal for equal normalised texts."""
        codes = [forms.setdefault(form_text(text.strip(), self.fold), len(forms)) for text in side.texts]
        return np.asarray(np.array(codes, dtype=np.int64)[side.text])
