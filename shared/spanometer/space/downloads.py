"""Downloads of a measure's page: the Python call that makes the same score, and the result as files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..analysis.scores.report import Report
from ..tables.exports import by_kind
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


def result_files(name: str, report: Report) -> dict[str, str]:
    """Write a report of one measure as JSON and CSV, by file name, the same as the commands."""
    (result,) = report.results
    written = json.dumps(result.to_dict(per_label=True), ensure_ascii=False, indent=2)
    tables = by_kind(report.tables())
    return {f"{name}.json": written, **{f"{name}_{kind}.csv": report.to_csv(kind) for kind in tables}}


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
