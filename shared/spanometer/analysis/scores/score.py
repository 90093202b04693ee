"""Scoring of one system against references, also in parts of the corpus with different chance levels."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from itertools import chain, pairwise
from typing import Any, Never, Unpack, overload

import numpy as np

from ...counts.statistics import Intervals, Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.document_file import DocumentFile
from ...documents.joining import naming_documents
from ...documents.pairing import Pairing
from ...documents.sides import answers_together, read_sides, require_one_annotator
from ...exceptions import InputError, mention, on_side, require_no_more, require_sides, shown
from ...grounding.grounded import Grounded
from ...grounding.policies import StringPolicy
from ...grounding.reading import GroundedStrings, ground_strings
from ...measures.aligned import AlignedMeasure, part_of, with_words
from ...measures.base import Measure
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.mention_f import MentionF
from ...measures.notation import read_reading, reading_of, signatures_in
from ...measures.registry import (
    ALL_MEASURES,
    MEASURES,
    is_everything,
    listed_measures,
    names_of,
    options_by_name,
    read_measures,
)
from ...options import options_of, require_known
from ...protocols.protocol import Protocol, scored_by
from ...readers.reading import beside_files
from ...spans.annotations import common_form, documents_in, form_of, read_pair, tag_accuracy
from ...spans.mentions import Mentions
from ...spans.spans import Spans, encoded_tags
from ...tags.decoding import LabelDecoding
from ...tags.schemes import LabelChoice
from .measure_result import NamedDocuments, SuitingMeasures
from .report import Report
from .streams import require_form

_Options = Mapping[str, Any]

_Scored = tuple[Any, Any, Mapping[str, Measure], Mapping[str, object], DocumentFile | None, int | None, Sequence[Any]]
"""Both sides as measures take them; the measures by the names of their results; how the sides were read, for the
signatures; the documents of the reference, if there are files; the corpus size, if it is not the sum of lengths;
the tags of both sides, or anything else.
"""


@overload
def score(
    references: Any,
    predictions: Any,
    *more: Never,
    measures: Any = None,
    protocol: str | None = None,
    confidence: float | None = None,
    **options: Unpack[DrawnSideArguments],
) -> Report: ...


@overload
def score(references: Any, predictions: Any, *more: Never, **options: Any) -> Report: ...


@shares(DrawnSideArguments)
def score(
    references: Any,
    predictions: Any,
    *more: Never,
    measures: Any = None,
    protocol: str | None = None,
    confidence: float | None = None,
    **options: Any,
) -> Report:
    """Score predictions against references, as `spanometer score` does with files.

        report = spanometer.score(references, predictions, measures=("span_f", "link_f"), average="macro")
        report.measures["span_f"].scores["f1"], report.measures["span_f"].per_label["PER"], report.flat()

    The references come first, as in scikit-learn (`y_true, y_pred`). If you swap the arguments, precision and recall
    swap too, and nothing can detect it.

    A document is one of these:

    - a list of tags, `["B-PER", "I-PER", "O"]`;
    - a list of integer tags, `[1, 2, 0]`, with `id2label`;
    - a list of spans with token offsets and exclusive ends, `{"start": 0, "end": 2, "label": "PER"}`;
    - a list of discontinuous spans, `{"label": "DRUG", "fragments": [[0, 1], [3, 5]]}`;
    - a list of entities with types and components, `{"start": 0, "end": 2, "types": ["pers"], "components": [...]}`;
    - a list of spans with attributes, `{"start": 0, "end": 1, "label": "X", "attributes": {"negated": True}}`, for
      `span_attribute`.

    If the reference has texts (`spanometer.read`, or objects with `text` and `spans`), predictions can also be the
    output of a model for each document: answers of a language model, which are grounded (`grounding="strict"`); lists
    of spans from Transformers' pipeline, GLiNER or Presidio; documents of spaCy or Stanza; sentences of Flair.

    Both sides can also be Arrow arrays, columns of `datasets` (a `ClassLabel` column needs no `id2label`), pandas
    series, NumPy arrays, `Spans`, `Entities`, `Attributes` or `Tags`.

    Args:
        references: the reference, one item for each document.
        predictions: a system's output for the same documents, in the same form.
        measures: measures as text, `"span_f,token_f(format=BIO)"`; or a signature, which also sets the options of
            reading; or measures with options (`SlIcm(matching="optimal")`); or a list of these; or a mapping that names
            the results: `{"span_f": SpanF(), "span_f_macro": SpanF(average="macro")}`. The default is `span_f`,
            `link_f` and `bcubed`, and `eter` for entities. `"all"` computes every measure that suits the data, except
            `gamma`.
        protocol: the name of an official scorer, such as `"conlleval"`. It sets the measures and the options of
            reading, and `report.official` has its numbers under their official names. `spanometer help protocols` lists
            all. Files from `spanometer.read` keep the options with which they were read: if these differ from the
            protocol, `report.official.changes` names them instead of giving scores.
        confidence: the confidence level of bootstrap intervals over documents, such as 0.95; None computes no
            intervals.
        **options: how tags, spans and files are read, see `arguments.SideArguments`: `scheme`, `repair`, `prefix`,
            `id2label`, `ignore_index`, `lengths`, `label_map`, `labels`, `ignore_labels`, `label_case`,
            `reference_labels`, `reference_label_map`; for files `unit`, `to_tokens`, `trim`, `join_fragments`,
            `merge_overlaps`, `split_spans`, `texts`, `tokenizer`, `scored_documents`, `ignore_words`; for answers
            `grounding`, `asked_labels`, `aliases`, `offsets`, `answer_format`, `item_mention_key`, `item_label_key`;
            for intervals `interval_method`, `n_resamples`, `seed`. Also the options of the measures that you name, such
            as `average`, `zero_division`, `cap`; each measure takes the options that it has.

    Returns:
        The results of all measures, and the size of the corpus.

    Raises:
        InputError: if options are wrong, or if annotations cannot be read or compared.
    """
    require_no_more(more, "Pass one system. To pass several systems, use spanometer.compare.")
    arguments = {name: options.pop(name) for name in DrawnSideArguments.__annotations__ if name in options}
    if "seed" in arguments:
        options["seed"] = arguments["seed"]
    measures = list(measures) if isinstance(measures, Iterator) else measures
    official = None if protocol is None else Protocol.named(protocol)
    if official is not None:
        measures = [*(measure for _, measure in listed_measures(measures or [])), *official.measures.values()]
    signatures = signatures_in(measure for _, measure in listed_measures([] if measures is None else measures))
    parts = reading_of(signatures, ALL_MEASURES)
    official = Protocol.named(parts["protocol"]) if official is None and "protocol" in parts else official
    if official is not None:
        parts = reading_of([official.signature(arguments), *signatures], ALL_MEASURES)
    in_files = any(isinstance(side, (DocumentFile, Grounded)) for side in (references, predictions))
    declared = options_of(LabelChoice) | options_of(Intervals) | options_of(Pairing if in_files else LabelDecoding)
    read = read_reading(parts, declared, arguments)
    confidence = read.pop("confidence", None) if confidence is None else confidence
    arguments |= read if in_files or "outside" not in parts else {**read, "outside": parts["outside"]}
    resampling = Resampling.chosen(confidence, arguments)
    report = _report({"references": references, "predictions": predictions}, measures, resampling, arguments, options)
    report = report if official is None else scored_by(official, report)
    for signed, result in zip(signatures, report.results, strict=False):
        if signed is not None:
            signed.require(result.signature)
    return report


def _report(
    sides: Mapping[str, Any], measures: Any, resampling: Resampling | None, arguments: _Options, options: _Options
) -> Report:
    """Read both sides with the arguments of reading, and score them by measures with these options.

    Of "all" measures, those that are undefined for the spans are left out.
    """
    policy = arguments.get("grounding")
    as_strings = isinstance(policy, (str, StringPolicy)) and StringPolicy.describes(str(policy))
    read = _strings if as_strings else _sides
    references, predictions, chosen, reading, file, size, tags = read(sides, measures, arguments, options)
    if not references.documents:
        remedy = "Give at least one document. For one document without spans, pass [[]]."
        raise InputError("there are no documents to score.", remedy)
    if not len(references) and not len(predictions):
        warnings.warn("nothing was scored: neither side has a span or an entity. Check both sides.", stacklevel=3)
    if is_everything(measures) and isinstance(references, Spans):
        suiting, notes = SuitingMeasures(chosen.values()).of(references, predictions)
        chosen = {measure.name: measure for measure in suiting}
        for note in notes:
            warnings.warn(note, stacklevel=3)
    with naming_documents(file):
        report = Report.of(references, predictions, chosen, reading, resampling=resampling)
    report = replace(report, tokens=report.tokens if size is None else size, tag_accuracy=tag_accuracy(tags, arguments))
    return replace(report, named_documents=NamedDocuments(file))


def _sides(sides: Mapping[str, Any], measures: Any, arguments: _Options, options: _Options) -> _Scored:
    """Read both sides: files, grounded answers, or columns of tags, spans, entities or attributes."""
    sides_reading = SideReading.of(score, {name: each for name, each in arguments.items() if name != "outside"})
    decoding, choice, lengths = sides_reading.decoding, sides_reading.choice, sides_reading.lengths
    sides = beside_files(sides, answers="grounding" in arguments)
    files = [side for side in sides.values() if isinstance(side, DocumentFile)]
    if not files:
        sides_reading.require_unpaired()
    if files or any(isinstance(side, Grounded) for side in sides.values()):
        for file in files:
            require_one_annotator(file)
        chosen = _chosen(names_of(measures, "spans"), options)
        require_form(chosen, "spans")
        read = read_sides(sides, sides_reading)
        chosen = dict(zip(chosen, with_words(chosen.values(), lambda: read.words), strict=True))
        references, predictions = read.spans.values()
        return references, predictions, chosen, read.reading, read.file, read.answered_size, read.tags
    sides = {side: on_side(side, documents_in, column) for side, column in sides.items()}
    forms = {side: on_side(side, form_of, column) for side, column in sides.items()}
    if measures is None or is_everything(measures):
        measures = names_of(measures, "entities" if common_form(forms, "tags") == "entities" else "spans")
    chosen = _chosen(measures, options)
    trees = all(measure.input == "entities" for measure in chosen.values())
    form = common_form(forms, "entities" if trees else "tags" if lengths is None else "spans")
    if form == "spans" and all(measure.input == "attributes" for measure in chosen.values()):
        form = "attributes"
    else:
        require_form(chosen, form)
    if form != "tags" and decoding != LabelDecoding():
        raise InputError("scheme, repair, prefix, id2label and ignore_index are for tags.", "Leave out these options.")
    if form == "tags":
        # a protocol or a signature can name the tag that means `O`
        outside = arguments.get("outside")
        sides = {side: on_side(side, encoded_tags, each).with_outside(outside) for side, each in sides.items()}
    references, predictions, scheme = read_pair(sides, form, decoding, choice, lengths, warn=True)
    fragmented = any(getattr(side, "fragments", None) is not None for side in (references, predictions))
    reading: dict[str, object] = {} if form == "attributes" else {"input": "fragments" if fragmented else form}
    if scheme is not None:
        reading = {**decoding.reading(scheme), **sides["references"].reading}
    return references, predictions, chosen, {**reading, **choice.signed()}, None, None, [*sides.values()]


def _strings(sides: Mapping[str, Any], measures: Any, arguments: _Options, options: _Options) -> _Scored:
    """Read answers as strings (see `ground_strings`), and the words of the reference's spans."""
    reading = SideReading.of(score, {**arguments, "grounding": Pairing.grounding})
    reading.choice.require_none("answers are scored as strings")
    files = beside_files(sides, answers=True)
    named = [measure for _, measure in listed_measures(MentionF.name if measures is None else measures)]
    if named != [MentionF.name] or not isinstance(files["references"], DocumentFile):
        problem = "this grounding policy produces strings. Only mention_f scores strings, and it needs reference texts."
        remedy = "Set measures='mention_f', and give reference texts. Or choose another policy with grounding=..."
        raise InputError(problem, remedy)
    file, answers = answers_together(files, reading.pairing)
    texts, policy = file.documents.texts or (), arguments["grounding"]
    grounded = ground_strings(texts, answers["predictions"], policy=policy, **reading.pairing.answer_reading)
    chosen = {MentionF.name: string_measure(grounded, options)}
    choices = {**file.decoding, **grounded.choices}
    return Mentions.of_spans(file.spans, texts), grounded.mentions, chosen, choices, None, None, [None]


