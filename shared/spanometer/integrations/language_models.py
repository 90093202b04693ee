"""Conversion of other libraries' language model answers for `grounding.ground`, and scores for benchmarks.

score(gold, ground(**from_langextract(documents)))
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..arrays import ordered
from ..exceptions import InputError, shown
from ..grounding.answers import Answer
from ..grounding.items import Item
from ..grounding.reading import AnswerReading
from ..spans.texts import Tokens
from .scikit_learn import one_value, read_key

_GOLD = (
    'Write a gold document as an object or as JSON: {"text": ..., "spans": [{"start": ..., "end": ..., "label": ...}]}.'
)


def from_langextract(documents: Any) -> dict[str, Any]:
    """Convert langextract's documents to the arguments of `ground`: texts, and extractions as answers with offsets.

    `ground(**from_langextract(documents))` searches all extractions in the texts. With
    `policy=GroundingPolicy(offsets="trust")` it uses langextract's offsets, and searches only extractions without
    offsets.

    Args:
        documents: the result of `langextract.extract`: an `AnnotatedDocument`, or several.

    Raises:
        InputError: if an object is not such a document, or if it has no text.
    """
    texts, answers = [], []
    for number, document in enumerate([documents] if hasattr(documents, "extractions") else documents):
        text, extractions = getattr(document, "text", None), getattr(document, "extractions", ())
        if not isinstance(text, str) or not hasattr(document, "extractions"):
            remedy = "Pass the result of langextract.extract."
            raise InputError(f"{shown(document)} is not a document with a text.", remedy, document=number)
        texts.append(text)
        answers.append(Answer(tuple(map(_extracted, extractions or ()))))
    return {"texts": texts, "answers": answers}


def _extracted(extraction: Any) -> Item:
    interval = extraction.char_interval
    bounds = (None, None) if interval is None else (interval.start_pos, interval.end_pos)
    return Item(extraction.extraction_class, extraction.extraction_text, *bounds)


def from_spacy_llm(documents: Iterable[Any], *, component: str = "llm") -> dict[str, Any]:
    """Convert spaCy's documents to the arguments of `ground`: texts, tokens, and the answers that spacy-llm stored.

    Use `ground(**from_spacy_llm(docs), policy="spacy-llm-v3")`. The component needs `save_io = true`. The lines of an
    answer are `label: a, b` (`NER.v1`, `v2`) or `1. a | True | label | why` (`NER.v3`).

    Args:
        documents: the documents that the pipeline returned.
        component: the name of the component in the pipeline.

    Raises:
        InputError: if a document has no answer of the component.
    """
    texts, answers, tokens = [], [], []
    for number, document in enumerate(documents):
        kept = getattr(document, "user_data", {}).get("llm_io", {}).get(component, {}).get("response")
        if kept is None:
            raise InputError(
                f"the document has no answer of {component!r}.",
                "Set save_io of the component to true, and pass its name as component=...",
                document=number,
            )
        lines = [line for part in ([kept] if isinstance(kept, str) else kept) for line in part.splitlines()]
        texts.append(document.text)
        answers.append(_answered(lines))
        tokens.append([(token.idx, token.idx + len(token)) for token in document if not token.is_space])
    return {"texts": texts, "answers": answers, "tokens": Tokens.from_lists(tokens)}


def _answered(lines: Sequence[str]) -> Answer:
    """Parse the lines of an answer. A line has one item with its reason, or a label with several items."""
    items = []
    for line in lines:
        parts = [part.strip() for part in line.partition(".")[2].split("|")] if line[:1].isdigit() else []
        parts = parts or [part.strip() for part in line.split("|")]
        label, _, mentions = line.partition(":")
        if len(parts) == 4:
            if parts[1].lower() == "true":
                items.append(Item(parts[2], parts[0]))
        else:
            items += [Item(label.strip(), mention.strip()) for mention in mentions.split(",") if mention.strip()]
    return Answer(tuple(items))


def score_answers(
    golds: Iterable[Any], answers: Iterable[Any], measure: Any = "span_f", *, key: str | None = None, **options: Any
) -> float:
    """Score answers of a language model and return one value, as benchmarks need it.

    Args:
        golds: an object (or its JSON) for each answer, with `text`, `spans` in characters and optionally the boundaries
            of `tokens`.
        answers: the model's answers.
        measure: a measure or its name.
        key: the key of the result; by default the main score.
        options: the options of `score`, such as `grounding` and `asked_labels`.

    Raises:
        InputError: if a gold object is invalid, or if there are more or fewer answers than gold objects.
    """
    listed = ordered(golds, "a list of gold documents", _GOLD, side="golds")
    rows = [_gold(gold, document) for document, gold in enumerate(listed)]
    if len({row.get("tokens") is None for row in rows}) > 1:
        problem = "some gold documents have tokens, and others have no tokens."
        raise InputError(problem, "Pass tokens for all gold documents, or for none.", side="golds")
    options = {"grounding": AnswerReading.grounding, "unit": "character", **options}
    outputs = ordered(answers, "a list of answers", "Pass one answer for each reference document.", side="predictions")
    return one_value(rows, outputs, measure=measure, key=read_key(measure, key)[0], **options)


def _gold(gold: Any, document: int) -> Mapping[str, Any]:
    """Parse a gold object."""
    try:
        row = json.loads(gold) if isinstance(gold, str) else gold
    except ValueError:
        row = None
    if not isinstance(row, Mapping) or not {"text", "spans"} <= row.keys():
        raise InputError(f"{shown(gold)} is not a gold with a text and spans.", _GOLD, side="golds", document=document)
    return row
