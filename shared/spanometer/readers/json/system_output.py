"""Outputs of systems: Hugging Face pipelines, GLiNER, Presidio, langextract, and systems of Mu-SHROOM."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...documents.layers import Record
from ...exceptions import InputError, counted, shown
from ...spans.spans import Spans
from ...tags.decoding import BARE_LABEL
from ..formats import register
from ..source import Source
from .records import TAGS_KEY, WORDS_KEYS, Row, are_words, first_object, is_object, is_span, rows, value_in

_LISTS = ("entities", "spans", "extractions")
_TEXTS = ("full_text", "text")
_NAMES = ("document_id", "id")
_SYSTEM_REMEDY = "Write one line for each text: the list of spans that the system found in this text."

_GLINER_REMEDY = 'Write an object for each document: {"tokenized_text": [...], "ner": [[first, last, label], ...]}.'


@dataclass(frozen=True)
class _Fields:
    """The names of a system's fields.

    Attributes:
        name: the system.
        start, end, label: the keys of a span.
        stated: the key of the span's text.
        beside: another key that only spans of this system have, if the other keys are ambiguous.
    """

    name: str
    start: str
    end: str
    label: str
    stated: str = ""
    beside: str = ""


_SYSTEMS = (
    # a pipeline's words are pieces of a vocabulary, not of the text
    _Fields("an aggregated pipeline", "start", "end", "entity_group"),
    _Fields("a pipeline", "start", "end", "entity", beside="index"),
    _Fields("GLiNER", "start", "end", "label", stated="text", beside="score"),
    _Fields("GLiNER2", "start", "end", "label", stated="text", beside="confidence"),
    _Fields("Presidio", "start", "end", "entity_type", beside="score"),
    _Fields("Presidio's data", "start_position", "end_position", "entity_type", stated="entity_value"),
    _Fields("langextract", "start_pos", "end_pos", "extraction_class", stated="extraction_text"),
)
_PLAIN = _Fields("spans alone", "start", "end", "label", stated="text")


def read_system_output(source: Source) -> Iterator[Record]:
    """Read the outputs of systems: a list of spans for each text, each on its own line or all in one list.

    Known systems are Hugging Face's token classification pipelines, GLiNER and GLiNER2 (with `include_spans`),
    Presidio's analyzer and data sets, and langextract. If a pipeline was run without `aggregation_strategy`, its word
    pieces are decoded as tags, under the policy `conlleval`. In objects with a `text`, `entities` may also be spans
    with only `start`, `end` and `label`, or `[start, end, label]`. Offsets are code points with exclusive ends. An
    object with a list of spans can have a `text` (or `full_text`) and an `id` (or `document_id`). If there are no
    texts, the other side's texts are used, in the same order. Spans without offsets are listed.

    Raises:
        InputError: if no known system has such spans; the error names the line. See also `documents_of`.
    """
    for row in _documents(source):
        record, spans = row.record(text=row.text(*_TEXTS), id=row.get(*_NAMES)), row.value
        if isinstance(row.value, dict):
            lists = [part for key in _LISTS if isinstance(part := row.get(key), list)]
            of_labels = row.get("entities")
            spans = list(_by_label(of_labels)) if isinstance(of_labels, dict) else next(iter(lists), None)
            if spans is None:
                raise row.refuse(f"{row.place or 'the line'} has no list of spans from a known system.", _SYSTEM_REMEDY)
        _add_spans(row, record, spans)
        yield record


def _documents(source: Source) -> Iterator[Row]:
    """Yield the spans of each text; a single list of spans belongs to one text."""
    documents = list(rows(source, "spans"))
    spans = [row.value for row in documents]
    if all(row.place for row in documents) and any(isinstance(span, dict) and _fields(span) for span in spans):
        yield Row(source, 1, "", spans)
        return
    for row in documents:
        if isinstance(row.value, list) and row.value and all(isinstance(part, list) for part in row.value):
            yield from (replace(row, place=f"text {number}", value=part) for number, part in enumerate(row.value))
        else:
            yield row


def _by_label(entities: Mapping[str, Any]) -> Iterator[Any]:
    """Yield GLiNER2's spans, which are grouped by label; mentions have no offsets."""
    for label, mentions in entities.items():
        for mention in mentions if isinstance(mentions, list) else [mentions]:
            fields = mention if isinstance(mention, dict) else {"text": mention}
            yield {"start": None, "end": None, "confidence": None, **fields, "label": label}


def _fields(span: Mapping[str, Any]) -> _Fields | None:
    for each in _SYSTEMS:
        nested = "char_interval" in span and each.name == "langextract"
        if (nested or each.start in span) and each.label in span and (not each.beside or each.beside in span):
            return each
    return None


def _add_spans(row: Row, record: Record, spans: Sequence[Any]) -> None:
    pieces: dict[int, tuple[int, int, str]] = {}
    # a fuzzy match covers other words than its stated text
    exact = all(value_in(span, "alignment_status") in (None, "match_exact") for span in spans)
    for span in spans:
        if record.text is not None and is_span(span):
            record.add(*span)
            continue
        fields = _fields(span) if isinstance(span, dict) else None
        if fields is None and record.text is not None and is_object(span, "start", "end", "label"):
            fields = _PLAIN
        if fields is None:
            problem = f"{row.place or 'the line'} has the span {shown(span)}. No supported tool writes such spans."
            raise row.refuse(problem, _SYSTEM_REMEDY)
        bounds = (span.get("char_interval") or {}) if "char_interval" in span else span
        start, end, label = bounds.get(fields.start), bounds.get(fields.end), span[fields.label]
        if start is None or end is None:
            mention = span.get(fields.stated or "word", "")
            record.lost.append((record.line, f"{shown(mention)} of {shown(label)}, which has no offsets."))
        elif fields.beside == "index":
            if not all(type(bound) is int for bound in (span["index"], start, end)) or not isinstance(label, str):
                problem = "'index', 'start' or 'end' of a word piece is not an integer, or 'entity' is not a string."
                raise row.refuse(problem, "Write 'index', 'start' and 'end' as integers, and 'entity' as a string.")
            pieces[span["index"]] = (start, end, label)
        else:
            record.add(start, end, label, stated=span.get(fields.stated) if fields.stated and exact else None)
    if pieces:
        _decode(row, record, pieces)


