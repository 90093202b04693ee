"""Exact-match precision, recall and F1 over spans, as an `evaluate` module."""

import evaluate

from spanometer import measures
from spanometer.module import Card, SpanModule

_DESCRIPTION = """Precision."""
_KWARGS_DESCRIPTION = """
Args: x

Examples:
    >>> import evaluate
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SpanF(SpanModule):
    """Text."""

    measure = measures.SpanF
    card = Card(description=_DESCRIPTION, citation="", inputs=_KWARGS_DESCRIPTION)
