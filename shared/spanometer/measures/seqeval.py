"""Precision, recall and F1 over whole spans and tag accuracy, as in seqeval."""

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import nan
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment
from ..arrays import offsets_of
from ..counts.counts import Counts
from ..counts.statistics import average_over_labels, divide
from ..exceptions import ASKED, InputError, on_side, spell_python
from ..options import option, options_of, reused_option
from ..spans.arrow import require_same_lengths
from ..spans.spans import common_scheme, encoded_tags, named_tags, pair_from_tags
from ..tags.decoding import LabelDecoding
from ..tags.schemes import SCHEMES, canonical
from ..tags.tags import Tags, common_codes
from .base import Key, Measure
from .span_f import SpanF

SCORES = ("precision", "recall", "f-score")
"""The names of the scores, as seqeval's warnings spell them."""

WITHOUT_EFFECT = "sample_weight has no effect on any score, here as in seqeval."

_SIZES = ("both", "predicted", "reference")


class Seqeval(Measure):
    """Compute precision, recall and F1 over whole spans, by label and overall, and tag accuracy (seqeval 1.2.2).

    Spans and formulas are the same as in `SpanF`: P = |Ŝ ∩ S| / |Ŝ|, R = |Ŝ ∩ S| / |S|, F1 = 2PR / (P + R), with S the
    reference spans and Ŝ the predicted spans. Accuracy is the proportion of all tokens with equal tags on both sides.
    All scores are in [0, 1], higher is better. They equal seqeval's to the last bit, except where seqeval contradicts
    itself, see the metric's card.

    Counts: `both`, `predicted`, `reference`, in spans; `tokens`, and tokens with `equal_tags`.

    Only the strict mode uses `scheme`; other modes ignore it, as seqeval does.

    Attributes:
        suffix: whether prefixes follow the labels, as in `PER-B`.
        scheme: tag scheme of the strict mode, inferred if not set (IOB1 and IOE1 are never inferred).
        mode: with None, illegal tags are read as in the CoNLL script; `strict` drops spans that are not well-formed.
        sample_weight: has no effect, as in seqeval.
        zero_division: the value of a ratio with denominator 0; `warn` uses 0 and warns.
        id2label, ignore_index: for integer tags, see `spans.pair_from_tags`. seqeval has neither option.
    """

    # results list each label, and the overall scores sum the counts
    average: str = field(init=False, default="micro", repr=False)
    suffix: bool = option(False, help="tags begin with the label, as in PER-B", label="Suffixes")
    scheme: str | None = option(None, choices=tuple(SCHEMES), convert=canonical, label="Tag scheme")
    mode: str | None = option(
        None,
        help="how to handle illegal tags. By default, tags are read as in the CoNLL script. The only other value is",
        choices={"strict": "drop malformed spans"},
        label="Mode",
    )
    sample_weight: Sequence[float] | None = option(None, type="list of float, optional", repr=False, compare=False)
    zero_division: float | str = option(  # type: ignore[assignment]  # of other measures it is a number
        "warn",
        help="value of a ratio if its denominator is zero",
        type="float or str",
        choices={"warn": "0 with a warning", 0.0: "", 1.0: "", nan: "left out of averages"},
        label="Zero division",
    )
    id2label: Any = reused_option(LabelDecoding, "id2label")
    ignore_index: int | None = reused_option(LabelDecoding, "ignore_index")

    name = "seqeval"
    input = "tags"
    results: ClassVar[Mapping[str, Key]] = {
        "overall_precision": Key("precision", "share of predicted spans that are right"),
        "overall_recall": Key("recall", "share of reference spans that are found"),
        "overall_f1": Key("F1", "harmonic mean of precision and recall"),
        "overall_accuracy": Key("accuracy", "share of tokens with equal tags"),
    }
    returns = "after a dict of `precision`, `recall`, `f1` and `number` (reference spans) for each label"
    detail_keys = ("counts", "signature")
    headline = "overall_f1"
    support = "reference"
    shared = ("tokens", "equal_tags")

    @property
    def decoding(self) -> LabelDecoding:
        """How tags are decoded, after suffixes have become prefixes."""
        scheme, repair = (self.scheme, "discard") if self.mode == "strict" else (None, "conlleval")
        return LabelDecoding(scheme=scheme, repair=repair, id2label=self.id2label, ignore_index=self.ignore_index)

    def counts(self, references: Any, predictions: Any) -> Counts:
        """Compute the counts of both sides' tags, given as lists of lists or as Arrow columns."""
        return self.read(references, predictions)[0]

    def read(self, references: Any, predictions: Any) -> tuple[Counts, dict[str, object]]:
        """Compute the counts of both sides' tags, and describe for the signature how they were read."""
        columns = {"references": references, "predictions": predictions}
        decoding = self.decoding
        try:
            encoded = {side: on_side(side, encoded_tags, documents) for side, documents in columns.items()}
            require_same_lengths(*(side.lengths for side in encoded.values()))
            with named_tags(encoded, decoding) as tags:
                if self.suffix:
                    tags = {side: on_side(side, own.suffixes_as_prefixes) for side, own in tags.items()}
                # seqeval reads the predictions in the scheme of the references
                own = common_scheme(decoding.scheme, {"references": tags["references"]})
                named = own.name if own is common_scheme(decoding.scheme, tags) else decoding.scheme
                *spans, scheme = pair_from_tags(*tags.values(), scheme=named, repair=decoding.repair)
        except InputError as error:
            raise error.respelled(spell) from None
        return self.count(Alignment(*spans), *tags.values()), decoding.reading(scheme)

    def count(self, alignment: Alignment, references: Tags, predictions: Tags) -> Counts:
        """Compute the counts of spans that are decoded and aligned, and of their tags."""
        equal, offsets = np.equal(*common_codes(references, predictions)[0]), references.offsets
        shared = {"tokens": np.diff(offsets), "equal_tags": np.diff(offsets_of(equal)[offsets])}
        return replace(SpanF().count(alignment), shared=shared, measure=self)

    def score(self, counts: Counts) -> dict[str, Any]:
        """Compute the scores of each label and overall; `zero_division="warn"` warns like seqeval."""
        reserved = {*self.results, *self.detail_keys}.intersection(counts.labels)
        if reserved:
            raise InputError(
                f"{min(reserved)!r} is both a label and a key of the result.", "Give the label another name."
            )
        if not counts.shared["tokens"].any():
            raise InputError("accuracy is undefined: the corpus has no tokens.", "Pass at least one tag.")
        totals = self.totals(counts)
        by_label = zip(*(values.tolist() for values in averaged(totals, None, self.zero_division)), strict=True)
        keys = "precision", "recall", "f1", "number"
        labels = {label: dict(zip(keys, row, strict=True)) for label, row in zip(counts.labels, by_label, strict=True)}
        # seqeval also warns about the overall scores
        averaged(totals, "micro", self.zero_division)
        return {**labels, **self.headline_values(counts)}

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute precision, recall, F1 and accuracy; without labels every tag is `O`, and accuracy is 1."""
        scores = ratios([quantities[name] for name in _SIZES], number(self.zero_division))
        accuracy = divide(quantities["equal_tags"], quantities["tokens"], 1.0)
        return dict(zip(self.results, (*scores, accuracy), strict=True))

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the values that `details` adds to a result, except the signature."""
        return {"counts": counts.total()}

    def notes(self, counts: Counts) -> list[str]:
        """List a note if `sample_weight` is set."""
        return [] if self.sample_weight is None else [WITHOUT_EFFECT]

    def options(self) -> dict[str, Any]:
        """List the options that can change the number; the scheme belongs to the reading."""
        return {name: getattr(self, name) for name in ("suffix", "mode", "zero_division")}


