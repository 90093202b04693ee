"""Score systems against a reference: precision, recall and F1 of their spans.

Spanometer detects the format of the files. If one file has both reference and
predictions, give only this file. For tags, name the columns: --column 2,3.

Examples:
  spanometer score gold.conll system.conll --per-label
  spanometer score gold.conll old.conll new.conll --table latex -o table.tex
  spanometer score gold.jsonl answers.jsonl --grounding strict
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from ..analysis.agreement.against import score_against
from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.scores.measure_result import MeasureResult, NamedDocuments, SuitingMeasures, is_by_attribute
from ..analysis.scores.report import Report, kind_of, system_parts
from ..analysis.scores.score import by_chance, read_bounds
from ..analysis.scores.streams import Reading
from ..counts.statistics import Intervals, Resampling
from ..documents.arguments import TagArguments
from ..documents.joining import locating_errors, naming_documents
from ..documents.sides import files_together
from ..exceptions import InputError, counted, mention, setting
from ..grounding.policies import StringPolicy
from ..measures.aligned import with_words
from ..measures.registry import MEASURES, NAMED_MEASURES
from ..measures.sl_icm import SlIcm
from ..options import option, options_of, text
from ..plots import plot_difficulty, plot_precision_recall
from ..protocols.protocol import scored_by
from ..spans.annotations import read_annotations, tag_accuracy
from ..spans.spans import Spans
from ..tables.table import Number, heading
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from .corpus import Corpus, require_drawable
from .input_files import CONTENTS, SERIES, ChosenLabels, InputFiles, add_reading
from .measures import MeasureRequest, add_measure_options
from .options import add_options, add_systems, group_of, read_options, refuse, refuse_others, switch
from .output import ShownFile, TableOutput, headlines, progress_bar


class ScoreOutput(TableOutput):
    """Options for showing scores.

    Attributes:
        per_label: also show the scores of each label and their averages.
        per_document: also show the scores of each document.
        score_only: print only the main score, for scripts; needs a single measure.
        by_chance: also score groups of documents, split by the F1 expected by chance. For example, 0.175 gives two
            groups: documents below 0.175, and all others. With 0.1,0.2 there are three groups.
    """

    per_label: bool = switch(common=True, topic="measures")
    per_document: bool = switch()
    score_only: bool = switch()
    by_chance: tuple[float, ...] | None = option(None, parse=read_bounds, metavar="BOUNDS")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.score_only and (self.json or self.per_label or self.per_document or self.table != "text"):
            remedy = "Leave out --json, --table, --per-label and --per-document."
            raise InputError(f"{mention('score_only')} prints one number.", remedy)

    @property
    def has_own_form(self) -> bool:
        """Whether a single number is written."""
        return self.score_only


def score_corpus(
    corpus: Corpus, measures: Sequence[Any], resampling: Resampling | None, output: ScoreOutput
) -> tuple[Corpus, dict[str, Report]]:
    """Compute the measures of each system; errors name file and line.

    Returns:
        The corpus with its files as they were scored, and the report of each system by name.
    """
    if output.plot is not None:
        require_drawable(corpus.systems)
    source, measures = corpus.source, informed(corpus, measures)
    tags = {name: [corpus.reference, other] for name, other in corpus.systems.items()}
    if corpus.content == "tags":
        with corpus.placing_errors():
            sides, reading = read_annotations(corpus.annotations, LabelDecoding(**source.decoding))
        corpus = replace(corpus, annotations=source.of_sides(sides), reading={**reading, **source.signed()})
    shown, reports = dict(corpus.shown), {}
    for name in corpus.systems:
        side = f"{SYSTEM}{name}"
        # errors about tokens call the reference by other names
        of_reference = dict.fromkeys(("references", "tokens", "token_probabilities"), corpus.first)
        with corpus.placing_errors(**of_reference, predictions=corpus.files[side]):
            shown[side], report = _score_system(corpus, name, measures, resampling, output)
        accuracy = tag_accuracy(tags[name], {**source.decoding, "label_map": source.label_map})
        reports[name] = replace(report, documents_text=corpus.documents, tag_accuracy=accuracy)
    return replace(corpus, shown=shown), reports


def _score_system(
    corpus: Corpus, name: str, measures: Sequence[Any], resampling: Resampling | None, output: ScoreOutput
) -> tuple[ShownFile, Report]:
    """Score one system, and draw pictures; also returns the description of its file as it was scored."""
    source, reading, side = corpus.source, corpus.reading, f"{SYSTEM}{name}"
    references, predictions, shown = corpus.reference, corpus.systems[name], corpus.shown[side]
    # the file that names the documents, and the size of the corpus if the scored documents have another size
    named, size = corpus.first if corpus.content in ("tags", "entities") else None, None
    if corpus.content == "entities":
        reading = corpus.reading_of_trees(corpus.first, corpus.files[side])
    elif corpus.content == "spans":
        answered = any(file.answers is not None for file in corpus.systems.values())
        answers = any(file.answers is not None for file in (references, predictions)) or not answered
        sides = {"references": references, "predictions": predictions}
        paired = files_together(sides, source.pairing if answers else source.pairing.of_spans, source)
        named, file = paired.file, predictions.noting(*paired.notes)
        references, predictions = source.of(*paired.spans.values())
        if isinstance(measures, SuitingMeasures):
            measures, notes = measures.of(references, predictions)
            file = file.noting(*notes)
        else:
            measures = with_words(measures, lambda: paired.words)
        reading = {**paired.reading, **source.signed()}
        file = replace(file, left_out=(*file.left_out, *paired.left_out))
        shown = ShownFile.of(file, paired.grounded.get("predictions"))
        size = paired.answered_size
    progress = partial(progress_bar, desc="scoring", unit="step")
    with naming_documents(named if corpus.content == "spans" else None):
        report = Report.of(references, predictions, measures, reading, progress, resampling, output.per_document)
    report = replace(report, tokens=report.tokens if size is None else size, named_documents=NamedDocuments(named))
    if corpus.content == "attributes":
        results = []
        for result in report.results:
            measure: Any = result.measure
            results.append(replace(result, notes=[*result.notes, *measure.unmatched(result.counted)]))
            if output.plot is not None:
                plot_precision_recall(measure.curves(result.counted), output.plot)
        report = replace(report, results=tuple(results))
    elif output.by_chance is not None:
        subsets = by_chance(references, predictions, output.by_chance, measures, reading, resampling)
        if output.plot is not None:
            plot_difficulty(subsets, output.plot)
        noun = "sentence" if corpus.first.sentences else "document"
        called = {part: replace(each, documents_text=counted(each.documents, noun)) for part, each in subsets.items()}
        report = replace(report, subsets=called)
    return shown.beside(references, predictions, measures) if isinstance(references, Spans) else shown, report


def informed(corpus: Corpus, measures: Sequence[Any]) -> Sequence[Any]:
    """Give measures the words of the reference, or the probabilities of its tokens, if they need them.

    Measures of strings get the options of the policy.
    """
    source, references = corpus.source, corpus.first
    if corpus.content == "strings":
        policy, default = source.string_policy, StringPolicy().compared
        for measure in measures:
            compared = {name: getattr(measure, name) for name in default}
            if compared not in (policy.compared, default):
                options = " and ".join(mention(name) for name in compared)
                problem = f"{setting('grounding', str(policy))} already sets {options} of {measure.name}."
                raise InputError(problem, f"Leave out {options}.")
        return [replace(measure, **policy.compared) for measure in measures]
    column = source.token_probability_column
    weighing = [measure for measure in measures if isinstance(measure, SlIcm)]
    if column is not None and not weighing:
        raise InputError(f"{mention('token_probability_column')} needs sl_icm.", "Add sl_icm to --measures.")
    if column is not None and any(measure.token_probabilities is not None for measure in weighing):
        both = f"{mention('token_probabilities')} and {mention('token_probability_column')}"
        raise InputError(f"{both} both give probabilities.", "Remove one of these options.")
    if column is None and not (corpus.content == "tags" and any(measure.needs_tokens for measure in measures)):
        return measures
    kept = source.kept(references)
    if column is not None:
        inner = references.tags[0].take(kept).offsets[1:-1]
        own: dict[str, Any] = {"token_probabilities": np.split(references.numbers[kept], inner)}
        with locating_errors({"token_probabilities": references}):
            measures = [replace(each, **own) if isinstance(each, SlIcm) else each for each in measures]
    if references.words is None and (lacking := [measure.name for measure in measures if measure.needs_tokens]):
        problem = f"{lacking[0]} needs words, but the reference file has no words."
        raise InputError(problem, "Give the column of words with --words-column.", source=references.source)
    words: Any = references.words
    return with_words(measures, lambda: words.take(kept))


class ParquetFiles(LabelDecoding, ChosenLabels):
    """Options for Parquet files that have both sides in columns: tags, spans or entity trees.

    Attributes:
        cluster: score Parquet files with Dask. ADDRESS is a cluster's scheduler, such as tcp://host:8786, or `local`
            for this machine.
        references: column of the reference.
        predictions: column of the system.
        lengths: column with each document's number of tokens; needed if the file has spans instead of tags.
    """

    cluster: str | None = text("ADDRESS")
    references: str = option("references", kind=str, flag="reference-column", metavar="COLUMN")
    predictions: str = option("predictions", kind=str, flag="prediction-column", metavar="COLUMN")
    lengths: str | None = text("COLUMN", flag="lengths-column")


_OTHERS = "For other measures, see --measures all or spanometer help measures."

_OF_ONE_REFERENCE = (
    *("per_label", "per_document", "score_only", "by_chance", "plot", "reference_column", "prediction_column"),
    *("words_column", "token_probability_column", "protocol"),
)
"""Options that can be used only with one reference."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_measure_options(parser, NAMED_MEASURES, default='span_f, link_f, bcubed; "all" for all', protocols=True)
    add_options(parser, "measures", Intervals)
    add_systems(parser)
    what = "the first N files are references, one per annotator. If one file has all annotators' spans, use 1"
    group_of(parser, "reading").add_argument("--references", metavar="N", type=int, help=what)
    add_reading(parser, options_of(InputFiles))
    group_of(parser, "answers")
    add_options(parser, "reading Parquet files", ParquetFiles)
    add_options(parser, "output", ScoreOutput)


