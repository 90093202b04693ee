"""What a Space's page shows of a score: the score and its parts, the marked text, the comparison of all measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..alignment.overlaps import Alignment
from ..errors import InputError
from ..measures.base import AlignedMeasure, Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.eter import Eter
from .attributes import attribute_results, read_both
from .chance import chance_plot, placement_plot, simulated_f1
from .highlight import highlighted
from .html import error_message, escape, interval, number, section, shortened, table
from .pages import KEYS, MEASURES, TITLES, WHOLE_KEYS, Page, resampling, shared_options
from .reading import Corpus, flat_trees, read_tags, read_trees
from .trees import trees

MAX_CHANCE_TOKENS = 10_000
"""How long a document may be where chance is computed: the exact distribution costs more than linear time."""

_MAX_SIMULATED = 20_000_000
"""How many simulated tokens (tokens times simulations) a page draws."""

_SHOWN_LABELS = 100


def respond(
    page: Page, reference: str, prediction: str, values: Mapping[str, Any], *, only_differing: bool = False
) -> str:
    """The results as HTML; an error in words where the input cannot be scored.

    Args:
        page: the page.
        reference, prediction: the texts.
        values: of the page's options, by name.
        only_differing: whether only sentences (of attributes: values) are shown in which the sides differ.
    """
    try:
        if page.attributes:
            sides = read_both(reference, prediction)
            return attribute_results(page.attribute_measure(values), *sides, resampling(values), only_differing)
        return _results(page, _read(page, reference, prediction, values), values, only_differing)
    except InputError as error:
        return error_message(error)


def _read(page: Page, reference: str, prediction: str, values: Mapping[str, Any]) -> Corpus:
    if page.markup:
        return read_trees(reference, prediction, entity_types=str(values["entity_types"]).split())
    scheme = None if values["scheme"] == "auto" else values["scheme"]
    return read_tags(reference, prediction, scheme=scheme, repair=values["repair"])


def _results(page: Page, corpus: Corpus, values: Mapping[str, Any], only_differing: bool) -> str:
    measure = page.measure(values, corpus.words)
    alignment = Alignment(corpus.references, corpus.predictions)
    drawn = resampling(values)
    counts = _counts(measure, corpus, alignment)
    scores = measure.score(counts)
    intervals = {} if drawn is None else measure.intervals(counts, drawn)
    notes = "".join(f'<p class="sm-note">{escape(note)}</p>' for note in corpus.notes)
    parts = [notes, _score(measure, scores, intervals, measure.signature(corpus.reading, drawn), corpus)]
    if isinstance(measure, Eter) and corpus.trees is not None:
        parts.append(section("Trees and their alignment", trees(measure, *corpus.trees, corpus.words)))
    else:
        parts.append(section("Both sides", highlighted(alignment, corpus.words, only_differing=only_differing)))
    if isinstance(measure, ChanceKappaF1):
        plot = chance_plot(simulated_f1(measure, counts), scores["f1"], scores["chance_f1"])
        parts.append(section("F1 by chance", plot))
        parts.append(section("Where spans lie at random", placement_plot(measure, alignment, corpus.words)))
    parts.append(section("All measures on this input", _comparison(page, measure, scores, corpus, alignment, values)))
    parts.append(_per_label(measure, counts))
    return f'<div class="sm">{"".join(parts)}</div>'


def _counts(measure: Measure, corpus: Corpus, alignment: Alignment) -> Any:
    if isinstance(measure, Eter):
        # spans of tags are trees of one node
        return measure.counts(*(corpus.trees or (flat_trees(corpus.references), flat_trees(corpus.predictions))))
    if isinstance(measure, ChanceKappaF1):
        _require_few_tokens(measure, np.diff(alignment.offsets))
    assert isinstance(measure, AlignedMeasure)
    return measure.count(alignment)


def _require_few_tokens(measure: ChanceKappaF1, lengths: np.ndarray) -> None:
    if lengths.max(initial=0) > MAX_CHANCE_TOKENS:
        raise InputError(
            f"a sentence of {int(lengths.max()):,} tokens; chance is computed here for up to {MAX_CHANCE_TOKENS:,}.",
            "Put blank lines between sentences, or score it on your own machine.",
        )
    if int(lengths.sum()) * measure.n_simulations > _MAX_SIMULATED:
        tokens = int(lengths.sum())
        raise InputError(
            f"{measure.n_simulations} simulated annotations of {tokens:,} tokens are too many for this page.",
            f"Set simulated annotations to {_MAX_SIMULATED // tokens} or less.",
        )


def _score(
    measure: Measure,
    scores: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    written: str,
    corpus: Corpus,
) -> str:
    """The headline, its parts and the signature."""
    better = "higher is better" if measure.higher_is_better else "lower is better"
    parts = "".join(
        f"<div><dt>{escape(KEYS.get(key, key))}</dt><dd>{_shown(key, value)}{interval(intervals.get(key))}</dd></div>"
        for key, value in scores.items()
        if key != measure.headline
    )
    tokens = sum(map(len, corpus.words))
    sides = corpus.trees or (corpus.references, corpus.predictions)
    noun = "spans" if corpus.trees is None else "entities"
    size = (
        f"{len(corpus.words):,} {'sentences' if corpus.trees is None else 'documents'}, {tokens:,} tokens, "
        f"{len(sides[0]):,} reference and {len(sides[1]):,} predicted {noun}"
    )
    return (
        f'<section><p class="sm-headline" role="status"><span class="sm-key">{escape(KEYS[measure.headline])}</span> '
        f"<b>{number(scores[measure.headline])}</b> {interval(intervals.get(measure.headline))}"
        f'<span class="sm-muted">{better}</span></p><p class="sm-muted">{size}</p><dl>{parts}</dl>'
        f'<p class="sm-muted">Signature, to report with the score:</p>'
        f'<code class="sm-signature">{escape(written)}</code></section>'
    )


def _shown(key: str, value: float) -> str:
    """A value; numbers of things add up as floats, and are shown as what they are."""
    return number(int(value) if key in WHOLE_KEYS and value == int(value) else value)


def _comparison(
    page: Page,
    measure: Measure,
    scores: Mapping[str, float],
    corpus: Corpus,
    alignment: Alignment,
    values: Mapping[str, Any],
) -> str:
    """Every measure on the same input, with its own options at their defaults but for the page's own measure."""
    rows = []
    for name, kind in MEASURES.items():
        title = escape(TITLES[name])
        if name == page.name:
            found: Mapping[str, float] = scores
            other: Measure = measure
            title += ' <span class="sm-muted">(this page)</span>'
        else:
            try:
                other = kind(**shared_options(values), **_suited(kind, corpus))
                found = other.score(_counts(other, corpus, alignment))
            except InputError as error:
                rows.append((title, "–", f"not computed: {escape(error.problem)}"))
                continue
        rest = [
            f"{escape(KEYS.get(key, key))} {number(found[key])}"
            for key in other.keys
            if key != other.headline and not (isinstance(other, Eter) and not key.startswith("ser"))
        ]
        value = found[other.headline]
        if not other.higher_is_better:
            title += ' <span class="sm-muted">(lower is better)</span>'
        rows.append((title, f"{number(value)}{_bar(value)}", " · ".join(rest)))
    order = list(MEASURES).index(page.name)
    shown = table(
        "Options of a measure's own are at their defaults, except on its own page.",
        ("measure", "value", "and"),
        rows,
        marked=order,
    )
    return f'<div class="sm-compare">{shown}</div>'


