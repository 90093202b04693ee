"""Tables 1, 3 and 4 of 'Evaluating Sequence Labeling on the basis of Information Theory' (Amigó et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterable

from ..analysis import properties
from ..analysis.published_tables import published_rows
from ..measures import IntersectionF
from ..spans.spans import Spans
from . import table4
from .comparison import Cell, Table
from .known_differences import explained
from .monotonicity import MEASURES
from .reproduction_inputs import Inputs, MissingCorpus

SOURCE = "Amigó et al., SL-ICM"

_TABLE4_TITLE = "Table 4"


def table1(inputs: Inputs) -> tuple[Table, ...]:
    """Which measure has which formal property; and once more from any score, where a property needs positive ones."""
    checked = properties.table1()
    found = {
        positive: [
            f"{cell.metric}, {_words(cell.name)}: {cell.check.counterexample}"
            for cell in checked.findings
            if cell.positive is positive and cell.check.counterexample is not None
        ]
        for positive in (True, False)
    }
    titles = {
        "sl_icm_table1": "Table 1: formal properties",
        "sl_icm_table1_any_score": "Table 1, from any score",
    }
    about = {
        True: f"{checked.cells[0].check.cases:,} random cases of each property. Printed is one row for BIO and BIOE, "
        "and one for SL-ICM, which gets words in every property only in the row sl_icm_words.",
        False: "The ticks of the two properties whose worse output has more noise, where both outputs may score 0.",
    }
    return tuple(
        Table(
            name,
            title,
            SOURCE,
            tuple(
                Cell(cell.metric, _words(cell.name), cell.printed, cell.ours, reason=cell.reason)
                for cell in checked.cells
                if cell.positive is positive
            ),
            (about[positive], *(f"Counterexample: {note}" for note in found[positive])),
        )
        for (name, title), positive in zip(titles.items(), (True, False), strict=True)
    )


def table3(inputs: Inputs) -> tuple[Table, ...]:
    """The scores of both systems in the examples of Table 2."""
    cells = []
    # as printed there: the sum is not capped
    measures = {**MEASURES, "intersection_f": IntersectionF()}
    for row in published_rows("sl_icm_table3"):
        gold = spans_of(row["gold"])
        for number, system in enumerate("AB"):
            output = spans_of(row[system])
            for name, measure in measures.items():
                printed = float(row[name].split(" / ")[number])
                ours = measure.score(measure.counts(gold, output))[measure.headline]
                cells.append(Cell(f"{_words(row['property'])}, {system}", name, printed, ours, digits=3))
    title = "Table 3: scores of the examples"
    return (Table("sl_icm_table3", title, SOURCE, explained("sl_icm_table3", tuple(cells))),)


def spans_of(written: str) -> Spans:
    """Inclusive positions such as `1-3 10-13`, all of one label."""
    bounds = (part.split("-") for part in written.split())
    return Spans.from_dicts([[{"start": int(first), "end": int(last) + 1, "label": "X"} for first, last in bounds]])


def table4_tables(inputs: Inputs) -> tuple[Table, ...]:
    """Transformed references, as the paper's code counted and with correct lengths, and what follows from them."""
    try:
        found = table4.run(inputs.multiconer)
    except MissingCorpus as missing:
        return (Table("sl_icm_table4", _TABLE4_TITLE, SOURCE, (), missing=str(missing)),)
    paper = Table(
        "sl_icm_table4",
        f"{_TABLE4_TITLE}, counted as in the paper",
        SOURCE,
        explained("sl_icm_table4", _cells(found.paper)),
        (
            "The paper's code counted every span one token too long, in reference and output alike.",
            *(f"{row.output}: {row.note}" for row in found.paper if row.note),
        ),
    )
    correct = Table(
        "sl_icm_table4_lengths",
        f"{_TABLE4_TITLE}, correct lengths",
        SOURCE,
        explained("sl_icm_table4_lengths", _cells(found.correct)),
    )
    cells = tuple(
        Cell(one.statement, name, name in one.paper, name in one.correct)
        for one in found.conclusions
        for name in MEASURES
    )
    conclusions = Table(
        "sl_icm_table4_conclusions",
        f"{_TABLE4_TITLE}, conclusions",
        SOURCE,
        explained("sl_icm_table4_conclusions", cells),
        ("Published stands here for what the paper's counting says, ours for correct lengths.",),
    )
    return paper, correct, conclusions


def _cells(rows: Iterable[table4.Row]) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            row.output if row.base is None else f"{row.output} (less {row.base})",
            name,
            value.published,
            value.ours,
            digits=3,
        )
        for row in rows
        for name, value in row.values.items()
    )


def _words(name: str) -> str:
    return name.replace("_", " ")
