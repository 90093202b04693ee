"""What policies make of one answer of a language model: what their page reads and shows."""

from __future__ import annotations

import base64
import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from string import ascii_uppercase
from typing import Any

from ..exceptions import InputError, counted
from ..grounding.answers import Answer, read_answer
from ..grounding.forms import form_of
from ..grounding.grounded import text_indices
from ..grounding.outcomes import OUTCOMES, Outcome, outcomes_of
from ..grounding.placing import TextIndex
from ..grounding.policies import NAMED, NAMED_STRINGS, PLACES, GroundingPolicy
from ..grounding.reading import AnswerReading
from ..grounding.strings import ground_strings
from ..options import options_of
from ..tables.table import Cell, Table, amount
from ..web.templates import shortened, shown
from .controls import Fields
from .downloads import downloads
from .layers import Mark, marked
from .limits import too_much
from .templates import error_message, read_file, render
from .texts import HOME

MAX_TEXT = 10_000
MAX_ANSWER = 20_000
MAX_ITEMS = 500
MAX_PLACES = 20_000
"""How much the page takes: characters of the text and of the answer, items, and places where their mentions are."""

SHOWN_CHARACTERS = 5_000
SHOWN_ROWS = 100
"""How much of a text, and how many spans or items in a list, are shown; all of it is counted."""

FIELDS = Fields.of_app("grounding", options_of(AnswerReading))
"""The options of the page."""

_CALL = """from spanometer.grounding import ground

grounded = ground(
    [text],
    [answer],
{options})
grounded.spans.to_dicts(), grounded.wrong_mention, grounded.total"""

Predictions = tuple[frozenset[tuple[int, int, str]], frozenset[tuple[tuple[str, str], int]]]
"""What two policies that score alike have in common: the spans, and the items without a place that count as wrong."""


@dataclass(frozen=True, eq=False)
class _Made:
    """What a policy makes of the answer: the outcomes of its items, or why there are none."""

    name: str
    policy: GroundingPolicy
    items: Sequence[Outcome] = ()
    problem: str = ""

    @property
    def spans(self) -> frozenset[tuple[int, int, str]]:
        return frozenset((*span, one.item.label) for one in self.items for span in one.spans)

    @property
    def wrong(self) -> Counter[tuple[str, str]]:
        return Counter((one.item.label, one.item.mention) for one in self.items if one.wrong)

    @property
    def outcome(self) -> Predictions:
        return self.spans, frozenset(self.wrong.items())


def respond(text: str, answer: str, values: Mapping[str, Any]) -> str:
    """Return what each policy makes of an answer, as HTML; an error in words if it cannot be grounded.

    Args:
        text: the text.
        answer: what the model wrote.
        values: of the controls, by name.
    """
    try:
        return _results(text, answer, values)
    except InputError as error:
        return error_message(error, FIELDS.spell)


def why() -> str:
    """Return the spread of a score over the policies as HTML."""
    return render("why.html", picture=base64.b64encode(read_file("memoirs.svg").encode()).decode(), home=HOME)


def _results(text: str, answer: str, values: Mapping[str, Any]) -> str:
    for name, given, most in (("text", text, MAX_TEXT), ("answer", answer, MAX_ANSWER)):
        if not given.strip():
            raise InputError(f"the {name} is empty.", "Paste one, or click an example.")
        if len(given) > most:
            raise too_much(name, f"{counted(len(given), 'character')}, more than {most:,}")
    reading = AnswerReading(**FIELDS.read(values))
    own = GroundingPolicy.of(reading.grounding)
    labels = reading.answer_labels
    read = read_answer(answer, format=reading.answer_format, labels=[*(labels or ()), *(reading.aliases or {})])
    if len(read.items) > MAX_ITEMS:
        raise too_much("answer", f"{len(read.items):,} items, more than {MAX_ITEMS:,}")
    policies = {name: point.policy for name, point in NAMED.items()}
    if own not in policies.values():
        policies = {"your own": own, **policies}
    (index,) = text_indices([text])
    made = [_made(name, policy, read, index, reading) for name, policy in policies.items()]
    outcomes = _outcomes(made)
    differing = _differences(outcomes, text)
    return render(
        "grounding.html",
        size=f"{counted(len(read.items), 'item')} in the answer, {counted(len(text), 'character')} of text",
        notes=list(_notes(read, made, text)),
        named=len(made),
        policies={"Items by outcome": _policies(made, outcomes)},
        actions={"Actions at the eight places, and of offsets": _actions(made)},
        kinds=OUTCOMES,
        places=PLACES,
        outcomes=[_shown(letter, alike, outcomes, text) for letter, alike in _by_letter(made, outcomes).items()],
        differences=replace(differing, rows=differing.rows[:SHOWN_ROWS]),
        more=max(len(differing.rows) - SHOWN_ROWS, 0),
        strings={"Mentions that count as predicted": _strings(text, read, reading)},
        downloads=downloads("grounding", _call(reading, own), _described(made), _csv(made)),
    )


