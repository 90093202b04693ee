"""Draw the pictures of guides, from what the package computes."""

from __future__ import annotations

import functools
import operator
import re
from pathlib import Path
from typing import Any

import rankings
import using
from drawing import BOX, CELL, PART, PLAIN, RIGHT, WRONG, Drawing, place_of

import spanometer
from spanometer import InputError, Spans
from spanometer.counts.counts import Counts
from spanometer.grounding import ground, outcomes_of, read_answer, text_indices
from spanometer.measures import SpanF
from spanometer.spans.texts import Tokens
from spanometer.spans.tokenisation import POLICIES, to_tokens


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Put the picture of a guide in its place."""
    name = page.file.src_uri.removesuffix(".md")
    return content.replace(f"<!-- picture: {name} -->", GUIDES[name]()) if name in GUIDES else content


def _errors() -> str:
    """Draw every kind of error, as the package names them, in two sentences."""
    drawing, cells = Drawing(), len(_KINDS[0][0])
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
            center = place_of((error[f"{side}_start"] + error[f"{side}_end"]) / 2)
            color = {"correct": RIGHT, "missing": WRONG, "spurious": WRONG}.get(error["kind"], PART)
            drawing.text(center, top + 18, error["kind"].replace("_", " "), color=color)
    return drawing.figure("The tokens and the labels of a pair of spans decide the kind of error.", cells)


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
    # the names of policies need the first cell
    first = {len(" ".join([*words[:place], ""])): place + 1 for place in range(len(words))}
    gold = [(start, end, "PER" if start == 0 else "LOC") for start, end in ((0, 12), (18, 23), (27, 32))]
    drawing = Drawing()
    drawing.words(["", *words])

    def box(top: float, start: int, end: int, label: str, color: str) -> None:
        drawing.box(top, first[start], first[start] + len(text[start:end].split()), color, label)

    top = drawing.row("reference")
    for span in gold:
        box(top, *span, PLAIN)
    reference = [[{"start": start, "end": end, "label": label} for start, end, label in gold]]
    for policy in ("strict", "spacy-llm-v2", "spacy-llm-first", "uie"):
        grounded = ground([text], [answer], policy=policy)
        f1 = spanometer.score(reference, grounded, measures="span_f").flat()["span_f_f1"]
        outcomes = outcomes_of(read_answer(answer), index, policy)
        starts = [start for outcome in outcomes for start, _ in outcome.spans]
        top = drawing.row(policy, BOX + 12 + BOX * (len(starts) - len(set(starts))))
        for outcome in outcomes:
            label = outcome.item.label
            for start, end in outcome.spans:
                right = (start, end, label) in gold
                box(top if right else top + BOX + 2, start, end, label, RIGHT if right else WRONG)
            if outcome.wrong:
                drawing.box(top, len(words) + 1, len(words) + 3, WRONG, f"{outcome.item.mention}: {outcome.kind}")
        drawing.text(place_of(len(words) + 3.5), top + 18, f"F1 {f1:.2f}")
    return drawing.figure(f"The answer {answer} under four policies. False positives are red.", len(words) + 4)


_ANSWERED = (
    ["Paris", "Hilton", "said", "Paris", "is", "Paris"],
    '[["PER", "Paris Hilton"], ["LOC", "Paris"], ["LOC", "Rome"]]',
)
"""The words of a text, and what a language model answers."""


def _formats() -> str:
    """Draw two spans of characters, and their tokens under each policy."""
    text, spans, width = "New Yorkers and New York-based banks", ((0, 8, "A"), (16, 24, "B")), 1 / 4
    drawing = Drawing()
    top = drawing.row("text", 28)
    for place, sign in enumerate(text):
        drawing.text(place_of((place + 0.5) * width), top + 16, sign)
    tokens = [match.span() for match in re.finditer(r"\S+", text)]
    top = drawing.row("spans")
    for start, end, label in spans:
        drawing.box(top, start * width, end * width, PLAIN, label)
    sides = Spans.from_dicts([[{"start": start, "end": end, "label": label} for start, end, label in spans]])
    for policy in POLICIES:
        top = drawing.row(policy)
        try:
            carried = to_tokens(sides, Tokens.from_lists([tokens]), policy=policy).spans.to_dicts()[0]
        except InputError:
            drawing.text(place_of(0), top + 18, "an error: both spans end inside a token", anchor="start", color=WRONG)
            continue
        if not carried:
            drawing.text(place_of(0), top + 18, "both spans are left out", anchor="start", color=WRONG)
        for span in carried:
            start, end = tokens[span["start"]][0], tokens[span["end"] - 1][1]
            drawing.box(top, start * width, end * width, RIGHT, span["label"])
    return drawing.figure("Two spans of characters end inside a token. Each rule gives them other tokens.", 9)


def _illegal_tags() -> str:
    """Draw the spans that each policy reads from the same illegal tags."""
    drawing, tags = Drawing(), ["O", "I-PER", "E-PER", "O", "B-ORG", "I-ORG", "O", "S-LOC"]
    drawing.words(tags)
    for policy in ("conlleval", "discard", "bes", "convert"):
        (spans,) = Spans.from_tags([tags], scheme="IOBES", repair=policy).to_dicts()
        drawing.spans(policy, [(span["start"], span["end"], span["label"]) for span in spans])
    return drawing.figure("Four repair policies read different spans from the same illegal tags.")


def _command_line() -> str:
    """Draw the parts of a command, and the scores with intervals that it prints."""
    drawing, folder = Drawing(), Path(__file__).parents[1] / "examples" / "shared_task"
    drawing.row("spanometer score", 34)
    for part, meaning in _COMMAND.items():
        top = drawing.row("", 34)
        drawing.box(top, -0.95, 1.35, PLAIN, part)
        drawing.text(place_of(1.45), top + 18, meaning, anchor="start")
    drawing.height += 10
    sides = [spanometer.read(folder / name) for name in list(_COMMAND)[:2]]
    report = spanometer.score(*sides, measures="span_f,link_f", confidence=0.95)
    for result in report.results:
        top, (low, high) = drawing.row(result.name, 34), result.intervals["f1"]
        start, width, f1 = place_of(0), 2.4 * CELL, result.scores["f1"]
        bar = f'<rect x="{start:g}" y="{top + 4}" height="18" rx="4" fill="{PLAIN}"'
        drawing.parts.append(f'{bar} fill-opacity="0.15" width="{width:g}"/>')
        drawing.parts.append(f'{bar} fill-opacity="0.5" width="{width * f1:g}"/>')
        drawing.line(start + width * low, top + 13, start + width * high, top + 13, "currentColor")
        drawing.text(start + width + 8, top + 18, f"{f1:.2f} ({low:.2f} to {high:.2f})", anchor="start")
    return drawing.figure("The parts of a command, and the F1 of each measure with its 95 % interval.", 4.6)


_COMMAND = {
    "gold.conll": "the reference",
    "greedy.conll": "the predictions of a system",
    "--measures span_f,link_f": "what to compute",
    "--confidence 0.95": "add 95 % intervals",
}
"""The parts of a command and their meaning; the files come first."""


def _python() -> str:
    """Draw the counts of three documents, their sum, and the scores of the sum."""
    drawing, width = Drawing(), 0.3
    columns = {"both": 1.95, "predicted": 2.8, "reference": 3.65}

    def numbers(y: float, counts: Counts) -> None:
        for name, place in columns.items():
            drawing.text(place_of(place), y, str(getattr(counts, name)))

    top = drawing.row("", 30)
    for name, place in columns.items():
        drawing.text(place_of(place), top + 18, name)
    measure, parts = SpanF(), []
    for sides in _DOCUMENTS:
        for name, spans in zip(("reference", "prediction"), sides, strict=True):
            top = drawing.row(name, BOX + 4)
            drawing.box(top, 0, 5 * width, "currentColor", opacity=0.04)
            for start, end in spans:
                color = RIGHT if all((start, end) in side for side in sides) else WRONG
                drawing.box(top, start * width, end * width, color, opacity=0.4)
        spans = ([[{"start": start, "end": end, "label": "X"} for start, end in side]] for side in sides)
        parts.append(measure.counts(*(Spans.from_dicts(side) for side in spans)))
        numbers(top + 4, parts[-1])
        drawing.height += 12
    total = functools.reduce(operator.add, parts)
    drawing.line(0, drawing.height - 4, place_of(4), drawing.height - 4, "currentColor")
    numbers(drawing.row("sum", 32) + 18, total)
    scores = ", ".join(f"{name} {value:.2f}" for name, value in measure.score(total).items())
    drawing.text(place_of(0), drawing.row("scores", 32) + 18, scores, anchor="start")
    return drawing.figure("The spans of three documents, their counts by span_f, and the scores of the sum.", 4)


_DOCUMENTS = (
    (((0, 2), (3, 5)), ((0, 2), (3, 4))),
    (((1, 3),), ((1, 3),)),
    (((0, 1), (2, 5)), ((2, 5),)),
)
"""Reference spans and predicted spans of three documents."""


GUIDES = {
    **{draw.__name__[1:]: draw for draw in (_errors, _grounding, _formats, _illegal_tags, _command_line, _python)},
    **using.PICTURES,
    "rankings": rankings.picture,
}
"""The pictures of guides, which stand where the page has `<!-- picture: NAME -->`."""
