"""Exports of Label Studio, Doccano and Prodigy, and pre-annotations for them."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import contains
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.fitting import Fitted
from ...documents.layers import Record, RecordBatch, Writer
from ...exceptions import InputError, all_of, setting, shown
from ...options import reused_option, text
from ...spans.texts import borders, is_plain
from ..formats import IN_BROWSERS, Offsets, register
from ..source import Source
from .answers import AnswerLines
from .records import Row, batch_of, first_object, is_object, is_span, json_line, number_or_text, row_batches, rows

_TYPES = ("labels", "hypertextlabels", "paragraphlabels")
_LABEL_STUDIO_REMEDY = "Export the project from Label Studio as JSON or JSON-MIN."
_RESULTS = ("annotations", "completions")
_PREDICTIONS = "predictions"


class LabelStudioReading(Offsets):
    """Options for reading Label Studio's exports.

    Attributes:
        offset_unit: the unit of offsets. Label Studio counts code points, but some versions count UTF-16 units. Usually
            the span texts in the file show the unit; if not, set it.
        text_key: the key in `data` that has the text; by default the only string that contains all span texts.
        label_key: the control tag (`from_name`) whose labels to read; required if a task has labels of several tags.
    """

    text_key: str | None = reused_option(AnswerLines, "text_key")
    label_key: str | None = text("KEY", "read only Label Studio labels whose from_name (their control tag) is KEY")


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


def _records(source: Source, options: LabelStudioReading, notes: list[str]) -> Iterator[Record | RecordBatch | str]:
    without: list[tuple[str, list[Record]]] = []
    annotated = False
    for some in row_batches(source, "tasks"):
        for row in some:
            if (name := row.get("id")) is not None:
                row.place = f"task {name}"
        batch = _usual_tasks(some) if options.label_key is options.text_key is None else None
        annotated |= batch is not None
        yield from [] if batch is None else [batch]
        for row in some if batch is None else ():
            if not isinstance(row.value, dict):
                raise _refused(row, "this is not a task.")
            annotations = list(_annotations(row, options, *_RESULTS))
            annotated |= bool(annotations)
            yield from annotations
            if not annotations:
                predictions = [] if annotated else list(_annotations(row, options, _PREDICTIONS))
                without.append((f"{row.place}: a task without annotations.", predictions))
    if not annotated:
        if not any(predictions for _, predictions in without):
            raise source.refuse("no Label Studio task has an annotation or a prediction.", "Export labelled tasks.")
        notes.append("No task has an annotation: the predictions of models were read.")
    for left_out, predictions in without:
        yield from [left_out] if annotated or not predictions else predictions


def _usual_tasks(some: Sequence[Row]) -> RecordBatch | None:
    """Return tasks with one annotation and labels of one tag as one batch; None if a task has another form."""
    try:
        texts = [row.value["data"]["text"] for row in some]
        annotations = [annotation for row in some for (annotation,) in [row.value["annotations"]]]
        lists = [annotation["result"] for annotation in annotations]
        results = list(chain.from_iterable(lists))
        values = [result["value"] for result in results]
        labels, stated = [value["labels"] for value in values], [value["text"] for value in values]
        spans = [(value["start"], value["end"], label) for value, (label,) in zip(values, labels, strict=True)]
        tags = {(result["type"], result["from_name"]) for result in results}
        annotators = [annotation.get("completed_by") for annotation in annotations]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    kinds = {*map(type, texts), *map(type, stated)}, {*map(type, lists), *map(type, labels)}, {kind for kind, _ in tags}
    if kinds != ({str}, {list}, {_TYPES[0]}) or len(tags) > 1 or str in {type(start) for start, _, _ in spans}:
        return None
    of_spans = chain.from_iterable(map(repeat, texts, map(len, lists)))
    cancelled = any(annotation.get("was_cancelled") for annotation in annotations)
    if cancelled or dict in {*map(type, annotators)} or not all(map(contains, of_spans, map(str.strip, stated))):
        return None
    return batch_of(some, lists, spans, text=texts, stated=stated, annotator=annotators)


def _annotations(row: Row, options: LabelStudioReading, *keys: str) -> Iterator[Record]:
    """Yield a record for each annotation or prediction under the first of these keys, or one for a flat task."""
    task, data = row.value, row.value.get("data")
    if "data" not in task:
        lists = {key: values for key, values in task.items() if isinstance(values, list) and values}
        regions = [(key, value) for key, values in lists.items() if _is_region(values[0]) for value in values]
        yield _record(row, options, task, regions, task.get("annotator"))
    listed = next((value for key in keys if isinstance(value := task.get(key), list)), [])
    for each in listed if isinstance(data, dict) else ():
        if isinstance(each, dict) and (_PREDICTIONS in keys or not each.get("was_cancelled")):
            results = each.get("result")
            if not isinstance(results, list):
                raise _refused(row, "an annotation has no list of results.")
            marked = [part for part in results if isinstance(part, dict) and part.get("type") in _TYPES]
            regions = [(str(part.get("from_name")), part["value"]) for part in marked if "value" in part]
            annotator = (each.get("model_version") or "model") if _PREDICTIONS in keys else each.get("completed_by")
            yield _record(row, options, data, regions, annotator)


def _record(
    row: Row, options: LabelStudioReading, data: Mapping[str, Any], regions: Sequence[tuple[str, Any]], annotator: Any
) -> Record:
    """Convert the labelled regions of a task, each with the name of its tag."""
    chosen = options.label_key
    names = {name for name, _ in regions}
    if chosen is None and len(names) > 1:
        listed = ", ".join(map(repr, sorted(names)))
        remedy = f"Choose a control tag with {setting('label_key')}."
        raise _refused(row, f"the labels of the task come from several control tags of Label Studio: {listed}.", remedy)
    if isinstance(annotator, dict):
        annotator = annotator.get("email", annotator.get("id"))
    record = row.record(id=row.get("id"), annotator=annotator)
    for name, value in regions:
        if chosen not in (None, name):
            continue
        if not is_object(value, "start", "end"):
            raise _refused(row, "a span lacks 'start' or 'end'.")
        start, end, stated = value["start"], value["end"], value.get("text")
        if isinstance(start, str):
            problem = f"a span begins at {shown(start)}, which is a position in HTML or in a dialogue"
            raise _refused(row, f"{problem}, not in a text.", "Export a project whose documents are plain text.")
        labels: list[Any] = next((value[kind] for kind in _TYPES if isinstance(value.get(kind), list)), [])
        if not labels:
            record.lost.append((record.line, f"a span without a label at {start}."))
        for label in labels:
            record.spans.append((start, end, label))
            record.stated.append(stated if isinstance(stated, str) else None)
    record.text = _text(row, options.text_key, data, [part.strip() for part in record.stated if part])
    return record


def _text(row: Row, text_key: str | None, data: Mapping[str, Any], parts: Sequence[str]) -> str:
    """Return the text of a task: the string under the named key, or the only string with all span texts."""
    usual = data.get("text")
    if text_key is None and isinstance(usual, str) and all(map(usual.__contains__, parts)):
        return usual
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    if text_key is None and parts:
        fitting = [key for key, value in texts.items() if all(map(value.__contains__, parts))]
        text_key = fitting[0] if len(fitting) == 1 else None
    if text_key is None:
        listed = ", ".join(map(repr, texts)) or "none"
        problem = f"it is not clear which key of the task holds the text. Keys that have a string: {listed}."
        raise _refused(row, problem, f"Set {setting('text_key')} to the key of the text.")
    if text_key not in texts:
        raise _refused(row, f"the task has no text under the key {text_key!r}.", f"{all_of('text key', texts, 'The')}.")
    return texts[text_key]


def _refused(row: Row, problem: str, remedy: str = _LABEL_STUDIO_REMEDY) -> InputError:
    """Create an error about a task."""
    error = row.refuse(problem, remedy)
    return error.placed(source=f"{error.source}, {row.place}") if row.place else error


def _is_region(value: Any) -> bool:
    return is_object(value, "start", "end") and any(kind in value for kind in _TYPES)


def _written_label_studio(documents: Fitted) -> Iterator[bytes]:
    """Write one array of tasks; a named document with several annotators becomes one task."""
    tasks: dict[tuple[str | None, int, str], dict[str, Any]] = {}
    for number, record in enumerate(documents.records()):
        text = str(record.text)
        key = (record.id, number if record.id is None else 0, text)
        task = tasks.setdefault(key, {**_name(record), "data": {"text": text}, "annotations": []})
        annotator = None if record.annotator is None else number_or_text(record.annotator)
        by = {"email": annotator} if isinstance(annotator, str) else annotator
        result = list(results(text, record.spans))
        task["annotations"].append({**({} if by is None else {"completed_by": by}), "result": result})
    yield _array(tasks.values()).encode()


def _name(record: Record) -> dict[str, int | str]:
    return {} if record.id is None else {"id": number_or_text(record.id)}


def _array(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Write one array with a task on each line."""
    rows = ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    return f"[\n{rows}\n]\n"


