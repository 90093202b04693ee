"""`spanometer score` on spans with attributes: options, the reading, tables and pictures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import STANDARD_INPUT, called, reading_bar, stream_or_path
from .measuring import chosen_measures, chosen_resampling

if TYPE_CHECKING:
    from rich.text import Text

    from ..counts.resampling import Resampling
    from ..measures.span_attribute import SpanAttribute
    from ..readers import AttributeFile

NAME = "span_attribute"


def add_attribute_options(group: argparse._ArgumentGroup) -> None:
    """Declare the options of `span_attribute`; without a value the measure has its own."""
    group.add_argument(
        "--attribute",
        metavar="NAME[=LABEL,...]",
        action="append",
        help=f"{NAME}: an attribute to score, of all spans or of those with these labels; may be repeated; all by "
        "default",
    )
    group.add_argument(
        "--default",
        metavar="NAME=VALUE",
        action="append",
        help=f"{NAME}: the value of an attribute that is no item, in JSON (false, 0, '\"no\"'); may be repeated",
    )
    group.add_argument(
        "--include-falsy", action="store_true", default=None, help=f'{NAME}: false, 0 and "" are items too'
    )
    group.add_argument("--average-precision", metavar="WAY", help=f"{NAME}: ties (default), edsnlp or edsnlp-0.20")
    group.add_argument(
        "--on-mismatch", metavar="WAY", help=f"{NAME}: where a span is on one side only: error (default) or count"
    )
    group.add_argument("--micro-key", metavar="NAME", help=f"{NAME}: what all attributes together are called")


def asks_for_attributes(options: argparse.Namespace) -> bool:
    """Whether the measure is named."""
    return NAME in [name.strip() for part in options.measure or () for name in part.split(",")]


def score_attributes(options: argparse.Namespace) -> int:
    """Read both sides, score and show."""
    if options.plot is not None:
        from ..plots.figure import require_format

        require_format(options.plot)
    if options.prediction is None:
        raise InputError("there is no file with the system's spans.", "Give PREDICTION.")
    if options.reference == options.prediction == STANDARD_INPUT:
        raise InputError("both files are standard input.", "Name one of them.")
    if options.per_label:
        raise InputError("--per-label is for measures of tags and entities.", "All attributes are shown without it.")
    options.attribute, options.default = _asked(options.attribute), _defaults(options.default)
    from ..measures.registry import ALL_MEASURES

    measures = chosen_measures(options, [NAME], ALL_MEASURES)
    for measure in measures:
        if measure.name != NAME:
            raise InputError(
                f"{measure.name} does not score attributes, and these files hold spans with attributes.",
                f"Ask for {NAME} alone.",
            )
    resampling = chosen_resampling(options)
    scored = _scored(measures[0], _read(options.reference), _read(options.prediction), resampling)
    if options.plot is not None:
        from ..plots import plot_precision_recall

        plot_precision_recall(scored.measure.curves(scored.counts), options.plot)
    if options.json:
        print(json.dumps(scored.to_dict(), indent=2, allow_nan=False))
    else:
        _show(scored, color=not options.no_color)
    return 0


@dataclass(frozen=True, eq=False)
class _Scored:
    """Both sides, scored."""

    measure: SpanAttribute
    sides: Mapping[str, AttributeFile]
    counts: Any
    result: Mapping[str, Mapping[str, float | int]]
    signature: str
    confidence: float | None

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        from ..measures.result import plain

        reference, prediction = self.sides.values()
        return {
            "spanometer": __version__,
            **{
                name: {"file": side.source, "format": "jsonl", "attributes": list(side.attributes.names)}
                for name, side in self.sides.items()
            },
            "documents": reference.attributes.documents,
            "reference_spans": len(reference.attributes),
            "predicted_spans": len(prediction.attributes),
            "measures": {
                NAME: {
                    "scores": {name: plain(values) for name, values in self.result.items()},
                    "counts": plain(self.counts.total()),
                    "signature": self.signature,
                }
            },
        }


def _read(path: str) -> AttributeFile:
    from ..readers import read_attributes

    with reading_bar(path) as bar:
        return read_attributes(stream_or_path(path), name=called(path), progress=bar.update)


def _scored(
    measure: SpanAttribute, reference: AttributeFile, prediction: AttributeFile, resampling: Resampling | None
) -> _Scored:
    from ..readers import require_same_tokens

    require_same_tokens(reference, prediction)
    try:
        counts = measure.counts(reference.attributes, prediction.attributes)
    except InputError as error:
        if error.side is None and error.document is None:
            raise
        raise (prediction if error.side == "predictions" else reference).locate(error) from None
    sides = {"reference": reference, "prediction": prediction}
    result: dict[str, Any] = measure.score(counts)
    if resampling is not None:
        result = measure.with_intervals(result, measure.intervals(counts, resampling))
    level = None if resampling is None else resampling.confidence
    return _Scored(measure, sides, counts, result, measure.signature({}, resampling), level)


def _interval_cells(scored: _Scored, values: Mapping[str, float | int]) -> list[Text]:
    """The bounds of the shares' intervals, below their row; those of numbers of items are in the JSON."""
    from rich.text import Text

    from .tables import number

    cells = [
        f"{number(values[f'{key}_low'])}–{number(values[f'{key}_high'])}" if key in ("f", "p", "r", "ap") else ""
        for key in scored.measure.keys
    ]
    return [Text(f"  {100 * (scored.confidence or 0):g} %", "dim"), *(Text(cell, "dim") for cell in cells)]


