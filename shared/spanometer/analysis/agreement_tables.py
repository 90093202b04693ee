"""The tables of agreement: the matrix of pairs, the pairs with their means, and the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..tables.table import EMPTY, Cell, Number, Table, amount, number

if TYPE_CHECKING:
    from .agreement import Agreement, AgreementValues


def matrix(found: Agreement) -> Table:
    """Return the corrected F1 of each pair; the diagonal is left empty."""
    rows: list[list[Cell]] = []
    for row, name in enumerate(found.names):
        values = found.kappa_f1[row].tolist()
        rows.append(
            [(name, "cyan"), *(number(value) if column != row else EMPTY for column, value in enumerate(values))]
        )
    return Table("", found.names, rows, widths=(0, 6), kind="matrix", names="annotator", keys=found.names)


def pair_table(found: Agreement, *, per_pair: bool) -> Table:
    """Return all pairs, or the highest and the lowest; the mean of the pairs; alpha."""
    pairs = sorted(found.pairs(), key=lambda pair: -pair[2]["kappa_f1"])
    shown = {f"{one}, {other}": values for one, other, values in pairs}
    if not per_pair:
        ends = {"highest pair": pairs[0], "lowest pair": pairs[-1]} if len(pairs) > 1 else {}
        shown = {f"{place}: {one}, {other}": values for place, (one, other, values) in ends.items()}
    rows: list[list[Cell]] = [[name, *map(number, values.values()), EMPTY] for name, values in shown.items()]
    means = [number(found.mean_f1), number(found.mean_chance_f1)]
    rows.append([("mean of pairs", "cyan"), *means, number(found.mean_kappa_f1, "bold"), EMPTY])
    rows.append([("all jointly", "cyan"), EMPTY, EMPTY, EMPTY, number(found.alpha, "bold")])
    return Table("", ("f1", "chance_f1", "kappa_f1", "alpha"), rows, widths=(0, 6), kind="pairs", names="pair")


def label_table(found: Agreement) -> Table:
    """Return for each label the means of the pairs, alpha, and the fewest and most spans of an annotator."""
    rows = [[label, *_label_cells(values)] for label, values in found.per_label.items()]
    heads = ("mean f1", "mean chance", "mean kappa", "alpha", "fewest spans", "most spans")
    keys = ("mean_f1", "mean_chance_f1", "mean_kappa_f1", "alpha", "fewest_spans", "most_spans")
    return Table("label", heads, rows, kind="labels", keys=keys)


def document_table(found: Agreement, lines: Sequence[int] = ()) -> Table:
    """Return for each document the means of the pairs, and the line on which it begins, if lines are given."""
    means = [values.tolist() for values in found.mean_per_document.values()]
    rows: list[list[Cell]] = [
        [str(place), *map(amount, lines[place - 1 : place]), *map(number, values)]
        for place, values in enumerate(zip(*means, strict=True), 1)
    ]
    heads = [*(["line"] if lines else []), "mean f1", "mean chance", "mean kappa"]
    keys = [*(["line"] if lines else []), *found.mean_per_document]
    return Table("document", heads, rows, kind="documents", keys=keys)


def _label_cells(values: AgreementValues) -> list[Cell]:
    means = [values.mean_f1, values.mean_chance_f1, values.mean_kappa_f1, values.alpha]
    spans: list[Number] = [amount(int(values.spans.min())), amount(int(values.spans.max()))]
    return [*map(number, means), *spans]
