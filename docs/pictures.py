"""Draw what each measure counts on one sentence, and the pictures of guides, from what the package computes.

`python docs/pictures.py` draws the picture of the README.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import spanometer
from spanometer import InputError, Spans
from spanometer.grounding import ground, outcomes_of, read_answer, text_indices
from spanometer.measures import MEASURES, Eter, MentionF, SpanAttribute
from spanometer.spans.attributes import Attributes
from spanometer.spans.documents import Tokens
from spanometer.spans.entities import Entities
from spanometer.spans.mentions import Mentions
from spanometer.spans.tokenisation import POLICIES, to_tokens

WORDS = ("The", "University", "of", "Oslo", "hired", "Ada", "Lovelace", ".")
REFERENCE = ((1, 4, "ORG"), (5, 7, "PER"))
PREDICTION = ((1, 3, "ORG"), (5, 7, "PER"))

_LEFT, _CELL, _BOX = 96, 84, 26
_RIGHT, _WRONG, _PART, _PLAIN = "#2a9d5c", "#d64545", "#c58a12", "#5b7bd5"
FIRST = Path(__file__).parent / "images" / "first.svg"
"""The picture of the README."""


class _Drawing:
    """An SVG picture over the words of the sentence, filled from top to bottom."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.height = 8

    def text(self, x: float, y: float, text: str, *, anchor: str = "middle", color: str = "currentColor") -> None:
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{color}">{escape(text)}</text>')

    def row(self, name: str, height: int = _BOX + 12) -> int:
        """Begin a row, and return its top."""
        top = self.height
        self.text(0, top + 18, name, anchor="start")
        self.height += height
        return top

    def words(self, words: Sequence[str] = WORDS) -> None:
        top = self.row("", 28)
        for place, word in enumerate(words):
            self.text(_x(place + 0.5), top + 16, word)

    def spans(self, name: str, spans: Any, color: Callable[[Any], str] = lambda span: _PLAIN) -> int:
        """Draw spans as boxes with their labels."""
        top = self.row(name)
        for span in spans:
            self.box(top, span[0], span[1], color(span), span[2])
        return top

    def box(self, top: float, start: float, end: float, color: str, text: str = "", opacity: float = 0.22) -> None:
        x, width = _x(start) + 3, _CELL * (end - start) - 6
        self.parts.append(
            f'<rect x="{x:g}" y="{top:g}" width="{width:g}" height="{_BOX}" rx="5" fill="{color}" '
            f'fill-opacity="{opacity}" stroke="{color}" stroke-width="1.5"/>'
        )
        self.text(x + width / 2, top + 18, text)

    def line(self, x: float, top: float, other: float, bottom: float, color: str) -> None:
        self.parts.append(f'<path d="M{x:g} {top:g}L{other:g} {bottom:g}" stroke="{color}" stroke-width="2"/>')

    def arc(self, bottom: float, start: int, end: int, color: str, dashes: str = "none") -> None:
        first, last = _x(start + 0.5), _x(end + 0.5)
        if start == end:
            self.parts.append(f'<circle cx="{first:g}" cy="{bottom:g}" r="4" fill="{color}"/>')
            return
        height = 22 * (end - start)
        self.parts.append(
            f'<path d="M{first:g} {bottom:g}C{first:g} {bottom - height:g} {last:g} {bottom - height:g} '
            f'{last:g} {bottom:g}" '
            f'fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )

    def figure(self, caption: str, cells: int = len(WORDS)) -> str:
        return f"<figure class=counted>{self.svg(caption, cells)}<figcaption>{escape(caption)}</figcaption></figure>"

    def svg(
        self,
        title: str,
        cells: int = len(WORDS),
        font: str = 'font-size="14" font-family="inherit"',
        back: str = "none",
    ) -> str:
        size = f"{_LEFT + _CELL * cells + 16} {self.height + 4}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 {size}" role="img" data-search-exclude="" {font}>'
            f'<title>{escape(title)}</title><rect x="-8" width="100%" height="100%" fill="{back}"/>'
            f"{''.join(self.parts)}</svg>"
        )


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Put the picture of a measure below the heading of its page, and the pictures of guides in their places."""
    folder, _, name = page.file.src_uri.removesuffix(".md").rpartition("/")
    if name in GUIDES and not folder:
        return content.replace(f"<!-- picture: {name} -->", GUIDES[name]())
    if folder != "measures" or name not in PICTURES:
        return content
    drawing = _Drawing()
    caption = PICTURES[name](drawing)
    return content.replace("</h1>", f"</h1>{drawing.figure(caption)}", 1)


def _x(place: float) -> float:
    return _LEFT + _CELL * place


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


def _both(drawing: _Drawing, color: Callable[[Any], str] = lambda span: _PLAIN) -> tuple[int, int]:
    drawing.words()
    return drawing.spans("reference", REFERENCE, color), drawing.spans("system", PREDICTION, color)


def _whole(drawing: _Drawing) -> str:
    _both(drawing, lambda span: _RIGHT if span in REFERENCE and span in PREDICTION else _WRONG)
    return f"Whole spans: one of two is right on each side. {_f('span_f')}."


def _tokens(drawing: _Drawing) -> str:
    drawing.words()
    taken = {side: {place for start, end, _ in side for place in range(start, end)} for side in (REFERENCE, PREDICTION)}
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name)
        for start, end, label in side:
            for place in range(start, end):
                drawing.box(
                    top, place, place + 1, _RIGHT if place in taken[REFERENCE] & taken[PREDICTION] else _WRONG, label
                )
    return f"Tokens with their label: four in common, four of the system, five of the reference. {_f('token_f')}."


def _links(drawing: _Drawing) -> str:
    drawing.words()
    drawing.height += 24
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name, 58)
        shared = {link for link in _pairs(REFERENCE) if link in _pairs(PREDICTION)}
        for link in sorted(_pairs(side)):
            drawing.arc(top + 22, *link, _RIGHT if link in shared else _WRONG, "none" if link in shared else "4 3")
    return f"Links, pairs of tokens in one span, a token with itself too: six in common, six and nine. {_f('link_f')}."


def _pairs(side: Any) -> set[tuple[int, int]]:
    return {pair for start, end, _ in side for pair in combinations_with_replacement(range(start, end), 2)}


def _bcubed(drawing: _Drawing) -> str:
    _both(drawing)
    for name, own, other in (("recall", REFERENCE, PREDICTION), ("precision", PREDICTION, REFERENCE)):
        top = drawing.row(name, 30)
        for place in range(len(WORDS)):
            mine, theirs = (next((span for span in side if span[0] <= place < span[1]), None) for side in (own, other))
            if mine:
                common = max(0, min(mine[1], theirs[1]) - max(mine[0], theirs[0])) if theirs else 0
                drawing.text(
                    _x(place + 0.5), top + 18, f"{common}/{mine[1] - mine[0]}", color=_RIGHT if common else _WRONG
                )
    return f"For each token, the share of its span that the other side has there too; then the mean. {_f('bcubed')}."


def _shares(drawing: _Drawing) -> str:
    drawing.words()
    for name, own, other in (("reference", REFERENCE, PREDICTION), ("system", PREDICTION, REFERENCE)):
        top = drawing.row(name)
        for start, end, label in own:
            common = sum(max(0, min(end, last) - max(start, first)) for first, last, _ in other)
            drawing.box(top, start, end, _PLAIN, opacity=0.06)
            drawing.box(top, start, start + common, _RIGHT, f"{label} {common}/{end - start}", 0.3)
    return f"The share of each span that the other side covers; then the mean. {_f('intersection_f')}."


def _pairing(drawing: _Drawing, verdicts: tuple[str, str], colors: tuple[str, str]) -> None:
    reference, system = (drawing.words(), drawing.spans("reference", REFERENCE))[1], drawing.row("", 30)
    system = drawing.spans("system", PREDICTION)
    for (start, end, _), (first, last, _), verdict, color in zip(REFERENCE, PREDICTION, verdicts, colors, strict=True):
        x, other = _x((start + end) / 2), _x((first + last) / 2)
        drawing.line(x, reference + _BOX, other, system, color)
        drawing.text((x + other) / 2 + 12, (reference + _BOX + system) / 2 + 5, verdict, anchor="start", color=color)


def _semeval(drawing: _Drawing) -> str:
    _pairing(drawing, ("PAR: 1/2", "COR: 1"), (_PART, _RIGHT))
    return f"Pairs of spans, each judged: partial counts half. {_f('semeval_f')}."


def _fair(drawing: _Drawing) -> str:
    _pairing(drawing, ("boundary error: one event", "TP"), (_PART, _RIGHT))
    return f"A near miss is one event, half a false positive and half a false negative. {_f('fair_f')}."


def _matched(drawing: _Drawing) -> str:
    _pairing(drawing, ("2 of 3 tokens: 0.67 ≥ 0.5", "1.00 ≥ 0.5"), (_RIGHT, _RIGHT))
    return f"Spans matched one to one, right where the intersection over the union is 0.5 or more. {_f('matched_f')}."


def _information(drawing: _Drawing) -> str:
    drawing.words()
    for name, side in (("reference", REFERENCE), ("system", PREDICTION)):
        top = drawing.row(name)
        for start, end, label in side:
            drawing.box(top, start, end, _PLAIN)
            for place in range(start, end):
                rank = place - start + 1
                drawing.text(_x(place + 0.5), top + 18, f"{label} 1" if rank == 1 else f"1/{rank}")
    scores = _score("sl_icm")
    return (
        "Information: the i-th token of a span carries 1/i, and its label what the label's frequency gives. "
        f"SL-ICM = {scores['sl_icm']:.3f}, normalised {scores['sl_icm_norm']:.3f}."
    )


def _chance(drawing: _Drawing) -> str:
    _both(drawing)
    top = drawing.row("by chance", 64)
    starts = range(len(WORDS) - 2)
    for place in range(len(WORDS)):
        share = sum(start <= place < start + 3 for start in starts) / len(starts)
        height = 44 * share
        drawing.parts.append(
            f'<rect x="{_x(place) + 18:g}" y="{top + 48 - height:g}" width="{_CELL - 36}" height="{height:g}" '
            f'fill="{_PART}" fill-opacity="0.45"/>'
        )
        drawing.text(_x(place + 0.5), top + 62, f"{share:.2f}")
    scores = _score("chance_kappa_f1")
    return (
        "Below, how likely a span of three tokens, placed at random, covers each token. "
        f"F1 = {scores['f1']:.3f}, {scores['chance_f1']:.3f} by chance, {scores['kappa_f1']:.3f} beyond it."
    )


def _units(drawing: _Drawing) -> str:
    drawing.words()
    for name, side in (("first", REFERENCE), ("second", PREDICTION)):
        top = drawing.spans(name, side)
        edges = [0, *(edge for start, end, _ in side for edge in (start, end)), len(WORDS)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if end > start:
                drawing.line(_x(start) + 6, top + _BOX / 2, _x(end) - 6, top + _BOX / 2, "currentColor")
    return f"Units and the gaps between them, of two annotators. Alpha = {_score('unitizing_alpha')['alpha']:.3f}."


def _aligned(drawing: _Drawing) -> str:
    scores = _score("gamma")
    # the disorder is the mean over the units of an annotator, and the second pair adds nothing
    distance = len(REFERENCE) * scores["observed_disorder"]
    _pairing(drawing, (f"d = {distance:.2f}", "d = 0"), (_PART, _RIGHT))
    return (
        "Units of both annotators, aligned at the least disorder. "
        f"Gamma = {scores['gamma']:.3f}: observed disorder against that of random annotations."
    )


def _trees(drawing: _Drawing) -> str:
    drawing.words()
    entity = {"start": 1, "end": 4, "types": ["org"]}
    name = {"start": 3, "end": 4, "label": "loc"}
    for side, components in (("reference", [name]), ("system", [])):
        top = drawing.row(side, (1 + len(components)) * (_BOX + 2) + 12)
        drawing.box(top, 1, 4, _PLAIN, "org")
        for component in components:
            drawing.box(top + _BOX + 2, component["start"], component["end"], _WRONG, component["label"])
    sides = (Entities.from_dicts([[{**entity, "components": components}]]) for components in ([name], []))
    scores = Eter().score(Eter().counts(*sides))
    return (
        "Entities are trees: the types and bounds are right, the component is missing, and half of the weight is its. "
        f"ETER = {scores['eter']:.3f} (an error rate: lower is better)."
    )


def _attributes(drawing: _Drawing) -> str:
    drawing.words()
    spans = {"reference": ({"public": True}, {"alive": False}), "system": ({"public": True}, {"alive": True})}
    for name, values in spans.items():
        top = drawing.row(name)
        for (start, end, _), value in zip(REFERENCE, values, strict=True):
            right = value in spans["reference"] and value in spans["system"]
            text = ", ".join(f"{key}: {truth}".lower() for key, truth in value.items())
            drawing.box(top, start, end, _RIGHT if right else _WRONG, text)
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
    return f"The spans are given; their attributes are scored. F1 of all values = {scores[measure.micro_key]['f']:.3f}."


def _mentions(drawing: _Drawing) -> str:
    sides = {
        name: [(label, " ".join(WORDS[start:end])) for start, end, label in side]
        for name, side in (("reference", REFERENCE), ("system", reversed(PREDICTION)))
    }
    for name, side in sides.items():
        top = drawing.row(name)
        for place, mention in enumerate(side):
            right = all(mention in other for other in sides.values())
            drawing.box(top, 3 * place, 3 * place + 3, _RIGHT if right else _WRONG, ": ".join(mention))
    measure = MentionF()
    scores = measure.score(measure.counts(*(Mentions.from_pairs([side]) for side in sides.values())))
    return f"Labels and texts, in any order and wherever they stand: one of two is right. F1 = {scores['f1']:.3f}."


PICTURES: dict[str, Callable[[_Drawing], str]] = {
    "span_f": _whole,
    "seqeval": _whole,
    "token_f": _tokens,
    "link_f": _links,
    "bcubed": _bcubed,
    "intersection_f": _shares,
    "semeval_f": _semeval,
    "fair_f": _fair,
    "matched_f": _matched,
    "sl_icm": _information,
    "chance_kappa_f1": _chance,
    "unitizing_alpha": _units,
    "gamma": _aligned,
    "eter": _trees,
    "span_attribute": _attributes,
    "mention_f": _mentions,
}


def _errors() -> str:
    """Draw every kind of error, as the package names them, in two sentences."""
    drawing, cells = _Drawing(), len(_KINDS[0][0])
    for words, reference, prediction in _KINDS:
        drawing.words(words)
        drawing.spans("reference", reference)
        drawing.spans("system", prediction)
        top = drawing.row("kind", 36)
        sides = [
            [[{"start": start, "end": end, "label": label} for start, end, label in side]]
            for side in (reference, prediction)
        ]
        for error in spanometer.errors(*sides, confidence=None).only.matched.to_arrow().to_pylist():
            side = "predicted" if error["kind"] == "spurious" else "reference"
            center = _x((error[f"{side}_start"] + error[f"{side}_end"]) / 2)
            color = {"correct": _RIGHT, "missing": _WRONG, "spurious": _WRONG}.get(error["kind"], _PART)
            drawing.text(center, top + 18, error["kind"].replace("_", " "), color=color)
    return drawing.figure("Each error has one kind, by the tokens and labels of a pair of spans.", cells)


_KINDS = (
    (
        ["Ada", "Byron", "of", "Acme", "flew", "to", "Rome", "today"],
        ((0, 2, "PER"), (3, 4, "ORG"), (6, 7, "LOC")),
        ((0, 2, "PER"), (3, 4, "LOC"), (7, 8, "DATE")),
    ),
    (
        ["The", "Royal", "Society", "met", "near", "Lake", "Como", "."],
        ((1, 3, "ORG"), (5, 7, "LOC")),
        ((0, 3, "ORG"), (6, 7, "ORG")),
    ),
)
"""Words, reference spans and predicted spans of two sentences that have every kind of error."""


def _grounding() -> str:
    """Draw the spans of one answer under four policies, with their F1."""
    words, answer = _ANSWERED
    text, (index,) = " ".join(words), text_indices([" ".join(words)])
    first = {len(" ".join([*words[:place], ""])): place for place in range(len(words))}
    gold = [(start, end, "PER" if start == 0 else "LOC") for start, end in ((0, 12), (18, 23), (27, 32))]
    drawing = _Drawing()
    drawing.words(words)

    def box(top: float, start: int, end: int, label: str, color: str) -> None:
        drawing.box(top, first[start], first[start] + len(text[start:end].split()), color, label)

    top = drawing.row("reference")
    for span in gold:
        box(top, *span, _PLAIN)
    reference = [[{"start": start, "end": end, "label": label} for start, end, label in gold]]
    for policy in ("strict", "spacy-llm-v2", "spacy-llm-first", "uie"):
        grounded = ground([text], [answer], policy=policy)
        f1 = spanometer.score(reference, grounded, measures="span_f").flat()["span_f_f1"]
        outcomes = outcomes_of(read_answer(answer), index, policy)
        starts = [start for outcome in outcomes for start, _ in outcome.spans]
        top = drawing.row(policy, _BOX + 12 + _BOX * (len(starts) - len(set(starts))))
        for outcome in outcomes:
            label = outcome.item.label
            for start, end in outcome.spans:
                right = (start, end, label) in gold
                box(top if right else top + _BOX + 2, start, end, label, _RIGHT if right else _WRONG)
            if outcome.wrong:
                drawing.box(top, len(words), len(words) + 1.5, _WRONG, f"{outcome.item.mention}: {outcome.kind}")
        drawing.text(_x(len(words) + 2), top + 18, f"F1 {f1:.2f}")
    return drawing.figure(f"The answer {answer} under four policies. False positives are red.", len(words) + 3)


_ANSWERED = (
    ["Paris", "Hilton", "said", "Paris", "is", "Paris"],
    '[["PER", "Paris Hilton"], ["LOC", "Paris"], ["LOC", "Rome"]]',
)
"""The words of a text, and what a language model answers."""


def _formats() -> str:
    """Draw two spans of characters, and their tokens under each policy."""
    text, spans, width = "New Yorkers and New York-based banks", ((0, 8, "A"), (16, 24, "B")), 1 / 4
    drawing = _Drawing()
    top = drawing.row("text", 28)
    for place, sign in enumerate(text):
        drawing.text(_x((place + 0.5) * width), top + 16, sign)
    tokens = [match.span() for match in re.finditer(r"\S+", text)]
    top = drawing.row("spans")
    for start, end, label in spans:
        drawing.box(top, start * width, end * width, _PLAIN, label)
    sides = Spans.from_dicts([[{"start": start, "end": end, "label": label} for start, end, label in spans]])
    for policy in POLICIES:
        top = drawing.row(policy)
        try:
            carried = to_tokens(sides, Tokens.from_lists([tokens]), policy=policy).spans.to_dicts()[0]
        except InputError:
            drawing.text(_x(0), top + 18, "an error: both spans end inside a token", anchor="start", color=_WRONG)
            continue
        if not carried:
            drawing.text(_x(0), top + 18, "both spans are left out", anchor="start", color=_WRONG)
        for span in carried:
            start, end = tokens[span["start"]][0], tokens[span["end"] - 1][1]
            drawing.box(top, start * width, end * width, _RIGHT, span["label"])
    return drawing.figure("Two spans of characters that end inside a token, and the tokens that they take.", 9)


def _illegal_tags() -> str:
    """Draw the spans that each policy reads from the same illegal tags."""
    drawing, tags = _Drawing(), ["O", "I-PER", "E-PER", "O", "B-ORG", "I-ORG", "O", "S-LOC"]
    drawing.words(tags)
    for policy in ("conlleval", "discard", "bes", "convert"):
        (spans,) = Spans.from_tags([tags], scheme="IOBES", repair=policy).to_dicts()
        drawing.spans(policy, [(span["start"], span["end"], span["label"]) for span in spans])
    return drawing.figure("The spans that four repair policies read from the same tags: a person without B, and no E.")


GUIDES = {draw.__name__[1:]: draw for draw in (_errors, _grounding, _formats, _illegal_tags)}
"""The pictures of guides, which stand where the page has `<!-- picture: NAME -->`."""


def first_picture() -> str:
    """Draw the sentence and the F1 of five measures, on white so that a dark page shows it too."""
    drawing = _Drawing()
    _both(drawing, lambda span: _RIGHT if span in REFERENCE and span in PREDICTION else _PART)
    drawing.height += 8
    width = _CELL * len(WORDS) - 70
    for name in ("span_f", "fair_f", "link_f", "token_f", "matched_f"):
        top, f1 = drawing.row(name, 32), _score(name)["f1"]
        drawing.parts.append(f'<rect x="{_LEFT + 3}" y="{top}" width="{width}" height="24" rx="4" fill="#eeeeee"/>')
        drawing.parts.append(
            f'<rect x="{_LEFT + 3}" y="{top}" width="{width * f1:g}" height="24" rx="4" fill="{_PLAIN}"/>'
        )
        drawing.text(_LEFT + width + 66, top + 18, f"{f1:.3f}", anchor="end")
    title = "A reference, a system whose first span lacks its last word, and the F1 of five measures"
    font = 'font-size="18" font-family="sans-serif" color="#222222"'
    return drawing.svg(title, font=font, back="#ffffff") + "\n"


if __name__ == "__main__":
    FIRST.write_text(first_picture(), encoding="utf-8")
