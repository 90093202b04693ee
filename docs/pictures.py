"""Draw what each measure counts on one sentence, from what the package computes.

`python docs/pictures.py` draws the picture of the README.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from drawing import BOX, CELL, LEFT, PART, PLAIN, RIGHT, WORDS, WRONG, Drawing, place_of

from spanometer import Spans
from spanometer.measures import MEASURES, Eter, MentionF, SpanAttribute
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities
from spanometer.spans.mentions import Mentions

REFERENCE = ((1, 4, "ORG"), (5, 7, "PER"))
PREDICTION = ((1, 3, "ORG"), (5, 7, "PER"))

FIRST = Path(__file__).parent / "images" / "first.svg"
"""The picture of the README."""

_FIRST = re.compile(rf'<p><img [^>]*/{FIRST.name}" ?/></p>')


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Put a measure's picture below the heading of its page, and show the README's picture without its white ground."""
    drawing = Drawing()
    content = _FIRST.sub(lambda match: drawing.figure(_first(drawing)), content)
    folder, _, name = page.file.src_uri.removesuffix(".md").rpartition("/")
    if folder != "measures" or name not in PICTURES:
        return content
    drawing = Drawing()
    caption = PICTURES[name](drawing)
    return content.replace("</h1>", f"</h1>{drawing.figure(caption)}", 1)


def _score(name: str, prediction: Any = PREDICTION, reference: Any = REFERENCE, **options: Any) -> dict[str, Any]:
    """Return the scores of one side of the sentence against the other."""
    sides = (
        Spans.from_dicts(
            [[{"start": start, "end": end, "label": label} for start, end, label in side]], lengths=[len(WORDS)]
        )
        for side in (reference, prediction)
    )
    measure = MEASURES[name](**options)
    scores: dict[str, Any] = measure.score(measure.counts(*sides))
    return scores


def _f(name: str, **options: Any) -> str:
    scores = _score(name, **options)
    return f"P = {scores['precision']:.3f}, R = {scores['recall']:.3f}, F1 = {scores['f1']:.3f}"


def _both(drawing: Drawing, color: Callable[[Any], str] = lambda span: PLAIN) -> tuple[int, int]:
    drawing.words()
    return drawing.spans("reference", REFERENCE, color), drawing.spans("system", PREDICTION, color)


def _whole(drawing: Drawing) -> str:
    _both(drawing, lambda span: RIGHT if span in REFERENCE and span in PREDICTION else WRONG)
    return f"One of two spans is right on each side. {_f('span_f')}."


def _tokens(drawing: Drawing) -> str:
    drawing.words()
    taken = {side: {place for start, end, _ in side for place in range(start, end)} for side in (REFERENCE, PREDICTION)}
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name)
        for start, end, label in side:
            for place in range(start, end):
                drawing.box(
                    top, place, place + 1, RIGHT if place in taken[REFERENCE] & taken[PREDICTION] else WRONG, label
                )
    return f"Both sides share four tokens with labels. The system has four, the reference five. {_f('token_f')}."


def _links(drawing: Drawing) -> str:
    drawing.words()
    drawing.height += 24
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name, 58)
        shared = {link for link in _pairs(REFERENCE) if link in _pairs(PREDICTION)}
        for link in sorted(_pairs(side)):
            drawing.arc(top + 22, *link, RIGHT if link in shared else WRONG, "none" if link in shared else "4 3")
    return (
        "A link joins two tokens of a span, or a token and itself. The system has six links, and all are right. "
        f"The reference has nine. {_f('link_f')}."
    )


def _pairs(side: Any) -> set[tuple[int, int]]:
    return {pair for start, end, _ in side for pair in combinations_with_replacement(range(start, end), 2)}


def _bcubed(drawing: Drawing) -> str:
    _both(drawing)
    for name, own, other in (("recall", REFERENCE, PREDICTION), ("precision", PREDICTION, REFERENCE)):
        top = drawing.row(name, 30)
        for place in range(len(WORDS)):
            mine, theirs = (next((span for span in side if span[0] <= place < span[1]), None) for side in (own, other))
            if mine:
                common = max(0, min(mine[1], theirs[1]) - max(mine[0], theirs[0])) if theirs else 0
                drawing.text(
                    place_of(place + 0.5), top + 18, f"{common}/{mine[1] - mine[0]}", color=RIGHT if common else WRONG
                )
    return f"Each token scores the share of its span that the other side also has; then the mean. {_f('bcubed')}."


def _shares(drawing: Drawing) -> str:
    drawing.words()
    for name, own, other in (("reference", REFERENCE, PREDICTION), ("system", PREDICTION, REFERENCE)):
        top = drawing.row(name)
        for start, end, label in own:
            common = sum(max(0, min(end, last) - max(start, first)) for first, last, _ in other)
            drawing.box(top, start, end, PLAIN, opacity=0.06)
            drawing.box(top, start, start + common, RIGHT, f"{label} {common}/{end - start}", 0.3)
    return f"Each span scores the share that the other side covers; then the mean. {_f('intersection_f')}."


