"""The tables of inputs and outputs in the cards, created from the declarations of the modules."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import evaluate

import spanometer
from spanometer.exceptions import InputError
from spanometer.integrations.module_folders import module_folders, path
from spanometer.options import written
from spanometer.readers.writing import writing

from .flat_files import PACKAGE

_TABLE = re.compile(r"(<!-- (inputs|outputs): python -m tools.hub cards -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)
_SHARED_INPUTS = "https://spanometer.github.io/spanometer/measures/span_f/#inputs"


def write_cards(selected: Iterable[str] = ()) -> list[Path]:
    """Write the tables in the cards of metrics (all if none is selected); returns the cards that have changed."""
    changed = []
    for name in require_names(selected):
        card = Path(path(name), "README.md")
        text = card.read_text(encoding="utf-8")
        if (updated := with_tables(text, module_class(name))) != text:
            with writing(card, replace=True) as stream:
                stream.write(updated.encode())
            changed.append(card)
    return changed


def require_names(selected: Iterable[str], pages: Iterable[str] = ()) -> list[str]:
    """Return the selected metrics and pages; all of them if none is selected.

    Raises:
        InputError: if a metric is unknown, or if another installation of the package would be built.
    """
    imported = Path(spanometer.__file__).resolve().parent
    if imported != PACKAGE:
        raise InputError(f"spanometer is imported from {imported}.", "Install this checkout: pip install -e .")
    chosen = list(dict.fromkeys(selected)) or sorted([*module_folders(), *pages])
    for name in chosen:
        if name not in pages:
            path(name)
    return chosen


def page_folders() -> dict[str, Path]:
    """Return the folders of the pages without a metric, by name."""
    return {app.parent.name: app.parent for app in sorted((Path(__file__).parents[2] / "spaces").glob("*/app.py"))}


def with_tables(card: str, module: Any) -> str:
    """Return the text of a card with the tables of a module's inputs and outputs."""
    tables = {"inputs": _inputs(module), "outputs": _outputs(module)}
    return _TABLE.sub(lambda found: found[1] + "\n".join(tables[found[2]]), card)


def module_class(name: str) -> Any:
    """Return the class of a metric module, a `MeasureModule`."""
    return type(evaluate.load(path(name)))


def _inputs(module: Any) -> Iterable[str]:
    """Return table rows for a module's own inputs, and a row that names the options which are the same in `span_f`."""
    first = module_class("span_f")
    rows, known = _rows(module), {} if module.measure.name == "span_f" else _rows(first)
    shared = [f"`{name}`" for name, row in rows.items() if known.get(name) == row]
    forms, below = module.forms(), []
    if known and forms == first.forms():
        default, *others, last = (f"`{form}`" for form in module.configurations)
        forms = f"documents in [the form]({_SHARED_INPUTS}) {default} (default), {', '.join(others)} or {last}"
    elif len(module.configurations) > 1:
        forms = "one item for each document. For its form, see the list below the table"
        texts = [f"`{name}`: {configuration.help}." for name, configuration in module.configurations.items()]
        default = texts.pop(0).replace(":", " (default):", 1)
        below = ["\nThe form of an item depends on the configuration:\n", *(f"- {text}" for text in (default, *texts))]
    yield "| name | type | default | |\n|---|---|---|---|"
    yield f"| `predictions`, `references` | list | required | {forms} |"
    yield from (row for name, row in rows.items() if f"`{name}`" not in shared)
    yield from below
    if shared:
        yield f"\nThe card of [`span_f`]({_SHARED_INPUTS}) explains these options: {', '.join(shared)}."


def _rows(module: Any) -> dict[str, str]:
    return {
        name: f"| `{name}` | {option.type_name} | `{written(option.default)}` | {option.text} |"
        for name, option in module.options().items()
    }


def _outputs(module: Any) -> Iterable[str]:
    yield "| key | | range | better |\n|---|---|---|---|"
    for name, key in module.measure.results.items():
        yield f"| `{name}` | {key.help} | {key.range} | {key.better} |"
    yield "| `<key>_low`, `<key>_high` | bounds of the confidence interval (only with `confidence`) | | |"