def run(options: argparse.Namespace) -> None:
    """Read, score and show."""
    request = MeasureRequest(options)
    output = read_options(ScoreOutput, options)
    number = 0 if options.references is None else _number_in(options)
    resampling = request.resampling
    if options.cluster is not None:
        _show(request, *_score_parquet(request, resampling), output)
        return
    corpus = Corpus.of(options, number, SERIES if number else CONTENTS)
    content = corpus.content
    available, default = (MEASURES, ["span_f"]) if number else (NAMED_MEASURES, None)
    measures = request.measures_of(content, available, default, resampling)
    if content == "attributes":
        refuse(options, ("per_label", "per_document"), "attributes, because every attribute is always shown")
    if content not in SERIES:
        refuse(options, ["by_chance"], CONTENTS[content])
    if output.plot is not None and content != "attributes" and output.by_chance is None:
        problem = f"{mention('plot')} draws the two groups of documents that {mention('by_chance')} defines."
        raise InputError(problem, f"Add {setting('by_chance', 0.175)}.")
    corpus = corpus.read(words=any(measure.needs_tokens for measure in measures))
    if not number:
        _show(request, *score_corpus(corpus, measures, resampling, output), output)
        return
    drawn = {} if resampling is None else asdict(resampling)
    with corpus.placing_errors():
        result = score_against(corpus.annotators, corpus.systems, measures=measures, **corpus.reading, **drawn)
    output.show(result, corpus.described(), heading(corpus.lines(result.documents, result.tokens, result.unit)))


