"""Pre-annotations for annotation tools: texts with the spans of several sides."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .doccano import labelled
from .label_studio import results

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
        predictions = [
            {"model_version": name, "result": list(results(task.text, spans))} for name, spans in task.sides.items()
        ]
        row = {"data": {"text": task.text, "meta": task.meta}, "predictions": predictions}
        rows.append(json.dumps(row, ensure_ascii=False))
    yield "[\n" + ",\n".join(rows) + "\n]\n"


def _prodigy(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write a line for each side of each text, as a session of an annotator; `prodigy review` shows them together."""
    for task in tasks:
        bounds = list(task.tokens)
        tokens = [
            {"text": task.text[start:end], "start": start, "end": end, "id": n} for n, (start, end) in enumerate(bounds)
        ]
        first = {start: number for number, (start, _) in enumerate(bounds)}
        last = {end: number for number, (_, end) in enumerate(bounds)}
        key = zlib.crc32(f"{task.number} {task.text}".encode("utf-8", "replace"))
        for name, spans in task.sides.items():
            rows = []
            for start, end, label in spans:
                place = {"token_start": first[start], "token_end": last[end]} if start in first and end in last else {}
                rows.append({"start": start, "end": end, "label": label, **place})
            row = {"text": task.text, **({"tokens": tokens} if tokens else {}), "spans": rows, "meta": task.meta}
            hashes = {"_input_hash": key, "_task_hash": zlib.crc32(json.dumps(rows).encode(), key)}
            by = {"_view_id": "spans_manual", "_annotator_id": name, "_session_id": name, "answer": "accept"}
            yield json.dumps({**row, **hashes, **by}, ensure_ascii=False) + "\n"


def _doccano(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write a line for each text; spans that only a system has get the label `LABEL (system)`."""
    for task in tasks:
        (_, reference), *systems = task.sides.items()
        spans = [*reference]
        for name, side in systems:
            spans += [
                (start, end, f"{label} ({name})") for start, end, label in side if (start, end, label) not in reference
            ]
        row = {"id": task.number, **labelled(task.text, sorted(spans)), "meta": task.meta}
        yield json.dumps(row, ensure_ascii=False) + "\n"


PREANNOTATIONS: Mapping[str, Callable[[Iterable[ReviewTask]], Iterator[str]]] = {
    "label_studio": _label_studio,
    "prodigy": _prodigy,
    "doccano": _doccano,
}
"""The writers by annotation tool."""