def number(zero_division: float | str) -> float:
    """Read the value of a ratio if its denominator is 0."""
    return 0.0 if isinstance(zero_division, str) else float(zero_division)


def ratios(sizes: Sequence[np.ndarray], zero_division: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute precision, recall and F1 from `both`, `predicted` and `reference`, rounded as in seqeval."""
    both, predicted, reference = sizes
    precision, recall = divide(both, predicted, zero_division), divide(both, reference, zero_division)
    f1 = 2 * precision * recall / np.where(precision + recall == 0, 1, precision + recall)
    # 0 if only one side is empty, even if its ratio is NaN
    return precision, recall, np.where((both == 0) & (predicted + reference > 0), 0.0, f1)


def averaged(
    totals: Mapping[str, np.ndarray], average: str | None, zero_division: float | str, scores: Sequence[str] = SCORES
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F1 and the number of reference spans, averaged as in seqeval.

    Args:
        totals: `both`, `predicted` and `reference` by label.
        average: `micro`: sum counts over labels. `macro`: the plain mean over labels. `weighted`: the mean weighted by
            reference spans. None: an array with a value for each label. Means leave out NaN. `macro` without labels and
            `weighted` without reference spans give `micro`.
        zero_division: see `Seqeval`; `warn` also warns of each undefined ratio.
        scores: the wanted scores among `SCORES`. There are no warnings about other scores.
    """
    sizes = [totals[name] for name in _SIZES]
    pooled = [values.sum(keepdims=True) for values in sizes]
    if average == "micro" or (average == "macro" and not len(sizes[0])):
        sizes = pooled
    _, predicted, reference = sizes
    if zero_division == "warn":
        _warn(predicted, reference, scores)
    of_labels, of_all = (ratios(each, number(zero_division)) for each in (sizes, pooled))
    if average is None:
        return *of_labels, reference
    weights = reference if average == "weighted" else np.ones(len(reference))
    means = average_over_labels(dict(enumerate(of_labels)), weights, {key: each[0] for key, each in enumerate(of_all)})
    precision, recall, f1 = map(float, means.values())
    return precision, recall, f1, int(reference.sum())


def _warn(predicted: np.ndarray, reference: np.ndarray, scores: Sequence[str]) -> None:
    """Warn of undefined ratios in seqeval's words, so that existing warning filters work."""
    wanted = tuple(scores)
    warned = [
        (f"{score.title()} and F-score are" if "f-score" in wanted else f"{score.title()} is", f"{kind} samples")
        for score, kind, size in (("precision", "predicted", predicted), ("recall", "true", reference))
        if score in wanted and (size == 0).any()
    ]
    if wanted == ("f-score",) and ((predicted == 0) & (reference == 0)).any():
        warned.append(("F-score is", "true nor predicted samples"))
    where = "due to" if len(reference) == 1 else "in labels with"
    # scikit-learn's class if it is loaded, so that existing filters work
    loaded = sys.modules.get("sklearn.exceptions")
    category = UserWarning if loaded is None else loaded.UndefinedMetricWarning
    for subject, samples in warned:
        text = f"{subject} ill-defined and being set to 0.0 {where} no {samples}. "
        warnings.warn(f"{text}Use `zero_division` parameter to control this behavior.", category, stacklevel=4)


def spell(name: str, value: str | None) -> str:
    """Write an option as seqeval spells it: `suffix` instead of `prefix`."""
    if value == ASKED:
        return name if name in options_of(Seqeval) else ""
    return spell_python(name, value)
