"""Outputs of systems: Hugging Face pipelines, GLiNER, Presidio, langextract, and systems of Mu-SHROOM."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...documents.layers import Record
from ...exceptions import InputError, shown
from ...spans.spans import Spans
from ...tags.decoding import BARE_LABEL
from ..formats import Offsets, register
from ..source import Source
from .records import TAGS_KEY, WORDS_KEYS, are_words, first_filled, first_object, is_object, rows

_LISTS = ("entities", "extractions", "spans")
_TEXTS = ("full_text", "text")
_NAMES = ("document_id", "id")
_SYSTEM_REMEDY = "Write the system's list of spans for each text on one line."

_GLINER_REMEDY = 'Write an object for each document: {"tokenized_text": [...], "ner": [[first, last, label], ...]}.'


@dataclass(frozen=True)
class _Fields:
    """The names of a system's fields.

    Attributes:
        name: the system.
        start, end, label: the keys of a span.
        stated: the key of the span's text.
        beside: another key that only spans of this system have, if the other keys are ambiguous.
        spans: the keys under which an object has its list of spans.
    """

    name: str
    start: str
    end: str
    label: str
    stated: str = ""
    beside: str = ""
    spans: tuple[str, ...] = ()


_SYSTEMS = (
    # a pipeline's words are pieces of a vocabulary, not of the text
    _Fields("an aggregated pipeline", "start", "end", "entity_group"),
    _Fields("a pipeline", "start", "end", "entity", beside="index"),
    _Fields("GLiNER", "start", "end", "label", stated="text", beside="score", spans=("entities",)),
    _Fields("GLiNER2", "start", "end", "label", stated="text", beside="confidence", spans=("entities",)),
    _Fields("Presidio", "start", "end", "entity_type", beside="score"),
    _Fields(
        "Presidio's data",
        "start_position",
        "end_position",
        "entity_type",
        stated="entity_value",
        spans=("spans",),
    ),
    _Fields(
        "langextract",
        "start_pos",
        "end_pos",
        "extraction_class",
        stated="extraction_text",
        spans=("extractions",),
    ),
)
_PLAIN = _Fields("spans alone", "start", "end", "label", stated="text")


def read_system_output(source: Source, options: Offsets) -> Iterator[Record]:
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
    for line, place, row in _documents(source):
        where = place or f"line {line}"
        record = Record(line=line, place=place)
        spans: Any = row
        if isinstance(row, dict):
            lists = {key for key, part in row.items() if isinstance(part, list)}
            fields = next((each for each in _SYSTEMS if lists.intersection(each.spans)), None)
            of_labels = row.get("entities")
            if isinstance(of_labels, dict):
                spans = list(_by_label(of_labels))
            elif fields is not None:
                spans = next(row[key] for key in fields.spans if key in lists)
            else:
                raise source.refuse(f"{where} has no list of spans from a known system.", _SYSTEM_REMEDY, line)
            text = next((row[key] for key in _TEXTS if isinstance(row.get(key), str)), None)
            name = next((row[key] for key in _NAMES if row.get(key) is not None), None)
            record = Record(text=text, id=name, line=line, place=place)
        if not isinstance(spans, list):
            raise source.refuse(f"{where} is not a list of spans.", _SYSTEM_REMEDY, line)
        _add_spans(source, record, spans, where)
        yield record


def _documents(source: Source) -> Iterator[tuple[int, str, Any]]:
    """Yield the spans of each text; a single list of spans belongs to one text."""
    documents = list(rows(source, "spans"))
    if all(place for _, place, _ in documents):
        spans = [row for _, _, row in documents]
        if any(isinstance(span, dict) and _fields(span) is not None for span in spans):
            yield 1, "", spans
            return
    for line, place, row in documents:
        nested = isinstance(row, list) and row and all(isinstance(part, list) for part in row)
        if nested:
            yield from ((line, f"text {number}", part) for number, part in enumerate(row))
        else:
            yield line, place, row


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


def _is_triple(span: Any) -> bool:
    return isinstance(span, list) and len(span) == 3


def _add_spans(source: Source, record: Record, spans: Sequence[Any], where: str) -> None:
    pieces: dict[int, tuple[int, int, str]] = {}
    # a fuzzy match covers other words than its stated text
    exact = all(not isinstance(span, dict) or span.get("alignment_status") in (None, "match_exact") for span in spans)
    for span in spans:
        if record.text is not None and _is_triple(span):
            record.add(span[0], span[1], span[2])
            continue
        fields = _fields(span) if isinstance(span, dict) else None
        if fields is None and record.text is not None and is_object(span, "start", "end", "label"):
            fields = _PLAIN
        if fields is None:
            raise source.refuse(
                f"{shown(span)} in {where} is not a span in the output of a supported tool.",
                _SYSTEM_REMEDY,
                record.line,
            )
        bounds = (span.get("char_interval") or {}) if "char_interval" in span else span
        start, end, label = bounds.get(fields.start), bounds.get(fields.end), span[fields.label]
        if start is None or end is None:
            mention = span.get(fields.stated or "word", "")
            record.lost.append((record.line, f"{shown(mention)} of {shown(label)}, which has no offsets."))
        elif fields.beside == "index":
            if not all(type(bound) is int for bound in (span["index"], start, end)) or not isinstance(label, str):
                problem = (
                    "'index', 'start' or 'end' of a word piece is not a whole number, or 'entity' is not a string."
                )
                raise source.refuse(problem, _SYSTEM_REMEDY, record.line)
            pieces[span["index"]] = (start, end, label)
        else:
            record.add(start, end, label, stated=span.get(fields.stated) if fields.stated and exact else None)
    if pieces:
        _decode(source, record, pieces)


def _decode(source: Source, record: Record, pieces: Mapping[int, tuple[int, int, str]]) -> None:
    """Decode the tags of word pieces, given by their index, and add their spans; missing pieces have the tag O."""
    first, last = min(pieces), max(pieces)
    if last - first > 10 * len(pieces) + 1000:
        problem = "the indices of word pieces are too far apart."
        raise source.refuse(problem, _SYSTEM_REMEDY, record.line)
    row = [pieces.get(index, (0, 0, "O")) for index in range(first, last + 1)]
    try:
        spans = Spans.from_tags([[tag for *_, tag in row]], repair="conlleval")
    except InputError as error:
        raise error.placed(document=None, position=None, source=source.name, line=record.line) from None
    for span in spans.to_dicts()[0]:
        record.add(row[span["start"]][0], row[span["end"] - 1][1], span["label"])


def _shows_system(source: Source) -> bool:
    span = first_object(source)
    if _fields(span) is not None and "token_start" not in span:
        return True
    row = first_filled(source, *_LISTS)
    for key in _LISTS:
        spans = row.get(key)
        if isinstance(spans, dict) and key == "entities":
            return True
        if isinstance(spans, list) and spans and isinstance(spans[0], dict) and _fields(spans[0]) is not None:
            return True
    of_tokens = any(key in row for key in (TAGS_KEY, *WORDS_KEYS))
    if isinstance(row.get("text"), str) and isinstance(spans := row.get("entities"), list) and not of_tokens:
        # beside tokens, offsets may count tokens; a system may have found no spans in any text
        return all(is_object(span, "start", "end", "label") or _is_triple(span) for span in spans[:1])
    return is_object(row, "document_id", "extractions")


register("system", "the spans of a system such as Transformers or GLiNER", _shows_system, read_system_output)


def read_gliner(source: Source) -> Iterator[Record]:
    """Read objects with `tokenized_text` and `ner`; spans have their first and last token.

    Raises:
        InputError: if an object is malformed; the error names the line. See also `documents_of`.
    """
    return (_gliner_record(source, *row) for row in rows(source, "documents"))


def _gliner_record(source: Source, line: int, place: str, row: Any) -> Record:
    where = place or f"line {line}"
    words, spans = (row.get(key) if isinstance(row, dict) else None for key in ("tokenized_text", "ner"))
    if not are_words(words) or not isinstance(spans, list):
        problem = f"{where} lacks a list of words 'tokenized_text', or a list 'ner'."
        raise source.refuse(problem, _GLINER_REMEDY, line)
    if not all(isinstance(span, list) and len(span) == 3 and type(span[1]) is int for span in spans):
        raise source.refuse(f"a span of {where} is not [first, last, label].", _GLINER_REMEDY, line)
    return Record(spans=[(first, last + 1, label) for first, last, label in spans], words=words, line=line, place=place)


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
    for line, place, row in rows(source, "documents"):
        try:
            bounds = _likely(row[_SOFT]) if row.get(_HARD) is None else [(start, end) for start, end in row[_HARD]]
            text = row.get("model_output_text")
        except (AttributeError, KeyError, TypeError, ValueError):
            raise source.refuse("the object has no labels, or malformed labels.", _MUSHROOM_REMEDY, line) from None
        spans = [(start, end, BARE_LABEL) for start, end in bounds]
        yield Record(
            spans=spans, text=text if isinstance(text, str) else None, id=row.get("id"), line=line, place=place
        )


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