def _pairing(drawing: Drawing, verdicts: tuple[str, str], colors: tuple[str, str]) -> None:
    reference, system = (drawing.words(), drawing.spans("reference", REFERENCE))[1], drawing.row("", 30)
    system = drawing.spans("system", PREDICTION)
    for (start, end, _), (first, last, _), verdict, color in zip(REFERENCE, PREDICTION, verdicts, colors, strict=True):
        x, other = place_of((start + end) / 2), place_of((first + last) / 2)
        drawing.line(x, reference + BOX, other, system, color)
        drawing.text((x + other) / 2 + 12, (reference + BOX + system) / 2 + 5, verdict, anchor="start", color=color)


def _semeval(drawing: Drawing) -> str:
    _pairing(drawing, ("PAR: 1/2", "COR: 1"), (PART, RIGHT))
    return f"Each pair of spans is correct or partial; a partial pair counts half. {_f('semeval_f')}."


def _fair(drawing: Drawing) -> str:
    _pairing(drawing, ("boundary error", "TP"), (PART, RIGHT))
    return f"A near miss is one error: half a false positive and half a false negative. {_f('fair_f')}."


def _matched(drawing: Drawing) -> str:
    _pairing(drawing, ("2 of 3 tokens: 0.67 ≥ 0.5", "1.00 ≥ 0.5"), (RIGHT, RIGHT))
    return f"Spans are matched one to one. A pair is right if its overlap (IoU) is at least 0.5. {_f('matched_f')}."


def _relaxed(drawing: Drawing) -> str:
    long = [(0, len(WORDS), label) for _, _, label in REFERENCE]
    drawing.words()
    for name, side in (("reference", REFERENCE), ("system", PREDICTION), ("too long", long[:1]), ("", long[1:])):
        drawing.spans(name, side, lambda span: PLAIN if span in REFERENCE and span not in PREDICTION else RIGHT)
    return (
        "A span is right if it shares a token with a span of the same label. The system is right: "
        f"{_f('relaxed_f')}. Two spans over the whole sentence are right too: F1 = "
        f"{_score('relaxed_f', long)['f1']:.3f}."
    )


def _information(drawing: Drawing) -> str:
    drawing.words()
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name)
        for start, end, label in side:
            drawing.box(top, start, end, PLAIN)
            for place in range(start, end):
                rank = place - start + 1
                drawing.text(place_of(place + 0.5), top + 18, f"{label} 1" if rank == 1 else f"1/{rank}")
    scores = _score("sl_icm")
    return (
        "The i-th token of a span carries 1/i of information, and a rare label carries more than a frequent one. "
        f"SL-ICM = {scores['sl_icm']:.3f}, normalised {scores['sl_icm_norm']:.3f}."
    )


def _chance(drawing: Drawing) -> str:
    _both(drawing)
    top = drawing.row("by chance", 64)
    starts = range(len(WORDS) - 2)
    for place in range(len(WORDS)):
        share = sum(start <= place < start + 3 for start in starts) / len(starts)
        height = 44 * share
        drawing.parts.append(
            f'<rect x="{place_of(place) + 18:g}" y="{top + 48 - height:g}" width="{CELL - 36}" height="{height:g}" '
            f'fill="{PART}" fill-opacity="0.45"/>'
        )
        drawing.text(place_of(place + 0.5), top + 62, f"{share:.2f}")
    scores = _score("chance_kappa_f1")
    return (
        "The bars show how likely a random span of three tokens covers each token. "
        f"F1 = {scores['f1']:.3f}, chance F1 = {scores['chance_f1']:.3f}, corrected F1 = {scores['kappa_f1']:.3f}."
    )


