"""spaCy's documents: DocBin (`.spacy`), the output of `Doc.to_json`, training data of versions 2 and 3, and objects.

Reading and writing of DocBin and `from_spacy` need spaCy (the extra `spacy`).
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..documents.document_file import DocumentFile, documents_of, runs_of, with_missing
from ..documents.fitting import Fitted
from ..documents.layers import Record, WordRows, Writer
from ..exceptions import InputError, all_of, mention, require_same_documents, require_same_words, setting
from ..options import CheckedOptions, text
from ..spans.attributes import plain_value
from ..spans.texts import words_in_text
from ..tags.decoding import Decoding
from .formats import register
from .json.records import Row, is_object, rows
from .json.values import first_value
from .source import ZLIB, Source

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin, Span

    Getter = str | Callable[[Span], Any]

_DOC_BIN_REMEDY = "Write the documents with spaCy's DocBin.to_disk."


class SpacyReading(CheckedOptions):
    """Options for reading spaCy's documents.

    Attributes:
        span_group: read the spans in spaCy's doc.spans[NAME] instead of the entities in doc.ents. NAME is often 'sc'.
    """

    span_group: str | None = text("NAME")


def read_doc_bin(source: Source, options: SpacyReading) -> DocumentFile:
    """Read the entities of documents, or the spans of a group.

    If it is unknown where a document has spaces, it has words instead of a text. In a reference, tokens whose
    entity annotation is missing, and documents without the group, are not scored. Attributes, relations and categories
    are not read.

    Raises:
        InputError: if spaCy is missing or cannot read the file, if no document has the group, or if only groups have
            spans.
    """
    stored = _stored(source)
    choice = SpanChoice(source, options.span_group)
    in_tokens = any(flags.get("has_unknown_spaces") for flags in stored.flags)
    records = _records(source, stored, choice, in_tokens=in_tokens)
    return choice.complete(documents_of(source, records, in_tokens=in_tokens))


def _stored(source: Source) -> DocBin:
    """Read the stored documents. They take three times the size of the unpacked file; `Doc` objects take much more."""
    if source.binary != ZLIB:
        raise source.refuse("this is not a DocBin of spaCy.", _DOC_BIN_REMEDY)
    tokens = spacy_tokens("this is a DocBin of spaCy, but spaCy is not installed.", source=source.name)
    packed = rest = source.data()
    with _damage(source):
        # spaCy does not limit the unpacked size
        unpacking, size = zlib.decompressobj(), 0
        while rest:
            size += len(unpacking.decompress(rest, 1 << 24))
            rest = unpacking.unconsumed_tail
            source.require_held(size, None, "the file")
        stored: DocBin = tokens.DocBin().from_bytes(packed)
        return stored


@contextlib.contextmanager
def _damage(source: Source) -> Iterator[None]:
    """Convert the many kinds of errors that spaCy raises for damaged data to an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise source.refuse(f"spaCy cannot read this DocBin ({reason}).", _DOC_BIN_REMEDY) from None


class SpanChoice:
    """The choice between entities and a span group, made while documents are read one by one.

    Attributes:
        missing: the unannotated parts: document, start and end.
    """

    def __init__(self, source: Source, group: str | None) -> None:
        self._source, self._group = source, group
        self.missing: list[tuple[int, int, int]] = []
        self._groups: dict[str, bool] = {}
        """Whether each group has spans."""
        self._documents = 0
        self._has_entities = False

    def spans(self, entities: Any, groups: Mapping[str, Any], length: int, missing: Iterable[Sequence[int]]) -> Any:
        """Select the spans of the next document.

        Args:
            entities: the entities of the document.
            groups: the span groups of the document, by name.
            length: the length of the document.
            missing: the boundaries of the parts of the document without entity annotation.
        """
        self._has_entities |= bool(entities)
        for name, spans in groups.items():
            self._groups[name] = self._groups.get(name, False) or bool(spans)
        if self._group is not None:
            entities, missing = groups.get(self._group, []), () if self._group in groups else [(0, length)]
        self.missing += [(self._documents, start, end) for start, end in missing]
        self._documents += 1
        return entities

    def complete(self, file: DocumentFile) -> DocumentFile:
        """Add the unannotated parts, and a note about groups that were not read.

        Raises:
            InputError: if no document has the group, or if only groups have spans.
        """
        listed = ", ".join(map(repr, self._groups)) or "none"
        filled = next((name for name, has_spans in self._groups.items() if has_spans), None)
        if self._group is not None and self._group not in self._groups:
            problem = f"no document has a span group {self._group!r}; {all_of('group', self._groups)}."
            raise self._source.refuse(problem, f"Choose another group with {setting('span_group')}.")
        if self._group is None and filled is not None:
            if not self._has_entities:
                problem = f"no document has entities, but there are span groups: {listed}."
                raise self._source.refuse(problem, f"Choose a span group with {setting('span_group', filled)}.")
            file = file.noting(f"Entities were read; the span groups {listed} were not.")
        return with_missing(file, self.missing)