def _decode(row: Row, record: Record, pieces: Mapping[int, tuple[int, int, str]]) -> None:
    """Decode the tags of word pieces, given by their index, and add their spans; missing pieces have the tag O."""
    first, last = min(pieces), max(pieces)
    if last - first > (most := 10 * len(pieces) + 1000):
        most_of = f"With {counted(len(pieces), 'word piece')}, the limit is {most:,} (1,000 + 10 per piece)."
        raise row.refuse(f"the 'index' values {first} and {last} are too far apart. {most_of}", _SYSTEM_REMEDY)
    tagged = [pieces.get(index, (0, 0, "O")) for index in range(first, last + 1)]
    try:
        spans = Spans.from_tags([[tag for *_, tag in tagged]], repair="conlleval")
    except InputError as error:
        raise error.in_file(row.source.name, row.line) from None
    for _, start, end, label in spans.rows():
        record.add(tagged[start][0], tagged[end - 1][1], label)


def _shows_system(source: Source) -> bool:
    span = first_object(source)
    if _fields(span) is not None and "token_start" not in span:
        return True
    row = first_object(source, *_LISTS)
    first = [spans[0] for key in _LISTS if isinstance(spans := row.get(key), list) and spans]
    if isinstance(row.get("entities"), dict) or any(isinstance(span, dict) and _fields(span) for span in first):
        return True
    of_tokens = any(key in row for key in (TAGS_KEY, *WORDS_KEYS))
    if isinstance(row.get("text"), str) and isinstance(spans := row.get("entities"), list) and not of_tokens:
        # beside tokens, offsets may count tokens; a system may have found no spans in any text
        return all(is_object(span, "start", "end", "label") or is_span(span) for span in spans[:1])
    return is_object(row, "document_id", "extractions")


register("system", "the spans of a system such as Transformers or GLiNER", _shows_system, read_system_output)


def read_gliner(source: Source) -> Iterator[Record]:
    """Read objects with `tokenized_text` and `ner`; spans have their first and last token.

    Raises:
        InputError: if an object is malformed; the error names the line. See also `documents_of`.
    """
    for row in rows(source, "documents"):
        words, spans = row.get("tokenized_text"), row.get("ner")
        if not are_words(words) or not isinstance(spans, list):
            problem = f"{row.place or 'the line'} needs 'tokenized_text' (a list of words) and 'ner' (a list of spans)."
            raise row.refuse(problem, _GLINER_REMEDY)
        if not all(is_span(span) and type(span[1]) is int for span in spans):
            raise row.refuse(f"a span in {row.place or 'this line'} is not [first, last, label].", _GLINER_REMEDY)
        for _, last, label in spans:
            if last >= len(words):
                problem = f"a span labelled {label!r} ends with token {last}, but the last token is {len(words) - 1}."
                raise row.refuse(problem, "In [first, last, label], count tokens from 0. The span includes 'last'.")
        yield row.record(spans=[(first, last + 1, label) for first, last, label in spans], words=words)


def _is_gliner(source: Source) -> bool:
    return is_object(first_object(source), "tokenized_text", "ner")


register("gliner", "GLiNER's training data", _is_gliner, read_gliner, in_tokens=True)


_HARD, _SOFT = "hard_labels", "soft_labels"
_MUSHROOM_REMEDY = f'Write {{"id": ..., "{_HARD}": [[start, end], ...]}} on each line.'


def read_mushroom(source: Source) -> Iterator[Record]:
    """Read the hard labels as spans with the label `_`; the text is `model_output_text`.

    Without hard labels, soft labels with a probability above 0.5 are read; adjacent ones are joined. Offsets are code
    points with exclusive ends.

    Raises:
        InputError: if an object is malformed; the error names the line. See also `documents_of`.
    """
    for row in rows(source, "documents"):
        try:
            hard = row.value.get(_HARD)
            bounds = _likely(row.value[_SOFT]) if hard is None else [(start, end) for start, end in hard]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise row.refuse("the labels of the object are missing or malformed.", _MUSHROOM_REMEDY) from None
        spans = [(start, end, BARE_LABEL) for start, end in bounds]
        yield row.record(spans=spans, text=row.text("model_output_text"), id=row.get("id"))


def _likely(labels: Any) -> list[tuple[int, int]]:
    """Return the boundaries of soft labels with a probability above 0.5; adjacent ones are joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((label["start"], label["end"]) for label in labels if label["prob"] > 0.5):
        if joined and joined[-1][1] == start:
            start = joined.pop()[0]
        joined.append((start, end))
    return joined


def _shows_mushroom(source: Source) -> bool:
    row = first_object(source)
    return all(isinstance(row.get(key, []), list) for key in (_HARD, _SOFT)) and not {_HARD, _SOFT}.isdisjoint(row)


register("mushroom", "Mu-SHROOM's JSON lines", _shows_mushroom, read_mushroom)
