"""Pre-annotations: texts with the spans of several sides, as annotation tools import them for review."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...spans.characters import borders, is_plain

Span = tuple[int, int, str]


@dataclass(frozen=True)
class ReviewTask:
    """A text that people look at again.

    Attributes:
        number: of its document, from 1.
        text: the text.
        tokens: bounds of its tokens in characters; empty for texts without tokens.
        sides: the spans of each side in characters, by name, the reference first.
        meta: where the text is from.
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
            {"model_version": name, "result": [_region(task.text, place, span) for place, span in enumerate(spans)]}
            for name, spans in task.sides.items()
        ]
        rows.append(
            json.dumps({"data": {"text": task.text, "meta": task.meta}, "predictions": predictions}, ensure_ascii=False)
        )
    yield "[\n" + ",\n".join(rows) + "\n]\n"


def _region(text: str, place: int, span: Span) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": f"span{place}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def _prodigy(tasks: Iterable[ReviewTask]) -> Iterator[str]:
    """Write a line for each side of each text, as sessions of annotators; `prodigy review` shows them together."""
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
    """Write a line for each text; the spans that only a system has are labelled `LABEL (system)`."""
    for task in tasks:
        (_, reference), *systems = task.sides.items()
        spans = [*reference]
        for name, side in systems:
            spans += [
                (start, end, f"{label} ({name})") for start, end, label in side if (start, end, label) not in reference
            ]
        if not is_plain(task.text, "utf-16"):
            place = borders(task.text, "utf-16").tolist()
            spans = [(place[start], place[end], label) for start, end, label in spans]
        row = {"id": task.number, "text": task.text, "label": sorted(spans), "Comments": [], "meta": task.meta}
        yield json.dumps(row, ensure_ascii=False) + "\n"


PREANNOTATIONS: Mapping[str, Callable[[Iterable[ReviewTask]], Iterator[str]]] = {
    "label_studio": _label_studio,
    "prodigy": _prodigy,
    "doccano": _doccano,
}
"""The tools that texts can be written for."""