def _records(source: Source, stored: DocBin, choice: SpanChoice, *, in_tokens: bool) -> Iterator[Record]:
    """Yield the documents one by one."""
    from spacy.vocab import Vocab

    with _damage(source):
        for number, doc in enumerate(stored.get_docs(Vocab())):
            places = doc.to_array(["IDX", "LENGTH"]).astype(np.int64).reshape(-1, 2)
            tokens = np.stack([places[:, 0], places.sum(axis=1)], axis=1)
            ends = np.arange(1, len(doc) + 1)
            bounds = np.stack([ends - 1, ends], axis=1) if in_tokens else tokens
            length = len(doc) if in_tokens else len(doc.text)
            spans = choice.spans(doc.ents, doc.spans, length, _missing(doc, bounds, length))
            record = Record(place=f"document {number}")
            if in_tokens:
                record.spans = [(span.start, span.end, span.label_) for span in spans]
                record.words = [token.text for token in doc]
            else:
                record.spans = [(span.start_char, span.end_char, span.label_) for span in spans]
                record.text, record.tokens = doc.text, tokens
            yield record


def _missing(doc: Doc, bounds: np.ndarray, length: int) -> list[tuple[int, int]]:
    """Return the boundaries of the parts of a document without entity annotation."""
    runs = runs_of(doc.to_array("ENT_IOB") == 0)
    if runs == [[0, len(doc)]]:
        return [(0, length)]
    return [(int(bounds[first, 0]), int(bounds[after - 1, 1])) for first, after in runs]


def _written(documents: Fitted, *, span_group: str | None = None) -> Iterator[bytes]:
    """Write entities, or the spans of a group. Characters between tokens become tokens too, as in spaCy."""
    spacy = spacy_tokens()
    from spacy.vocab import Vocab

    vocab, docs = Vocab(), []
    for record in documents.records():
        tokens = () if record.tokens is None else record.tokens
        doc = spacy.Doc(vocab, *_words(str(record.text), tokens))
        bounds = ((tokens[start][0], tokens[end - 1][1], label) for start, end, label in record.spans)
        spans = [doc.char_span(int(start), int(end), label) for start, end, label in bounds]
        if span_group is None:
            doc.set_ents(spans)
        else:
            doc.spans[span_group] = spans
        docs.append(doc)
    yield spacy.DocBin(docs=docs).to_bytes()


def _words(text: str, tokens: Iterable[tuple[int, int]]) -> tuple[list[str], list[bool]]:
    """Split a text into words, and flag words that are followed by a space."""
    words: list[str] = []
    spaces: list[bool] = []
    reached = 0
    for start, end in (*tokens, (len(text), len(text))):
        between = text[reached:start]
        if words and between.startswith(" "):
            spaces[-1], between = True, between[1:]
        new = list(filter(None, (between, text[start:end])))
        words += new
        spaces += [False] * len(new)
        reached = end
    return words, spaces


register(
    "spacy",
    "spaCy's DocBin",
    lambda source: source.binary == ZLIB,
    read_doc_bin,
    writer=Writer(write=_written, unit="token", overlapping="span_group"),
)


_MISSING = "-"

_JSON_REMEDY = (
    'Write all documents in one of these ways: (1) [text, {"entities": [[start, end, label]]}]; (2) the output of '
    "Doc.to_json; (3) the JSON of spaCy 2, where each token has 'orth' and 'ner'."
)


class SpacyJsonReading(SpacyReading, Decoding):
    """Options for reading spaCy's JSON and decoding its tags."""


