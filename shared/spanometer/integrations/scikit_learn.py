"""Scorers for scikit-learn, for models that predict tag sequences, such as sklearn-crfsuite.

cross_val_score(crf, sentences, tags, scoring=scorer("span_f", average="macro"))
"""

from collections.abc import Callable
from typing import Any

from ..analysis.scores.score import score
from ..exceptions import InputError, require_choice
from ..measures.base import Measure
from ..measures.registry import MeasureTable, read_measures

_MEASURES: MeasureTable[Measure] = MeasureTable("spans", "entities")


def scorer(measure: Any = "span_f", *, key: str | None = None, **options: Any) -> Callable[..., float]:
    """Create a scorer for `cross_val_score`, `GridSearchCV` and similar functions.

    Args:
        measure: a measure or its name.
        key: the key of the score in the result; by default the main score.
        options: the options of `scoring.score`.

    Returns:
        A function of estimator, inputs and references. Higher is better; error rates are negated.

    Raises:
        InputError: if the measure or key is unknown. Errors about other options are raised when the scorer is called.
    """
    from sklearn.metrics import make_scorer

    chosen, higher = read_key(measure, key)
    made: Callable[..., float] = make_scorer(
        one_value, greater_is_better=higher, measure=measure, key=chosen, **options
    )
    return made


def read_key(measure: Any, key: str | None) -> tuple[str, bool]:
    """Check the key (None means the main score), and return it and whether higher is better."""
    measures = list(read_measures(measure, _MEASURES).values())
    if len(measures) != 1:
        raise InputError(
            f"a scorer takes exactly one measure, got {len(measures)}.", "Give one measure.", option="measure"
        )
    chosen = measures[0].headline if key is None else key
    require_choice("key", chosen, measures[0].keys)
    return chosen, measures[0].results[chosen].better != "lower"


def one_value(references: Any, predictions: Any, *, measure: Any, key: str, **options: Any) -> float:
    """Score with a measure and return the value of one key, see `scoring.score`."""
    (result,) = score(references, predictions, measures=measure, **options).results
    return float(result.scores[key])
