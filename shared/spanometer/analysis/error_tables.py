"""The tables of errors, and the lines that explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..alignment.matched_spans import KINDS
from ..counts.statistics import Resampling
from ..measures.aligned import AlignedMeasure
from ..tables.table import EMPTY, Cell, Number, Table, amount
from .error_costs import KindCost
from .report_tables import kind_of

if TYPE_CHECKING:
    from .error_analysis import Errors, SystemErrors
    from .error_kinds import ErrorKinds

_OF_REFERENCE = KINDS[:-1]
_HEADS = {
    "correct": "correct",
    "wrong_label": "wrong\nlabel",
    "wrong_extent": "wrong\nextent",
    "wrong_label_and_extent": "wrong\nboth",
    "missing": "missing",
    "spurious": "spurious",
}


def score_table(found: SystemErrors) -> Table:
    """Return a row with the score of the output, and the numbers of spans and errors."""
    costs = found.costs
    numbers = (len(found.references), len(found.predictions), found.counts["correct"], found.errors)
    score = Number(costs.score, kind_of(found.measure, costs.key), "", costs.interval)
    return Table(
        found.measure.name,
        (costs.key, "reference", "predicted", "correct", "errors"),
        [[(found.name or "prediction", "cyan"), score, *map(amount, numbers)]],
        kind="scores",
        names="system",
        keys=(costs.key, "reference", "predicted", "correct", "errors"),
        about={"measure": found.measure.name},
    )


def cost_table(found: ErrorKinds) -> Table:
    """Return a row for each kind of error, those that cost most first, with how many there are and what they cost."""
    key, measure = found.costs.key, found.measure
    kind = kind_of(measure, key)
    rows: list[list[Cell]] = [
        [
            _name(cost),
            amount(cost.count),
            Number(cost.count / found.errors if found.errors else 0.0, "share"),
            Number(cost.fixed, kind, "", cost.fixed_interval),
            Number(cost.gain, kind, "", cost.gain_interval, signed=True),
        ]
        for cost in found.costs.kinds
    ]
    return Table(
        "error",
        ("spans", "share", f"{key} if fixed", "gain"),
        rows,
        kind="costs",
        keys=("spans", "share", f"{key}_if_fixed", "gain"),
        about=_about(found),
        confidence=None if found.costs.interval is None or found.resampling is None else found.resampling.confidence,
    )


def mark_table(found: ErrorKinds) -> Table:
    """Return a row for each kind of error, with how many of it are in a split, in a join and nested."""
    rows: list[list[Cell]] = [
        [_name(cost), *(amount(number) for number in (cost.count, cost.split, cost.joined, cost.nested))]
        for cost in found.costs.kinds
    ]
    heads, keys = ("spans", "in a split", "in a join", "nested"), ("spans", "split", "joined", "nested")
    return Table("error", heads, rows, kind="marks", keys=keys, about=_about(found))


def label_table(found: ErrorKinds) -> Table:
    """Return a row for each label: its spans on both sides, and how many are of each kind."""
    rows: list[list[Cell]] = [
        [(label, "cyan"), *(amount(counts[key]) for key in _LABEL_KEYS)] for label, counts in _by_label(found)
    ]
    heads = ("ref.", "pred.", *_HEADS.values())
    return Table("label", heads, rows, kind="kinds", keys=_LABEL_KEYS, about=_about(found))


def share_table(found: ErrorKinds) -> Table:
    """Return a row for each label: the share of each kind in its reference spans; of spurious in predicted spans."""
    rows: list[list[Cell]] = []
    for label, counts in _by_label(found):
        cells: list[Cell] = []
        for kind in KINDS:
            whole = counts["reference" if kind in _OF_REFERENCE else "predicted"]
            cells.append(Number(counts[kind] / whole, "share") if whole else EMPTY)
        rows.append([(label, "cyan"), *cells])
    return Table(
        "share of", tuple(_HEADS.values()), rows, kind="shares", names="label", keys=KINDS, about=_about(found)
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
        "ref., pred.: reference and predicted spans; wrong both: label and extent. Shares are of the reference spans "
        "of a label, of spurious spans of the predicted ones.",
        "in a split: where several predicted spans lie over one reference span; in a join: one over several; nested: "
        "within another span of its side.",
    ]


_LABEL_KEYS = ("reference", "predicted", *KINDS)


def _by_label(found: ErrorKinds) -> list[tuple[str, dict[str, int]]]:
    """Return the numbers of each label, and those of all labels."""
    labels = found.per_label
    whole = {key: sum(counts[key] for counts in labels.values()) for key in _LABEL_KEYS}
    return [*labels.items(), ("all", whole)]


def _name(cost: KindCost) -> tuple[str, str]:
    """Return the name of a kind; a part of a kind is indented."""
    if cost.part:
        return f"  {cost.kind.removeprefix('wrong_extent_')}", "dim"
    return cost.kind.replace("_", " "), "cyan"


def _about(found: ErrorKinds) -> dict[str, str]:
    return {"system": found.name} if found.name else {}
