"""Errors of several systems: which all make, which only one, and what changed from one to another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ...alignment.matched_spans import CORRECT, KINDS, MISSING, SPURIOUS, MatchedSpans
from ...alignment.overlaps import order_of_line
from ...arrays import strings
from ...spans.annotations import distinct_spans
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Part, Table, amounts, arrow_table

ABSENT = -1
"""What a system makes of a spurious span of another one that it does not predict."""

CHANGES = ("fixed", "new", "changed", "same")
"""How an error changes from one system to another."""

_SHARED = amounts(reference_spans="reference spans", spurious_spans="spurious spans")

_CHANGED = tuple(kind for kind in KINDS if kind != "correct")


class _ErrorList(Result):
    """Errors of several systems, as numbers and one by one."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each error."""

    @abstractmethod
    def table(self) -> Table:
        """Make the table of the numbers."""

    def parts(self) -> Iterator[Part]:
        """Yield the table of the numbers."""
        yield self.table()

    def tables(self) -> list[Table]:
        """List the numbers, and the errors one by one."""
        return [self.table(), self.listed()]

    def listed(self) -> Table:
        """List the errors one by one, see `to_arrow`."""
        errors = self.to_arrow()
        return arrow_table(
            errors.set_column(0, "document", errors["document"].cast(pa.string())), left=1, kind="errors"
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return _as_dict(self.table())


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SharedErrors(_ErrorList):
    """Every span at which some system errs, with what each makes of it.

    That are the reference spans that not all systems have right, and the spurious spans; those of the same tokens and
    label are one. Its tables are `shared`, the numbers of errors that all make and that only one makes, and `errors`,
    one by one.

    Attributes:
        names: the systems.
        spans: the spans, in the order of the text, those of the reference before spurious ones of the same bounds.
        in_reference: flags of those of the reference.
        kinds: codes of `KINDS`, shape (spans, systems): of a reference span any but `spurious`, of a spurious one
            `spurious`, or -1 for a system that does not predict it.
    """

    names: tuple[str, ...]
    spans: Spans
    in_reference: np.ndarray
    kinds: np.ndarray

    @classmethod
    def of(cls, references: Spans, systems: Mapping[str, tuple[MatchedSpans, Spans]]) -> SharedErrors:
        """Bring together the errors of systems.

        Args:
            references: the reference.
            systems: for each its spans matched with those of the reference, and its output. All have the labels of all,
                so that a reference span has one number.
        """
        of_references = np.full((len(references), len(systems)), MISSING, dtype=np.int8)
        invented = []
        for column, (matched, output) in enumerate(systems.values()):
            there = matched.reference >= 0
            of_references[matched.reference[there], column] = matched.kind[there]
            invented.append(output.picked(order_of_line(output)[matched.prediction[matched.kind == SPURIOUS]]))
        wrong = np.flatnonzero((of_references != CORRECT).any(axis=1))
        place = order_of_line(references)[wrong]
        spans, owners = distinct_spans([references.picked(np.sort(place)), *invented])
        in_reference = owners[:, 0]
        kinds = np.where(owners[:, 1:], SPURIOUS, ABSENT).astype(np.int8)
        kinds[in_reference] = of_references[wrong[np.argsort(place)]]
        return cls(names=tuple(systems), spans=spans, in_reference=in_reference, kinds=kinds)

    @cached_property
    def made_by(self) -> np.ndarray:
        """The number of systems that make each error."""
        return np.asarray((self.kinds > CORRECT).sum(axis=1))

    def difference(self, before: str, after: str) -> Difference:
        """Compare the errors of one system with those of another."""
        columns = [self.names.index(before), self.names.index(after)]
        kinds = np.maximum(self.kinds[:, columns], CORRECT)
        changed = np.flatnonzero((kinds > CORRECT).any(axis=1))
        return Difference(names=(before, after), shared=self, rows=changed, kinds=kinds[changed])

    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each span: where it is, who errs, and what each system makes of it.

        Its columns are `document` (from 0), `start`, `end` (exclusive), `label`, `side` (`reference` or `spurious`),
        `made_by`, the number of systems that err, and for each system `kind_<name>`, null if a spurious span is not
        predicted by it.
        """
        spans = self.spans
        columns = {name: pa.array(getattr(spans, name)) for name in ("document", "start", "end")}
        columns["label"] = strings(spans.label, spans.labels)
        columns["side"] = strings((~self.in_reference).astype(np.int32), ("reference", "spurious"))
        columns["made_by"] = pa.array(self.made_by)
        for number, name in enumerate(self.names):
            columns[f"kind_{name}"] = strings(self.kinds[:, number], KINDS)
        return pa.table(columns)

    def table(self) -> Table:
        """Show a row for the errors that all systems make, and for those that only one makes."""
        chosen = {"all systems": self.made_by == len(self.names)}
        for number, name in enumerate(self.names):
            chosen[f"{name} alone"] = (self.made_by == 1) & (self.kinds[:, number] > CORRECT)
        chosen["any system"] = self.made_by > 0
        sides = self.in_reference, ~self.in_reference
        rows = [((name, "cyan"), *((flags & side).sum() for side in sides)) for name, flags in chosen.items()]
        return Table.of("errors made by", _SHARED, rows, kind="shared", names="made_by")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Difference(_ErrorList):
    """What changes from one system to another: errors that are fixed, new, or of another kind.

    Its tables are `differences`, a row for each kind, and `errors`, one by one.

    Attributes:
        names: the two systems.
        shared: the errors of all systems.
        rows: those that one of the two makes.
        kinds: what each makes of them, codes of `KINDS`, shape (rows, 2); a spurious span that a system does not
            predict counts as correct.
    """

    names: tuple[str, str]
    shared: SharedErrors
    rows: np.ndarray
    kinds: np.ndarray

    @property
    def change(self) -> np.ndarray:
        """How each error changes: `fixed`, `new`, `changed` or `same`, as codes of `CHANGES`."""
        before, after = self.kinds.T
        return np.where(after == CORRECT, 0, np.where(before == CORRECT, 1, np.where(before != after, 2, 3)))

    def to_arrow(self) -> pa.Table:
        """Make an Arrow table with a row for each error: where it is, its kind in both systems, and the change."""
        whole = self.shared.to_arrow().select(
            ["document", "start", "end", "label", "side", *(f"kind_{name}" for name in self.names)]
        )
        return whole.take(pa.array(self.rows)).append_column("change", strings(self.change, CHANGES))

    def table(self) -> Table:
        """Show a row for each kind: its errors in both systems, and how the second number comes from the first."""
        first, second = self.kinds.T
        rows = []
        for kind in (*_CHANGED, None):
            codes = [list(KINDS).index(kind)] if kind is not None else list(range(1, len(KINDS)))
            before, after = np.isin(first, codes), np.isin(second, codes)
            numbers = [
                before.sum(),
                -(before & (second == CORRECT)).sum(),
                -(before & ~after & (second != CORRECT)).sum(),
                (after & ~before & (first != CORRECT)).sum(),
                (after & (first == CORRECT)).sum(),
                after.sum(),
            ]
            rows.append((("all errors", "bold") if kind is None else (kind.replace("_", " "), "cyan"), *numbers))
        name, changed = self.names
        columns = amounts(
            before=f"in {name}",
            fixed="fixed",
            to_another="to another",
            from_another="from another",
            new="new",
            after=f"in {changed}",
        )
        about = {"system": name, "other": changed}
        return Table.of(f"{name} to {changed}", columns, rows, kind="differences", names="kind", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Convert the numbers to built-in types, ready for JSON."""
        return {"systems": list(self.names), "kinds": _as_dict(self.table())}


def _as_dict(table: Table) -> dict[str, Any]:
    """Convert a table to a dictionary of its rows."""
    return {row.pop(table.names).replace(" ", "_"): row for row in table.records()}
