"""The page of a measure: its form, and its results (score, tables, charts, report of errors, and files)."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.errors.find import errors
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report, label_tables, score_tables
from ..counts.statistics import Resampling
from ..exceptions import InputError, counted, setting
from ..measures.aligned import AlignedMeasure
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.eter import Eter
from ..measures.gamma import Gamma
from ..measures.placement import place
from ..measures.registry import MEASURES, TREE_MEASURES
from ..measures.seqeval import Seqeval
from ..measures.span_attribute import SpanAttribute
from ..measures.span_f import SpanF
from ..options import made, options_of
from ..plots.figure import draw_chance_f1, draw_coverage
from ..spans.spans import pair_from_tags
from ..tables.result import by_kind
from ..tables.table import Table
from ..tags.decoding import Validation
from ..tags.repairs import REPAIRS
from ..web.error_report import error_report
from ..web.templates import Section, number, shortened, shown
from .corpus import READERS, PageCorpus, read_tags, read_upload
from .forms import READINGS, Box, Form, Page, Response, key_title, page_of
from .grounding_page import LIMITS
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_MARKUP_BYTES, MAX_SPANS, MAX_TOKENS, megabytes, require_little_work
from .texts import HOME, examples_of, excerpt, first_rows, render, space_of, texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TITLES = ("F1 by chance", "Random places of spans")
"""The titles of the charts of a page."""


@dataclass(frozen=True)
class Chart:
    """A chart, its description in words, and the sentence that it shows.

    The figure is None if there is nothing to draw.
    """

    figure: "Figure | None"
    description: str
    quotation: str = ""


def _f1_chart(measure: ChanceKappaF1, result: MeasureResult) -> Chart:
    """Draw the histogram of F1 of the simulated pairs of annotations, with the observed and the expected F1."""
    simulated = getattr(result.counted, "simulated", None)
    observed, expected = result.scores["f1"], result.scores["chance_f1"]
    if simulated is None or np.isnan(observed) or np.isnan(expected):
        drawn = np.zeros(0)
    else:
        drawn = np.atleast_1d(measure.score_totals({**result.counted.per_label(), "both": simulated})["f1"])
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) == 0:
        return Chart(None, "Set a number of simulated annotations to see the distribution of F1 by chance.")
    return Chart(
        draw_chance_f1(drawn, observed, expected),
        f"Histogram of F1 of {counted(len(drawn), 'random annotation')}, from {number(float(drawn.min()))} to "
        f"{number(float(drawn.max()))}. Expected by chance: {number(expected)}. Observed: {number(observed)}.",
    )


def _coverage_chart(measure: ChanceKappaF1, corpus: PageCorpus) -> Chart:
    """Draw where the spans of one sentence and label would lie at random, and where they are.

    Among the sentences and labels for which both sides have spans, the chart shows the one with the most spans.
    """
    nothing, words = Chart(None, ""), corpus.words
    sides: list[dict[tuple[str, int], list[tuple[int, int]]]] = [defaultdict(list), defaultdict(list)]
    for bounds, side in zip(sides, corpus.spans, strict=True):
        for document, start, end, label in side.rows():
            bounds[label, document].append((start, end))
    common = sides[0].keys() & sides[1].keys()
    if not common:
        return nothing
    label, document = most = min(common, key=lambda at: (-len(sides[0][at]) - len(sides[1][at]), at))
    spans = {"reference": sides[0][most], "prediction": sides[1][most]}
    try:
        coverage = {
            name: place(
                len(words[document]),
                [end - start for start, end in bounds],
                placement="independent" if measure.placement == "independent" else "disjoint",
                method=measure.method,
                uniform_threshold=measure.uniform_threshold,
            ).coverage
            for name, bounds in spans.items()
        }
    except InputError:
        return nothing
    return Chart(
        draw_coverage(coverage, spans),
        f"Sentence {document + 1}, label {shortened(label)}: the probability that a random span covers each "
        "token, for the reference (solid line) and the prediction (dashed line). The bars above show the spans.",
        excerpt(words[document]),
    )


SHOWN_ERRORS = 1_000
"""The maximum number of errors that a report shows in their sentences. If there are more, they are drawn at random."""

_NESTED: dict[str, dict[str, Any]] = {"chance_kappa_f1": {"placement": "layers"}, "intersection_f": {"cap": True}}
"""Options that let measures score nested spans."""

_MAX_SAMPLED = 300_000
"""The maximum number of random units (units times samples of gamma) that a page aligns."""


def respond(page: Page, values: Mapping[str, Any]) -> Response:
    """Score the texts and show the results.

    Args:
        page: the page.
        values: the values of the fields, by name.
    """
    chosen, kind = page.read(values), page.kind.input
    reading: list[Any] = [made(READINGS[kind], chosen)] if kind in READINGS else []
    if issubclass(page.kind, Seqeval):
        reading = [made(page.kind, chosen).decoding, chosen["suffix"]]
    corpus: PageCorpus = READERS.get(kind, read_tags)(*(values[box["name"]] for box in page.input["boxes"]), *reading)
    # seqeval's own options fit no other measure
    shared = {name: chosen[name] for name in options_of(Measure) if name in chosen and kind != "tags"}
    words = {"tokens": corpus.words} if "tokens" in chosen else {}
    measure = made(page.kind, {**chosen, **words})
    if isinstance(measure, AlignedMeasure) and not measure.match_labels:
        # the report, the charts and the other measures too
        corpus = corpus.unlabelled()
    counts = _counts(measure, corpus)
    result = MeasureResult.of(measure, counts, corpus.reading, Resampling.chosen(chosen.get("confidence"), chosen))
    headed = replace(result, scores=measure.headline_values(counts)) if isinstance(measure, Seqeval) else result
    references, predictions = corpus.sides
    sizes = Report.of(references, predictions, [], corpus.reading)
    sentences = counted(sizes.documents, "sentence") if corpus.tags else ""
    report = replace(sizes, results=(result,), documents_text=sentences)
    missing = _missing(report)
    # in the order of `TITLES`
    drawn = [_f1_chart(measure, result), _coverage_chart(measure, corpus)] if isinstance(measure, ChanceKappaF1) else []
    html = render(
        "results.html",
        **_score(measure, headed, missing),
        notes=[*corpus.notes, *result.notes, *_notes(measure, counts, corpus, missing)],
        size=report.size,
        signatures=[result.signature],
        snippet=_snippet(page, chosen, corpus.literals),
        sections=list(_sections(page, corpus, result, report, shared)),
        charts=drawn,
        report=_error_report(page, corpus, report) if corpus.spans else "",
    )
    return Response(html, [chart.figure for chart in drawn], _result_files(page.kind.name, report))


def _score(measure: Measure, result: MeasureResult, missing: str) -> dict[str, Any]:
    """Describe the score and its parts."""
    about = f"{'higher' if measure.higher_is_better else 'lower'} is better"
    if isinstance(measure, SpanAttribute):
        micro, bounds = result.rows[measure.micro_key]
        whole = {"title": "F1 over all attributes", "value": number(float(micro["f"])), "interval": bounds.get("f")}
        return {"about": about, "headline": whole, "parts": []}
    # error rates would look perfect if the reference is empty
    rates = () if measure.higher_is_better or not missing else result.scores
    unknown = {key for key in rates if key.startswith((measure.headline, "ser"))}
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


def _written(measure: Measure, key: str, value: float) -> str:
    # sums of counts are floats
    whole = key in measure.results and measure.results[key].whole and value == int(value)
    return number(int(value) if whole else value)


def _missing(report: Report) -> str:
    """Say which side has nothing to score."""
    where = "in the reference" if report.predicted_spans else "found"
    return "" if report.reference_spans else f"no {report.unit[1]} {where}"


def _notes(measure: Measure, counts: Any, corpus: PageCorpus, missing: str) -> Iterator[str]:
    """Yield notes on sides without anything to score, and on spans that only one side has."""
    if isinstance(measure, SpanAttribute):
        yield from measure.unmatched(counts)
        yield from () if counts.labels else ("No span on either side has attributes.",)
    elif missing:
        zero = f"{missing[0].upper()}{missing[1:]}: scores with the denominator 0 have the value of “Zero division”."
        types = corpus.reading.get("entity_types", "").replace(",", ", ")
        yield f"{zero} Only tags of these types are entities: {types}." if types else zero


def _sections(
    page: Page, corpus: PageCorpus, result: MeasureResult, report: Report, shared: dict[str, Any]
) -> Iterator[Section]:
    """Yield the tables below the score."""
    measure = result.measure
    yield from corpus.sections
    if corpus.tags:
        yield from _illegal_tags(corpus, result)
    if isinstance(measure, Eter):
        yield _aligned_entities(measure, corpus)
    if isinstance(measure, SpanAttribute):
        about = "f: F1, p: precision, r: recall, tp: values on both sides, support: reference values, positives: "
        yield Section("Each attribute", score_tables(report), f"{about}predicted values, ap: average precision.")
        yield _attribute_values(measure, corpus)
        return
    if corpus.spans:
        yield _score_all(page, result, corpus, report, shared)
    if isinstance(measure, Seqeval):
        rows = [[shown(label), *map(number, result.scores[label].values())] for label in result.counted.labels]
        yield Section("By label", [Table("label", ("precision", "recall", "f1", "number"), rows)])
    elif result.per_label:
        yield Section("By label", label_tables(report))


def _score_all(page: Page, own: MeasureResult, corpus: PageCorpus, report: Report, shared: dict[str, Any]) -> Section:
    """Score the same input with every measure that does not take long; other measures have their default options."""
    results, notes = [], ["Other measures have their default options."]
    kinds: dict[str, type[Measure]] = {**MEASURES, **TREE_MEASURES}
    for name, kind in kinds.items():
        if name == own.name:
            results.append(own)
        elif kind.quick:
            try:
                if _missing(report) and not kind.higher_is_better:
                    raise InputError(f"{_missing(report)}.")
                other = kind(**shared, **(_NESTED.get(name, {}) if corpus.trees is corpus.sides else {}))
                results.append(MeasureResult.of(other, _counts(other, corpus), corpus.reading))
            except InputError as error:
                notes.append(f"{name} is left out: {error.texts(page.spell)[0]}")
    return Section("All measures", score_tables(replace(report, results=tuple(results))), " ".join(notes))


def _error_report(page: Page, corpus: PageCorpus, report: Report) -> str:
    """Return the report of errors as HTML."""
    try:
        differences = errors(corpus.spans[0], corpus.spans[1], words=corpus.words, confidence=None)
    except InputError as error:
        return f"No report of errors: {error.problem}"
    differences = replace(differences, signature=SpanF().signature(corpus.reading))
    title = f"Errors on the page of {page.kind.name}"
    return error_report(differences, title=title, heading=[("size", report.size)], most=SHOWN_ERRORS)


def _counts(measure: Measure, corpus: PageCorpus) -> Any:
    if measure.input in ("attributes", "mentions"):
        try:
            return measure.counts(*corpus.sides)
        except InputError as error:
            raise corpus.locate(error) from None
    if measure.input == "entities":
        return measure.counts(*corpus.trees)
    if isinstance(measure, Seqeval):
        return measure.count(corpus.alignment, *corpus.tags)
    if isinstance(measure, ChanceKappaF1):
        require_little_work(measure, [corpus.alignment])
    if isinstance(measure, Gamma):
        _require_few_units(measure, sum(map(len, corpus.spans)))
    assert isinstance(measure, AlignedMeasure)
    return measure.count(corpus.alignment)


def _require_few_units(measure: Gamma, units: int) -> None:
    if units * measure.samples > _MAX_SAMPLED:
        raise InputError(
            f"{counted(measure.samples, 'random annotation')} of {counted(units, 'unit')} are too many for this page.",
            f"Set {setting('samples', max(1, _MAX_SAMPLED // units))}, or run it on your own machine.",
        )


_OUTCOMES = {(True, True): "✓ correct", (True, False): "✗ missing", (False, True): "+ spurious"}
"""The outcome of an item, by whether the reference and the prediction have it."""


def _aligned_entities(measure: Eter, corpus: PageCorpus) -> Section:
    """Return a table of the pairs of entities with their costs, and of entities without a partner."""
    trees = [side.coarse() if measure.type_level == "coarse" else side for side in corpus.trees]
    aligned = measure.align(*trees)
    first, second = (list(_names(side.to_dicts(), corpus.words)) for side in trees)
    costs = np.stack([aligned[name] for name in ("root_error", "component_error", "cost")], axis=1)
    paired = zip(aligned["reference"].tolist(), aligned["prediction"].tolist(), costs.tolist(), strict=True)
    rows = [(*first[row], second[column][1], *(f"{cost:.3g}" for cost in values)) for row, column, values in paired]
    missing = np.setdiff1d(np.arange(len(first)), aligned["reference"]).tolist()
    spurious = np.setdiff1d(np.arange(len(second)), aligned["prediction"]).tolist()
    rows += [(*first[entity], "missing", "", "", "1") for entity in missing]
    rows += [(second[entity][0], "spurious", second[entity][1], "", "", "1") for entity in spurious]
    heads = "reference", "prediction", "types and boundaries", "components", "cost"
    ordered = [[f"{document:,}", *cells] for document, *cells in sorted(rows, key=lambda row: row[0])]
    return first_rows("Alignment and its costs", Table("document", heads, ordered, left=3))


def _names(
    documents: Sequence[Sequence[Mapping[str, Any]]], words: Sequence[Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """Describe the entities of each document by their words and types."""
    for document, (entities, listed) in enumerate(zip(documents, words, strict=True), 1):
        for entity in entities:
            text = excerpt(listed[entity["start"] : entity["end"]])
            yield document, f"{text} [{shortened('+'.join(entity['types']))}]"


def _attribute_values(measure: SpanAttribute, corpus: PageCorpus) -> Section:
    """Return a table of the values of attributes on both sides."""
    items = measure.items(*corpus.sides)
    columns = (items.document, items.start, items.end, items.attribute, items.value, items.reference, items.predicted)
    rows = []
    # `items` lists an item of both sides twice
    for document, start, end, attribute, value, *sides in np.unique(np.stack(columns, axis=1), axis=0).tolist():
        words = corpus.words[document] if corpus.words else []
        text = excerpt(words[start:end]) if end <= len(words) else ""
        cells = text, f"{start:,} to {end:,}", shown(items.attributes[attribute])
        written = shown(json.dumps(items.values[value], ensure_ascii=False))
        rows.append([f"{document + 1:,}", *cells, written, _OUTCOMES[bool(sides[0]), bool(sides[1])]])
    heads = "span", "tokens", "attribute", "value", "outcome"
    table = Table("document", heads, rows, left=1 + len(heads))
    return first_rows("Values of both sides", table, "Values that do not count are left out.")


SHOWN_PAIRS = 20
"""The maximum number of illegal pairs of a side that are shown; all are counted."""


def _illegal_tags(corpus: PageCorpus, result: MeasureResult) -> Iterator[Section]:
    """Yield the section on illegal tags, if there are any; it also has the score under another policy."""
    scheme, policy = corpus.reading["scheme"], corpus.reading["repair"]
    names = "reference", "prediction"
    sides = {name: Validation(tags, scheme=scheme) for name, tags in zip(names, corpus.tags, strict=True)}
    if not any(map(len, sides.values())):
        return
    other = "conlleval" if policy == "discard" else "discard"
    *spans, _ = pair_from_tags(*corpus.tags, scheme=scheme, repair=other)
    measure, headline = result.measure, result.measure.headline
    repaired = measure.score(_counts(measure, replace(corpus, spans=spans)))
    scores = {policy: result.scores[headline], other: repaired[headline]}
    sentences = counted(len(corpus.words), "sentence")
    parts = [
        f"The {name} has {counted(len(side), 'illegal pair')} of tags, in {len(side.affected):,} of {sentences}."
        for name, side in sides.items()
        if len(side)
    ]
    policies = [f"{number(value)} with the policy {name} ({REPAIRS[name].help})" for name, value in scores.items()]
    parts.append(f"{key_title(measure, headline)} is {', and '.join(policies)}.")
    heads = "sentence", "token", "illegal", policy, other
    rows = [row for name, side in sides.items() for row in _rows(name, side, corpus, (policy, other))]
    table = Table("side", heads, rows, left=1 + len(heads))
    first = f" Shown: the first {SHOWN_PAIRS} of each side." if sum(map(len, sides.values())) > len(rows) else ""
    yield Section("Illegal tags", [table], " ".join(parts) + first)


def _rows(name: str, side: Validation, corpus: PageCorpus, policies: tuple[str, str]) -> Iterator[list[str]]:
    """Yield a row for each of a side's first illegal pairs: its place, and the spans that each policy decodes there."""
    for pair in islice(side, SHOWN_PAIRS):
        words = corpus.words[pair.document]
        spans = (
            "; ".join(f"{shown(label)}: {excerpt(words[start:end])}" for label, start, end in pair.policies[policy])
            for policy in policies
        )
        token = f"{pair.position + 1:,} {shown(words[pair.position])}"
        yield [name, f"{pair.document + 1:,}", token, shown(str(pair)), *(text or "no span" for text in spans)]


