"""A scorer for spaCy's configuration of components that find entities or spans.

[components.ner.scorer]
@scorers = "spanometer.span_scorer.v1"
measures = "span_f,link_f"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..analysis.scores.score import score


def span_scorer(measures: str = "span_f", spans_key: str | None = None) -> Callable[..., dict[str, Any]]:
    """Make a scorer for spaCy with the keys of `Report.flat`, and with spaCy's own keys for the first F-measure.

    Args:
        measures: measures as text, `"span_f,token_f(format=BIO)"`, counted in tokens of the reference.
        spans_key: the group of `doc.spans`; None for `doc.ents`.
    """

    def compute(examples: Iterable[Any], **_: Any) -> dict[str, Any]:
        pairs = [(_row(example.reference, spans_key), _row(example.predicted, spans_key)) for example in examples]
        if not pairs:
            return {}
        references, predictions = map(list, zip(*pairs, strict=True))
        report = score(references, predictions, measures=measures, unit="token")
        scores = report.results[0].scores
        prefix = "ents" if spans_key is None else f"spans_{spans_key}"
        names = {f"{prefix}_{name[0]}": name for name in ("precision", "recall", "f1") if name in scores}
        return {**{key: scores[name] for key, name in names.items()}, **report.flat()}

    return compute


def _row(document: Any, spans_key: str | None) -> dict[str, Any]:
    """Convert a document to a record."""
    spans = document.ents if spans_key is None else document.spans.get(spans_key, ())
    return {
        "text": document.text,
        "tokens": [(token.idx, token.idx + len(token)) for token in document if not token.is_space],
        "spans": [{"start": span.start_char, "end": span.end_char, "label": span.label_} for span in spans],
    }
