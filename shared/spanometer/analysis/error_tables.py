"""The tables of errors, and the lines that explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..alignment.matched_spans import KINDS
from ..counts.statistics import Resampling
from ..measures.aligned import AlignedMeasure
from ..tables.table import EMPTY, Cell, Number, Table, Text, amount
from .error_costs import KindCost
from .report_tables import kind_of

if TYPE_CHECKING:
    from .error_analysis import Errors, SystemErrors

_OF_REFERENCE = KINDS[:-1]
_HEADS = {
    "correct": "correct",
    "wrong_label": "wrong\nlabel",
    "wrong_extent": "wrong\nextent",
    "wrong_label_and_extent": "wrong label\nand extent",
    "missing": "missing",
    "spurious": "spurious",
}


def score_line(found: SystemErrors) -> list[Text]:
    """Return the score of the output and the numbers of spans and errors."""
    interval = "" if found.costs.interval is None else " [{:.4f}, {:.4f}]".format(*found.costs.interval)
    score = f"{found.measure.name} {found.costs.key} {found.costs.score:.4f}{interval}"
    spans = f"{len(found.references):,} reference and {len(found.predictions):,} predicted spans"
    name: list[Text] = [(found.name, "bold"), "  "] if found.name else []
    return [*name, f"{score}; {spans}, {found.counts['correct']:,} correct, {found.errors:,} errors"]


def cost_table(found: SystemErrors) -> Table:
    """Return a row for each kind of error, those that cost most first, with how many there are and what they cost."""
    key, measure = found.costs.key, found.measure
    kind = kind_of(measure, key)
    rows: list[list[Cell]] = [
        [
            _name(cost),
            amount(cost.count),
            Number(cost.count / found.errors if found.errors else 0.0, "share"),
            amount(cost.split),
            amount(cost.joined),
            amount(cost.nested),
            Number(cost.fixed, kind, "", cost.fixed_interval),
            Number(cost.gain, kind, "", cost.gain_interval, signed=True),
        ]
        for cost in found.costs.kinds
    ]
    return Table(
        "error",
        ("spans", "share", "in a\nsplit", "in a\njoin", "nested", f"{key}\nif fixed", "gain"),
        rows,
        kind="costs",
        keys=("spans", "share", "split", "joined", "nested", f"{key}_if_fixed", "gain"),
        about=_about(found),
    )


def label_table(found: SystemErrors) -> Table:
    """Return a row for each label: its spans on both sides, and how many are of each kind."""
    rows: list[list[Cell]] = [
        [(label, "cyan"), *(amount(counts[key]) for key in _LABEL_KEYS)] for label, counts in _by_label(found)
    ]
    heads = ("reference", "predicted", *_HEADS.values())
    return Table("label", heads, rows, kind="kinds", keys=_LABEL_KEYS, about=_about(found))


def share_table(found: SystemErrors) -> Table:
    """Return a row for each label: the share of each kind in its reference spans; of spurious in predicted spans."""
    rows: list[list[Cell]] = []
    for label, counts in _by_label(found):
        cells: list[Cell] = []
        for kind in KINDS:
            whole = counts["reference" if kind in _OF_REFERENCE else "predicted"]
            cells.append(Number(counts[kind] / whole, "share") if whole else EMPTY)
        rows.append([(label, "cyan"), *cells])
    return Table(
        "share of label", tuple(_HEADS.values()), rows, kind="shares", names="label", keys=KINDS, about=_about(found)
    )


def beside_table(found: Errors) -> Table:
    """Return a row for each kind of error, with the numbers of all systems beside each other."""
    costs = {name: {cost.kind: cost for cost in system.costs.kinds} for name, system in found.systems.items()}
    order = next(iter(found.systems.values())).costs.kinds
    rows: list[list[Cell]] = [
        [_name(one), *(amount(of_system[one.kind].count) for of_system in costs.values())] for one in order
    ]
    rows.append([("all errors", "bold"), *(amount(system.errors) for system in found.systems.values())])
    names = tuple(found.systems)
    return Table("spans", names, rows, kind="beside", names="error", keys=[f"spans_{name}" for name in names])


def legend(measure: AlignedMeasure, resampling: Resampling | None, documents: int) -> list[str]:
    """Return the meaning of the columns."""
    intervals = "" if resampling is None else f" [ , ]: {100 * resampling.confidence:g} % confidence intervals."
    if intervals and documents < 2:
        intervals = " Intervals need two documents or more."
    return [
        f"if fixed: {measure.name} {measure.headline} if all errors of a kind were right; gain: how much more that is."
        + intervals,
        "in a split: where several predicted spans lie over one reference span; in a join: one over several; nested: "
        "within another span of its side. Shares are of the reference spans of a label, of spurious spans of the "
        "predicted ones.",
    ]


_LABEL_KEYS = ("reference", "predicted", *KINDS)


def _by_label(found: SystemErrors) -> list[tuple[str, dict[str, int]]]:
    """Return the numbers of each label, and those of all labels."""
    labels = found.per_label
    whole = {key: sum(counts[key] for counts in labels.values()) for key in _LABEL_KEYS}
    return [*labels.items(), ("all labels", whole)]


def _name(cost: KindCost) -> tuple[str, str]:
    """Return the name of a kind; a part of a kind is indented."""
    if cost.part:
        return f"  {cost.kind.removeprefix('wrong_extent_')}", "dim"
    return cost.kind.replace("_", " "), "cyan"


def _about(found: SystemErrors) -> dict[str, str]:
    return {"system": found.name} if found.name else {}