def _result_files(name: str, report: Report) -> dict[str, str]:
    """Return a report of one measure as JSON and CSV, by file name, the same as the commands write."""
    (result,) = report.results
    # the scores of seqeval contain those of the labels
    whole = isinstance(result.measure, Seqeval)
    written = json.dumps(result.to_dict(per_label=not whole), ensure_ascii=False, indent=2)
    tables = {} if whole else by_kind(report.tables())
    return {f"{name}.json": written, **{f"{name}_{kind}.csv": report.to_csv(kind) for kind in tables}}


def _snippet(page: Page, chosen: Mapping[str, Any], literals: Mapping[str, Any]) -> str:
    """Return the Python code that loads the module and computes the score of a page."""
    own, options, listed = page.input, page.options, {"options": "", "parsing": ""}
    for name, value in chosen.items():
        if name not in options or value != options[name].default:
            place = "parsing" if name in options_of(READINGS["mentions"]) else "options"
            listed[place] += f"    {name.removeprefix('answer_')}={_literal(value)},\n"
    loaded = f'"{space_of(page.kind.name)}"{own["configuration"]}'
    return str(own.get("call", texts()["call"])).format(
        name=page.kind.name, loaded=loaded, input=own["snippet"], **listed, **literals
    )


def _literal(value: Any) -> str:
    if value is ...:
        return "tokens"
    return 'float("nan")' if isinstance(value, float) and math.isnan(value) else repr(value)


_LIMITS = {
    "spans": f"{MAX_DOCUMENTS:,} sentences, {MAX_TOKENS:,} tokens, {megabytes(MAX_BYTES)}",
    "entities": f"{MAX_DOCUMENTS:,} documents, {MAX_TOKENS:,} tokens, {megabytes(MAX_MARKUP_BYTES)}",
    "attributes": f"{MAX_DOCUMENTS:,} documents, {MAX_SPANS:,} spans, {megabytes(MAX_BYTES)}",
    "mentions": LIMITS,
}


def form(name: str) -> Form:
    """Create the form of a measure's page; raise an `InputError` if there is no such measure."""
    page = page_of(name)
    return Form(
        title=page.title,
        heading=render("heading.html", page=page, home=HOME),
        button="Score",
        respond=partial(respond, page),
        limits=_LIMITS.get(page.kind.input, _LIMITS["spans"]),
        boxes=[Box(**box, read=read_upload) for box in page.input["boxes"]],
        fields=page,
        examples=examples_of(page.input["examples"]),
        charts=TITLES if issubclass(page.kind, ChanceKappaF1) else (),
    )
