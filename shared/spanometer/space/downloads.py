"""What a reader takes along from a page: the call that makes the same score, and the result as files."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..arrays import plain
from .texts import space_of

if TYPE_CHECKING:
    from .pages import Page

_CALL = """import evaluate

{name} = evaluate.load({loaded})
# {input}
{name}.compute(
    references=references,
    predictions=predictions,
{options})"""

_CONFIGURATIONS = {"entities": ', "markup"'}
"""The module's configuration for the input of a page, if it is not the default one."""

_INPUTS = {
    "spans": "references and predictions: a list of tags for each sentence",
    "entities": "references and predictions: a text with markup for each document",
    "attributes": "references and predictions: a list of spans with attributes for each document",
}


def result_downloads(page: Page, values: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, str]:
    """Encode the call and the result of a page for the template `downloads.html`.

    Args:
        page: the page.
        values: of its controls, by name.
        result: `scores` by key (of attributes: by attribute and key), their `intervals`, `per_label`, `counts` and
            `signature`.
    """
    scores, intervals, per_label = result["scores"], result["intervals"], result["per_label"]
    if page.input == "attributes":
        rows = csv_rows("attribute", scores, intervals)
        intervals = {
            name: {key: intervals[name, key] for key in keys if (name, key) in intervals}
            for name, keys in scores.items()
        }
    else:
        rows = csv_rows("label", {"": scores, **per_label}, {("", key): bounds for key, bounds in intervals.items()})
    return downloads(page.name, snippet(page, values), {**result, "intervals": intervals}, rows)


def downloads(name: str, call: str, result: Mapping[str, Any], rows: str) -> dict[str, str]:
    """Encode a call, and a result as JSON and CSV, for the template `downloads.html`."""
    files = {"json": json.dumps(plain(result), ensure_ascii=False, indent=2), "csv": rows}
    encoded = {kind: base64.b64encode(text.encode(errors="replace")).decode() for kind, text in files.items()}
    return {"name": name, "snippet": call, **encoded}


def snippet(page: Page, values: Mapping[str, Any]) -> str:
    """Write the Python that makes the score of a page: the module, loaded and called with the chosen options."""
    return _CALL.format(
        name=page.name,
        loaded=f'"{space_of(page.name)}"{_CONFIGURATIONS.get(page.input, "")}',
        input=_INPUTS[page.input],
        options="".join(f"    {name}={_written(value)},\n" for name, value in page.chosen(values).items()),
    )


def csv_rows(
    title: str, parts: Mapping[str, Mapping[str, float]], intervals: Mapping[tuple[str, str], tuple[float, float]]
) -> str:
    """Write values as CSV, a row for each, with the bounds of its interval if it has one.

    Args:
        title: of the first column.
        parts: the values by label or attribute, and by key; the label is empty for those of all labels together.
        intervals: by label or attribute, and by key.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([title, "key", "value", "low", "high"])
    for part, keys in parts.items():
        for key, value in keys.items():
            writer.writerow([part, key, value, *intervals.get((part, key), ("", ""))])
    return text.getvalue()


def _written(value: Any) -> str:
    if value is ...:
        return "tokens"
    return 'float("nan")' if isinstance(value, float) and math.isnan(value) else repr(value)
