"""A scorer for spaCy components that predict entities or spans.

[components.ner.scorer]
@scorers = "spanometer.span_scorer.v1"
measures = "span_f,link_f"
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..analysis.scores.score import score


def span_scorer(measures: str = "span_f", spans_key: str | None = None) -> Callable[..., dict[str, Any]]:
    """Create a scorer for spaCy. Its keys are those of `Report.flat`, plus spaCy's own keys for the first F-measure.

    Args:
        measures: measures as text, such as `"span_f,token_f(format=BIO)"`. Tokens are those of the reference.
        spans_key: the key in `doc.spans`; None scores `doc.ents`.
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
    """Convert a spaCy document to a record."""
    spans = document.ents if spans_key is None else document.spans.get(spans_key, ())
    return {
        "text": document.text,
        "tokens": [(token.idx, token.idx + len(token)) for token in document if not token.is_space],
        "spans": [{"start": span.start_char, "end": span.end_char, "label": span.label_} for span in spans],
    }