def read_spacy_json(source: Source, options: SpacyJsonReading) -> DocumentFile:
    """Read entities, or the spans of a group.

    Documents are pairs of a text and annotations, objects from `Doc.to_json`, or paragraphs of version 2, in
    which tokens have tags (BILUO).

    Raises:
        InputError: if a document is malformed, if the group is missing, or if only groups have spans;
            the error names the line. See also `documents_of` and `Spans.from_tags`.
    """
    rest = rows(source, "documents")
    first = next(rest)
    each = chain([first], rest)
    if not is_object(first.value, "paragraphs"):
        choice = SpanChoice(source, options.span_group)
        return choice.complete(documents_of(source, (_record(row, choice) for row in each)))
    if options.span_group is not None:
        remedy = f"Leave out {setting('span_group')}."
        raise source.refuse("spaCy's training data of version 2 has no span groups.", remedy)
    missing: list[tuple[int, int, int]] = []
    tags, names = WordRows(), set[str | None]()

    def records() -> Iterator[Record]:
        for number, (record, own) in enumerate(chain.from_iterable(map(_paragraphs, each))):
            missing.extend((number, start, end) for start, end in runs_of(tag == _MISSING for tag in own))
            tags.append(["O" if tag == _MISSING else tag for tag in own])
            if record.id in names:
                # each part of the data numbers its documents anew; if one document has no name, all names are dropped
                record.id = None
            names.add(record.id)
            yield record

    file = documents_of(source, records(), in_tokens=True)
    file = replace(file, tags=(tags.tags(),)).decoded(scheme=options.scheme or "BILOU", repair=options.repair)
    return with_missing(file, missing)


def _record(row: Row, choice: SpanChoice) -> Record:
    value = row.value
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict):
        text, entities, groups = value[0], value[1].get("entities"), value[1].get("spans")
    elif _is_doc(value):
        text, entities, groups = value["text"], value.get("ents"), value.get("spans")
    else:
        raise row.refuse(f"{row.place or 'the line'} is not a document of spaCy.", _JSON_REMEDY)
    missing = [(0, len(text))] if entities is None else []
    groups = groups if isinstance(groups, dict) else {}
    spans = choice.spans([] if entities is None else entities, groups, len(text), missing)
    # `Doc.to_json` writes spans as objects
    spans = [_bounds(span) for span in spans] if isinstance(spans, list) else [None]
    if not all(isinstance(span, (list, tuple)) and len(span) in (3, 4) for span in spans):
        raise row.refuse(f"a span in {row.place or 'this line'} is not [start, end, label].", _JSON_REMEDY)
    # the fourth item is an identifier in a knowledge base
    return row.record(text=text, spans=[(*span[:3],) for span in spans], tokens=row.token_bounds(_JSON_REMEDY))