def _units(drawing: Drawing) -> str:
    drawing.words()
    for name, side in (("first", REFERENCE), ("second", PREDICTION)):
        top = drawing.spans(name, side)
        edges = [0, *(edge for start, end, _ in side for edge in (start, end)), len(WORDS)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if end > start:
                drawing.line(place_of(start) + 6, top + BOX / 2, place_of(end) - 6, top + BOX / 2, "currentColor")
    return f"The units of two annotators, and the gaps between units. Alpha = {_score('unitizing_alpha')['alpha']:.3f}."


def _aligned(drawing: Drawing) -> str:
    scores = _score("gamma")
    # the disorder is the mean over the units of an annotator, and the second pair adds nothing
    distance = len(REFERENCE) * scores["observed_disorder"]
    _pairing(drawing, (f"d = {distance:.2f}", "d = 0"), (PART, RIGHT))
    return (
        "The units of both annotators are aligned so that their disorder d is smallest. "
        f"Gamma compares it with the disorder of random annotations: gamma = {scores['gamma']:.3f}."
    )


def _trees(drawing: Drawing) -> str:
    drawing.words()
    entity = {"start": 1, "end": 4, "types": ["org"]}
    name = {"start": 3, "end": 4, "label": "loc"}
    for side, components in (("reference", [name]), ("system", [])):
        top = drawing.row(side, (1 + len(components)) * (BOX + 2) + 12)
        drawing.box(top, 1, 4, PLAIN, "org")
        for component in components:
            drawing.box(top + BOX + 2, component["start"], component["end"], WRONG, component["label"])
    sides = (Entities.from_dicts([[{**entity, "components": components}]]) for components in ([name], []))
    scores = Eter().score(Eter().counts(*sides))
    return (
        "Entities are trees. Type and boundaries are right. The component loc is missing; it has half of the weight. "
        f"ETER = {scores['eter']:.3f} (an error rate: lower is better)."
    )


def _attributes(drawing: Drawing) -> str:
    drawing.words()
    spans = {"reference": ({"public": True}, {"alive": False}), "system": ({"public": True}, {"alive": True})}
    for name, values in spans.items():
        top = drawing.row(name)
        for (start, end, _), value in zip(REFERENCE, values, strict=True):
            right = value in spans["reference"] and value in spans["system"]
            text = ", ".join(f"{key}: {truth}".lower() for key, truth in value.items())
            drawing.box(top, start, end, RIGHT if right else WRONG, text)
    sides = (
        Attributes.from_dicts(
            [
                [
                    {"start": start, "end": end, "label": label, "attributes": value}
                    for (start, end, label), value in zip(REFERENCE, values, strict=True)
                ]
            ]
        )
        for values in spans.values()
    )
    measure = SpanAttribute(include_falsy=True)
    scores = measure.score(measure.counts(*sides))
    return f"The spans are given. Their attributes are scored. F1 of all values = {scores[measure.micro_key]['f']:.3f}."


def _mentions(drawing: Drawing) -> str:
    sides = {
        name: [(label, " ".join(WORDS[start:end])) for start, end, label in side]
        for name, side in (("reference", REFERENCE), ("system", reversed(PREDICTION)))
    }
    for name, side in sides.items():
        top = drawing.row(name)
        for place, mention in enumerate(side):
            right = all(mention in other for other in sides.values())
            drawing.box(top, 3 * place, 3 * place + 3, RIGHT if right else WRONG, ": ".join(mention))
    measure = MentionF()
    scores = measure.score(measure.counts(*(Mentions.from_pairs([side]) for side in sides.values())))
    return f"Only labels and texts count, not positions. One of two mentions is right. F1 = {scores['f1']:.3f}."


PICTURES: dict[str, Callable[[Drawing], str]] = {
    "span_f": _whole,
    "seqeval": _whole,
    "token_f": _tokens,
    "link_f": _links,
    "bcubed": _bcubed,
    "intersection_f": _shares,
    "semeval_f": _semeval,
    "fair_f": _fair,
    "matched_f": _matched,
    "relaxed_f": _relaxed,
    "sl_icm": _information,
    "chance_kappa_f1": _chance,
    "unitizing_alpha": _units,
    "gamma": _aligned,
    "eter": _trees,
    "span_attribute": _attributes,
    "mention_f": _mentions,
}


def _first(drawing: Drawing) -> str:
    """Draw the sentence and the F1 of five measures."""
    _both(drawing, lambda span: RIGHT if span in REFERENCE and span in PREDICTION else PART)
    drawing.height += 8
    width = CELL * len(WORDS) - 70
    for name in ("span_f", "fair_f", "link_f", "token_f", "matched_f"):
        top, f1 = drawing.row(name, 32), _score(name)["f1"]
        bar = f'<rect x="{LEFT + 3}" y="{top}" height="24" rx="4"'
        drawing.parts.append(f'{bar} width="{width}" fill="currentColor" fill-opacity="0.08"/>')
        drawing.parts.append(f'{bar} width="{width * f1:g}" fill="{PLAIN}"/>')
        drawing.text(LEFT + width + 66, top + 18, f"{f1:.3f}", anchor="end")
    return "A system misses one word of a span. Five measures give this system an F1 from 0.500 to 1.000."


def first_picture() -> str:
    """Draw the picture of the README, on white so that a dark page shows it too."""
    drawing = Drawing()
    font = 'font-size="18.5" font-family="sans-serif" color="#222222"'
    return drawing.svg(_first(drawing), len(WORDS), font, back="#ffffff") + "\n"


if __name__ == "__main__":
    FIRST.write_text(first_picture(), encoding="utf-8")
