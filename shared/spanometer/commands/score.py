"""Score systems against a reference: precision, recall and F1 of their spans.

The format of files is detected: tags in columns, exports of annotation tools,
answers of language models, entity trees. Without PREDICTION, both sides are
columns of REFERENCE.

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
from ..analysis.scores.counting import SuitingMeasures
from ..analysis.scores.measure_result import is_by_attribute
from ..analysis.scores.official import scored_by
from ..analysis.scores.report import Report, kind_of, system_parts
from ..counts.statistics import Resampling
from ..exceptions import InputError, counted, mention
from ..measures.registry import MEASURES, is_everything
from ..options import options_of
from ..tables.table import Number, Part, heading
from .corpus import CorpusFiles, read_corpus
from .help import known_measures
from .input_files import CONTENTS, SERIES, InputFiles, add_reading, require_effect
from .inputs import headlines, input_paths
from .measures import (
    add_measure_options,
    chosen_content,
    chosen_resampling,
    default_measures,
    need_words,
    read_request,
    require_signatures,
    take_signatures,
)
from .options import add_options, add_systems, read_options, refuse, switch
from .output import OUTPUT_FLAGS, PlotOutput, TableOutput
from .scored_files import ParquetFiles, ScoredParts, score_corpus

_OTHERS = "For other measures, see --measures all or spanometer help measures."

_OF_ONE_REFERENCE = (
    *("per_label", "per_document", "score_only", "by_chance", "plot", "reference_column", "prediction_column"),
    *("words_column", "token_probability_column", "protocol"),
)
"""Options that are for one reference."""


@dataclass(frozen=True, kw_only=True)
class ScoreOutput(PlotOutput):
    """How scores are shown."""

    per_label: bool = switch("also show scores by label, and all averages", common=True, topic="measures")
    per_document: bool = switch("also show the scores of each document")
    score_only: bool = switch("print only the main score, for scripts; needs a single measure")

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
    default = "span_f, link_f and bcubed; or all"
    add_measure_options(parser, known_measures(), default=default, intervals=True, protocols=True)
    reading = add_systems(parser)
    reading.add_argument(
        "--references",
        metavar="N",
        help="the first N files are references, one per annotator; with 1, the first file holds the annotations of all",
    )
    add_reading(parser, options_of(InputFiles))
    parser.add_argument_group("answers")
    add_options(parser.add_argument_group("reading Parquet files"), ParquetFiles)
    output = parser.add_argument_group("output")
    add_options(output, ScoreOutput, called=OUTPUT_FLAGS)
    add_options(output, ScoredParts)


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    take_signatures(options)
    paths = [options.reference, *options.systems]
    output = read_options(ScoreOutput, options)
    number = 0 if options.references is None else _number_in(options, len(paths))
    parts, resampling = read_options(ScoredParts, options), chosen_resampling(options)
    if options.cluster is not None:
        return _score_parquet(options, paths, resampling, output)
    paths = input_paths(paths, options.answer_key, systems=number or 1)
    source = read_options(InputFiles, options)
    content = chosen_content(options, source, paths, SERIES if number else tuple(CONTENTS))
    available, default = (MEASURES, ["span_f"]) if number else (known_measures(), default_measures(content))
    everything, others = is_everything(options.measures), not options.measures and content in ("tags", "spans")
    measures = read_request(options, content, available, default, resampling)
    if everything:
        measures = SuitingMeasures(measures)
    if content == "attributes":
        refuse(options, ("per_label", "per_document"), "attributes, because all are shown")
    parts.require_drawable(content)
    corpus = read_corpus(source, content, paths, options.names, annotators=number, words=need_words(measures))
    if number:
        return _score_all(corpus, measures, resampling, output)
    corpus, reports = score_corpus(source, corpus, measures, resampling, parts, per_document=output.per_document)
    reports = _official(options, reports)
    for report in reports.values():
        require_signatures(options, [result.signature for result in report.results])
    return _show(corpus, reports, output, others=others)


def _score_parquet(
    options: argparse.Namespace, paths: Sequence[str], resampling: Resampling | None, output: ScoreOutput
) -> int:
    """Score Parquet files on a cluster, and show."""
    source = read_options(ParquetFiles, options)
    require_effect(options, ParquetFiles, options_of(ParquetFiles), "Parquet files")
    measures = read_request(options, "parquet", known_measures(), default_measures("spans"), resampling)
    refuse(options, ["per_document"], "Parquet files")
    corpus, reports = source.score(paths, measures, resampling)
    return _show(corpus, _official(options, reports), output, others=False)


def _official(options: argparse.Namespace, reports: Mapping[str, Report]) -> dict[str, Report]:
    """Add the official scores of a protocol, if there is one."""
    if options.official is None:
        return dict(reports)
    return {name: scored_by(options.official, report) for name, report in reports.items()}


def _show(corpus: CorpusFiles, reports: Mapping[str, Report], output: ScoreOutput, *, others: bool) -> int:
    """Show reports, and for people a line about other measures."""
    if output.score_only:
        output.write_text(f"{output.precision.text(_one_number(reports))}\n")
        return 0
    more = {"per_label": output.per_label, "per_document": output.per_document}
    below = ["", _OTHERS] if others and output.table == "text" else []
    output.write(
        lambda: _described(corpus, reports, more),
        lambda: [*_parts(corpus, reports, more), *below],
    )
    return 0


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
            f"{mention('score_only')} prints one number, but there are {' and '.join(what)}.",
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
    refuse(options, _OF_ONE_REFERENCE, "several references")
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise InputError(f"invalid value for --references: {text!r}.", "Give the number of files, at least 1.")
    if number >= files:
        problem = f"all {counted(files, 'file')} are references."
        raise InputError(problem, "Give the systems' files after the references.")
    return number