def _is_doc(row: Any) -> bool:
    """Check whether this is an object from `Doc.to_json`; if it has no annotation, it lacks `ents`."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    tokens = row.get("tokens")
    numbered = isinstance(tokens, list) and bool(tokens) and is_object(tokens[0], "id", "start", "end")
    return "ents" in row or isinstance(row.get("spans"), dict) or (numbered and "spans" not in row)


def _bounds(span: Any) -> Any:
    return (span["start"], span["end"], span["label"]) if is_object(span, "start", "end", "label") else span


def _paragraphs(row: Row) -> Iterator[tuple[Record, Sequence[str]]]:
    """Yield the paragraphs of a document of version 2, with the tags of their tokens."""
    paragraphs = row.get("paragraphs")
    if not isinstance(paragraphs, list):
        raise row.refuse(f"{row.place or 'the line'} has no list of paragraphs.", _JSON_REMEDY)
    for number, paragraph in enumerate(paragraphs):
        where = f"{row.where}, paragraph {number}"
        try:
            tokens = [token for sentence in paragraph["sentences"] for token in sentence["tokens"]]
            words = [token["orth"] for token in tokens]
            tags = [token.get("ner") or _MISSING for token in tokens]
            raw, name = paragraph.get("raw"), row.get("id")
        except (AttributeError, KeyError, TypeError):
            problem = f"{where} has no sentences, or a sentence has a token without 'orth'."
            raise row.refuse(problem, _JSON_REMEDY) from None
        if not all(isinstance(text, str) for text in (*words, *tags)) or not isinstance(raw, (str, type(None))):
            raise row.refuse(f"{where} has a word, a tag or a text that is not a string.", _JSON_REMEDY)
        record = Record(words=words, text=raw, line=row.line, place=where)
        record.id = None if name is None else f"{name}-{number}" if len(paragraphs) > 1 else str(name)
        if raw is not None:
            try:
                record.tokens = words_in_text(words, raw, 0)
            except InputError as error:
                remedy = "'raw' must have the 'orth' of all tokens, in order, with only blanks between them."
                raise row.refuse(f"{where}: {error.problem}", remedy) from None
        yield record, tags


def _shows(source: Source) -> bool:
    value = first_value(source)
    while isinstance(value, list) and value and not isinstance(value[0], str):
        value = value[0]
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[1], dict) and not {"entities", "spans"}.isdisjoint(value[1])
    if is_object(value, "paragraphs") and isinstance(value["paragraphs"], list):
        return True
    return _is_doc(value) and isinstance(value.get("ents", []), list)


register("spacy_json", "spaCy's JSON", _shows, read_spacy_json)


_Function = Callable[[Any], Any]

_ATTRIBUTES_REMEDY = "Give a list of extension names, or a dict of names to extensions or to functions of a span."
_SPANS_REMEDY = "Use None for doc.ents, a group of doc.spans, or a dict from 'ents' or groups to True or to labels."
_DOCUMENTS_REMEDY = "Give spaCy's documents, both sides in the same order."


def from_spacy(
    references: Iterable[Doc],
    predictions: Iterable[Doc],
    *,
    attributes: Sequence[str] | Mapping[str, Getter],
    spans: str | Mapping[str, bool | str | Sequence[str]] | None = None,
    scores: Getter | None = None,
    filter: Callable[[Doc], object] | None = None,
) -> dict[str, list[list[dict[str, Any]]]]:
    """Read the spans and attributes of both sides for `span_attribute` and `Attributes.from_dicts`.

    `load("span_attribute").compute(**from_spacy(gold, system, attributes=["negation"]))`. Offsets are in tokens. spaCy
    stores the extensions of a span by its boundaries, so spans of a document with the same boundaries have the same
    values.

    Args:
        references, predictions: the documents of both sides, in the same order and with the same tokens: for spaCy's
            `Example` objects, `[each.reference for each in examples]` and `[each.predicted for each in examples]`.
        attributes: the names of the attributes, read from `span._.<name>`; or a dict from names to extensions or to
            functions of the span. Values are bool, int, float, str or None, or lists of these.
        spans: None for `doc.ents`; the name of a group in `doc.spans`; or a dict like EDS-NLP's `span_getter`. Its keys
            are `ents` or names of groups, its values are True or the wanted labels. A span in two groups counts once.
        scores: the scores of predictions: an extension or a function of the span. Its value is a dict from attributes
            to scores, like EDS-NLP's `span._.prob`, or None. A score is a number for the attribute's value, or a dict
            from values to numbers. Scores of other attributes are ignored.
        filter: a function that takes a reference document, such as `lambda doc: doc._.note_id == "a"`. Only documents
            for which the function returns True are read. None: all documents. EDS-NLP's name is `filter_expr`.

    Returns:
        `references` and `predictions`: for each document a list of `{"start", "end", "label", "attributes"}`, with
        `scores` if there are any.

    Raises:
        InputError: if an extension is not registered, if a group is missing, if the numbers of documents or the tokens
            differ, or if a value has another type; the error names the document. Also if spaCy is missing.
    """
    spacy = spacy_tokens()
    getters = _getters(attributes, spacy.Span)
    score_getter = None if scores is None else _getter(scores, "scores", spacy.Span)
    _require_spans(spans)
    if filter is not None and not callable(filter):
        raise InputError(f"invalid value for {mention('filter')}: {filter!r:.80}.", "Use a function that takes a Doc.")
    sides = {}
    for side, documents in (("references", references), ("predictions", predictions)):
        if isinstance(documents, spacy.Doc) or not isinstance(documents, Iterable):
            raise InputError(f"{documents!r:.80} is not a list of documents.", _DOCUMENTS_REMEDY, side=side)
        sides[side] = list(documents)
        for document, doc in enumerate(sides[side]):
            if not isinstance(doc, spacy.Doc):
                problem = f"{doc!r:.80} (of type {type(doc).__name__}) is not a spaCy document."
                raise InputError(problem, _DOCUMENTS_REMEDY, side=side, document=document)
    require_same_documents(*map(len, sides.values()))
    chosen = [document for document, doc in enumerate(sides["references"]) if filter is None or filter(doc)]
    for document in chosen:
        reference, predicted = ([token.text for token in side[document]] for side in sides.values())
        require_same_words(reference, predicted, document, "token")

    rows: dict[str, list[list[dict[str, Any]]]] = {side: [] for side in sides}
    for side, documents in sides.items():
        score = score_getter if side == "predictions" else None
        for document in chosen:
            listed: list[dict[str, Any]] = []
            place: dict[str, int] = {}
            try:
                for span in spans_of(documents[document], spans):
                    place = {"span": len(listed)}
                    listed.append(_row(span, getters, score))
            except InputError as error:
                raise error.placed(side=side, document=document, **place) from None
            rows[side].append(listed)
    return rows


def spacy_tokens(problem: str = "spaCy is not installed.", **place: Any) -> Any:
    """Import `spacy.tokens`; raise an `InputError` if spaCy is missing."""
    try:
        import spacy.tokens
    except ImportError:
        raise InputError(problem, 'Install it with: pip install "spanometer[spacy]"', **place) from None
    return spacy.tokens


def _getters(attributes: Any, span_type: Any) -> dict[str, _Function]:
    names = list(attributes) if isinstance(attributes, (Mapping, list, tuple)) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"invalid value for {mention('attributes')}: {attributes!r}.", _ATTRIBUTES_REMEDY)
    named = attributes if isinstance(attributes, Mapping) else dict(zip(names, names, strict=True))
    return {name: _getter(where, "attributes", span_type) for name, where in named.items()}


def _getter(where: Any, option: str, span_type: Any) -> _Function:
    """Return a function that reads an extension; functions are returned unchanged."""
    if callable(where):
        return cast(_Function, where)
    if not isinstance(where, str):
        raise InputError(f"{where!r} in {option} is neither an extension's name nor a function.", _ATTRIBUTES_REMEDY)
    if not span_type.has_extension(where):
        remedy = f"Load the pipeline that registers it, or call Span.set_extension({where!r}, default=None)."
        raise InputError(f"spaCy's spans have no extension {where!r}.", remedy)
    return lambda span: span._.get(where)


def _require_spans(spans: Any) -> None:
    if spans is None or isinstance(spans, str):
        return
    if not isinstance(spans, Mapping) or not spans or not all(map(_names_spans, spans, spans.values())):
        raise InputError(f"invalid value for {mention('spans')}: {spans!r}.", _SPANS_REMEDY)


def _names_spans(name: Any, labels: Any) -> bool:
    """Check that a name is a string, and that its labels are True or strings."""
    several = isinstance(labels, (list, tuple, set, frozenset)) and len(labels) > 0
    valid = labels is True or isinstance(labels, str) or (several and all(isinstance(label, str) for label in labels))
    return isinstance(name, str) and valid


def spans_of(doc: Doc, spans: Any) -> list[Any]:
    """Return the chosen spans of a document."""
    chosen: list[Any] = []
    for name, labels in spans.items() if isinstance(spans, Mapping) else [(spans, True)]:
        if name not in (None, "ents") and name not in doc.spans:
            groups = ", ".join(map(repr, doc.spans)) or "none"
            remedy = f"Choose another group, or set doc.spans[{name!r}] = [] if the document has no spans."
            raise InputError(f"the document has no span group {name!r}; its groups are {groups}.", remedy)
        wanted: Any = [labels] if isinstance(labels, str) else labels
        of_group = doc.ents if name in (None, "ents") else doc.spans[name]
        chosen += of_group if wanted is True else [span for span in of_group if span.label_ in wanted]
    return list(dict.fromkeys(chosen)) if isinstance(spans, Mapping) else chosen


def _row(span: Any, getters: Mapping[str, _Function], score: _Function | None) -> dict[str, Any]:
    attributes = {name: _value(getter(span), name) for name, getter in getters.items()}
    if not span.label_:
        problem = f"the label of the span from {span.start} to {span.end} is ''."
        raise InputError(problem, "Set the label when you make the span.")
    row = {"start": span.start, "end": span.end, "label": span.label_, "attributes": attributes}
    scores = None if score is None else score(span)
    if scores is None:
        return row
    if not isinstance(scores, Mapping):
        raise InputError(f"the scores {scores!r:.80} are not a dict.", "Give scores as a dict by attribute, or None.")
    scores_by_name = {name: scores[name] for name in getters if name in scores}
    return {**row, "scores": scores_by_name} if scores_by_name else row


def _value(value: Any, name: str) -> Any:
    """Convert the value or values of an attribute to plain types."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain_value(part, name) for part in value]
    return plain_value(value, name)
