"""The report of disagreements: like the report of errors, but with annotators compared with their consensus."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.consensus import consensus
from ..analysis.agreement.disagreements import Disagreements, LeaveOneOut, kind_table
from ..analysis.errors.errors import Errors
from ..analysis.errors.find import errors
from ..exceptions import counted
from ..tables.table import Table, TableColumn, amounts
from .error_report import Compared, error_report
from .templates import Section

_MOST_DOCUMENTS = 50


def disagreement_report(
    result: Disagreements, *, agreement: Agreement | None = None, left_out: LeaveOneOut | None = None, **options: Any
) -> str:
    """Return the report as HTML. Texts of the corpus are escaped.

    Args:
        result: the disagreements.
        agreement: the agreement of the annotators; its tables become part of the report.
        left_out: the agreement without each annotator in turn.
        **options: see `error_report`; by default the title has the names of the annotators.
    """
    against, name = differences_from_consensus(result)
    other = "annotator" if len(against.systems) > 1 else next(iter(against.systems))
    offsets = result.places.offsets
    title = f"Where {', '.join(result.names[:-1])} and {result.names[-1]} differ"
    return error_report(
        against,
        **{"title": title, "heading": [("size", result.size)], **options},
        compared=Compared(
            reference=name,
            predicted=other,
            difference="difference",
            kinds={
                "correct": ("agreed", "same tokens, same label"),
                "wrong_label": ("other label", "same tokens, another label"),
                "wrong_boundary": ("other boundary", "same label, other tokens"),
                "wrong_label_and_boundary": ("other label and boundary", "another label and other tokens"),
                "missing": (f"only {name}", f"a span without a partner on the side {other}"),
                "spurious": (f"only {other}", f"a span without a partner on the side {name}"),
            },
            columns=("annotator", f"{other}_label", f"{name}_label"),
            beside="Compared with",
            changes={"fixed": "only the other", "new": "only this one", "both": "both"},
            sections=list(_sections(result, agreement, left_out)),
            notes=[
                f"split: several spans of {other} lie over one span of {name}; merged: one span of {other} lies over "
                f"several spans of {name}; nested: the span lies within another span of its side. The table share of "
                f"has shares of the spans of {name}, and in the column only {other} shares of the spans of {other}."
            ],
            signatures=[result.signature, *(() if agreement is None else agreement.signatures.values())],
            costs=(offsets[result.places.document] + result.places.start, result.cost),
        ),
    )


def differences_from_consensus(result: Disagreements) -> tuple[Errors, str]:
    """Compare each annotator with the consensus, or two annotators with each other.

    Also returns the reference's name.
    """
    sides = dict(zip(result.names, result.sides, strict=True))
    if len(sides) == 2:
        (name, reference), other = sides.items()
        found = errors(reference, dict([other]), confidence=None)
    else:
        found, name = errors(consensus(sides).spans, sides, confidence=None), "consensus"
    return found.with_context(result.context), name


def _sections(result: Disagreements, agreement: Agreement | None, left_out: LeaveOneOut | None) -> Iterator[Section]:
    """Yield sections on agreement, agreement without each annotator, kinds of differences, and a note on costs."""
    if agreement is not None:
        parts = agreement.parts(per_pair=True, per_label=True)
        yield Section("Agreement", [part for part in parts if isinstance(part, Table)], name="agreement")
    if left_out is not None:
        yield Section("Without each annotator", [left_out.table()], name="without")
    note = (
        f"Costs are parts of 1 - mean F1 of pairs, in {result.level}s: if all agreed at a place, the mean would rise "
        "by its cost. A place can have several kinds of differences."
    )
    yield Section("Kinds of differences", [kind_table(result)], note, name="kinds")
    if agreement is not None and agreement.per_document:
        yield _documents(result, agreement)


def _documents(result: Disagreements, agreed: Agreement) -> Section:
    """List the documents with the lowest agreement; among equal ones, the highest costs come first."""
    means = agreed.mean_per_document
    places = np.bincount(result.places.document, minlength=result.documents)
    costs = np.bincount(result.places.document, weights=result.cost, minlength=result.documents)
    scored = np.flatnonzero(~np.isnan(means["mean_f1"]))
    order = scored[np.lexsort((-costs[scored], means["mean_f1"][scored]))][:_MOST_DOCUMENTS].tolist()
    names = result.context.names or list(map(str, range(1, result.documents + 1)))
    rows = [
        (str(names[document]), *(values[document] for values in means.values()), places[document], costs[document])
        for document in order
    ]
    columns = [*map(TableColumn, ("mean f1", "mean chance", "mean kappa")), *amounts("places"), TableColumn("cost")]
    note = "F1 by chance is high in short texts full of spans: there agreement says less."
    rest = counted(len(scored) - len(order), "document")
    left_out = f" Left out: {rest} with more agreement." if len(scored) > len(order) else ""
    empty = f" Without any span: {result.documents - len(scored):,}." if len(scored) < result.documents else ""
    table = Table.of("document", columns, rows)
    return Section("Documents with the least agreement", [table], f"{note}{left_out}{empty}", name="documents")