def _score_parquet(request: MeasureRequest, resampling: Resampling | None) -> tuple[Corpus, dict[str, Report]]:
    """Count Parquet files on workers, and compute scores from the summed counts."""
    options = request.options
    source, path = read_options(ParquetFiles, options), options.reference
    refuse_others(options, LabelChoice, options_of(ParquetFiles).values(), "Parquet files")
    measures = request.measures_of("parquet", NAMED_MEASURES, None, resampling)
    refuse(options, ["per_document"], "Parquet files")
    if resampling is not None:
        problem = "--confidence needs counts of each document, but --cluster only has their sums."
        raise InputError(problem, "Remove --confidence, or score the files without --cluster.")
    if options.systems:
        problem = "--cluster needs one name, or one quoted pattern, of Parquet files with both sides as columns."
        raise InputError(problem, 'For example "data/*.parquet".')
    from ..integrations.dask import tally

    sides = {REFERENCES: source.references, SYSTEM: source.predictions}
    decoding: TagArguments = {"scheme": source.scheme, "repair": source.repair, "prefix": source.prefix}
    reading = Reading.of(measures, source.references, source.predictions, source.lengths, **decoding, **source.chosen)
    sums = tally(path, reading, client=source.cluster)
    how = source.reading(str(reading.decoding.scheme)) if sums.form == "tags" else {"input": sums.form or "nothing"}
    how = {**how, **source.signed()}
    results = tuple(MeasureResult.of(measure, sums.counts[measure.name], how) for measure in measures)
    unit = ("entity", "entities") if sums.form == "entities" else ("span", "spans")
    shown = {side: ShownFile(f"{path}, {name}", {"file": path, "column": name}) for side, name in sides.items()}
    corpus = Corpus(source=source, content="parquet", shown=shown)
    return corpus, {"": Report(**sums.sizes, results=results, unit=unit)}


