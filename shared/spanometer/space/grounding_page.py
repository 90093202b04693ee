"""The page `grounding`: the spans that policies find for an answer."""

import base64
import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from ..exceptions import InputError, counted
from ..grounding.answers import Answer, read_answer
from ..grounding.grounded import text_indices
from ..grounding.outcomes import Predicted, outcomes_of
from ..grounding.placing import Outcome, TextIndex
from ..grounding.policies import COUNTS, NAMED, OUTCOMES, PLACES, GroundingPolicy
from ..grounding.reading import AnswerReading
from ..options import options_of
from ..tables.table import Cell, Table, amount
from ..web.templates import Section
from .forms import Fields, Form, Response
from .limits import require_at_most
from .texts import HOME, examples_of, read_file, render, texts

MAX_TEXT = 10_000
MAX_ANSWER = 20_000
MAX_ITEMS = 500
MAX_PLACES = 20_000
"""The maximum size of the input: characters of the text and of the answer, items, and occurrences of their mentions."""

SHOWN_CHARACTERS = 5_000
SHOWN_ITEMS = 100
"""The maximum number of characters of a text, and of items in a list, that are shown; all are counted."""

FIELDS = Fields.of_app("grounding", options_of(AnswerReading))
"""The options of the page."""

_ABOUT = " ".join(
    [
        *(f"{kind}: {COUNTS[kind]}." for kind in OUTCOMES),
        "†: the policy that is nearest to the project's rule.",
        f"The actions are for the cases {', '.join(PLACES)}, in this order.",
    ]
)
_COLUMNS = ("policy", "item", "label", "mention", "outcome", "counts_as_wrong", "start", "end")


LIMITS = f"{MAX_TEXT:,} characters of text, {MAX_ANSWER:,} of the answer, {MAX_ITEMS} items"


def form() -> Form:
    """Create the form of the page: a text, an answer, and how it is parsed."""
    examples = examples_of("answers").items()
    return Form.of_app(
        "grounding",
        respond=respond,
        limits=LIMITS,
        fields=FIELDS,
        examples={name: {box: text for box, text in boxes.items() if box != "reference"} for name, boxes in examples},
        below=why(),
    )


@dataclass(frozen=True, eq=False)
class _Grounded:
    """An answer grounded by a policy: the outcomes of its items, or the reason why there are none."""

    name: str
    items: Sequence[Outcome] = ()
    problem: str = ""

    @cached_property
    def predicted(self) -> Predicted:
        """The spans, and the items without a place that count as wrong, in alphabetical order."""
        spans = ((*span, outcome.item.label) for outcome in self.items for span in outcome.spans)
        return Predicted(frozenset(spans), tuple(sorted(item[:2] for item, _, _, wrong in self.items if wrong)))


def why() -> str:
    """Show how much a score depends on the policy."""
    return render("why.html", picture=base64.b64encode(read_file("memoirs.svg").encode()).decode(), home=HOME)


def parsed(boxes: Mapping[str, str], reading: AnswerReading) -> list[Answer]:
    """Parse the answers in the boxes, up to the maximum size of each box; the first box has the text."""
    for box, content in boxes.items():
        if not content.strip():
            raise InputError(f"the {box} is empty.", "Paste a text, or click an example.")
        require_at_most(MAX_TEXT if box == "text" else MAX_ANSWER, len(content), "characters", box)
    labels = [*(reading.asked_labels or ()), *(reading.aliases or {})]
    formats, answers = {"answer": reading.answer_format, "reference": "auto"}, []
    for box in filter(formats.get, boxes):
        answers.append(read_answer(boxes[box], format=formats[box], asked_labels=labels, text=boxes["text"]))
        require_at_most(MAX_ITEMS, len(answers[-1].items), "items", box)
    return answers


def respond(values: Mapping[str, Any]) -> Response:
    """Show an answer grounded by each policy.

    Args:
        values: the values of the fields, by name.
    """
    text, reading = values["text"], AnswerReading(**FIELDS.read(values))
    (read,) = parsed({"text": text, "answer": values["answer"]}, reading)
    own = GroundingPolicy.of(reading.grounding)
    policies = {name: point.policy for name, point in NAMED.items()}
    if own not in policies.values():
        policies = {"your own": own, **policies}
    (index,) = text_indices([text])
    results = [_grounded(name, policy, read, index, reading) for name, policy in policies.items()]
    alike: dict[Predicted, list[_Grounded]] = {}
    for result in results:
        if not result.problem:
            alike.setdefault(result.predicted, []).append(result)
    letters = dict(zip(alike, ascii_uppercase, strict=False))
    html = render(
        "grounding.html",
        notes=list(answer_notes(read, text)),
        size=f"{counted(len(read.items), 'item')} in the answer, {counted(len(text), 'character')} of text",
        policies=len(results),
        snippet=_call(reading),
        outcomes=[_outcome(letters[spans], members, alike, text) for spans, members in alike.items()],
        sections=[Section("Each policy", [_policies(results, letters)], _ABOUT)],
    )
    return Response(html, files=_files(results))


