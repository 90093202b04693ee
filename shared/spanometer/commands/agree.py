"""Measure the agreement of annotators of the same text, beyond chance.

F1 of each pair, the F1 that random placement of the same spans would give, F1
corrected for it, and Krippendorff's alpha for unitizing over all annotators
jointly. Files as in spanometer score, one for each annotator; or one file with
a column for each.

Examples:
  spanometer agree ann.conll ben.conll cat.conll
  spanometer agree all.tsv --columns 2,3,4 --names ann,ben,cat --per-label
  spanometer agree ann.conll ben.conll cat.conll --plot agreement.png --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..analysis.agreement import Agreement, AgreementValues, agreement
from ..errors import counted
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.unitizing_alpha import UnitizingAlpha
from ..options import options_of
from ..plots import plot_agreement
from ..readers.tag_file import TagFile
from ..tables.table import Cell, Copyable, Part, Table, heading, number
from .inputs import named, names_of, size_of
from .options import add_options, read_options, switch
from .output import PlotOutput
from .tag_files import TagSeries, documents_in, side_of

_SIMULATIONS = ("n_simulations", "seed")
"""The options of the chance level that are for one pair of annotators."""


@dataclass(frozen=True, kw_only=True)
class AgreementOutput(PlotOutput):
    """How agreement is shown."""

    per_label: bool = switch("also the agreement in each label")
    per_pair: bool = switch("also the three values of each pair")
    per_document: bool = switch("also the means of the pairs in each document")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="file with the tags of one annotator")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the annotators' names, with commas between")
    add_options(reading, {"": TagSeries})
    scoring = parser.add_argument_group("scoring")
    add_options(scoring, {"": Measure})
    owners = {"F1 beyond chance": ChanceKappaF1, "alpha": UnitizingAlpha}
    add_options(scoring, owners, leave_out=_SIMULATIONS)
    add_options(parser.add_argument_group("output"), {"": AgreementOutput})


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    output = read_options(AgreementOutput, options)
    chance, alpha = read_options(ChanceKappaF1, options), read_options(UnitizingAlpha, options)
    source = read_options(TagSeries, options)
    files = source.read_all(options.files, "its annotators")
    default = names_of(options.files) if source.columns is None else [file.columns[0] for file in files]
    annotators = dict(zip(named(options.names, default, "annotator"), files, strict=True))
    with source.located({f"annotator {name}": file for name, file in annotators.items()}):
        found = agreement(
            {name: file.tags[0] for name, file in annotators.items()},
            scheme=source.scheme,
            repair=source.repair,
            prefix=source.prefix,
            variant=alpha.variant,
            per_document=output.per_document,
            **{name: getattr(chance, name) for name in options_of(chance) if name not in _SIMULATIONS},
        )
    if output.plot is not None:
        plot_agreement(found, output.plot)
    output.write(lambda: _described(found, files, output), lambda: _parts(found, annotators, output))
    return 0


def _described(found: Agreement, files: list[TagFile], output: AgreementOutput) -> dict[str, Any]:
    values = found.to_dict()
    if not output.per_label:
        del values["per_label"]
    if output.per_document:
        values["document_lines"] = files[0].document_lines.tolist()
    return {"files": [side_of(file).described for file in files], **values}


def _parts(found: Agreement, annotators: Mapping[str, TagFile], output: AgreementOutput) -> Iterator[Part]:
    spans = found.spans.tolist()
    lines = [
        (name, f"{side_of(file).text}, {counted(count, 'span')}")
        for (name, file), count in zip(annotators.items(), spans, strict=True)
    ]
    size = size_of(documents_in(next(iter(annotators.values()))), found.tokens)
    yield from heading([*lines, ("size", size)])
    yield from ("", ("F1 corrected for chance", "bold"), "", _matrix(found), "")
    yield from (_summary(found, per_pair=output.per_pair), "")
    yield from map(Copyable, found.signatures.values())
    if output.per_label:
        yield from ("", _by_label(found))
    if output.per_document:
        yield from ("", _by_document(found, next(iter(annotators.values())).document_lines.tolist()))


def _matrix(found: Agreement) -> Table:
    """Return the corrected F1 of each pair; the diagonal is left empty."""
    rows: list[list[Cell]] = []
    for row, name in enumerate(found.names):
        values = found.kappa_f1[row].tolist()
        rows.append([(name, "cyan"), *(number(value) if column != row else "·" for column, value in enumerate(values))])
    return Table("", found.names, rows, widths=(0, 6))


def _summary(found: Agreement, *, per_pair: bool) -> Table:
    """Return all pairs, or the highest and the lowest; the mean of the pairs; alpha."""
    pairs = sorted(found.pairs(), key=lambda pair: -pair[2]["kappa_f1"])
    shown = {f"{one}, {other}": values for one, other, values in pairs}
    if not per_pair:
        ends = {"highest pair": pairs[0], "lowest pair": pairs[-1]} if len(pairs) > 1 else {}
        shown = {f"{place}: {one}, {other}": values for place, (one, other, values) in ends.items()}
    rows: list[list[Cell]] = [[name, *map(number, values.values()), "·"] for name, values in shown.items()]
    means = [number(found.mean_f1), number(found.mean_chance_f1)]
    rows.append([("mean of pairs", "cyan"), *means, number(found.mean_kappa_f1, "bold"), "·"])
    rows.append([("all jointly", "cyan"), "·", "·", "·", number(found.alpha, "bold")])
    return Table("", ("f1", "chance_f1", "kappa_f1", "alpha"), rows, widths=(0, 6))


def _by_label(found: Agreement) -> Table:
    """Return for each label the means of the pairs, alpha, and the fewest and most spans of an annotator."""
    rows = [[label, *_label_cells(values)] for label, values in found.per_label.items()]
    return Table("label", ("mean f1", "mean chance", "mean kappa", "alpha", "spans"), rows)


def _by_document(found: Agreement, lines: list[int]) -> Table:
    """Return for each document the means of the pairs, and the line of the first file on which it begins."""
    means = [values.tolist() for values in found.mean_per_document.values()]
    rows: list[list[Cell]] = [
        [str(place), f"{line:,}", *map(number, values)]
        for place, (line, *values) in enumerate(zip(lines, *means, strict=True), 1)
    ]
    return Table("document", ("line", "mean f1", "mean chance", "mean kappa"), rows)


def _label_cells(values: AgreementValues) -> list[Cell]:
    means = [values.mean_f1, values.mean_chance_f1, values.mean_kappa_f1, values.alpha]
    fewest, most = int(values.spans.min()), int(values.spans.max())
    return [*map(number, means), f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"]
