"""Label Studio's exports of labelled spans: JSON, JSON-MIN, and the older JSON with completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.fitting import Fitted
from ...documents.record import Record
from ...documents.writer import Writer
from ...exceptions import InputError, setting, shown
from ...options import reused_option, text
from ..formats import IN_BROWSERS, Evidence, Format, Offsets, register
from ..source import Source
from .answer_lines import AnswerLines
from .records import first_object, is_object, number_or_text, rows

_TYPES = ("labels", "hypertextlabels", "paragraphlabels")
_REMEDY = "Export the project from Label Studio as JSON or JSON-MIN."
_RESULTS = ("annotations", "completions")


@dataclass(frozen=True, kw_only=True)
class LabelStudioReading(Offsets):
    """The options of reading.

    Attributes:
        offset_unit: Label Studio counts code points, some of its versions UTF-16 units; the texts that spans state
            tell which, and where they do not it must be given.
        text_key: which item of `data` is the text; by default the only string of which stated texts are parts.
        label_key: which labels to read where a task has several kinds, by the name of their tag (`from_name`).
    """

    text_key: str | None = reused_option(AnswerLines, "text_key")
    label_key: str | None = text("KEY", "the tag (from_name) whose labels are read in the tasks of Label Studio")


def read_label_studio(source: Source, options: LabelStudioReading) -> DocumentFile:
    """Read tasks with `data` and `annotations` (older: `completions`), or flat records of JSON-MIN.

    Every annotator's annotation of a task is a document; annotations that were cancelled, predictions, relations and
    other results are not read, tasks without annotations are listed. A span with several labels is one of each.

    Raises:
        InputError: names the task, for HTML and dialogues, whose offsets are no characters of a text, for tasks without
            a text, and as `documents_of`.
    """
    left_out: list[str] = []
    reader = _Reader(source, options.text_key, options.label_key, left_out)
    return documents_of(source, reader.records(), units=options.units(*IN_BROWSERS), left_out=left_out)


class _Reader:
    def __init__(self, source: Source, text_key: str | None, label_key: str | None, left_out: list[str]) -> None:
        self._source, self._text_key, self._label_key = source, text_key, label_key
        self._left_out = left_out
        self._line = 1

    def records(self) -> Iterator[Record]:
        """Yield the annotations of all tasks."""
        for line, place, row in rows(self._source, "tasks"):
            self._line = line
            if not isinstance(row, dict):
                raise self._refuse("this is not a task.", place)
            name = row.get("id")
            where = place if name is None else f"task {name}"
            key = next((key for key in _RESULTS if isinstance(row.get(key), list)), None)
            if isinstance(row.get("data"), dict) and key is not None:
                yield from self._task(row, row[key], where)
            elif "data" in row:
                self._left_out.append(f"{where}: a task without annotations.")
            else:
                yield self._flat(row, where)

    def _task(self, row: Mapping[str, Any], annotations: Sequence[Any], where: str) -> Iterator[Record]:
        done = [each for each in annotations if isinstance(each, dict) and not each.get("was_cancelled")]
        if not done:
            self._left_out.append(f"{where}: a task without annotations.")
        for each in done:
            results = each.get("result")
            if not isinstance(results, list):
                raise self._refuse("an annotation has no list of results.", where)
            regions = [
                result
                for result in results
                if isinstance(result, dict) and result.get("type") in _TYPES and "value" in result
            ]
            names = {str(region.get("from_name")) for region in regions}
            self._require_label_key(names, where)
            if self._label_key is not None:
                regions = [region for region in regions if region.get("from_name") == self._label_key]
            values = [region["value"] for region in regions]
            yield self._record(row["data"], values, where, row.get("id"), each.get("completed_by"))

    def _flat(self, row: Mapping[str, Any], where: str) -> Record:
        names = {key for key, value in row.items() if isinstance(value, list) and value and _is_region(value[0])}
        self._require_label_key(names, where)
        wanted = names if self._label_key is None else names & {self._label_key}
        values = [value for key in wanted for value in row[key]]
        return self._record(row, values, where, row.get("id"), row.get("annotator"))

    def _require_label_key(self, names: set[str], where: str) -> None:
        if self._label_key is None and len(names) > 1:
            listed = ", ".join(map(repr, sorted(names)))
            raise self._refuse(
                f"the task has labels of several tags: {listed}.", where, f"Name one with {setting('label_key')}."
            )

    def _record(
        self, data: Mapping[str, Any], values: Sequence[Any], where: str, name: str | None, annotator: Any
    ) -> Record:
        if isinstance(annotator, dict):
            annotator = annotator.get("email", annotator.get("id"))
        record = Record(id=name, annotator=annotator, line=self._line, place=where)
        for value in values:
            if not is_object(value, "start", "end"):
                raise self._refuse("a span has no 'start' and 'end'.", where)
            start, end, stated = value["start"], value["end"], value.get("text")
            if isinstance(start, str):
                raise self._refuse(
                    f"a span begins at {shown(start)}: a place in HTML or in a dialogue, not in a text.",
                    where,
                    "Only projects with plain text can be read.",
                )
            labels: list[Any] = next((value[kind] for kind in _TYPES if isinstance(value.get(kind), list)), [])
            if not labels:
                record.lost.append((self._line, f"a span without a label at {start}."))
            for label in labels:
                record.add(start, end, label, stated=stated if isinstance(stated, str) else None)
        record.text = self._text(data, record.stated, where)
        return record

    def _text(self, data: Mapping[str, Any], stated: Sequence[str | None], where: str) -> str:
        """Return the text of a task: what is named, or the only string that has all stated texts."""
        parts = [part.strip() for part in stated if part]
        usual = data.get("text")
        if self._text_key is None and isinstance(usual, str) and all(part in usual for part in parts):
            return usual
        known = {key: value for key, value in data.items() if isinstance(value, str)}
        if self._text_key is not None:
            if self._text_key not in known:
                raise self._refuse(f"the task has no text {self._text_key!r}.", where, f"It has {', '.join(known)}.")
            return known[self._text_key]
        fitting = [key for key, value in known.items() if all(part in value for part in parts)]
        if len(fitting) != 1 or not parts:
            listed = ", ".join(map(repr, known)) or "none"
            raise self._refuse(
                f"nothing shows which item of the task is the text (strings: {listed}).",
                where,
                f"Name it with {setting('text_key')}.",
            )
        return known[fitting[0]]

    def _refuse(self, problem: str, where: str, remedy: str = _REMEDY) -> InputError:
        error = self._source.refuse(problem, remedy, self._line)
        return error.placed(source=f"{self._source.name}, {where}") if where else error


def _is_region(value: Any) -> bool:
    return is_object(value, "start", "end") and any(kind in value for kind in _TYPES)


def _written(documents: Fitted) -> Iterator[bytes]:
    """Write one array of tasks; a document of several annotators is one task, if it has a name."""
    tasks: dict[tuple[str | None, int, str], dict[str, Any]] = {}
    for number, record in enumerate(documents.records()):
        text = str(record.text)
        key = (record.id, number if record.id is None else 0, text)
        name = {} if record.id is None else {"id": number_or_text(record.id)}
        task = tasks.setdefault(key, {**name, "data": {"text": text}, "annotations": []})
        annotator = None if record.annotator is None else number_or_text(record.annotator)
        by = {"email": annotator} if isinstance(annotator, str) else annotator
        result = [_result(place, text, *span) for place, span in enumerate(record.spans)]
        task["annotations"].append({**({} if by is None else {"completed_by": by}), "result": result})
    rows = (json.dumps(task, ensure_ascii=False).encode() for task in tasks.values())
    yield b"["
    for number, row in enumerate(rows):
        yield (b",\n" if number else b"\n") + row
    yield b"\n]\n"


def _result(place: int, text: str, start: int, end: int, label: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": f"span{place}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def _evidence(source: Source) -> Evidence:
    row = first_object(source)
    if isinstance(row.get("data"), dict) and any(isinstance(row.get(key), list) for key in _RESULTS):
        return Evidence.CERTAIN
    flat = "annotation_id" in row or "annotator" in row
    return Evidence.CERTAIN if flat and "lead_time" in row else Evidence.NONE


register(
    Format(
        "label_studio",
        "Label Studio's JSON",
        _evidence,
        read_label_studio,
        writer=Writer(write=_written, annotators=True),
    )
)