def _asked(given: list[str] | None) -> dict[str, bool | list[str]] | None:
    """`NAME` and `NAME=LABEL,...` as the measure takes them."""
    if given is None:
        return None
    asked: dict[str, bool | list[str]] = {}
    for text in given:
        name, separator, listed = text.partition("=")
        labels = [label.strip() for label in listed.split(",")]
        if not name.strip() or (separator and not all(labels)):
            raise InputError(f"--attribute {text} names no attribute or an empty label.", "Write NAME or NAME=A,B.")
        if name.strip() in asked:
            raise InputError(f"--attribute {name.strip()} is given twice.", "Give all labels at once: NAME=A,B.")
        asked[name.strip()] = labels if separator else True
    return asked


def _defaults(given: list[str] | None) -> dict[str, Any] | None:
    """`NAME=VALUE` as the measure takes them."""
    if given is None:
        return None
    values: dict[str, Any] = {}
    for text in given:
        name, separator, written = text.partition("=")
        if not name.strip() or not separator:
            raise InputError(f"--default {text} is not of the form NAME=VALUE.", "For example negated=false.")
        if name.strip() in values:
            raise InputError(f"--default {name.strip()} is given twice.", "Give one value.")
        try:
            values[name.strip()] = json.loads(written)
        except (ValueError, RecursionError):
            raise InputError(
                f"--default {text}: {written} is not JSON.", "Write true, false, a number, or text in double quotes."
            ) from None
    return values


def _show(scored: _Scored, *, color: bool) -> None:
    from rich.text import Text

    from .tables import amount, copyable, empty_table, number, page, show

    console = page(color=color)
    reference, prediction = scored.sides.values()
    size = [
        counted(reference.attributes.documents, "document"),
        counted(len(reference.attributes), "reference span"),
        counted(len(prediction.attributes), "predicted span"),
    ]
    lines = [(name, f"{printable(side.source)}, jsonl") for name, side in scored.sides.items()]
    for name, text in [*lines, ("size", ", ".join(size))]:
        show(console, Text.assemble((f"{name:<10}", "bold"), f"  {text}"))
    table = empty_table(NAME, scored.measure.keys, labels=True)
    for name, values in scored.result.items():
        style = "cyan" if name == scored.measure.micro_key else ""
        cells = [
            Text((amount if key in ("tp", "support", "positives") else number)(value), "bold" if key == "f" else "")
            for key, value in ((key, values[key]) for key in scored.measure.keys)
        ]
        table.add_row(Text(printable(name), style), *cells)
        if scored.confidence is not None:
            table.add_row(*_interval_cells(scored, values))
    show(console, "", table, "", copyable(scored.signature))
