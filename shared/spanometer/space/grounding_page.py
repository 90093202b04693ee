"""The pages `grounding` and `mention_f`: the spans that policies find for an answer, and its mention F1."""

import base64
import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from ..exceptions import InputError, counted
from ..grounding.answers import Answer, read_answer
from ..grounding.grounded import text_indices
from ..grounding.outcomes import Predicted, outcomes_of
from ..grounding.placing import Outcome, TextIndex
from ..grounding.policies import COUNTS, NAMED, NAMED_STRINGS, OUTCOMES, PLACES, GroundingPolicy, form_text
from ..grounding.reading import AnswerReading, ground_strings
from ..measures.mention_f import MentionF
from ..options import options_of
from ..spans.mentions import Mentions
from ..tables.table import Cell, Table, amount
from ..web.templates import Section, shown
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
        f"The actions are for {', '.join(PLACES)}, in this order.",
    ]
)
_COLUMNS = ("policy", "item", "label", "mention", "outcome", "counts_as_wrong", "start", "end")

_STRINGS = "Other projects compare only strings, wherever they are. Mentions are shown in each policy's normal form."


def form(name: str = "grounding") -> Form:
    """Create the form of a page: a text, an answer, how it is parsed, and the right mentions."""
    return Form.of_app(
        name,
        respond=partial(respond, name=name),
        limits=f"{MAX_TEXT:,} characters of text, {MAX_ANSWER:,} of the answer, {MAX_ITEMS} items",
        fields=FIELDS,
        examples=examples_of("answers"),
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


def respond(values: Mapping[str, Any], *, name: str = "grounding") -> Response:
    """Show an answer grounded by each policy.

    Args:
        values: the values of the fields, by name.
        name: the page; `mention_f` begins with mention F1.
    """
    text, answer, reference = (values[box] for box in ("text", "answer", "reference"))
    reading, strings_first = AnswerReading(**FIELDS.read(values)), name == "mention_f"
    for box, most in {"text": MAX_TEXT, "answer": MAX_ANSWER, "reference": MAX_ANSWER}.items():
        if not values[box].strip() and box != "reference":
            raise InputError(f"the {box} is empty.", "Paste a text, or click an example.")
        require_at_most(most, len(values[box]), "characters", box)
    own = GroundingPolicy.of(reading.grounding)
    labels = [*(reading.asked_labels or ()), *(reading.aliases or {})]
    read = read_answer(answer, format=reading.answer_format, asked_labels=labels, text=text)
    right = read_answer(reference, asked_labels=labels, text=text) if reference.strip() else None
    require_at_most(MAX_ITEMS, len(read.items), "items", "answer")
    require_at_most(MAX_ITEMS, 0 if right is None else len(right.items), "items", "reference")
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
    f1, compared = _strings(text, read, reading, right)
    strings = Section("Compared as strings", compared, _STRINGS)
    first, last = ([strings], []) if strings_first else ([], [strings])
    html = render(
        "grounding.html",
        notes=list(_notes(read, text)),
        f1=f1 if strings_first else "",
        first=first,
        size=f"{counted(len(read.items), 'item')} in the answer, {counted(len(text), 'character')} of text",
        policies=len(results),
        snippet=_call(reading),
        outcomes=[_outcome(letters[spans], members, alike, text) for spans, members in alike.items()],
        sections=[Section("Each policy", [_policies(results, letters)], _ABOUT), *last],
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


def _notes(read: Answer, text: str) -> Iterator[str]:
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
        name = f"{result.name}{_nearest(result.name, NAMED)}"
        cells = [""] * len(numbers) if result.problem else map(amount, numbers)
        rows.append([name, result.problem or letters[result.predicted], *cells])
    return Table("policy", ("outcome", "spans", "not in the text, wrong", *OUTCOMES), rows, left=2)


def _nearest(name: str, points: Mapping[str, Any]) -> str:
    """Mark a policy that only approximates a project's rule."""
    return " †" if name in points and not points[name].exact else ""


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


def _strings(text: str, read: Answer, reading: AnswerReading, right: Answer | None) -> tuple[Cell, list[Table]]:
    """Return the first policy's mention F1 and tables of all policies for strings: scores, and normal forms."""
    pairs = [] if right is None else [(item.label, item.mention) for item in right.items]
    rows: list[list[Cell]] = []
    forms_by_policy: list[list[Cell]] = []
    options: dict[str, Any] = {"asked_labels": reading.asked_labels, "aliases": reading.aliases}
    for name, point in NAMED_STRINGS.items():
        mentions = ground_strings([text], [read], policy=point.policy, **options).mentions
        labels = (mentions.labels[code] for code in mentions.label.tolist())
        forms = (form_text(mentions.texts[code].strip(), point.policy.fold) for code in mentions.text.tolist())
        counts = Counter(zip(labels, forms, strict=True))
        if point.policy.copies == "set":
            counts = Counter([*counts])
        listed = [
            f"{shown(label)}: {shown(form)}{f' ×{count}' if count > 1 else ''}"
            for (label, form), count in counts.items()
        ]
        more = f" and {len(listed) - SHOWN_ITEMS:,} more" if len(listed) > SHOWN_ITEMS else ""
        which = f"{' · '.join(listed[:SHOWN_ITEMS]) or 'none'}{more}"
        compared: dict[str, Any] = dict(point.policy.compared)
        measure = MentionF(**compared)
        scores = measure.score(measure.counts(Mentions.from_pairs([pairs]), mentions)) if right is not None else {}
        title = f"{name}{_nearest(name, NAMED_STRINGS)}"
        rows.append([title, amount(counts.total()), *(f"{value:.4f}" for value in scores.values())])
        forms_by_policy.append([title, which])
    keys = () if right is None else tuple(MentionF.results)
    tables = [Table("policy", ("mentions", *keys), rows), Table("policy", ("mentions",), forms_by_policy, left=2)]
    return rows[0][-1] if keys else "", tables


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
