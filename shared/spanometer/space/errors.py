"""The kinds of errors on a page, and which label is taken for which."""

from __future__ import annotations

from typing import Any

from ..alignment.matched_spans import MatchedSpans
from ..alignment.overlaps import Alignment
from ..analysis.errors.errors import cost_table, label_table
from ..analysis.errors.kinds import ErrorKinds
from ..exceptions import InputError
from ..measures.span_f import SpanF

_MOST_LABELS = 30
"""A confusion matrix of more labels is not on the page; the most frequent confusions are."""


def kinds_of_errors(alignment: Alignment) -> dict[str, Any]:
    """Return what the template `errors.html` shows: tables as HTML, or why the spans cannot be matched."""
    try:
        matched = MatchedSpans.of(alignment)
        found = ErrorKinds(name="", matched=matched, measure=SpanF())
        matrix = found.confusion()
        few = len(matrix.labels) <= _MOST_LABELS
        tables = {
            "Kinds of errors, those that cost most first": cost_table(found),
            "Kinds by label": label_table(found),
            "Which label is taken for which": matrix.table() if few else matrix.confused_table(_MOST_LABELS),
        }
    except InputError as error:
        return {"problem": error.problem, "tables": {}}
    return {"problem": "", "tables": tables}
