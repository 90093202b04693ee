"""Base classes for measures of spans: alignment of both sides, precision, recall and F1, words of documents."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans
from ..arrays import first_flagged, ranges, read_documents
from ..counts.counts import Column, Counts
from ..counts.statistics import ALL_AVERAGES, DOCUMENTS, DOCUMENTS_BY_LABEL, f_of, precision_recall_f1
from ..exceptions import InputError, counted, require_sides, setting
from ..options import option, reused_option
from ..spans.arrow import LENGTHS_REMEDY
from ..spans.spans import Spans
from ..tags.tags import Tags
from .base import Key, Measure

TOKENS_REMEDY = "Pass one list of words for each document, such as tokens=[['The', 'Seine'], ...]."


class AlignedMeasure(Measure):
    """A measure that compares reference and predicted spans by their overlaps.

    With `match_labels`, a span is compared only with spans of the same label. Without, labels are ignored and only
    boundaries are compared. Tags are still decoded with their labels first. Spans of one side with the same tokens then
    count as one span, except in `SemevalF` with the schema `exact`, as in nervaluate. A measure that raises an error
    for overlapping spans of one label then raises it for all overlapping spans.

    Attributes:
        match_labels: compare labels and positions. If off, compare only positions: a PER span and a LOC span with the
            same tokens are then equal.
    """

    match_labels: bool = option(True, label="Labels must agree")

    input = "spans"

    def counts(self, references: Spans, predictions: Spans) -> Counts:
        """Align both sides and compute their counts, see `Measure.counts`."""
        require_sides(Spans, references, predictions)
        return self.count(Alignment(references, predictions))

    def count(self, alignment: Alignment) -> Counts:
        """Compute counts from an alignment. Several measures can use the same alignment."""
        if self.needs_tokens:
            remedy = f"Give words: {type(self).__name__}(tokens=[['The', 'Seine'], ...]), or use files with words."
            raise InputError(f"with these options, {self.name} needs words, but there are no words.", remedy)
        return replace(self._count(self.compared(alignment)), measure=self)

    def compared(self, alignment: Alignment) -> Alignment:
        """Merge all labels into one if `match_labels` is False; otherwise return the alignment unchanged."""
        return alignment if self.match_labels else alignment.unlabelled

    @abstractmethod
    def _count(self, alignment: Alignment) -> Counts:
        """Compute the counts of an alignment."""


def f_results(precision: str, recall: str) -> dict[str, Key]:
    """Describe the keys `precision`, `recall` and `f1`."""
    return {
        "precision": Key("precision", precision),
        "recall": Key("recall", recall),
        "f1": Key("F1", "harmonic mean of precision and recall"),
    }


class PrecisionRecallF1(Measure):
    """A measure that computes precision, recall and F1.

    Precision is `right` / `predicted`, and recall is `found` / `reference`. If `right` and `found` are always equal,
    one count `both` replaces them. All scores are in [0, 1], higher is better.

    Attributes:
        average: two further values besides those of `Measure`. `documents`: compute precision, recall and F1 of each
            document over all labels, then take the mean over documents (Toxic Spans, Mu-SHROOM). In a document, a ratio
            with denominator 0 is `zero_division`, and so is F1 if both sides are empty; NaN leaves the document out.
            The scores of a label still come from its summed counts. `documents_by_label`: the scores of a label are
            means over documents too (HIPE's macro_doc).
        f_beta: recall weighs beta times as much as precision; the key `f1` is then F-beta.
        combination: how `f1` combines precision and recall. `harmonic`: their harmonic mean. `jaccard`: F1 / (2 - F1),
            the Jaccard index of sets (Mu-SHROOM). `lower`: the lower of the two (Label Studio). `perfect`: 1 if both
            are 1, otherwise 0; its mean over documents is the proportion of documents without errors
            (sklearn-crfsuite).
        f1_average: how F1 is averaged over labels or documents. `mean`: the mean of F1. `of_means`: F1 of mean
            precision and mean recall. `defined`: the mean of F1 where both sides have spans; `zero_division` must be
            NaN.
    """

    average: str = reused_option(
        Measure,
        "average",
        choices={**ALL_AVERAGES, DOCUMENTS_BY_LABEL: "mean over documents; label scores are means over documents, too"},
    )
    f_beta: float = option(1.0, help="beta of F-beta; 2 gives recall twice the weight of precision", low=0)
    combination: str = option(
        "harmonic",
        help="how precision and recall are combined into f1",
        choices={
            "harmonic": "harmonic mean",
            "jaccard": "Jaccard index, F1 / (2 - F1)",
            "lower": "the smaller of precision and recall",
            "perfect": "1 if precision and recall are 1, otherwise 0",
        },
    )
    f1_average: str = option(
        "mean",
        help="how f1 is averaged over labels",
        choices={
            "mean": "mean of F1",
            "of_means": "F1 of the averaged precision and recall",
            "defined": "mean of F1 over the labels whose precision and recall are defined",
        },
    )

    unusual: ClassVar[tuple[str, ...]] = ("f_beta", "combination", "f1_average")
    results = f_results("share of the prediction that is right", "share of the reference that is found")
    headline = "f1"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.f1_average == "defined" and not isnan(self.zero_division):
            raise InputError(
                f"{setting('f1_average', 'defined')} needs {setting('zero_division', nan)}, not {self.zero_division}.",
                f"Set {setting('zero_division', nan)}.",
                option="f1_average",
            )

    def averaged(self, means: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """With `f1_average="of_means"`, replace the mean F1 by the F1 of mean precision and recall."""
        if self.f1_average != "of_means":
            return means
        return self._combined({**means, "f1": f_of(means["precision"], means["recall"], self.f_beta)})

    def _combined(self, scores: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Replace F1 by another `combination` of precision and recall."""
        if self.combination == "jaccard":
            scores["f1"] = scores["f1"] / (2 - scores["f1"])
        elif self.combination != "harmonic":
            # if one side is empty, only one of them is defined
            lower = np.fmin(scores["precision"], scores["recall"])
            scores["f1"] = lower if self.combination == "lower" else np.where(np.isnan(lower), nan, lower == 1.0)
        return scores

    def notes(self, counts: Counts) -> list[str]:
        """List a warning about documents without spans, unless they score 1 as in shared tasks."""
        if not self.over_documents or isnan(self.zero_division) or self.zero_division == 1:
            return []
        documents, scored = (int(counts.shared[name].sum()) for name in (DOCUMENTS, f"{self.headline}_documents"))
        if scored == documents:
            return []
        return [
            f"documents with no span on either side ({documents - scored:,} of {documents:,}) score "
            f"{self.zero_division:g}, the value of zero_division; Toxic Spans and Mu-SHROOM give them 1."
        ]

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall and F1, see `statistics.precision_recall_f1`."""
        right, found = (quantities["both"] if "both" in quantities else quantities[name] for name in ("right", "found"))
        sizes = quantities["predicted"], found, quantities["reference"]
        scores = self._combined(precision_recall_f1(right, *sizes, self.zero_division, self.f_beta))
        if self.f1_average == "defined":
            defined = ~np.isnan(scores["precision"]) & ~np.isnan(scores["recall"])
            scores["f1"] = np.where(defined, scores["f1"], nan)
        return scores


class FMeasure(PrecisionRecallF1, AlignedMeasure):
    """A measure of spans that computes precision, recall and F1, see `PrecisionRecallF1`.

    With `label_groups`, spans are still compared with their full labels; counts are then summed, reported and averaged
    by group.

    Attributes:
        label_groups: report scores for groups of labels, not for each label. With the separator /, the labels
            NAME/PATIENT and NAME/DOCTOR form the group NAME.
    """

    label_groups: str | None = option(None, kind=str, metavar="SEP")

    unusual: ClassVar[tuple[str, ...]] = ("label_groups", *PrecisionRecallF1.unusual)

    def _count(self, alignment: Alignment) -> Counts:
        columns = self.columns(alignment)
        columns.setdefault(self.support, alignment.references.column())
        return Counts(columns, alignment.labels, alignment.documents)

    @abstractmethod
    def columns(self, alignment: Alignment) -> dict[str, Column]:
        """Compute the counts of an alignment by name; if `support` is missing, it is added (reference spans)."""

    def count(self, alignment: Alignment) -> Counts:
        """Compute counts from an alignment; add document scores if `average` is a mean over documents."""
        counts = super().count(alignment)
        if self.label_groups:
            counts = counts.renamed([label.partition(self.label_groups)[0] for label in counts.labels])
        return self.with_document_scores(counts)


def counter(references: Any, predictions: Any) -> Callable[[Any], Counts]:
    """Return a function that computes the counts of any measure for these two sides, aligning spans only once."""
    if not isinstance(references, Spans):
        return lambda measure: measure.counts(references, predictions)
    alignment = Alignment(references, predictions)
    return lambda measure: measure.count(alignment)


def require_contiguous(
    alignment: Alignment, name: str, side: SideSpans, reason: str = "this measure needs contiguous spans"
) -> None:
    """Raise an `InputError` if a side has a discontinuous span; `name` is the name of the side."""
    if (span := first_flagged(side.discontinuous)) is not None:
        raise alignment.refusal(name, side, span, f"is discontinuous, but {reason}.").placed(option="join_fragments")


def require_disjoint(alignment: Alignment, name: str, side: SideSpans, reason: str, remedy: str = "") -> None:
    """Raise an `InputError` if two spans of a side and label overlap."""
    if not side.flat:
        span = int(side.intervals.span[side.overlapping[0]])
        label = "" if alignment.labels_ignored else " of the same label"
        raise alignment.refusal(name, side, span, f"overlaps another span{label}{reason}", remedy)


def require_lengths(lengths: np.ndarray | None, subject: str) -> np.ndarray:
    """Return the document lengths; raise an `InputError` if they are unknown."""
    if lengths is None:
        raise InputError(f"{subject} cannot be computed, because the documents' lengths are missing.", LENGTHS_REMEDY)
    return lengths


def tokens_option(help: str) -> Any:
    """Declare the option `tokens` of a measure with its help text."""
    return option(None, help=help, type="list of lists of str", convert=_read_tokens, repr=False, compare=False)


def _read_tokens(tokens: Any) -> Any:
    """Convert iterators over documents' words to lists, because they can be read only once; keep encoded words."""
    return tokens if isinstance(tokens, Tags) else read_documents(tokens, TOKENS_REMEDY)


def with_words(measures: Iterable[Measure], words: Callable[[], Any]) -> list[Any]:
    """Give the measures that need words the words of the documents; `words` is called only if they are needed."""
    listed: list[Any] = list(measures)
    tokens = words() if any(measure.needs_tokens for measure in listed) else None
    return [replace(measure, tokens=tokens) if measure.needs_tokens else measure for measure in listed]


def part_of(measure: Any, documents: np.ndarray) -> Any:
    """Return a measure for some documents of a corpus: with only their words, and the probabilities of their tokens."""
    tokens = getattr(measure, "tokens", None)
    data = {**vars(measure), "tokens": None if tokens is None else encoded_words(tokens)}
    own = {name: value.of_documents(documents) for name, value in data.items() if hasattr(value, "of_documents")}
    return replace(measure, **own)


def words_of(tokens: Any, lengths: np.ndarray, *, exact: bool) -> tuple[Tags, np.ndarray]:
    """Encode the words of documents, and check that they fit the documents. Also returns the code of each token.

    Args:
        tokens: the words of each document.
        lengths: the number of tokens of each document.
        exact: True if these lengths are exact, False if documents may have more words.
    """
    words = encoded_words(tokens)
    require_fit(words.lengths, lengths, exact, "tokens", "words")
    # documents may have words after their last span
    return words, words.codes[ranges(words.offsets[:-1], lengths)]


def encoded_words(tokens: Any) -> Tags:
    """Encode the words of documents."""
    if isinstance(tokens, Tags):
        return tokens
    try:
        return Tags.from_lists(tokens)
    except InputError as error:
        problem = error.problem.replace("the tag is", "the word is").replace("other tags", "other words")
        raise error.placed(problem=problem, remedy=TOKENS_REMEDY, side="tokens") from None


def require_fit(sizes: np.ndarray, lengths: np.ndarray, exact: bool, name: str, noun: str) -> None:
    """Raise an `InputError` if the words or probabilities do not fit the annotated documents."""
    annotated, unit, document = len(lengths), "document", None
    problem = f"got {noun} for {counted(len(sizes), unit)}"
    if len(sizes) == annotated:
        document = first_flagged(sizes != lengths if exact else sizes < lengths)
        if document is None:
            return
        annotated, unit, problem = lengths[document], "token", f"the number of {noun} is {sizes[document]:,}"
    problem += f", but there are annotations for {counted(annotated, unit)}."
    remedy = f"Set {setting(name)} to one list of {noun} for each document, with one item for each token."
    raise InputError(problem, remedy, side=None if name == noun else name, document=document)


def require_words(sizes: np.ndarray, spans: Spans) -> None:
    """Raise an `InputError` if documents of these numbers of words are not the documents of the spans."""
    exact = spans.lengths is not None
    require_fit(sizes, np.zeros(spans.documents) if spans.lengths is None else spans.lengths, exact, "words", "words")