def _made(name: str, policy: GroundingPolicy, read: Answer, index: TextIndex, reading: AnswerReading) -> _Made:
    policy = policy if reading.offsets is None else replace(policy, offsets=reading.offsets)
    places = sum(len(index.occurrences(item.mention, policy.fold, policy.inside)) for item in read.items)
    if places > MAX_PLACES:
        raise too_much("answer", f"mentions that are at {places:,} places of the text, more than {MAX_PLACES:,}")
    try:
        return _Made(name, policy, outcomes_of(read, index, policy, reading.answer_labels, reading.aliases))
    except InputError as error:
        return _Made(name, policy, problem=f"not computed: {error.problem}")


def _outcomes(made: Sequence[_Made]) -> dict[Predictions, str]:
    """Return a letter for each outcome, in the order of the policies."""
    found = dict.fromkeys(one.outcome for one in made if not one.problem)
    return dict(zip(found, ascii_uppercase, strict=False))


def _by_letter(made: Sequence[_Made], outcomes: Mapping[Predictions, str]) -> dict[str, list[_Made]]:
    return {
        letter: [one for one in made if not one.problem and one.outcome == outcome]
        for outcome, letter in outcomes.items()
    }


def _notes(read: Answer, made: Sequence[_Made], text: str) -> list[str]:
    """Return what a reader should know about the answer, whatever the policy."""
    notes = []
    if read.broken:
        notes.append(
            "The answer does not parse. Policies that take it as empty have no items; others have "
            f"{counted(len(read.items), 'item')} that {'is' if len(read.items) == 1 else 'are'} complete."
        )
    if read.rewrites(text):
        notes.append("The answer is not the text: the model has changed it, so its offsets mean other places.")
    if read.unread:
        notes.append(f"{counted(read.unread, 'value')} of the answer could not be read as an item.")
    if not read.items:
        notes.append("No item was found in the answer.")
    return notes


def _policies(made: Sequence[_Made], outcomes: Mapping[Predictions, str]) -> Table:
    """Return a row for each policy: its outcome, and how many items have each fate."""
    rows: list[list[Cell]] = []
    for one in made:
        counts = Counter(item.kind for item in one.items)
        numbers = len(one.spans), sum(one.wrong.values()), *(counts[kind] for kind in OUTCOMES)
        letter = one.problem or outcomes[one.outcome]
        rows.append([_named(one.name, NAMED), letter, *("" if one.problem else amount(value) for value in numbers)])
    return Table("policy", ("outcome", "spans", "wrong, without a place", *OUTCOMES), rows, left=2)


def _named(name: str, known: Mapping[str, Any]) -> str:
    """Return the name of a policy, marked if it is but the nearest one to a project's rule."""
    return f"{name} †" if name in known and not known[name].exact else name


def _actions(made: Sequence[_Made]) -> Table:
    """Return the actions of each policy, and the project that it is from."""
    rows = [
        [one.name, ", ".join(one.policy.actions), NAMED[one.name].source if one.name in NAMED else ""] for one in made
    ]
    return Table("policy", ("actions", "from"), rows, left=3)


def _shown(letter: str, alike: Sequence[_Made], outcomes: Mapping[Predictions, str], text: str) -> dict[str, Any]:
    """Return one outcome: the policies that have it, the text with its spans, and what was lost."""
    common = frozenset.intersection(*(spans for spans, _ in outcomes))
    spans, _ = alike[0].outcome
    marks = [Mark(*span, "agreed" if span in common else "disputed") for span in spans]
    lost = [_lost(alike, number) for number, one in enumerate(alike[0].items) if one.kind != "placed"]
    return {
        "letter": letter,
        "names": [one.name for one in alike],
        "pieces": marked(text, marks, SHOWN_CHARACTERS),
        "cut": len(text) > SHOWN_CHARACTERS,
        "spans": len(spans),
        "lost": lost[:SHOWN_ROWS],
        "more": max(len(lost) - SHOWN_ROWS, 0),
    }


