"""`spanometer demo`: three systems on the example corpus, scored by the modules as `evaluate` loads them."""

from __future__ import annotations

import argparse
import os
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluate import EvaluationModule

    from ..readers import TagFile

MODULES = ("span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm")
CHANCE_MODULES = ("chance_kappa_f1", "unitizing_alpha")
"""The modules that take out what chance gives; they have a table of their own."""

SYSTEMS = {
    "careful": "finds fewer spans, most of them right",
    "greedy": "finds nearly everything, with spans that run too long",
    "hasty": "cuts spans up and writes illegal tags",
}
"""The systems of the example corpus and their habits."""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo",
        help="score three systems on the example corpus",
        description="Load the eight metric modules with evaluate.load and score three systems on the example corpus. "
        "Needs no network.",
        allow_abbrev=False,
    )
    parser.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the example corpus, score it and show the scores."""
    corpus = _read_corpus()
    scores = _Scores(_load_modules(), corpus)
    systems = {system: scores.of(system) for system in SYSTEMS}
    repairs = {repair: scores.of("hasty", repair) for repair in ("conlleval", "discard")}
    _show(corpus, systems, repairs, color=not options.no_color)
    return 0


def _read_corpus() -> TagFile:
    """The reference and the three systems."""
    from ..readers import read

    with resources.as_file(resources.files("spanometer") / "data" / "example.conll") as path:
        return read(path, columns=["reference", *SYSTEMS])


def _load_modules() -> dict[str, EvaluationModule]:
    """The eight modules, as anybody would load them; they are part of the package, so nothing is fetched."""
    # the libraries read these once, when they are imported
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")
    import evaluate

    from .. import path

    return {name: evaluate.load(path(name)) for name in (*MODULES, *CHANCE_MODULES)}


class _Scores:
    """The results of the modules for the systems of the corpus."""

    def __init__(self, modules: dict[str, EvaluationModule], corpus: TagFile) -> None:
        from ..readers import tag_lists

        self._modules = modules
        self._tags = dict(zip(corpus.columns, map(tag_lists, corpus.tags), strict=True))

    def of(self, system: str, repair: str = "conlleval") -> dict[str, dict[str, Any]]:
        """The result of each module."""
        return {
            name: module.compute(
                predictions=self._tags[system], references=self._tags["reference"], repair=repair, details=True
            )
            for name, module in self._modules.items()
        }


def _show(
    corpus: TagFile,
    systems: dict[str, dict[str, dict[str, Any]]],
    repairs: dict[str, dict[str, dict[str, Any]]],
    *,
    color: bool,
) -> None:
    from rich.text import Text

    from ..errors import counted
    from .tables import copyable, page, show

    first = next(iter(systems.values()))
    labels = first["span_f"]["per_label"]
    spans = counted(first["span_f"]["counts"]["reference"], "span")
    size = [counted(len(corpus.document_lines), "sentence"), counted(len(corpus.tags[0].codes), "token"), spans]
    console = page(color=color)
    show(
        console,
        Text("The example corpus", "bold"),
        f"{', '.join(size)} of {len(labels)} labels ({', '.join(labels)}).",
        "Made for Spanometer, as are the outputs of three systems:",
        *(f"  {system:<8} {habit}" for system, habit in SYSTEMS.items()),
        "",
        Text("Eight measures of spans, loaded with evaluate.load", "bold"),
        "",
        _table("system", systems),
        "",
        Text("The same beyond chance: against spans of the same lengths, placed at random", "bold"),
        "",
        _chance_table(systems),
        "",
        Text("What becomes of illegal tags is a choice: hasty under two repair policies", "bold"),
        "",
        _table("repair", repairs),
        "",
        Text("How the numbers were made", "bold"),
        *(copyable(result["signature"]) for result in first.values()),
        "",
        Text("Your own files", "bold"),
        copyable("spanometer score REFERENCE PREDICTION --per-label"),
        copyable("spanometer score FILE --reference-column 2 --prediction-column 3"),
        copyable("spanometer score --help"),
    )


def _table(title: str, rows: dict[str, dict[str, dict[str, Any]]]) -> Any:
    """The main number of each module, the best of each column in bold."""
    from ..measures.registry import MEASURES

    return _table_of(title, [(name, MEASURES[name].headline) for name in MODULES], rows)


def _chance_table(rows: dict[str, dict[str, dict[str, Any]]]) -> Any:
    """The numbers of the modules that take out what chance gives."""
    columns = [("chance_kappa_f1", key) for key in ("f1", "chance_f1", "kappa_f1")]
    return _table_of("system", [*columns, ("unitizing_alpha", "alpha")], rows)


def _table_of(title: str, columns: list[tuple[str, str]], rows: dict[str, dict[str, dict[str, Any]]]) -> Any:
    """One column for each module and key, the best of it in bold; a module's name stands over its first column."""
    from rich.text import Text

    from .tables import empty_table, number

    modules = [name for name, _ in columns]
    named = [name if name not in modules[:place] else "" for place, name in enumerate(modules)]
    table = empty_table(title, (f"{name}\n{key}" for name, (_, key) in zip(named, columns, strict=True)))
    best = {(name, key): max(result[name][key] for result in rows.values()) for name, key in columns}
    for row, result in rows.items():
        # much agreement by chance is nothing to be proud of
        values = [(result[name][key], best[name, key] if key != "chance_f1" else None) for name, key in columns]
        table.add_row(
            Text(row, "cyan"), *(Text(number(value), "bold" if value == top else "") for value, top in values)
        )
    return table
