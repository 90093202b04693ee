"""Score systems against a reference: precision, recall and F1 of their spans.

Files are recognised by their content: tags in columns, exports of annotation
tools, a language model's answers, entity trees. Without PREDICTION both sides
are columns of REFERENCE.

Examples:
  spanometer score gold.conll system.conll --per-label
  spanometer score gold.conll old.conll new.conll --table latex -o table.tex
  spanometer score gold.jsonl answers.jsonl --grounding strict
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..analysis.agreement.against import score_against
from ..analysis.scores.measure_result import is_by_attribute
from ..analysis.scores.report import Report, kind_of, system_parts
from ..counts.statistics import Resampling
from ..exceptions import InputError, counted, mention
from ..measures.registry import MEASURES
from ..tables.table import Number, Part, heading
from .corpus import CorpusFiles, ScoredFiles
from .documents import (
    SERIES,
    DocumentInput,
    StringInput,
    are_strings,
    default_measures,
    known_measures,
)
from .inputs import (
    headlines,
    input_paths,
)
from .inputs import kind_of as input_kind
from .measures import (
    SuitingMeasures,
    add_measure_options,
    chosen_resampling,
    named_measures,
    need_words,
    read_request,
    require_signatures,
    take_average_none,
    take_signatures,
)
from .options import add_options, add_systems, read_options, switch
from .output import OUTPUT_FLAGS, PlotOutput, TableOutput
from .scored_files import AttributeInput, ParquetInput, TreeInput
from .tag_files import ChanceParts, TagInput

KINDS: tuple[type[ScoredFiles], ...] = (AttributeInput, TreeInput, DocumentInput, TagInput)
"""The kinds of files; the last kind if the content shows no other."""

_NOT_SHOWN = ("per_label", "per_document", "score_only")
"""Options of output that are for one reference."""


@dataclass(frozen=True, kw_only=True)
class ScoreOutput(PlotOutput):
    """How scores are shown."""

    per_label: bool = switch("also the scores of each label, and all averages", common=True, topic="measures")
    per_document: bool = switch("also the scores of each document")
    score_only: bool = switch("nothing but the headline of one measure, a number for scripts")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.score_only and (self.json or self.per_label or self.per_document or self.table != "text"):
            raise InputError(
                f"{mention('score_only')} prints one number.",
                "Leave out --json, --table, --per-label and --per-document.",
            )

    @property
    def has_own_form(self) -> bool:
        """Whether one number is written."""
        return self.score_only


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    default = "all that suit the files, except gamma"
    add_measure_options(parser, known_measures(), default=default, intervals=True)
    reading = add_systems(parser)
    reading.add_argument(
        "--references",
        metavar="N",
        help="the first N files are references of as many annotators (1: all of them are in the first)",
    )
    add_options(reading, {"": TagInput})
    documents = parser.add_argument_group("reading documents with spans")
    add_options(documents, {"": DocumentInput, StringInput.title: StringInput})
    parser.add_argument_group("answers")
    add_options(parser.add_argument_group("reading entity trees"), {"": TreeInput})
    add_options(parser.add_argument_group("reading Parquet files"), {"": ParquetInput})
    output = parser.add_argument_group("output")
    add_options(output, {"": ScoreOutput}, called=OUTPUT_FLAGS)
    add_options(output, {"span_attribute": AttributeInput})


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    take_signatures(options)
    paths = [options.reference, *options.systems]
    take_average_none(options)
    output = read_options(ScoreOutput, options)
    number = 0 if options.references is None else _number_in(options, len(paths))
    if options.cluster is None:
        paths = input_paths(paths, options.answer_key, systems=number or 1)
    kind = _kind(options, paths)
    resampling = chosen_resampling(options)
    available, default = (MEASURES, ["span_f"]) if number else (known_measures(), default_measures(kind))
    source, measures = read_request(options, kind, available, default, resampling)
    if not number and not options.measures:
        measures = SuitingMeasures(measures)
    if output.per_label and kind is AttributeInput:
        raise InputError("--per-label is for measures of tags and entities.", "All attributes are shown without it.")
    if output.per_document and kind in (AttributeInput, ParquetInput):
        raise InputError(f"--per-document is for files of tags and entities, not for {kind.title}.", "Leave it out.")
    corpus = source.corpus(paths, options.names, annotators=number, words=need_words(measures))
    if number:
        return _score_all(corpus, measures, resampling, output)
    corpus, reports = source.score(corpus, measures, resampling, per_document=output.per_document)
    for report in reports.values():
        require_signatures(options, [result.signature for result in report.results])
    if output.score_only:
        output.write_text(f"{output.precision.text(_one_number(reports))}\n")
        return 0
    more = {"per_label": output.per_label, "per_document": output.per_document}
    output.write(lambda: _described(corpus, reports, more), lambda: _parts(corpus, reports, more))
    return 0


def _kind(options: argparse.Namespace, paths: list[str]) -> type[Any]:
    """Choose the kind of input by the options, the measures, or the content of the files."""
    if options.references is not None:
        return input_kind(SERIES, options, paths, ChanceParts)
    if options.cluster is not None:
        return ParquetInput
    if are_strings(options):
        return StringInput
    named = set(named_measures(options, known_measures()))
    of_measures = (kind for kind in (AttributeInput, TreeInput) if not named.isdisjoint(default_measures(kind)))
    return next(of_measures, None) or input_kind(KINDS, options, paths, ChanceParts)


def _described(corpus: CorpusFiles, reports: Mapping[str, Report], more: Mapping[str, bool]) -> dict[str, Any]:
    """Describe one system beside the reference, several by their names."""
    described = corpus.described()
    values = {name: report.to_dict(**more) for name, report in reports.items()}
    if len(values) > 1:
        return {**described, "systems": {name: {**described["systems"][name], **values[name]} for name in values}}
    ((name, of_system),) = values.items()
    return {"reference": described["reference"], "prediction": described["systems"][name], **of_system}


def _parts(corpus: CorpusFiles, reports: Mapping[str, Report], more: Mapping[str, bool]) -> Iterator[Part]:
    several, first = len(reports) > 1, next(iter(reports.values()))
    reference, *systems = corpus.sides
    sides = systems if several else [("prediction", side) for _, side in systems]
    yield from heading(headlines([reference, *sides], first.reference_size if several else first.size))
    yield ""
    yield from system_parts(reports, **more) if several else first.lines(**more)


def _one_number(reports: Mapping[str, Report]) -> Number:
    """Compute the headline of the only measure of the only system, over all attributes if it is by attribute."""
    results = [result for report in reports.values() for result in report.results]
    if len(results) > 1:
        measures = len(results) // len(reports)
        what = [counted(len(reports), "system"), counted(measures, "measure")]
        raise InputError(
            f"{mention('score_only')} is one number, and there are {' and '.join(what)}.",
            "Give one PREDICTION, and one measure with --measures.",
        )
    (result,) = results
    values = next(iter(result.scores.values())) if is_by_attribute(result.scores) else result.scores
    headline = result.measure.headline
    return Number(values[headline], kind_of(result.measure, headline))


def _score_all(corpus: CorpusFiles, measures: Sequence[Any], resampling: Resampling | None, output: TableOutput) -> int:
    """Score the systems against each annotator and all, and show."""
    drawn = {} if resampling is None else asdict(resampling)
    with corpus.placing_errors():
        result = score_against(corpus.annotators, corpus.systems, measures=measures, **corpus.reading, **drawn)
    output.show(result, corpus.described(), corpus.heading(result.documents, result.tokens, result.unit))
    return 0


def _number_in(options: argparse.Namespace, files: int) -> int:
    """Read the number of references; raise an `InputError` if it is no number, or leaves no system."""
    text: str = options.references
    for name in _NOT_SHOWN:
        if getattr(options, name):
            raise InputError(f"{options.flags[name]} is for one reference.", "Leave it out.")
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise InputError(f"invalid value for --references: {text!r}.", "Give the number of files, at least 1.")
    if number >= files:
        problem = f"the first {counted(number, 'file')} are references, and there are {counted(files, 'file')}."
        raise InputError(problem, "Give the files of systems behind them.")
    return number