def _chosen(measures: Any, options: Mapping[str, Any]) -> dict[str, Measure]:
    """Return the measures by the names of their results; raise an `InputError` for options that no measure has."""
    taken = options_by_name(measures, ALL_MEASURES)
    if taken:
        own = [*signature(score).parameters][2:-1]
        names = [*dict.fromkeys(chain(own, *taken.values()))]
        require_known(options, names, "score" if len(taken) > 1 else next(iter(taken)))
    elif options.keys() - {"seed"}:
        problem = f"{mention(next(iter(options)))} has no effect on a measure object such as SpanF()."
        raise InputError(problem, "Set the option when you create the object, as in SpanF(average='macro').")
    return read_measures(measures, ALL_MEASURES, options, signed=True)


def string_measure(grounded: GroundedStrings, options: Mapping[str, Any]) -> MentionF:
    """Create `mention_f` with the options of the policy of grounded strings and with the given options."""
    compared = grounded.policy.compared
    own = {name: value for name, value in options.items() if name not in options_of(Resampling)}
    for name in filter(compared.__contains__, own):
        problem = f"the grounding policy already sets the option {name!r} of mention_f."
        raise InputError(problem, f"Leave out {name!r}, or choose another policy.")
    require_known(own, options_of(MentionF), MentionF.name)
    return MentionF(**{**own, **compared})


