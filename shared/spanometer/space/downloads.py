"""What a reader takes along from a page: the call that makes the same score, and the result as files."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..analysis.scores.report import Report
from ..arrays import plain
from ..tables.exports import to_csv
from ..tables.table import Precision
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


def result_downloads(page: Page, values: Mapping[str, Any], report: Report) -> dict[str, str]:
    """Return what the template `downloads.html` shows: the call, and the report as the commands write it.

    Args:
        page: the page.
        values: of its controls, by name.
        report: the result.
    """
    (result,) = report.results
    rows = to_csv(report.tables(), Precision())
    return downloads(page.name, snippet(page, values), result.to_dict(per_label=True), rows)


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


def _written(value: Any) -> str:
    if value is ...:
        return "tokens"
    return 'float("nan")' if isinstance(value, float) and math.isnan(value) else repr(value)