def _show(request: MeasureRequest, corpus: Corpus, reports: Mapping[str, Report], output: ScoreOutput) -> None:
    """Add the official scores of the protocol, if there is one, and show reports."""
    if request.protocol is not None:
        reports = {name: scored_by(request.protocol, report) for name, report in reports.items()}
    for report in reports.values():
        request.require_signatures([result.signature for result in report.results])
    if output.score_only:
        output.write_text(f"{output.precision.text(_one_number(reports))}\n")
        return
    more = {"per_label": output.per_label, "per_document": output.per_document}
    several, first = len(reports) > 1, next(iter(reports.values()))
    (_, reference), *systems = corpus.sides
    if output.json:
        values = [report.to_dict(**more) for report in reports.values()]
        files = [side.described for _, side in systems]
        of_systems = {name: {**file, **value} for name, file, value in zip(reports, files, values, strict=True)}
        shown = {"systems": of_systems} if several else {"prediction": files[0], **values[0]}
        output.write_json({"reference": reference.described, **shown})
        return
    sides = systems if several else [("prediction", side) for _, side in systems]
    lines = headlines([("reference", reference), *sides], first.reference_size if several else first.size)
    others = not request.options.measures and corpus.content in SERIES and output.table == "text"
    output.write_parts([*heading(lines), "", *system_parts(reports, **more), *["", _OTHERS] * others])


def _one_number(reports: Mapping[str, Report]) -> Number:
    """Return the main score of the only measure and system; if scores are by attribute, over all attributes."""
    results = [result for report in reports.values() for result in report.results]
    if len(results) > 1:
        what = f"{counted(len(reports), 'system')} and {counted(len(results) // len(reports), 'measure')}"
        problem = f"{mention('score_only')} prints one number, but got {what}."
        raise InputError(problem, "Give one PREDICTION, and one measure with --measures.")
    (result,) = results
    values = next(iter(result.scores.values())) if is_by_attribute(result.scores) else result.scores
    headline = result.measure.headline
    return Number(values[headline], kind_of(result.measure, headline))


def _number_in(options: argparse.Namespace) -> int:
    """Return the number of references; raise an `InputError` if it is less than 1, or if no system is left."""
    number, files = int(options.references), 1 + len(options.systems)
    refuse(options, _OF_ONE_REFERENCE, "several references")
    if not 0 < number < files:
        problem = f"--references {number} is not possible with {counted(files, 'file')}."
        raise InputError(problem, "Give at least one reference first, then at least one system.")
    return number