def chance_levels(references: Spans, measure: ChanceKappaF1 | None = None) -> np.ndarray:
    """Compute the chance level of each document: F1 by chance of the reference against itself.

    Args:
        references: the reference; document lengths must be known.
        measure: the measure whose level, placement and method are used; by default `token`, `disjoint` and `exact`.

    Returns:
        float64 of shape (documents), in [0, 1] with the placement `disjoint`; NaN for documents without spans.

    Raises:
        InputError: see `ChanceKappaF1`.
    """
    chance = replace(measure or ChanceKappaF1(), n_simulations=0)
    return chance.document_scores(chance.counts(references, references))["chance_f1"]


def by_chance(
    references: Spans,
    predictions: Spans,
    bounds: Sequence[float],
    measures: Sequence[AlignedMeasure],
    reading: Mapping[str, Any] | None = None,
    resampling: Resampling | None = None,
) -> dict[str, Report]:
    """Group documents by their chance level (see `chance_levels`), and score each group.

    A document without reference spans has no chance level and is in no group. If `measures` has a `ChanceKappaF1`, its
    options say how the chance level is computed.

    Args:
        references, predictions: both sides.
        bounds: the chance levels between the groups, ascending, each between 0 and 1.
        measures: the measures.
        reading: how the input was read, for the signatures. The signatures also name the group.
        resampling: how confidence intervals are computed; None computes no intervals.

    Returns:
        A report for each group, by its name in words, lowest chance first.

    Raises:
        InputError: if bounds are not ascending numbers between 0 and 1, or if a measure is undefined.
    """
    require_sides(Spans, references, predictions)
    named = read_measures(measures, MEASURES)
    parts = {}
    for (low, high), (name, documents) in parts_by_chance(references, bounds, chance_measure(named)).items():
        how = {**(reading or {}), "chance": f"{low:g}-{high:g}"}
        sides = references.take(documents), predictions.take(documents)
        own = {each: part_of(measure, documents) for each, measure in named.items()}
        parts[name] = Report.of(*sides, own, how, resampling=resampling)
    return parts


