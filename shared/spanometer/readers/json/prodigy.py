"""Prodigy's JSON lines of spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ..formats import Format, register
from ..source import Source
from .records import first_object, is_object, rows, spans_in, token_bounds

_OF_GIVEN_SPANS = ("choice", "classification", "ner")
_ANNOTATORS = ("_annotator_id", "_session_id")
_REMEDY = "Export the data set with prodigy db-out."


def read_prodigy(source: Source) -> DocumentFile:
    """Read Prodigy's tasks: JSON lines with `text`, `spans` and `answer`.

    Offsets are code points, ends exclusive. Tasks that were not accepted are left out, each is listed. A document is
    told from others by `_input_hash`, annotators by `_annotator_id` or `_session_id`.

    Raises:
        InputError: names the line, for a task without text, spans of another form, two tasks of one annotator about one
            text (as the binary interface makes them: a rejected span says nothing about others), and as `documents_of`.
    """
    left_out: list[str] = []
    records = list(_records(source, left_out))
    seen: dict[tuple[str | None, str | None], int] = {}
    for record in records:
        key = (record.id, record.annotator)
        if record.id is not None and seen.setdefault(key, record.line) != record.line:
            raise source.refuse(
                f"this task is about the text of line {seen[key]}, by the same annotator.",
                "Answers to single spans (the binary interface) are no annotation of a text: export a data set that "
                "has every text once, such as one made with ner.manual.",
                record.line,
            )
    return documents_of(source, records, left_out=left_out)


def _records(source: Source, left_out: list[str]) -> Iterator[Record]:
    answers: Counter[str] = Counter()
    for line, place, row in rows(source, "tasks"):
        if not is_object(row, "text") or not isinstance(row["text"], str):
            raise source.refuse("the task has no text.", _REMEDY, line)
        if row.get("_view_id") in _OF_GIVEN_SPANS and row.get("spans"):
            raise source.refuse(
                f"the task was shown with the interface {row['_view_id']!r}: its spans were given, and the answer is "
                "about them.",
                "Export a data set whose spans were marked, such as one made with ner.manual or spans.manual.",
                line,
            )
        answer = row.get("answer", "accept")
        if answer != "accept":
            answers[str(answer)] += 1
            left_out.append(f"{place or f'line {line}'}: a task with the answer {answer!r}.")
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
        for span, (start, end, label) in zip(spans, bounds, strict=True):
            record.add(start, end, label, stated=span.get("text"))
        yield record


def _shows(source: Source) -> bool:
    row = first_object(source)
    return "text" in row and ("_input_hash" in row or "_task_hash" in row)


register(Format("prodigy", "Prodigy's tasks", _shows, read_prodigy))
