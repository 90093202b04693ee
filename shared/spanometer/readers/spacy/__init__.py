"""Reading of span attributes from spaCy's documents; needs spaCy (the extra `spacy`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...exceptions import InputError, mention, require_same_documents, require_same_words
from ...spans.attributes import plain_value

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    Getter = str | Callable[[Span], Any]

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
        filter: a function of a reference document, like EDS-NLP's `filter_expr`: `lambda doc: doc._.note_id == "a"`.
            Only documents for which it is true are read. None reads all.

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
        raise InputError(f"invalid value for {mention('filter')}: {filter!r:.80}.", "Use a function of a document.")
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
        raise InputError(
            f"spaCy's spans have no extension {where!r}.",
            f"Load the pipeline that registers it, or call Span.set_extension({where!r}, default=None).",
        )
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
            raise InputError(
                f"the document has no span group {name!r}; its groups are {groups}.",
                f"Name another group, or set doc.spans[{name!r}] = [] if the document has no spans.",
            )
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
