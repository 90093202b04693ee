"""Score a system with every repair policy, or with every grounding policy.

A policy decides how illegal tags are read, or how the entities in a language
model's answer are found in the text. The output has the best, worst and mean
score over all policies, and the scores of well-known policies. To read files,
use the options of spanometer score. Tags must be IOBES, BILOU, BMES or IOB2.

Examples:
  spanometer spread gold.conll system.conll --plot spread.png
  spanometer spread gold.conll --logits logits.npz
  spanometer spread --answers gold.jsonl small.jsonl large.jsonl
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.policies.groundings import grounding_spread
from ..analysis.policies.repairs import policy_spread
from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted
from ..measures.mention_f import MentionF
from ..measures.registry import MEASURES
from ..options import CheckedOptions, options_of, text
from ..plots import plot_grounding_spread, plot_spread
from ..readers.logits import read_logits
from ..readers.source import Limits
from ..tables.table import heading
from ..tags.schemes import LabelChoice
from .corpus import answers_in_order, read_answers, read_tag_sides
from .input_files import OF_SCORES, InputFiles, add_reading
from .inputs import called, detected, documents_in, input_paths, located, side_of
from .measures import MeasureRequest, add_measure_options
from .options import add_options, add_reference, read_options, refuse, switch
from .output import PlotOutput


class SpreadSource(CheckedOptions):
    """Options for inputs other than tags in files."""

    answers: bool = switch(
        "read the predictions as answers of language models. Set this if Spanometer does not detect answers"
    )
    logits: str | None = text(
        "NPZ",
        ".npz file of the system's logits. It has 'labels', and either one array of shape (tokens, labels) for each "
        "document, or padded 'logits' with 'lengths'",
        common=True,
    )


_OPTIONS = (
    *options_of(Limits),
    *("format", "scheme", "documents", "outside", "column", *OF_SCORES, "ignore_words"),
    *options_of(LabelChoice),
    *("spans_key", "answer_key", "text_key", "offset_unit", "asked_labels", "aliases", "answer_format"),
    "scored_documents",
)
"""The reading options; policies repair tags with prefixes, and ground answers."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_reference(parser)
    parser.add_argument(
        "systems",
        metavar="PREDICTION",
        nargs="*",
        help="file with the system's tags, or a file of answers for each language model",
    )
    add_options(parser.add_argument_group("reading"), SpreadSource)
    add_reading(parser, _OPTIONS)
    add_measure_options(parser, MEASURES, default="span_f")
    add_options(parser.add_argument_group("output"), PlotOutput)


def run(options: argparse.Namespace) -> int:
    """Read, score under all policies and show."""
    request = MeasureRequest(options)
    output = read_options(PlotOutput, options)
    paths = input_paths([options.reference, *options.systems], options.answer_key)
    measures = request.measures(MEASURES, ["span_f"])
    source, spread_of = read_options(InputFiles, options), read_options(SpreadSource, options)
    request.require_used(*measures)
    formats = [detected(path, source.encoding, "spans") for path in paths]
    answers = spread_of.answers or source.answer_key is not None or source.format == "answers"
    answers = answers or any(format is not None and format.name == "answers" for format in formats[1:])
    source.require_effect(options, "strings" if answers else "tags", paths)
    if answers:
        refuse(options, ["logits"], "answers of language models")
        spread, described, lines = _over_groundings(source, paths, measures, MentionF(**request.shared_options))
    else:
        if len(paths) > 2:
            raise InputError(
                f"you can compare repair policies for only one system, got {len(paths) - 1}.",
                "Give REFERENCE and one PREDICTION.",
            )
        for path, format in zip(paths, formats, strict=True):
            if format is not None:
                raise InputError(
                    f"{called(path)} has spans ({format.name}), but repair policies need tags.",
                    "Give the system's tags. For spans, use spanometer score.",
                )
        spread, described, lines = _over_repairs(source, paths, measures, spread_of.logits)
    if output.plot is not None:
        (plot_grounding_spread if answers else plot_spread)(spread, output.plot)
    output.show(spread, described, [*heading(lines.items()), ""])
    return 0


def _over_repairs(
    source: InputFiles, paths: Sequence[str], measures: Sequence[Any], logits: str | None
) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Compute the spread of tags or logits, and describe the files for JSON and for the screen."""
    predictions: DocumentFile | None = None
    if logits is None or len(paths) == 2 or source.prediction_column is not None or source.columns:
        references, predictions = read_tag_sides(source, paths, 0, words=False)
    else:
        references = source.read_tags(paths[0], [source.reference_column or source.one_column])
    arrays, id2label = (None, None) if logits is None else _read_logits(logits, source.scheme, references)
    with located({"references": references, "predictions": predictions or references, "": references}):
        spread = policy_spread(
            references.tags[0],
            None if predictions is None else predictions.tags[0],
            logits=arrays,
            id2label=id2label,
            scheme=source.scheme,
            measures=measures,
            **source.chosen,
        )
    reference, prediction = side_of(references), None if predictions is None else side_of(predictions)
    described = {
        "reference": reference.described,
        "prediction": None if prediction is None else prediction.described,
        "logits": logits,
        "documents": len(references.document_lines),
    }
    documents = documents_in(references, briefly=True)
    lines = {
        "reference": reference.text,
        "prediction": "highest logits" if prediction is None else prediction.text,
        **({} if logits is None else {"logits": logits}),
        "illegal": f"{counted(spread.illegal, 'pair')} in {len(spread.affected):,} of {documents}",
        "policies": f"{len(spread.grid):,} ({spread.scheme})",
    }
    return spread, described, lines


def _over_groundings(
    source: InputFiles, paths: Sequence[str], measures: Sequence[Any], strings: MentionF
) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Compute the spread of answers, and describe the files for JSON and for the screen."""
    files = read_answers(source, paths)
    texts, answers = answers_in_order(source, files)
    spread = grounding_spread(
        texts.documents.texts or (),
        answers,
        texts.spans,
        measures=measures,
        tokens=texts.documents.tokens,
        strings=strings,
        **source.answer_reading,
    )
    reference, *systems = map(side_of, files.values())
    described = {name: side.described for name, side in zip(spread.systems, systems, strict=True)}
    lines = {name: f"{side['file']}, {spread.systems[name].strict.summary}" for name, side in described.items()}
    above = {"reference": reference.text, **lines, **dict(spread.sizes())}
    return spread, {"reference": reference.described, "predictions": described}, above


def _read_logits(path: str, scheme: str | None, references: DocumentFile) -> tuple[list[np.ndarray], list[str]]:
    """Read the logits and their labels, for the documents of the reference."""
    logits, labels = read_logits(path, scheme=scheme)
    lengths = references.tags[0].lengths
    if len(logits) != len(lengths):
        raise InputError(
            f"the logits have {counted(len(logits), 'document')}, but the reference has {len(lengths)}.",
            "Both must have the same documents, in the same order.",
            source=path,
        )
    differing = np.flatnonzero(lengths != [len(array) for array in logits])
    for document in differing[:1].tolist():
        raise InputError(
            f"the logits have {counted(len(logits[document]), 'token')}, but the reference has {lengths[document]} "
            f"({references.source}, line {references.line(document)}).",
            "Both must have the same tokens, without padding and special tokens.",
            source=path,
            document=document,
        )
    return logits, labels
