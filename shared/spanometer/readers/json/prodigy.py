"""Prodigy's JSON lines of spans."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.record import Record
from ..formats import Format, register
from ..source import Source
from .records import first_object, is_object, rows, spans_in, token_bounds

_OF_GIVEN_SPANS = ("choice", "classification", "ner")
_ANNOTATORS = ("_annotator_id", "_session_id")
_REMEDY = "Export the data set with prodigy db-out."


def read_prodigy(source: Source) -> Iterator[Record | str]:
    """Read Prodigy's tasks: JSON lines with `text`, `spans` and `answer`.

    Offsets are code points with exclusive ends. Tasks that were not accepted are left out and listed. `_input_hash`
    identifies a document, `_annotator_id` or `_session_id` an annotator.

    Raises:
        InputError: if a task has no text, if spans are malformed, or if an annotator has two tasks about the same text
            (as in the binary interface, in which answers are about single spans); the error names the line. See also
            `documents_of`.
    """
    seen: dict[tuple[str | None, str | None], int] = {}
    for line, place, row in rows(source, "tasks"):
        if not is_object(row, "text") or not isinstance(row["text"], str):
            raise source.refuse("the task has no text.", _REMEDY, line)
        if row.get("_view_id") in _OF_GIVEN_SPANS and row.get("spans"):
            raise source.refuse(
                f"in the interface {row['_view_id']!r} the annotator did not mark the spans of this task.",
                "Export a data set with marked spans, such as one made with ner.manual or spans.manual.",
                line,
            )
        answer = row.get("answer", "accept")
        if answer != "accept":
            yield f"{place or f'line {line}'}: a task with the answer {answer!r}."
            continue
        spans = row.get("spans") or []
        bounds = spans_in(source, spans, line, _REMEDY)
        record = Record(
            text=row["text"],
            tokens=token_bounds(source, row.get("tokens"), line, _REMEDY),
            id=row.get("_input_hash"),
            annotator=next((row[key] for key in _ANNOTATORS if row.get(key) is not None), None),
            line=line,
            place=place,
        )
        if record.id is not None and seen.setdefault((record.id, record.annotator), line) != line:
            raise source.refuse(
                f"this task is about the same text as line {seen[record.id, record.annotator]}, by the same annotator.",
                "Export a data set with every text once, such as one made with ner.manual. The binary interface asks "
                "about single spans, so its answers do not annotate a text.",
                line,
            )
        for span, (start, end, label) in zip(spans, bounds, strict=True):
            record.add(start, end, label, stated=span.get("text"))
        yield record


def _shows(source: Source) -> bool:
    row = first_object(source)
    return "text" in row and ("_input_hash" in row or "_task_hash" in row)


register(Format("prodigy", "Prodigy's tasks", _shows, read_prodigy))
