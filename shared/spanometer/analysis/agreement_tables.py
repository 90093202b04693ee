"""The tables of agreement: the matrix of pairs, the pairs with their means, and the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from ..tables.table import EMPTY, Cell, Number, Table, amount, number
from .agreement_chance import QUANTILES, Simulated

if TYPE_CHECKING:
    from .agreement import Agreement
    from .agreement_values import AgreementValues

_KEYS = ("f1", "chance_f1", "kappa_f1")

_OF_CHANCE = {
    "mean_f1": "mean f1 of pairs",
    "mean_kappa_f1": "mean kappa of pairs",
    "alpha": "alpha",
    "gamma": "gamma, own samples",
}
"""What is held against chance, and what the table calls it."""


def matrix(found: Agreement) -> Table:
    """Return the corrected F1 of each pair; the diagonal is left empty."""
    rows: list[list[Cell]] = []
    for row, name in enumerate(found.names):
        values = found.kappa_f1[row].tolist()
        rows.append(
            [
                (name, "cyan"),
                *(
                    Number(value, interval=found.interval("kappa_f1", row, column)) if column != row else EMPTY
                    for column, value in enumerate(values)
                ),
            ]
        )
    return Table(
        "",
        found.names,
        rows,
        widths=(0, 6),
        kind="matrix",
        names="annotator",
        keys=found.names,
        confidence=found.confidence,
    )


def pair_table(found: Agreement, *, per_pair: bool) -> Table:
    """Return all pairs, or the highest and the lowest; the mean of the pairs; alpha, and gamma if it was computed."""
    pairs = sorted(combinations(range(len(found.names)), 2), key=lambda pair: -found.kappa_f1[pair])
    shown = {", ".join(found.names[one] for one in pair): pair for pair in pairs}
    if not per_pair:
        names = list(shown)
        ends = {"highest pair": 0, "lowest pair": -1} if len(pairs) > 1 else {}
        shown = {f"{place}: {names[number]}": pairs[number] for place, number in ends.items()}
    joint = _joint_keys(found)
    rows: list[list[Cell]] = [
        [
            name,
            *(Number(float(getattr(found, key)[pair]), interval=found.interval(key, *pair)) for key in _KEYS),
            *[EMPTY] * len(joint),
        ]
        for name, pair in shown.items()
    ]
    *means, kappa = (_mean(found, key) for key in _KEYS)
    rows.append([("mean of pairs", "cyan"), *means, replace(kappa, style="bold"), *[EMPTY] * len(joint)])
    if len(pairs) > 1:
        team = Number(found.team_kappa_f1, interval=found.interval("team_kappa_f1"))
        rows.append([("as a team", "cyan"), EMPTY, EMPTY, team, *[EMPTY] * len(joint)])
    of_all = [Number(getattr(found, key), style="bold", interval=found.interval(key)) for key in joint]
    rows.append([("all jointly", "cyan"), EMPTY, EMPTY, EMPTY, *of_all])
    return Table("", (*_KEYS, *joint), rows, widths=(0, 6), kind="pairs", names="pair", confidence=found.confidence)


def _joint_keys(found: Agreement) -> tuple[str, ...]:
    """Return the values of all annotators jointly that tables show."""
    return ("alpha", "gamma", "gamma_cat") if found.has_gamma else ("alpha",)


def _mean(values: AgreementValues, key: str) -> Number:
    return Number(getattr(values, f"mean_{key}"), interval=values.interval(f"mean_{key}"))


def label_table(found: Agreement) -> Table:
    """Return for each label the means of the pairs, the joint values, and the fewest and most spans of an annotator."""
    joint = _joint_keys(found)
    rows = [[label, *_label_cells(values, joint)] for label, values in found.per_label.items()]
    heads = ("mean f1", "mean chance", "mean kappa", *joint, "fewest spans", "most spans")
    keys = ("mean_f1", "mean_chance_f1", "mean_kappa_f1", *joint, "fewest_spans", "most_spans")
    return Table("label", heads, rows, kind="labels", keys=keys, confidence=found.confidence)


def chance_table(found: Agreement, *, per_pair: bool, per_label: bool) -> Table:
    """Return the values of annotations by chance beside those of the annotation, with p-values.

    Of all labels together `f1` of pairs (if asked for), the means over pairs, alpha and gamma; of each label (if asked
    for) the mean of F1 and alpha.
    """
    rows: list[list[Cell]] = []
    if per_pair:
        names = found.names
        for pair in combinations(range(len(names)), 2):
            rows.append([f"f1 of {names[pair[0]]}, {names[pair[1]]}", *_chance_cells(found.simulated["f1"], pair)])
    joint = {key: one for key, one in found.simulated.items() if key != "f1"}
    rows += [[(_OF_CHANCE[key], "cyan"), *_chance_cells(one)] for key, one in joint.items()]
    if per_label:
        for label, values in found.per_label.items():
            known = {key: values.simulated[key] for key in ("mean_f1", "alpha") if key in values.simulated}
            rows += [[f"{label}: {_OF_CHANCE[key]}", *_chance_cells(one)] for key, one in known.items()]
    heads = ("observed", "by chance", "deviation", *(f"{100 * level:g} %" for level in QUANTILES), "p-value")
    keys = ("observed", "mean", "std", *(f"quantile_{level:g}" for level in QUANTILES), "p_value")
    title = f"{found.n_simulations:,} annotations by chance"
    return Table(title, heads, rows, kind="chance", names="value", keys=keys)


def _chance_cells(one: Simulated, pair: tuple[int, ...] = ()) -> list[Cell]:
    values = (one.observed, one.mean, one.std, *map(one.quantile, QUANTILES))
    return [*(Number(float(value[pair])) for value in values), Number(float(one.p_value[pair]), kind="p")]


def document_table(found: Agreement, lines: Sequence[int] = ()) -> Table:
    """Return for each document the means of the pairs, and the line on which it begins, if lines are given."""
    means = [values.tolist() for values in found.mean_per_document.values()]
    p_values = found.document_p_values.tolist()
    rows: list[list[Cell]] = [
        [
            str(place),
            *map(amount, lines[place - 1 : place]),
            *map(number, values),
            *(Number(value, "p") for value in p_values[place - 1 : place]),
        ]
        for place, values in enumerate(zip(*means, strict=True), 1)
    ]
    shown = ["p-value"] if p_values else []
    heads = [*(["line"] if lines else []), "mean f1", "mean chance", "mean kappa", *shown]
    keys = [*(["line"] if lines else []), *found.mean_per_document, *(["p_value"] if p_values else [])]
    return Table("document", heads, rows, kind="documents", keys=keys)


def _label_cells(values: AgreementValues, joint: Sequence[str]) -> list[Cell]:
    means = [_mean(values, key) for key in _KEYS]
    spans: list[Number] = [amount(int(values.spans.min())), amount(int(values.spans.max()))]
    return [*means, *(Number(getattr(values, key), interval=values.interval(key)) for key in joint), *spans]