def _lost(alike: Sequence[_Made], number: int) -> dict[str, Any]:
    """Return an item that has no place under policies with one outcome: they may say different reasons."""
    of_item = [one.items[number] for one in alike]
    return {
        "label": of_item[0].item.label,
        "mention": shown(of_item[0].item.mention),
        "kinds": list(dict.fromkeys(one.kind for one in of_item)),
        "wrong": of_item[0].wrong,
    }


def _differences(outcomes: Mapping[Predictions, str], text: str) -> Table:
    """Return the spans, and the wrong items, that not all outcomes have."""
    spans = Counter(span for found, _ in outcomes for span in found)
    wrong = Counter(item for _, found in outcomes for item in dict(found))
    few = sorted(span for span, count in spans.items() if count < len(outcomes))
    rows = [
        [
            *(shown(text[start:end]), shortened(label), f"{start:,} to {end:,}"),
            *("✓ yes" if (start, end, label) in found else "–" for found, _ in outcomes),
        ]
        for start, end, label in few
    ]
    for label, mention in sorted(wrong):
        times = [dict(found).get((label, mention), 0) for _, found in outcomes]
        if len(set(times)) > 1:
            cells = ("–" if not count else "wrong" if count == 1 else f"wrong, {count} times" for count in times)
            rows.append([shown(mention), shortened(label), "no place", *cells])
    heads = "label", "characters", *outcomes.values()
    return Table("mention", heads, rows, left=len(heads) + 1)


def _strings(text: str, read: Answer, reading: AnswerReading) -> Table:
    """Return a row for each named policy for strings: the mentions that count as predicted, in their normal form."""
    rows: list[list[Cell]] = []
    for name, point in NAMED_STRINGS.items():
        policy = point.policy
        found = ground_strings(
            [text], [read], policy=policy, labels=reading.answer_labels, aliases=reading.aliases
        ).mentions
        labels = (found.labels[code] for code in found.label.tolist())
        forms = (form_of(found.texts[code].strip(), policy.fold).text for code in found.text.tolist())
        counts = Counter(zip(labels, forms, strict=True))
        copies = {item: 1 if policy.copies == "set" else count for item, count in counts.items()}
        listed = [
            f"{shown(label)}: {shown(form)}{f' ×{count}' if count > 1 else ''}"
            for (label, form), count in copies.items()
        ]
        more = f" and {len(listed) - SHOWN_ROWS:,} more" if len(listed) > SHOWN_ROWS else ""
        which = f"{' · '.join(listed[:SHOWN_ROWS]) or 'none'}{more}"
        rows.append([_named(name, NAMED_STRINGS), which, amount(sum(copies.values()))])
    return Table("policy", ("which", "mentions"), rows, left=2)


def _call(reading: AnswerReading, own: GroundingPolicy) -> str:
    """Return the Python that grounds the answer as the first policy of the page does."""
    policy = own if reading.offsets is None else replace(own, offsets=reading.offsets)
    given = {"labels": reading.answer_labels, "aliases": reading.aliases}
    options = {"policy": str(policy), **{name: value for name, value in given.items() if value}}
    if reading.answer_format != "auto":
        options["format"] = reading.answer_format
    return _CALL.format(options="".join(f"    {name}={value!r},\n" for name, value in options.items()))


def _described(made: Sequence[_Made]) -> dict[str, Any]:
    """Return all of it for JSON."""
    return {
        one.name: {
            "policy": {field.name: getattr(one.policy, field.name) for field in fields(one.policy)},
            "problem": one.problem or None,
            "items": [_item(outcome) for outcome in one.items],
        }
        for one in made
    }


def _item(outcome: Outcome) -> dict[str, Any]:
    return {
        "label": outcome.item.label,
        "mention": outcome.item.mention,
        "fate": outcome.kind,
        "counts_as_wrong": outcome.wrong,
        "spans": [{"start": start, "end": end} for start, end in outcome.spans],
    }


def _csv(made: Sequence[_Made]) -> str:
    """Return a row for each item and policy, for each place if it has several."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["policy", "item", "label", "mention", "fate", "counts_as_wrong", "start", "end"])
    for one in made:
        for number, outcome in enumerate(one.items, 1):
            for bounds in outcome.spans or (("", ""),):
                about = outcome.item.label, outcome.item.mention, outcome.kind, outcome.wrong
                writer.writerow([one.name, number, *about, *bounds])
    return text.getvalue()
