"""Label Studio's exports of labelled spans: JSON, JSON-MIN, and the older JSON with completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.fitting import Fitted
from ...documents.record import Record, Writer
from ...exceptions import InputError, setting, shown
from ...options import reused_option, text
from ..formats import IN_BROWSERS, Format, Offsets, register
from ..source import Source
from .answer_lines import AnswerLines
from .records import first_object, is_object, number_or_text, rows

_TYPES = ("labels", "hypertextlabels", "paragraphlabels")
_REMEDY = "Export the project from Label Studio as JSON or JSON-MIN."
_RESULTS = ("annotations", "completions")
_PREDICTIONS = "predictions"


@dataclass(frozen=True, kw_only=True)
class LabelStudioReading(Offsets):
    """Options for reading Label Studio's exports.

    Attributes:
        offset_unit: the unit of offsets. Label Studio counts code points, but some versions count UTF-16 units. Usually
            the span texts in the file show the unit; if not, set it.
        text_key: the key in `data` that has the text; by default the only string that contains all span texts.
        label_key: the tag (`from_name`) whose labels to read; required if a task has labels of several tags.
    """

    text_key: str | None = reused_option(AnswerLines, "text_key")
    label_key: str | None = text("KEY", "Label Studio: the tag (from_name) whose labels to read")


def read_label_studio(source: Source, options: LabelStudioReading) -> DocumentFile:
    """Read tasks with `data` and `annotations` (older: `completions`), or flat records of JSON-MIN.

    Each annotation of a task becomes a document. Cancelled annotations, relations and other results are not read. Tasks
    without annotations are listed. If no task has an annotation, predictions are read, with the model as annotator,
    and a note says so. A span with several labels becomes one span for each label.

    Raises:
        InputError: if a task has HTML or a dialogue, whose offsets do not count characters, if a task has no text, or
            if no task has an annotation or a prediction; the error names the task. See also `documents_of`.
    """
    notes: list[str] = []
    file = documents_of(source, _records(source, options, notes), units=options.units(*IN_BROWSERS))
    return replace(file, notes=(*notes, *file.notes))


def _records(source: Source, options: LabelStudioReading, notes: list[str]) -> Iterator[Record | str]:
    without: list[tuple[str, list[Record]]] = []
    annotated = False
    for line, place, row in rows(source, "tasks"):
        if not isinstance(row, dict):
            raise _Task(source, options, {}, line, place).refuse("this is not a task.")
        name = row.get("id")
        task = _Task(source, options, row, line, place if name is None else f"task {name}")
        annotations = list(task.records())
        annotated |= bool(annotations)
        yield from annotations
        if not annotations:
            predictions = [] if annotated else list(task.predictions())
            without.append((f"{task.place}: a task without annotations.", predictions))
    if not annotated:
        if not any(predictions for _, predictions in without):
            raise source.refuse("no task has an annotation or a prediction.", "Export labelled tasks.")
        notes.append("No task has an annotation: the predictions of models were read.")
    for left_out, predictions in without:
        yield from [left_out] if annotated or not predictions else predictions


@dataclass(frozen=True)
class _Task:
    """A task, its line, and what errors call it."""

    source: Source
    options: LabelStudioReading
    row: Mapping[str, Any]
    line: int
    place: str

    def records(self) -> Iterator[Record]:
        """Yield a record for each annotation of a task; a flat record has one annotation."""
        row = self.row
        if "data" not in row:
            lists = {key: values for key, values in row.items() if isinstance(values, list) and values}
            regions = [(key, value) for key, values in lists.items() if _is_region(values[0]) for value in values]
            yield self._record(row, regions, row.get("annotator"))
            return
        annotations = next((row[key] for key in _RESULTS if isinstance(row.get(key), list)), ())
        for each in annotations if isinstance(row["data"], dict) else ():
            if isinstance(each, dict) and not each.get("was_cancelled"):
                yield self._record(row["data"], self._regions(each), each.get("completed_by"))

    def predictions(self) -> Iterator[Record]:
        """Yield a record for each model's predictions."""
        predictions, data = self.row.get(_PREDICTIONS), self.row.get("data", {})
        for each in predictions if isinstance(predictions, list) and isinstance(data, dict) else ():
            if isinstance(each, dict):
                yield self._record(data, self._regions(each), each.get("model_version") or "model")

    def _regions(self, annotation: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Return the labelled regions of an annotation or a prediction, each with the name of its tag."""
        results = annotation.get("result")
        if not isinstance(results, list):
            raise self.refuse("an annotation has no list of results.")
        return [
            (str(result.get("from_name")), result["value"])
            for result in results
            if isinstance(result, dict) and result.get("type") in _TYPES and "value" in result
        ]

    def _record(self, data: Mapping[str, Any], regions: Sequence[tuple[str, Any]], annotator: Any) -> Record:
        label_key = self.options.label_key
        names = sorted({name for name, _ in regions})
        if label_key is None and len(names) > 1:
            listed = ", ".join(map(repr, names))
            raise self.refuse(
                f"the task has labels of several tags: {listed}.", f"Choose one with {setting('label_key')}."
            )
        if isinstance(annotator, dict):
            annotator = annotator.get("email", annotator.get("id"))
        record = Record(id=self.row.get("id"), annotator=annotator, line=self.line, place=self.place)
        for value in (value for name, value in regions if label_key in (None, name)):
            if not is_object(value, "start", "end"):
                raise self.refuse("a span lacks 'start' or 'end'.")
            start, end, stated = value["start"], value["end"], value.get("text")
            if isinstance(start, str):
                raise self.refuse(
                    f"a span begins at {shown(start)}, a place in HTML or in a dialogue.",
                    "Use a project with plain text.",
                )
            labels: list[Any] = next((value[kind] for kind in _TYPES if isinstance(value.get(kind), list)), [])
            if not labels:
                record.lost.append((self.line, f"a span without a label at {start}."))
            for label in labels:
                record.add(start, end, label, stated=stated if isinstance(stated, str) else None)
        record.text = self._text(data, record.stated)
        return record

    def _text(self, data: Mapping[str, Any], stated: Sequence[str | None]) -> str:
        """Return the text of a task: the string under the named key, or the only string with all span texts."""
        parts = [part.strip() for part in stated if part]
        texts = {key: value for key, value in data.items() if isinstance(value, str)}
        fitting = [key for key, value in texts.items() if all(part in value for part in parts)]
        text_key = self.options.text_key
        if text_key is None and "text" in fitting:
            text_key = "text"
        elif text_key is None and len(fitting) == 1 and parts:
            (text_key,) = fitting
        if text_key is None:
            listed = ", ".join(map(repr, texts)) or "none"
            problem = f"it is not clear which item of the task is the text (strings: {listed})."
            raise self.refuse(problem, f"Name the item with {setting('text_key')}.")
        if text_key not in texts:
            raise self.refuse(f"the task has no text {text_key!r}.", f"Choose one of: {', '.join(texts) or 'none'}.")
        return texts[text_key]

    def refuse(self, problem: str, remedy: str = _REMEDY) -> InputError:
        """Create an error about this task."""
        error = self.source.refuse(problem, remedy, self.line)
        return error.placed(source=f"{self.source.name}, {self.place}") if self.place else error


def _is_region(value: Any) -> bool:
    return is_object(value, "start", "end") and any(kind in value for kind in _TYPES)


def _written(documents: Fitted) -> Iterator[bytes]:
    """Write one array of tasks; a named document with several annotators becomes one task."""
    tasks: dict[tuple[str | None, int, str], dict[str, Any]] = {}
    for number, record in enumerate(documents.records()):
        text = str(record.text)
        key = (record.id, number if record.id is None else 0, text)
        name = {} if record.id is None else {"id": number_or_text(record.id)}
        task = tasks.setdefault(key, {**name, "data": {"text": text}, "annotations": []})
        annotator = None if record.annotator is None else number_or_text(record.annotator)
        by = {"email": annotator} if isinstance(annotator, str) else annotator
        result = list(results(text, record.spans))
        task["annotations"].append({**({} if by is None else {"completed_by": by}), "result": result})
    rows = (json.dumps(task, ensure_ascii=False).encode() for task in tasks.values())
    yield b"["
    for number, row in enumerate(rows):
        yield (b",\n" if number else b"\n") + row
    yield b"\n]\n"


def results(text: str, spans: Iterable[tuple[int, int, str]]) -> Iterator[dict[str, Any]]:
    """Yield Label Studio's results for the spans of a text."""
    for place, (start, end, label) in enumerate(spans):
        value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
        yield {"id": f"span{place}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def _shows(source: Source) -> bool:
    row = first_object(source)
    if isinstance(row.get("data"), dict) and any(isinstance(row.get(key), list) for key in (*_RESULTS, _PREDICTIONS)):
        return True
    return "lead_time" in row and ("annotation_id" in row or "annotator" in row)


register(
    Format(
        "label_studio",
        "Label Studio's JSON",
        _shows,
        read_label_studio,
        writer=Writer(write=_written, annotators=True),
    )
)
