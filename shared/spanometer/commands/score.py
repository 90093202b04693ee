"""Score systems against a reference: precision, recall and F1 of their spans.

The format of the files is detected. Leave out PREDICTION if REFERENCE also has
the predictions, in another column.

Examples:
  spanometer score gold.conll system.conll --per-label
  spanometer score gold.conll old.conll new.conll --table latex -o table.tex
  spanometer score gold.jsonl answers.jsonl --grounding strict
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from ..analysis.agreement.against import score_against
from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.scores.measure_result import MeasureResult, NamedDocuments, SuitingMeasures, is_by_attribute
from ..analysis.scores.report import Report, kind_of, system_parts
from ..analysis.scores.score import by_chance, read_bounds
from ..analysis.scores.streams import Reading
from ..counts.statistics import Resampling
from ..documents.arguments import TagArguments
from ..documents.document_file import DocumentFile
from ..documents.joining import naming_documents
from ..documents.sides import files_together
from ..exceptions import InputError, counted, mention, setting
from ..measures.aligned import with_words
from ..measures.registry import MEASURES, is_everything
from ..measures.sl_icm import SlIcm
from ..options import option, options_of, text
from ..plots import plot_difficulty, plot_precision_recall
from ..protocols.protocol import scored_by
from ..spans.annotations import Layers, read_annotations
from ..spans.spans import Spans
from ..tables.table import Number, Part, heading
from ..tags.decoding import LabelDecoding
from ..tags.tags import Tags
from .corpus import CorpusFiles, read_corpus
from .help import known_measures
from .input_files import CONTENTS, SERIES, ChosenLabels, InputFiles, add_reading, require_effect
from .inputs import ShownFile, headlines, input_paths, located, side_of
from .measures import MeasureRequest, add_measure_options, need_words, require_policy
from .options import add_options, add_systems, read_options, refuse, switch
from .output import PlotOutput, TableOutput

_OF_TOKENS = ("tokens", "token_probabilities")
"""What errors about tokens call the reference."""


class ScoreOutput(PlotOutput):
    """Options for showing scores."""

    per_label: bool = switch("also show scores by label, and all averages", common=True, topic="measures")
    per_document: bool = switch("also show the scores of each document")
    score_only: bool = switch("print only the main score, for scripts; needs a single measure")
    by_chance: tuple[float, ...] | None = option(
        None,
        help="also score two groups of documents: those with a chance F1 below this number (such as 0.175), and the "
        "others; several numbers (0.1,0.2) make more groups",
        parse=read_bounds,
        metavar="BOUNDS",
    )

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
        """Whether a single number is written."""
        return self.score_only

    def require_drawable(self, content: str) -> None:
        """Raise an `InputError` if this kind of content cannot have parts or a picture."""
        if self.by_chance is not None and content not in ("tags", "spans"):
            problem = f"{mention('by_chance')} has no effect for {CONTENTS[content]}."
            raise InputError(problem, f"Remove {mention('by_chance')}.")
        if self.plot is not None and content != "attributes" and self.by_chance is None:
            raise InputError(
                f"{mention('plot')} needs {mention('by_chance')} here.",
                f"Add {setting('by_chance', 0.175)}.",
            )


class Pair(NamedTuple):
    """A reference and a system, ready to be scored.

    Attributes:
        references, predictions: the arguments of measures.
        measures: the measures that are defined for both.
        reading: how both were read, for the signature.
        shown: the description of the system's file.
        size: the size of the corpus, if it differs from the lengths of the scored documents.
        file: for spans, the reference after pairing.
    """

    references: Any
    predictions: Any
    measures: Sequence[Any]
    reading: Mapping[str, Any]
    shown: ShownFile
    size: int | None = None
    file: DocumentFile | None = None


def score_corpus(
    source: InputFiles,
    corpus: CorpusFiles,
    measures: Sequence[Any],
    resampling: Resampling | None,
    output: ScoreOutput,
) -> tuple[CorpusFiles, dict[str, Report]]:
    """Compute the measures of each system; errors name file and line.

    Returns:
        The corpus with its files as they were scored, and the report of each system by name.
    """
    if output.plot is not None and len(corpus.systems) > 1:
        raise InputError(f"{mention('plot')} can draw only one system.", "Give one PREDICTION, or remove --plot.")
    measures = informed(source, corpus, measures)
    accuracy = {}
    if corpus.content == "tags":
        labels = source.label_map or {}
        accuracy = {name: _tag_accuracy(corpus.reference, other, labels) for name, other in corpus.systems.items()}
        with corpus.placing_errors():
            sides, reading = read_annotations(corpus.annotations, LabelDecoding(**source.decoding))
        corpus = replace(corpus, annotations=source.of_sides(sides), reading={**reading, **source.signed()})
    shown, reports = [corpus.shown[0]], {}
    in_lines = corpus.content in ("tags", "entities")
    of_tokens = dict.fromkeys(_OF_TOKENS, corpus.first)
    for name in corpus.systems:
        files = {"references": corpus.first, "predictions": corpus.files[f"{SYSTEM}{name}"]}
        with corpus.placing_errors({**of_tokens, **files}):
            scored = _pair(source, corpus, name, measures)
            sides_of_pair = scored.references, scored.predictions
            with naming_documents(scored.file):
                report = Report.of(
                    *sides_of_pair, scored.measures, scored.reading, _progress, resampling, output.per_document
                )
            report = replace(
                report,
                tokens=report.tokens if scored.size is None else scored.size,
                documents_text=corpus.documents,
                tag_accuracy=accuracy.get(name),
                named_documents=NamedDocuments.of(corpus.first if in_lines else scored.file),
            )
            reports[name] = _completed(report, corpus, scored, resampling, output)
        of_spans = isinstance(scored.references, Spans)
        shown.append(scored.shown.beside(*sides_of_pair, scored.measures) if of_spans else scored.shown)
    return replace(corpus, shown=shown), reports


def _tag_accuracy(references: Tags | Layers, predictions: Tags | Layers, label_map: Mapping[str, str]) -> float | None:
    """Compute the proportion of tags that are equal, after renaming labels, in all layers.

    Return None if there are no tokens.
    """
    pairs = [side.columns if isinstance(side, Layers) else [side] for side in (references, predictions)]
    tokens = sum(len(tags.codes) for tags in pairs[0])
    number: dict[str, int] = {}

    def numbers(tags: Tags) -> Any:
        parts = (name.partition("-") for name in tags.names)
        named = (f"{prefix}{hyphen}{label_map.get(label, label)}" for prefix, hyphen, label in parts)
        codes = [number.setdefault(name, len(number)) for name in named]
        return np.array(codes, dtype=np.min_scalar_type(len(number)))[tags.codes]

    equal = sum(int((numbers(tags) == numbers(other)).sum()) for tags, other in zip(*pairs, strict=True))
    return equal / tokens if tokens else None


def _pair(source: InputFiles, corpus: CorpusFiles, name: str, measures: Sequence[Any]) -> Pair:
    """Pair a system with the reference: convert spans to the same unit, which the signature names."""
    references, predictions = corpus.reference, corpus.systems[name]
    shown = corpus.shown[1 + list(corpus.systems).index(name)]
    if corpus.content == "strings":
        policy = source.string_policy
        require_policy(measures, policy)
        compared = [replace(measure, **policy.compared) for measure in measures]
        return Pair(references, predictions.mentions, compared, predictions.choices, shown)
    if corpus.content == "entities":
        files = corpus.first, corpus.files[f"{SYSTEM}{name}"]
        return Pair(references, predictions, measures, source.reading_of_trees(files), shown)
    if corpus.content != "spans":
        return Pair(references, predictions, measures, corpus.reading, shown)
    answered = any(file.answers is not None for file in corpus.systems.values())
    answers = any(file.answers is not None for file in (references, predictions)) or not answered
    sides = {"references": references, "predictions": predictions}
    paired = files_together(sides, source.pairing if answers else source.pairing.of_spans)
    both: list[Spans] = source.pairing.scored_spans(source.of(*paired.spans.values()))
    if isinstance(measures, SuitingMeasures):
        defined, undefined = measures.of(*both)
    else:
        defined, undefined = with_words(measures, lambda: paired.words), []
    reading: dict[str, Any] = {**paired.reading, **source.signed()}
    shown = side_of(predictions, paired, remarks=undefined)
    return Pair(both[0], both[1], defined, reading, shown, paired.answered_size, paired.file)


def _completed(
    report: Report, corpus: CorpusFiles, scored: Pair, resampling: Resampling | None, output: ScoreOutput
) -> Report:
    """Add to a report the numbers of spans on only one side (for attributes), and parts of the corpus.

    Draw pictures.
    """
    if corpus.content == "attributes":
        results = []
        for result in report.results:
            measure: Any = result.measure
            results.append(replace(result, notes=[*result.notes, *measure.unmatched(result.counted)]))
            if output.plot is not None:
                plot_precision_recall(measure.curves(result.counted), output.plot)
        return replace(report, results=tuple(results))
    if output.by_chance is None:
        return report
    sides = scored.references, scored.predictions
    subsets = by_chance(*sides, output.by_chance, scored.measures, scored.reading, resampling)
    if output.plot is not None:
        plot_difficulty(subsets, output.plot)
    noun = "sentence" if corpus.first.sentences else "document"
    called = {name: replace(part, documents_text=counted(part.documents, noun)) for name, part in subsets.items()}
    return replace(report, subsets=called)


def informed(source: InputFiles, corpus: CorpusFiles, measures: Sequence[Any]) -> Sequence[Any]:
    """Give measures the words of the reference, or the probabilities of its tokens, if they need them."""
    column, references = source.token_probability_column, corpus.first
    weighing = [measure for measure in measures if isinstance(measure, SlIcm)]
    if column is not None and not weighing:
        raise InputError(f"{mention('token_probability_column')} needs sl_icm.", "Add sl_icm to --measures.")
    if column is not None and any(measure.token_probabilities is not None for measure in weighing):
        raise InputError(
            f"{mention('token_probabilities')} and {mention('token_probability_column')} both give probabilities.",
            "Remove one of these options.",
        )
    if column is None and not (corpus.content == "tags" and need_words(measures)):
        return measures
    kept = source.kept(references)
    if column is not None:
        of_documents: Any = np.split(references.numbers[kept], references.tags[0].take(kept).offsets[1:-1])
        with located({"token_probabilities": references}):
            measures = [
                replace(measure, token_probabilities=of_documents) if isinstance(measure, SlIcm) else measure
                for measure in measures
            ]
    if references.words is None and (lacking := [measure.name for measure in measures if measure.needs_tokens]):
        raise InputError(
            f"{lacking[0]} needs words, and the reference file has none.",
            "Name their column with --words-column.",
            source=references.source,
        )
    words: Any = references.words
    return with_words(measures, lambda: words.take(kept))


def _progress(steps: Sequence[Any]) -> Iterable[Any]:
    from tqdm import tqdm

    shown: Iterable[Any] = tqdm(steps, desc="scoring", unit="step", delay=1, leave=False, disable=None)
    return shown


class ParquetFiles(LabelDecoding, ChosenLabels):
    """Options for Parquet files that have both sides in columns: tags, spans or entity trees."""

    cluster: str | None = text(
        "ADDRESS",
        "score Parquet files with Dask, on the cluster of this scheduler (tcp://host:8786) or on this machine (local)",
    )
    references: str = option(
        "references", help="column of the reference", kind=str, flag="reference-column", metavar="COLUMN"
    )
    predictions: str = option(
        "predictions", help="column of the system", kind=str, flag="prediction-column", metavar="COLUMN"
    )
    lengths: str | None = text(
        "COLUMN", "column with each document's number of tokens; needed for spans", flag="lengths-column"
    )

    def score(self, paths: Sequence[str], measures: Sequence[Any]) -> tuple[CorpusFiles, Report]:
        """Count the files on workers, and compute scores from the summed counts."""
        if len(paths) > 1:
            raise InputError(
                "--cluster needs one name, or one quoted pattern, of Parquet files with both sides as columns.",
                'For example "data/*.parquet".',
            )
        from ..integrations.dask import tally

        columns = self.references, self.predictions
        decoding: TagArguments = {"scheme": self.scheme, "repair": self.repair, "prefix": self.prefix}
        reading = Reading.of(measures, *columns, self.lengths, **decoding, **self.chosen)
        sums = tally(paths[0], reading, client=self.cluster)
        how = self.reading(str(reading.decoding.scheme)) if sums.form == "tags" else {"input": sums.form or "nothing"}
        how = {**how, **self.signed()}
        results = tuple(MeasureResult.of(measure, sums.counts[measure.name], how) for measure in measures)
        unit = ("entity", "entities") if sums.form == "entities" else ("span", "spans")
        sizes = sums.documents, sums.tokens, sums.reference_spans, sums.predicted_spans
        files = dict.fromkeys((REFERENCES, SYSTEM), paths[0])
        shown = [ShownFile(f"{paths[0]}, {name}", {"file": paths[0], "column": name}) for name in columns]
        corpus = CorpusFiles(content="parquet", files=files, annotations=files, shown=shown)
        return corpus, Report(*sizes, results, unit)


_OTHERS = "For other measures, see --measures all or spanometer help measures."

_OF_ONE_REFERENCE = (
    *("per_label", "per_document", "score_only", "by_chance", "plot", "reference_column", "prediction_column"),
    *("words_column", "token_probability_column", "protocol"),
)
"""Options that can be used only with one reference."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    default = "span_f, link_f and bcubed; or all"
    add_measure_options(parser, known_measures(), default=default, intervals=True, protocols=True)
    reading = add_systems(parser)
    reading.add_argument(
        "--references",
        metavar="N",
        help="the first N files are references, one for each annotator; if N is 1, the first file contains all "
        "annotators",
    )
    add_reading(parser, options_of(InputFiles))
    parser.add_argument_group("answers")
    add_options(parser.add_argument_group("reading Parquet files"), ParquetFiles)
    add_options(parser.add_argument_group("output"), ScoreOutput)


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    request = MeasureRequest(options)
    paths = [options.reference, *options.systems]
    output = read_options(ScoreOutput, options)
    number = 0 if options.references is None else _number_in(options, len(paths))
    resampling = request.resampling
    if options.cluster is not None:
        return _score_parquet(request, paths, resampling, output)
    paths = input_paths(paths, options.answer_key, systems=number or 1)
    source = read_options(InputFiles, options)
    content = request.content(source, paths, SERIES if number else tuple(CONTENTS))
    available, default = (MEASURES, ["span_f"]) if number else (known_measures(), None)
    everything, others = is_everything(options.measures), not options.measures and content in ("tags", "spans")
    measures = request.measures_of(content, available, default, resampling)
    if everything:
        measures = SuitingMeasures(measures)
    if content == "attributes":
        refuse(options, ("per_label", "per_document"), "attributes, because all are shown")
    output.require_drawable(content)
    corpus = read_corpus(source, content, paths, options.names, annotators=number, words=need_words(measures))
    if number:
        return _score_all(corpus, measures, resampling, output)
    corpus, reports = score_corpus(source, corpus, measures, resampling, output)
    reports = _official(request, reports)
    for report in reports.values():
        request.require_signatures([result.signature for result in report.results])
    return _show(corpus, reports, output, others=others)


