"""Score tags under every repair policy, or answers under every grounding policy.

A repair policy decides how illegal tags are read. A grounding policy decides
how the entities in a language model's answer are found in the text. The output
has the best, worst and mean score over all policies, and the scores of
well-known policies. Tags must be IOBES, BILOU, BMES or IOB2.

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
from ..documents.joining import locating_errors
from ..documents.sides import answers_together
from ..exceptions import InputError, counted
from ..measures.mention_f import MentionF
from ..measures.registry import MEASURES
from ..options import CheckedOptions, options_of, text
from ..plots import plot_grounding_spread, plot_spread
from ..readers.option_files import read_logits
from ..readers.source import Limits
from ..spans.arrow import require_same_lengths
from ..tables.table import heading
from ..tags.schemes import LabelChoice
from ..tags.tags import Tags
from .corpus import read_answers, read_tag_sides
from .input_files import OF_SCORES, InputFiles, add_reading, called, detected, input_paths
from .measures import MeasureRequest, add_measure_options
from .options import add_options, add_reference, read_options, refuse, switch
from .output import ShownFile, TableOutput, documents_in


class SpreadSource(CheckedOptions):
    """Options for inputs other than tags in files.

    Attributes:
        answers: read the predictions as answers of language models. Set this if Spanometer does not detect answers.
        logits: .npz file with the system's logits: the strings 'labels', and an array of shape (tokens, labels) for
            each document. Or pad all documents to one array 'logits', and add 'lengths'.
    """

    answers: bool = switch()
    logits: str | None = text("NPZ", common=True)


_OPTIONS = (
    *options_of(Limits),
    *("format", "scheme", "documents", "outside", "column", *OF_SCORES, "ignore_words"),
    *options_of(LabelChoice),
    *("spans_key", "answer_key", "text_key", "offset_unit", "asked_labels", "aliases", "answer_format"),
    "scored_documents",
)
"""The reading options; policies repair tags with prefixes, and ground answers."""

_Spread = tuple[Any, dict[str, Any], dict[str, str]]
"""The scores under all policies, and a description of the files for JSON and for the screen."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_reference(parser)
    what = "file with the system's tags. For answers, give one file for each language model"
    parser.add_argument("systems", metavar="PREDICTION", nargs="*", help=what)
    add_options(parser, "reading", SpreadSource)
    add_reading(parser, _OPTIONS)
    add_measure_options(parser, MEASURES, default="span_f")
    add_options(parser, "output", TableOutput)


def run(options: argparse.Namespace) -> None:
    """Read, score under all policies and show."""
    request = MeasureRequest(options)
    output = read_options(TableOutput, options)
    paths = input_paths([options.reference, *options.systems], options.answer_key)
    measures = request.measures(MEASURES, ["span_f"])
    source = read_options(InputFiles, options)
    request.require_used(*measures)
    formats = [detected(path, source.encoding, "spans") for path in paths]
    named = {source.format, *(format.name for format in formats[1:] if format is not None)}
    answers = options.answers or source.answer_key is not None or "answers" in named
    source.require_effect(options, "strings" if answers else "tags", paths)
    if answers:
        refuse(options, ["logits"], "answers of language models")
        spread, described, lines = _over_groundings(source, paths, measures, MentionF(**request.shared_options))
    else:
        _require_one_system(len(paths) - 1)
        for path, format in zip(paths, formats, strict=True):
            if format is not None:
                problem = f"{called(path)} has spans ({format.name}), but repair policies need tags."
                raise InputError(problem, "Give the system's tags. For spans, use spanometer score.")
        spread, described, lines = _over_repairs(source, paths, measures, options.logits)
    if output.plot is not None:
        (plot_grounding_spread if answers else plot_spread)(spread, output.plot)
    output.show(spread, described, [*heading(lines.items()), ""])


def _over_repairs(source: InputFiles, paths: Sequence[str], measures: Sequence[Any], logits: str | None) -> _Spread:
    """Compute the spread of tags or logits."""
    if logits is None or len(paths) == 2 or source.prediction_column is not None or source.columns:
        files = read_tag_sides(source, paths, 0, words=False)
        _require_one_system(len(files) - 1, files[0].source)
    else:
        files = [source.read_tags(paths[0], [source.reference_column or source.one_column])]
    references, tags = files[0], [file.tags[0] for file in files]
    of_logits = {} if logits is None else _read_logits(logits, source.scheme, tags[0])
    with locating_errors({"references": references, "predictions": files[-1], "": references}):
        options = {**of_logits, "scheme": source.scheme, "measures": measures, **source.chosen}
        spread = policy_spread(tags[0], tags[1] if len(tags) > 1 else None, **options)
    reference, *predictions = map(ShownFile.of, files)
    described = {
        "reference": reference.described,
        "prediction": predictions[0].described if predictions else None,
        "logits": logits,
        "documents": len(references.document_lines),
    }
    documents = documents_in(references, briefly=True)
    lines = {
        "reference": reference.text,
        "prediction": predictions[0].text if predictions else "highest logits",
        **({} if logits is None else {"logits": logits}),
        "illegal": f"{counted(spread.illegal, 'pair')} in {len(spread.affected):,} of {documents}",
        "policies": f"{len(spread.grid):,} ({spread.scheme})",
    }
    return spread, described, lines


def _over_groundings(source: InputFiles, paths: Sequence[str], measures: Sequence[Any], strings: MentionF) -> _Spread:
    """Compute the spread of answers."""
    files = read_answers(source, paths)
    texts, answers = answers_together(files, source.pairing)
    documents, choices = texts.documents, {"measures": measures, "strings": strings, **source.answer_reading}
    spread = grounding_spread(documents.texts or (), answers, texts.spans, tokens=documents.tokens, **choices)
    reference, *systems = map(ShownFile.of, files.values())
    described = {name: side.described for name, side in zip(spread.systems, systems, strict=True)}
    lines = {name: f"{side['file']}, {spread.systems[name].strict.summary}" for name, side in described.items()}
    above = {"reference": reference.text, **lines, **dict(spread.sizes())}
    return spread, {"reference": reference.described, "predictions": described}, above


def _require_one_system(systems: int, source: str | None = None) -> None:
    if systems > 1:
        problem = f"you can compare repair policies for only one system, but there are {systems}."
        raise InputError(problem, "Give REFERENCE and one PREDICTION.", source=source)


def _read_logits(path: str, scheme: str | None, references: Tags) -> dict[str, Any]:
    """Read the logits and their labels, for the tags of the reference."""
    logits, labels = read_logits(path, scheme=scheme)
    try:
        require_same_lengths(references.lengths, np.array([len(array) for array in logits], dtype=np.int64))
    except InputError as error:
        if error.document is None:
            raise error.placed(source=path) from None
        remedy = "Give logits with one row for each reference token. Remove padding and special tokens."
        raise error.placed(source=path, remedy=remedy) from None
    return {"logits": logits, "id2label": labels}