def _grounded(name: str, policy: GroundingPolicy, read: Answer, index: TextIndex, reading: AnswerReading) -> _Grounded:
    policy = policy if reading.offsets is None else replace(policy, offsets=reading.offsets)
    places = sum(len(index.occurrences(item.mention, policy.fold, policy.inside)) for item in read.items)
    require_at_most(MAX_PLACES, places, "occurrences of mentions in the text", "answer")
    try:
        return _Grounded(name, outcomes_of(read, index, policy, reading.asked_labels, reading.aliases))
    except InputError as error:
        return _Grounded(name, problem=f"not computed: {error.problem}")


def answer_notes(read: Answer, text: str) -> Iterator[str]:
    """Yield notes on the answer that apply to every policy."""
    if read.broken:
        yield (
            "The answer cannot be parsed. Some policies read it as empty; the others use the "
            f"{counted(len(read.items), 'complete item')}."
        )
    if read.rewrites(text):
        yield "The model has changed the text in its answer, so its offsets may point to other places."
    if read.unread:
        yield f"The offsets of {counted(read.unread, 'item')} could not be read."
    if read.other_fields:
        yield f"{counted(read.other_fields, 'field')} of the answer cannot be read as an item."
    if not read.items:
        yield "The answer has no items."


def _policies(results: Sequence[_Grounded], letters: Mapping[Predicted, str]) -> Table:
    """Return a table by policy, with the numbers of spans and of items with each outcome."""
    rows: list[list[Cell]] = []
    for result in results:
        kinds = Counter(outcome.kind for outcome in result.items)
        numbers = *map(len, result.predicted), *(kinds[kind] for kind in OUTCOMES)
        name = f"{result.name} †" if result.name in NAMED and not NAMED[result.name].exact else result.name
        cells = [""] * len(numbers) if result.problem else map(amount, numbers)
        rows.append([name, result.problem or letters[result.predicted], *cells])
    return Table("policy", ("outcome", "spans", "not in the text, wrong", *OUTCOMES), rows, left=2)


def _outcome(letter: str, alike: Sequence[_Grounded], outcomes: Iterable[Predicted], text: str) -> dict[str, Any]:
    """Describe an outcome: the policies that lead to it, the text with its spans, and the lost items."""
    common = frozenset.intersection(*(spans for spans, _ in outcomes))
    marks = [(*span, "agreed" if span in common else "disputed") for span in alike[0].predicted.spans]
    # policies with one outcome may have different reasons
    lost = [items for items in zip(*(result.items for result in alike), strict=True) if items[0].kind != "placed"]
    return {
        "letter": letter,
        "results": alike,
        "pieces": list(marked(text[:SHOWN_CHARACTERS], marks)),
        "cut": len(text) > SHOWN_CHARACTERS,
        "lost": lost[:SHOWN_ITEMS],
        "more": counted(len(lost) - SHOWN_ITEMS, "more item") if len(lost) > SHOWN_ITEMS else "",
    }


def marked(text: str, marks: Iterable[tuple[int, int, str, str]]) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """Cut a text where marks begin and end.

    Yields each piece, the marks over it (longest first), and the marks that end.

    Args:
        text: the text, or its beginning.
        marks: start, end, label and kind of each mark, in any order; they may nest and cross.
    """
    inside = sorted((mark for mark in marks if mark[0] < len(text)), key=lambda mark: (mark[0] - mark[1], *mark))
    borders = {0, len(text), *(min(border, len(text)) for mark in inside for border in mark[:2])}
    for start, end in pairwise(sorted(borders)):
        over = [mark for mark in inside if mark[0] <= start and mark[1] >= end]
        yield text[start:end], over, [mark for mark in over if min(mark[1], len(text)) == end]


def _call(reading: AnswerReading) -> str:
    """Return the Python code that grounds the answer as the first policy of the page does."""
    options = {"policy": str(reading.policy), "asked_labels": reading.asked_labels, "aliases": reading.aliases}
    options["format"] = None if reading.answer_format == "auto" else reading.answer_format
    listed = "".join(f"    {name}={value!r},\n" for name, value in options.items() if value)
    return str(texts()["apps"]["grounding"]["call"]).format(options=listed)


def _files(results: Sequence[_Grounded]) -> dict[str, str]:
    """Return the items under each policy as JSON and CSV; an item with several places occurs once for each."""
    records = [
        dict(zip(_COLUMNS, (result.name, number, *items, *bounds), strict=True))
        for result in results
        for number, outcome in enumerate(result.items, 1)
        for items in [(outcome.item.label, outcome.item.mention, outcome.kind, outcome.wrong)]
        for bounds in outcome.spans or ((None, None),)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS)
    writer.writeheader()
    writer.writerows(records)
    return {"grounding.json": json.dumps(records, ensure_ascii=False, indent=2), "grounding.csv": text.getvalue()}