def results(text: str, spans: Iterable[tuple[int, int, str]]) -> Iterator[dict[str, Any]]:
    """Yield Label Studio's results for the spans of a text."""
    for place, (start, end, label) in enumerate(spans):
        value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
        yield {"id": f"span{place}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def _shows_label_studio(source: Source) -> bool:
    row = first_object(source)
    if isinstance(row.get("data"), dict) and any(isinstance(row.get(key), list) for key in (*_RESULTS, _PREDICTIONS)):
        return True
    return "lead_time" in row and ("annotation_id" in row or "annotator" in row)


register(
    "label_studio",
    "Label Studio's JSON",
    _shows_label_studio,
    read_label_studio,
    writer=Writer(write=_written_label_studio, annotators=True),
)


_FIRST_VERSION, _WITH_RELATIONS = "annotations", "entities"
_LISTS = ("label", "labels")
_KEYS = (*_LISTS, _WITH_RELATIONS, _FIRST_VERSION)


def read_doccano(source: Source, options: Offsets) -> Iterator[Record | RecordBatch | str]:
    """Read a Doccano export: JSON lines with `text` and `label`, `labels`, `entities` or `annotations`.

    Doccano counts UTF-16 units (or grapheme clusters, if the project uses them), but other programs that write this
    format count code points, and the files do not say. If a text has characters that the units count differently, set
    `offset_unit`. Relations, comments and metadata are not read. Documents without text are left out.

    Raises:
        InputError: if spans are malformed; the error names the line. See also `documents_of`.
    """
    for some in row_batches(source, "spans"):
        batch = _labelled(some)
        yield from chain.from_iterable(map(_doccano_records, some)) if batch is None else [batch]


def _labelled(some: Sequence[Row]) -> RecordBatch | None:
    """Return documents with a text and lists of spans as one batch; None if a document has another form."""
    try:
        texts, lists = ([row.value[key] for row in some] for key in ("text", _LISTS[0]))
        kinds = {*map(type, texts)}, {*map(type, lists)}
        shapes = {(type(spans[0]), len(spans[0])) for spans in lists if spans}
    except (KeyError, TypeError):
        return None
    if kinds != ({str}, {list}) or not shapes <= {(list, 3)}:
        return None
    return batch_of(some, lists, list(chain.from_iterable(lists)), text=texts)


def _doccano_records(row: Row) -> Iterator[Record | str]:
    key = next(filter(row.value.__contains__, _KEYS), "")
    items, text = row.get(key), row.get("text")
    if not isinstance(items, list):
        raise row.refuse(f"{row.place or 'the line'} has no list of labels.", _DOCCANO_REMEDY)
    if not isinstance(text, str):
        yield f"{row.where}: a document without text."
        return
    by_user: dict[str | None, list[Any]] = {} if key == _FIRST_VERSION else {None: items}
    for span in items if key == _FIRST_VERSION else ():
        by_user.setdefault(str(span.get("user") if is_object(span) else None), []).append(span)
    for user, spans in by_user.items():
        if key not in _LISTS:
            bounds = row.spans(spans, _DOCCANO_REMEDY, ("start_offset", "end_offset", "label"))
            # labels of the first version are numbers
            spans = [(start, end, str(label) if type(label) is int else label) for start, end, label in bounds]
        elif not all(map(is_span, spans[:1])):
            raise row.refuse("an item in the list of labels is not [start, end, label].", _DOCCANO_REMEDY)
        yield row.record(spans=spans, text=text, id=row.get("id"), annotator=user)


def _written_doccano(documents: Fitted) -> Iterator[bytes]:
    """Write JSON lines like Doccano's exports, with offsets in UTF-16 units."""
    for record in documents.records():
        yield json_line({**_name(record), **labelled(str(record.text), record.spans)}).encode()


def labelled(text: str, spans: Sequence[tuple[int, int, str]]) -> dict[str, Any]:
    """Return Doccano's object for a text and its spans, with offsets in UTF-16 units."""
    if not is_plain(text, "utf-16"):
        place = borders(text, "utf-16").tolist()
        spans = [(place[start], place[end], label) for start, end, label in spans]
    return {"text": text, "label": spans, "Comments": []}


def _shows_doccano(source: Source) -> bool:
    row = first_object(source, *_KEYS)
    spans = next((row[key] for key in (_WITH_RELATIONS, _FIRST_VERSION) if isinstance(row.get(key), list)), None)
    if spans and is_object(spans[0], "start_offset", "end_offset"):
        return "text" in row
    lists = [row[key] for key in _LISTS if isinstance(row.get(key), list)]
    triples = any(spans and is_span(spans[0]) for spans in lists)
    return "text" in row and (triples or ([] in lists and "Comments" in row))


def _allows(source: Source) -> bool:
    row = first_object(source, *_KEYS)
    return "text" in row and any(row.get(key) == [] for key in _LISTS)


_DOCCANO_REMEDY = "In Doccano, use a sequence labelling project, and export it as JSONL."

register(
    "doccano",
    "Doccano's JSON lines",
    _shows_doccano,
    read_doccano,
    units=IN_BROWSERS,
    allows=_allows,
    writer=Writer(write=_written_doccano),
)


_OF_GIVEN_SPANS = ("choice", "classification", "ner")
_ANNOTATORS = ("_annotator_id", "_session_id")
_PRODIGY_REMEDY = "Export the data set with prodigy db-out."


def read_prodigy(source: Source) -> Iterator[Record | str]:
    """Read Prodigy's tasks: JSON lines with `text`, `spans` and `answer`.

    Offsets are code points with exclusive ends. Tasks that were not accepted are left out and listed. `_input_hash`
    identifies a document, `_annotator_id` or `_session_id` an annotator.

    Raises:
        InputError: if a task has no text, if spans are malformed, or if an annotator has two tasks about the same text
            (as in the binary interface, in which answers are about single spans); the error names the line. See also
            `documents_of`.
    """
    seen: dict[tuple[str, str], int] = {}
    for row in rows(source, "tasks"):
        if not isinstance(row.get("text"), str):
            raise row.refuse("this Prodigy task has no text.", _PRODIGY_REMEDY)
        if row.get("_view_id") in _OF_GIVEN_SPANS and row.get("spans"):
            raise row.refuse(
                f"this task is from the interface {row.get('_view_id')!r}, in which annotators do not mark spans.",
                "Export a data set in which annotators marked spans, for example with ner.manual or spans.manual.",
            )
        answer = row.value.get("answer", "accept")
        if answer != "accept":
            yield f"{row.where}: a task with the answer {answer!r}."
            continue
        spans = row.get("spans") or []
        bounds, tokens = row.spans(spans, _PRODIGY_REMEDY), row.token_bounds(_PRODIGY_REMEDY)
        record = row.record(
            text=row.get("text"), tokens=tokens, id=row.get("_input_hash"), annotator=row.get(*_ANNOTATORS)
        )
        names = str(record.id), str(record.annotator)
        if record.id is not None and seen.setdefault(names, row.line) != row.line:
            raise row.refuse(
                f"this task has the same text and annotator as line {seen[names]}.",
                "Export a data set in which each annotator has each text once. The interface ner.manual creates such "
                "data sets. Prodigy's binary interface repeats a text for each span.",
            )
        for span, (start, end, label) in zip(spans, bounds, strict=True):
            record.add(start, end, label, stated=span.get("text"))
        yield record


def _shows_prodigy(source: Source) -> bool:
    row = first_object(source)
    return "text" in row and ("_input_hash" in row or "_task_hash" in row)


register("prodigy", "Prodigy's tasks", _shows_prodigy, read_prodigy)


Span = tuple[int, int, str]


@dataclass(frozen=True)
class ReviewTask:
    """A text to review.

    Attributes:
        number: the number of its document, from 1.
        text: the text.
        tokens: the boundaries of its tokens in characters; empty if it has no tokens.
        sides: the spans of each side in characters, by name, the reference first.
        meta: where the text comes from.
    """

    number: int
    text: str
    tokens: Sequence[tuple[int, int]]
    sides: Mapping[str, Sequence[Span]]
    meta: Mapping[str, Any]


def _label_studio(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write one array of tasks, with a prediction for each side."""
    rows = []
    for task in tasks:
        sides = ((name, list(results(task.text, spans))) for name, spans in task.sides.items())
        predictions = [{"model_version": name, "result": result} for name, result in sides]
        rows.append({"data": {"text": task.text, "meta": task.meta}, "predictions": predictions})
    yield _array(rows)


def _prodigy(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write a line for each side of each text, as a session of an annotator; `prodigy review` shows them together."""
    for task in tasks:
        tokens = [
            {"text": task.text[start:end], "start": start, "end": end, "id": n}
            for n, (start, end) in enumerate(task.tokens)
        ]
        first = {start: number for number, (start, _) in enumerate(task.tokens)}
        last = {end: number for number, (_, end) in enumerate(task.tokens)}
        key = zlib.crc32(f"{task.number} {task.text}".encode("utf-8", "replace"))
        for name, spans in task.sides.items():
            rows = []
            for start, end, label in spans:
                place = {"token_start": first[start], "token_end": last[end]} if start in first and end in last else {}
                rows.append({"start": start, "end": end, "label": label, **place})
            row = {"text": task.text, **({"tokens": tokens} if tokens else {}), "spans": rows, "meta": task.meta}
            hashes = {"_input_hash": key, "_task_hash": zlib.crc32(json.dumps(rows).encode(), key)}
            by = {"_view_id": "spans_manual", "_annotator_id": name, "_session_id": name, "answer": "accept"}
            yield json_line({**row, **hashes, **by})


def _doccano(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write a line for each text; spans that only a system has get the label `LABEL (system)`."""
    for task in tasks:
        (_, reference), *systems = task.sides.items()
        of_systems = ((name, span) for name, side in systems for span in side if span not in reference)
        spans = [*reference, *((start, end, f"{label} ({name})") for name, (start, end, label) in of_systems)]
        yield json_line({"id": task.number, **labelled(task.text, sorted(spans)), "meta": task.meta})


PREANNOTATIONS: Mapping[str, Callable[[Iterable[ReviewTask]], Iterator[str]]] = {
    "label_studio": _label_studio,
    "prodigy": _prodigy,
    "doccano": _doccano,
}
"""The writers by annotation tool."""