def _score_parquet(
    request: MeasureRequest, paths: Sequence[str], resampling: Resampling | None, output: ScoreOutput
) -> int:
    """Score Parquet files on a cluster, and show."""
    options = request.options
    source = read_options(ParquetFiles, options)
    require_effect(options, ParquetFiles, options_of(ParquetFiles), "Parquet files")
    measures = request.measures_of("parquet", known_measures(), None, resampling)
    refuse(options, ["per_document"], "Parquet files")
    if resampling is not None:
        raise InputError(
            "--confidence needs counts of each document, but --cluster only has their sums.",
            "Remove --confidence, or score the files without --cluster.",
        )
    corpus, report = source.score(paths, measures)
    return _show(corpus, _official(request, {"": report}), output, others=False)


def _official(request: MeasureRequest, reports: Mapping[str, Report]) -> dict[str, Report]:
    """Add the official scores of the protocol, if there is one."""
    protocol = request.protocol
    return {name: report if protocol is None else scored_by(protocol, report) for name, report in reports.items()}


def _show(corpus: CorpusFiles, reports: Mapping[str, Report], output: ScoreOutput, *, others: bool) -> int:
    """Show reports; on the screen also a line about other measures."""
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
    """Describe one system beside the reference, or several systems by name."""
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
    yield from system_parts(reports, **more)


def _one_number(reports: Mapping[str, Report]) -> Number:
    """Return the main score of the only measure and system; if scores are by attribute, over all attributes."""
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
    """Score the systems against each annotator and against all, and show the result."""
    drawn = {} if resampling is None else asdict(resampling)
    with corpus.placing_errors():
        result = score_against(corpus.annotators, corpus.systems, measures=measures, **corpus.reading, **drawn)
    output.show(result, corpus.described(), corpus.heading(result.documents, result.tokens, result.unit))
    return 0


def _number_in(options: argparse.Namespace, files: int) -> int:
    """Return the number of references; raise an `InputError` if it is not a number, or if no system is left."""
    text: str = options.references
    refuse(options, _OF_ONE_REFERENCE, "several references")
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise InputError(f"invalid value for --references: {text!r}.", "Give the number of files, at least 1.")
    if number >= files:
        problem = f"all {counted(files, 'file')} are references."
        raise InputError(problem, "Give the systems' files after the references.")
    return number
