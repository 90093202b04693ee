"""The results of a measure's page: the score, its tables, and the report of errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..analysis.errors.find import errors
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report, label_tables, score_tables
from ..exceptions import InputError, counted, setting
from ..measures.aligned import AlignedMeasure
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.eter import Eter
from ..measures.gamma import Gamma
from ..measures.registry import MEASURES, TREE_MEASURES
from ..measures.span_attribute import SpanAttribute
from ..measures.span_f import SpanF
from ..spans.entities import Entities
from ..web.error_report import error_report
from ..web.templates import Section, number
from .chance import charts
from .chance_work import require_little_work
from .corpus import READERS, PageCorpus
from .downloads import result_files, snippet
from .forms import Response
from .illegal import illegal_tags
from .items import aligned_entities, attribute_values
from .pages import Page, key_title
from .templates import error_message, render

SHOWN_ERRORS = 1_000
"""How many errors a report shows in their sentences; of more, so many are drawn at random."""

_NESTED: dict[str, dict[str, Any]] = {"chance_kappa_f1": {"placement": "layers"}, "intersection_f": {"cap": True}}
"""The options without which measures cannot score nested spans."""

_MAX_SAMPLED = 300_000
"""How many random units (units times samples of gamma) a page aligns."""


def respond(page: Page, reference: str, prediction: str, values: Mapping[str, Any]) -> Response:
    """Score the texts and show the results; show an error message if they cannot be scored.

    Args:
        page: the page.
        reference, prediction: the texts.
        values: of the page's controls, by name.
    """
    try:
        reading = page.reading(values)
        corpus = READERS[page.input](reference, prediction, *([] if reading is None else [reading]))
        return _results(page, corpus, values)
    except InputError as error:
        return Response(error_message(error, page.fields.spell))


def _results(page: Page, corpus: PageCorpus, values: Mapping[str, Any]) -> Response:
    measure = page.measure(values, corpus.words)
    if isinstance(measure, AlignedMeasure) and not measure.match_labels:
        # the report, the charts and the other measures too
        corpus = corpus.unlabelled()
    counts = _counts(measure, corpus)
    result = MeasureResult.of(measure, counts, corpus.reading, page.resampling(values))
    report = _report(corpus, result)
    missing = _missing(report)
    drawn = (
        charts(measure, counts, result.scores, corpus.spans, corpus.words) if isinstance(measure, ChanceKappaF1) else ()
    )
    html = render(
        "results.html",
        **_score(measure, result, missing),
        notes=[*corpus.notes, *result.notes, *_notes(measure, counts, corpus, missing)],
        size=report.size,
        signatures=[result.signature],
        snippet=snippet(page, values),
        sections=list(_sections(page, corpus, result, report, page.shared(values))),
        charts=drawn,
        report=_error_report(page, corpus, report) if corpus.spans else "",
    )
    return Response(html, [chart.figure for chart in drawn], result_files(page.name, report))


def _report(corpus: PageCorpus, *results: MeasureResult) -> Report:
    """Make the report of results, the same as the commands."""
    sides, documents = corpus.sides, len(corpus.files[0].document_lines)
    tokens = sum(map(len, corpus.words)) if corpus.spans else None
    unit = ("entity", "entities") if isinstance(sides[0], Entities) else ("span", "spans")
    text = counted(documents, "sentence") if corpus.tags else ""
    return Report(documents, tokens, len(sides[0]), len(sides[1]), results, unit, text)


def _score(measure: Measure, result: MeasureResult, missing: str) -> dict[str, Any]:
    """Describe the score and its parts."""
    about = f"{'higher' if measure.higher_is_better else 'lower'} is better"
    if isinstance(measure, SpanAttribute):
        micro = result.scores[measure.micro_key]
        bounds = [micro[key] for key in ("f_low", "f_high") if key in micro]
        whole = {"title": "F1 of all attributes together", "value": number(float(micro["f"])), "interval": bounds}
        return {"about": about, "headline": whole, "parts": []}
    unknown = {key for key in result.scores if missing and _is_rate(measure, key)}
    parts: list[dict[str, Any]] = [
        {
            "title": key_title(measure, key),
            "value": "–" if key in unknown else _written(measure, key, value),
            "interval": None if key in unknown else result.intervals.get(key),
        }
        for key, value in result.scores.items()
    ]
    headline = parts.pop(list(result.scores).index(measure.headline))
    if measure.headline in unknown:
        headline["value"] = missing
    return {"about": about, "headline": headline, "parts": parts}


def _is_rate(measure: Measure, key: str) -> bool:
    """Tell whether a value is a rate of errors: without a reference it would look perfect."""
    return not measure.higher_is_better and key.startswith((measure.headline, "ser"))


def _written(measure: Measure, key: str, value: float) -> str:
    # sums of counts are floats
    whole = key in measure.results and measure.results[key].whole and value == int(value)
    return number(int(value) if whole else value)


def _missing(report: Report) -> str:
    """Say which side has nothing to score."""
    noun = report.unit[1]
    if report.reference_spans:
        return ""
    return f"no {noun} in the reference" if report.predicted_spans else f"no {noun} found"


def _notes(measure: Measure, counts: Any, corpus: PageCorpus, missing: str) -> Iterator[str]:
    """Yield notes on sides without anything to score, and on spans that only one side has."""
    if isinstance(measure, SpanAttribute):
        yield from measure.unmatched(counts)
        yield from () if counts.labels else ("No span of either side has an attribute.",)
    elif missing:
        zero = f"{missing[0].upper()}{missing[1:]}: scores without a denominator are what “Zero division” says."
        types = corpus.reading.get("entity_types", "").replace(",", ", ")
        yield f"{zero} Entities are tags of these types: {types}." if types else zero


def _sections(
    page: Page, corpus: PageCorpus, result: MeasureResult, report: Report, shared: dict[str, Any]
) -> Iterator[Section]:
    """Yield the tables below the score."""
    measure = result.measure
    if corpus.tags:
        yield from illegal_tags(corpus, result, _headline)
    if isinstance(measure, Eter):
        yield aligned_entities(measure, corpus)
    if isinstance(measure, SpanAttribute):
        about = (
            "f: F1, p: precision, r: recall, tp: values on both sides, support: values in the reference, positives: "
        )
        yield Section("Each attribute", score_tables(report), f"{about}predicted values, ap: average precision.")
        yield attribute_values(measure, corpus)
        return
    yield _score_all(page, result, corpus, report, shared)
    if result.per_label:
        yield Section("By label", label_tables(report))


def _score_all(page: Page, own: MeasureResult, corpus: PageCorpus, report: Report, shared: dict[str, Any]) -> Section:
    """Score the same input with every measure that does not take long, the options of others at their defaults."""
    results, notes = [], ["Options of a measure's own are at their defaults, except on its own page."]
    kinds: dict[str, type[Measure]] = {**MEASURES, **TREE_MEASURES}
    for name, kind in kinds.items():
        if name == own.name:
            results.append(own)
        elif kind.by_default:
            try:
                if _missing(report) and not kind.higher_is_better:
                    raise InputError(f"{_missing(report)}.")
                other = kind(**shared, **(_NESTED.get(name, {}) if corpus.trees is corpus.sides else {}))
                results.append(MeasureResult.of(other, _counts(other, corpus), corpus.reading))
            except InputError as error:
                notes.append(f"{name} is not computed: {error.texts(page.fields.spell)[0]}")
    return Section("All measures on this input", score_tables(_report(corpus, *results)), " ".join(notes))


def _error_report(page: Page, corpus: PageCorpus, report: Report) -> str:
    """Write the report of errors as HTML."""
    try:
        differences = errors(corpus.spans[0], corpus.spans[1], words=corpus.words, confidence=None)
    except InputError as error:
        return f"No report of errors: {error.problem}"
    differences = replace(differences, signature=SpanF().signature(corpus.reading))
    title = f"Errors on the page of {page.name}"
    return error_report(differences, title=title, heading=[("size", report.size)], most=SHOWN_ERRORS)


def _headline(measure: Measure, corpus: PageCorpus) -> float:
    return measure.score(_counts(measure, corpus))[measure.headline]


def _counts(measure: Measure, corpus: PageCorpus) -> Any:
    if isinstance(measure, SpanAttribute):
        try:
            return measure.counts(*corpus.sides)
        except InputError as error:
            raise corpus.locate(error) from None
    if measure.input == "entities":
        return measure.counts(*corpus.trees)
    if isinstance(measure, ChanceKappaF1):
        require_little_work(measure, [corpus.alignment])
    if isinstance(measure, Gamma):
        _require_few_units(measure, sum(map(len, corpus.spans)))
    assert isinstance(measure, AlignedMeasure)
    return measure.count(corpus.alignment)


def _require_few_units(measure: Gamma, units: int) -> None:
    if units * measure.samples > _MAX_SAMPLED:
        raise InputError(
            f"{measure.samples} random annotations of {counted(units, 'unit')} are too many for this page.",
            f"Set {setting('samples', max(1, _MAX_SAMPLED // units))}, or score it on your own machine.",
        )
