"""Score a system under every policy for repairing tags or reading answers.

Policies decide how illegal tags are read, or how the items of a language
model's answers are found in the text. The output has the best, worst and mean
score, the scores of named policies, and the actions of the best and the worst
policy. Files are read with the options of spanometer score. Tags must be in
IOBES, BILOU, BMES or IOB2.

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
from .options import add_options, read_options, refuse, switch
from .output import PlotOutput


class SpreadSource(CheckedOptions):
    """Options for inputs other than tags in files."""

    answers: bool = switch("read the predictions as answers of language models; add it if this format is not detected")
    logits: str | None = text(
        "NPZ",
        "the system's logits, an .npz file: 'labels', and an array of shape (tokens, labels) for each document; or "
        "'labels', padded 'logits' and 'lengths'",
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


def _read_both(
    source: InputFiles, paths: Sequence[str], logits: str | None
) -> tuple[DocumentFile, DocumentFile | None]:
    """Read both sides; None for a prediction that comes from logits."""
    if logits is None or len(paths) == 2 or source.prediction_column is not None or source.columns:
        references, predictions = read_tag_sides(source, paths, 0, words=False)
        return references, predictions
    return source.read_tags(paths[0], [source.reference_column or source.one_column]), None


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument(
        "reference", metavar="REFERENCE", help="file with the reference annotation; - is standard input"
    )
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
    if spread_of.answers or _has_answers(source, paths):
        source.require_effect(options, "strings", paths)
        refuse(options, ["logits"], "answers of language models")
        return _run_answers(source, paths, measures, MentionF(**request.shared_options), output)
    if len(paths) > 2:
        raise InputError(
            f"the spread over repairs needs one system, got {len(paths) - 1}.",
            "Give REFERENCE and PREDICTION.",
        )
    for path in paths:
        format = detected(path, source.encoding, "spans")
        if format is not None:
            raise InputError(
                f"{called(path)} has spans ({format.name}), but repair policies need tags.",
                "Give the system's tags. For spans, use spanometer score.",
            )
    source.require_effect(options, "tags", paths)
    references, predictions = _read_both(source, paths, spread_of.logits)
    logits, id2label = _read_logits(spread_of.logits, source.scheme, references)
    with located({"references": references, "predictions": predictions or references, "": references}):
        spread = policy_spread(
            references.tags[0],
            None if predictions is None else predictions.tags[0],
            logits=logits,
            id2label=id2label,
            scheme=source.scheme,
            measures=measures,
            **source.chosen,
        )
    if output.plot is not None:
        plot_spread(spread, output.plot)
    sides = {"reference": side_of(references), "prediction": None if predictions is None else side_of(predictions)}
    described = {
        **{name: side and side.described for name, side in sides.items()},
        "logits": spread_of.logits,
        "documents": len(references.document_lines),
    }
    lines = {
        **{name: "highest logits" if side is None else side.text for name, side in sides.items()},
        "logits": spread_of.logits,
        "illegal": f"{counted(spread.illegal, 'pair')} in {len(spread.affected):,} of "
        f"{documents_in(references, briefly=True)}",
        "policies": f"{len(spread.grid):,} ({spread.scheme})",
    }
    above = heading((name, text) for name, text in lines.items() if text is not None)
    output.show(spread, described, [*above, ""])
    return 0


def _has_answers(source: InputFiles, paths: Sequence[str]) -> bool:
    """Check whether the options or the files show answers of language models."""
    if source.answer_key is not None or source.format == "answers":
        return True
    formats = [detected(path, source.encoding, "spans") for path in paths[1:]]
    return any(format is not None and format.name == "answers" for format in formats)


def _run_answers(
    source: InputFiles, paths: Sequence[str], measures: Sequence[Any], strings: MentionF, output: PlotOutput
) -> int:
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
    if output.plot is not None:
        plot_grounding_spread(spread, output.plot)
    reference, *systems = (side_of(file) for file in files.values())
    of_systems = dict(zip(spread.systems, systems, strict=True))
    lines = {"reference": reference.text}
    lines |= {
        name: f"{side.described['file']}, {spread.systems[name].strict.summary}" for name, side in of_systems.items()
    }
    described = {name: side.described for name, side in of_systems.items()}
    above = [*heading([*lines.items(), *spread.sizes()]), ""]
    output.show(spread, {"reference": reference.described, "predictions": described}, above)
    return 0


def _read_logits(
    path: str | None, scheme: str | None, references: DocumentFile
) -> tuple[list[np.ndarray] | None, list[str] | None]:
    """Read the logits and their labels, for the documents of the reference."""
    if path is None:
        return None, None
    logits, labels = read_logits(path, scheme=scheme)
    lengths = references.tags[0].lengths
    if len(logits) != len(lengths):
        raise InputError(
            f"the logits have {counted(len(logits), 'document')}, but the reference has {len(lengths)}.",
            "Both must have the same documents, in the same order.",
            source=path,
        )
    for document, (array, length) in enumerate(zip(logits, lengths.tolist(), strict=True)):
        if len(array) != length:
            raise InputError(
                f"the logits have {counted(len(array), 'token')}, but the reference has {length} "
                f"({references.source}, line {references.line(document)}).",
                "Both must have the same tokens, without padding and special tokens.",
                source=path,
                document=document,
            )
    return logits, labels