def chance_measure(measures: Mapping[str, Any]) -> ChanceKappaF1:
    """Return the `ChanceKappaF1` among the measures, or one with default options."""
    return next((each for each in measures.values() if isinstance(each, ChanceKappaF1)), ChanceKappaF1())


def parts_by_chance(
    references: Spans, bounds: Sequence[float], measure: ChanceKappaF1
) -> dict[tuple[float, float], tuple[str, np.ndarray]]:
    """Group documents by their chance level; returns the name and the documents of each group, by its bounds."""
    levels = chance_levels(references, measure)
    parts = {}
    for low, high in pairwise((0.0, *read_bounds(bounds), math.inf)):
        name = f"chance {low:g} or more" if high == math.inf else f"chance from {low:g} to below {high:g}"
        documents = np.flatnonzero((levels >= low) & (levels < high))
        parts[low, high] = (f"chance below {high:g}" if low == 0 else name), documents
    return parts


def read_bounds(value: Any) -> tuple[float, ...]:
    """Read bounds of chance levels from numbers, or from text with numbers separated by commas.

    Raises:
        InputError: unless they are ascending numbers between 0 and 1.
    """
    try:
        bounds = tuple(float(bound) for bound in (value.split(",") if isinstance(value, str) else value))
    except Exception:
        # any object may come here, and raise any error
        bounds = ()
    if not bounds or not all(low < high for low, high in pairwise((0.0, *bounds, 1.0))):
        remedy = "Use one number greater than 0 and less than 1, such as 0.175, or several in ascending order."
        raise InputError(f"invalid value for {mention('by_chance')}: {shown(value)}.", remedy, option="by_chance")
    return bounds
