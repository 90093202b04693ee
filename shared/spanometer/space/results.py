"""The results of a page: the score and its parts, the marked text, the comparison of all measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..alignment.overlaps import Alignment
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report, label_tables
from ..exceptions import InputError, counted, setting
from ..measures.aligned import AlignedMeasure
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.eter import Eter
from ..measures.gamma import Gamma
from ..measures.registry import MEASURES, TREE_MEASURES
from ..readers.text.markup import EntityTypes
from ..tables.table import Cell, Number, Table
from ..web.templates import number
from .attributes import attribute_results, read_both
from .chance import charts
from .chance_work import require_little_work
from .corpus import Corpus, flat_trees, read_tags, read_trees
from .downloads import result_downloads
from .errors import kinds_of_errors
from .forms import Answer
from .illegal import illegal_tags
from .marks import marked_text
from .pages import Page, key_title, page_of
from .templates import error_message, render
from .trees import aligned_trees

_MAX_SAMPLED = 300_000
"""How many random units (units times samples of gamma) a page aligns."""

_SHOWN_LABELS = 100


def respond(
    page: Page, reference: str, prediction: str, values: Mapping[str, Any], *, only_differing: bool = False
) -> Answer:
    """Return the results; an error in words if the input cannot be scored.

    Args:
        page: the page.
        reference, prediction: the texts.
        values: of the page's controls, by name.
        only_differing: whether to show only sentences (of attributes: values) in which the sides differ.
    """
    try:
        if page.input == "attributes":
            sides = read_both(reference, prediction)
            return Answer(attribute_results(page, *sides, values, only_differing))
        return _results(page, _read(page, reference, prediction, values), values, only_differing)
    except InputError as error:
        return Answer(error_message(error, page.fields.spell))


def _read(page: Page, reference: str, prediction: str, values: Mapping[str, Any]) -> Corpus:
    reading = page.reading(values)
    if isinstance(reading, EntityTypes):
        return read_trees(reference, prediction, entity_types=reading.known)
    return read_tags(reference, prediction, scheme=reading.scheme, repair=reading.repair, prefix=reading.prefix)


def _results(page: Page, corpus: Corpus, values: Mapping[str, Any], only_differing: bool) -> Answer:
    measure = page.measure(values, corpus.words)
    if isinstance(measure, AlignedMeasure) and measure.labels == "ignore":
        # the marks, the charts and the other measures too
        sides = corpus.references.unlabelled(), corpus.predictions.unlabelled()
        corpus = replace(corpus, references=sides[0], predictions=sides[1])
    alignment = Alignment(corpus.references, corpus.predictions)
    counts = _counts(measure, corpus, alignment)
    result = MeasureResult.of(measure, counts, corpus.reading, page.resampling(values))
    report = _report(corpus, result)
    scores, missing = result.scores, _missing(corpus)
    unknown = {key for key in scores if missing and _has_no_value(measure, key)}
    parts = [
        {
            "title": key_title(measure, key),
            "value": "–" if key in unknown else _written(measure, key, value),
            "interval": None if key in unknown else result.intervals.get(key),
        }
        for key, value in scores.items()
    ]
    headline = parts.pop(list(scores).index(measure.headline))
    if measure.headline in unknown:
        headline["value"] = missing
    trees = None
    if isinstance(measure, Eter) and corpus.trees is not None:
        trees = aligned_trees(measure, *corpus.trees, corpus.words)
    drawn = charts(measure, counts, scores, corpus) if isinstance(measure, ChanceKappaF1) else ()
    html = render(
        "results.html",
        about=f"{'higher' if measure.higher_is_better else 'lower'} is better",
        notes=[*corpus.notes, *result.notes, *_notes(corpus, missing)],
        headline=headline,
        parts=parts,
        size=report.size,
        signatures=[result.signature],
        downloads=result_downloads(page, values, report),
        illegal=illegal_tags(corpus, scores[measure.headline], lambda other: _headline(measure, other)),
        trees=trees,
        errors=None if trees or measure.input != "spans" else kinds_of_errors(alignment),
        marks=None if trees else marked_text(alignment, corpus.words, only_differing=only_differing),
        comparison=list(_comparison(measure, scores, corpus, alignment, page.shared(values))),
        labels=_labels(report),
        charts=drawn,
    )
    return Answer(html, [chart.figure for chart in drawn])


def _report(corpus: Corpus, result: MeasureResult) -> Report:
    """Make the report of a result, as commands make it of files."""
    tokens = sum(map(len, corpus.words))
    if corpus.trees is not None:
        sides = len(corpus.trees[0]), len(corpus.trees[1])
        return Report(len(corpus.words), tokens, *sides, (result,), ("entity", "entities"))
    sides = len(corpus.references), len(corpus.predictions)
    return Report(len(corpus.words), tokens, *sides, (result,), documents_text=counted(len(corpus.words), "sentence"))


def _missing(corpus: Corpus) -> str:
    """Say which side has nothing to score; a rate of errors has no denominator without a reference."""
    noun = "spans" if corpus.trees is None else "entities"
    reference, prediction = map(len, corpus.trees or (corpus.references, corpus.predictions))
    return "" if reference else f"no {noun} in the reference" if prediction else f"no {noun} found"


def _notes(corpus: Corpus, missing: str) -> Iterator[str]:
    """Yield what the user should know about a side without anything to score."""
    if missing:
        zero = f"{missing[0].upper()}{missing[1:]}: scores without a denominator are what “Zero division” says."
        types = corpus.reading.get("entity_types", "").replace(",", ", ")
        yield f"{zero} Entities are tags of these types: {types}." if types else zero


def _has_no_value(measure: Measure, key: str) -> bool:
    """Return whether a value has no meaning without a reference: a rate of errors would look perfect."""
    return not measure.higher_is_better and key.startswith((measure.headline, "ser"))


def _headline(measure: Measure, corpus: Corpus) -> float:
    counts = _counts(measure, corpus, Alignment(corpus.references, corpus.predictions))
    return measure.score(counts)[measure.headline]


def _counts(measure: Measure, corpus: Corpus, alignment: Alignment) -> Any:
    if measure.input == "entities":
        # spans of tags are trees of one node
        return measure.counts(*(corpus.trees or (flat_trees(corpus.references), flat_trees(corpus.predictions))))
    if isinstance(measure, ChanceKappaF1):
        require_little_work(measure, [alignment])
    if isinstance(measure, Gamma):
        _require_few_units(measure, alignment)
    assert isinstance(measure, AlignedMeasure)
    return measure.count(alignment)


def _require_few_units(measure: Gamma, alignment: Alignment) -> None:
    units = len(alignment.references) + len(alignment.predictions)
    if units * measure.samples > _MAX_SAMPLED:
        raise InputError(
            f"{measure.samples} random annotations of {counted(units, 'unit')} are too many for this page.",
            f"Set {setting('samples', max(1, _MAX_SAMPLED // units))}, or score it on your own machine.",
        )


def _written(measure: Measure, key: str, value: float) -> str:
    # numbers of things are floats as sums
    whole = key in measure.results and measure.results[key].whole and value == int(value)
    return number(int(value) if whole else value)


def _comparison(
    measure: Measure, scores: Mapping[str, float], corpus: Corpus, alignment: Alignment, shared: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a row for every measure on the same input that does not take long, the options of others at defaults."""
    kinds: dict[str, type[Measure]] = {**MEASURES, **TREE_MEASURES}
    for name, kind in kinds.items():
        own, page = name == measure.name, page_of(name)
        if not (own or kind.by_default):
            continue
        row = {"title": page.title, "own": own, "higher_is_better": kind.higher_is_better}
        try:
            other = measure if own else kind(**shared, **_suited(name, corpus))
            found = scores if own else other.score(_counts(other, corpus, alignment))
        except InputError as error:
            yield {**row, "problem": f"not computed: {error.texts(page.fields.spell)[0]}"}
            continue
        if not kind.higher_is_better and (missing := _missing(corpus)):
            yield {**row, "problem": missing}
            continue
        value = found[other.headline]
        # of ETER the slot error rates alone
        keys = [key for key in other.keys if key != other.headline and (name != "eter" or key.startswith("ser"))]
        yield {
            **row,
            "problem": "",
            "value": value,
            "bar": round(100 * min(max(value, 0.0), 1.0)) if value == value else 0,
            "rest": [f"{key_title(other, key)} {number(found[key])}" for key in keys],
        }


def _suited(name: str, corpus: Corpus) -> dict[str, Any]:
    """Return the options without which a measure cannot score nested spans."""
    nested: dict[str, dict[str, Any]] = {"chance_kappa_f1": {"placement": "layers"}, "intersection_f": {"cap": True}}
    return {} if corpus.trees is None else nested.get(name, {})


def _labels(report: Report) -> dict[str, Table]:
    """Return the table of the labels by its caption, the most frequent ones of the reference first."""
    (result,) = report.results
    (table,) = label_tables(report)
    found = len(result.per_label)
    hidden = {place for place, key in enumerate(table.keys, 1) if _has_no_value(result.measure, key)}

    def support(row: Sequence[Cell]) -> float:
        return row[-1].value if isinstance(row[-1], Number) else 0

    rows = [
        ["–" if place in hidden and not support(row) else cell for place, cell in enumerate(row)]
        for row in table.rows
        if row is not None
    ]
    labels = sorted(rows[:found], key=support, reverse=True)[:_SHOWN_LABELS]
    caption = f"The first {_SHOWN_LABELS} of {found:,} labels" if found > _SHOWN_LABELS else "Each label by itself"
    return {caption: replace(table, title="label", rows=[*labels, *rows[found:]])} if found else {}