def _suited(kind: type[Measure], corpus: Corpus) -> dict[str, Any]:
    """Options without which nested spans cannot be scored."""
    if corpus.trees is None:
        return {}
    options: dict[str, dict[str, Any]] = {"chance_kappa_f1": {"placement": "layers"}, "intersection_f": {"cap": True}}
    return options.get(kind.name, {})


def _bar(value: float) -> str:
    share = min(max(value, 0.0), 1.0) if value == value else 0.0
    return f'<span class="sm-bar" aria-hidden="true"><i style="width:{100 * share:.0f}%"></i></span>'


def _per_label(measure: Measure, counts: Any) -> str:
    """The values of each label."""
    labels = measure.score_per_label(counts)
    if not labels:
        return ""
    keys = [key for key in measure.keys if key != measure.headline]
    shown = sorted(labels, key=lambda label: (-labels[label]["support"], label))[:_SHOWN_LABELS]
    rows = [
        (
            escape(shortened(label)),
            *(_shown(key, labels[label][key]) for key in (measure.headline, *keys)),
            number(labels[label]["support"]),
        )
        for label in shown
    ]
    header = ("label", *(KEYS.get(key, key) for key in (measure.headline, *keys)), "in the reference")
    cut = f"The first {_SHOWN_LABELS} of {len(labels):,} labels" if len(labels) > len(shown) else "Each label by itself"
    return f"<details><summary>By label</summary>{table(cut, header, rows)}</details>"
