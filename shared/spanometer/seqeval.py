"""The functions of `seqeval.metrics`, and `get_entities`, with the signatures and the numbers of seqeval 1.2.2.

`from spanometer.seqeval import f1_score` replaces `from seqeval.metrics import f1_score`, and
`from spanometer.seqeval import IOB2` replaces `from seqeval.scheme import IOB2`. The first argument, `y_true`, is the
reference and the second, `y_pred`, the prediction, as in scikit-learn: lists of lists of tags, or Arrow columns.
Swapped sides cannot be detected: precision and recall are swapped with them.

Where seqeval contradicts itself the numbers differ; the card, metrics/seqeval/README.md, lists the cases.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from .arrays import is_integer
from .counts.statistics import AVERAGES
from .documents.arguments import require_arguments, shares
from .exceptions import InputError, on_both_sides, require_choice, shown
from .measures.seqeval import SCORES, WITHOUT_EFFECT, Seqeval, averaged, common_codes, spell
from .spans.arrow import require_same_lengths
from .spans.spans import as_tags
from .tags.decoding import decode

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_score",
    "recall_score",
]

IOB1, IOB2, IOE1, IOE2, IOBES, BILOU = "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"

_NAMES = {"references": "y_true", "predictions": "y_pred"}
_KEYS = ("precision", "recall", "f1-score", "support")
_LONGEST_AVERAGE = len("weighted avg")
_MOST_DIGITS = 100

Totals = Mapping[str, np.ndarray]


class SeqevalArguments(TypedDict, total=False):
    """How tags are read and scored.

    Attributes:
        suffix: whether tags have their prefixes after the labels (`PER-B`).
        mode: None reads illegal tags as the CoNLL script does; `strict`, which takes effect only with a `scheme`, as
            in seqeval, drops spans that are not well-formed.
        sample_weight: has no effect, as in seqeval.
        zero_division: the value of a ratio if its denominator is 0: 0, 1 or nan, or `warn` for 0 with a warning.
        scheme: the tag scheme of the strict mode: a name, or a class of `seqeval.scheme`.
    """

    suffix: bool
    mode: str | None
    sample_weight: Any
    zero_division: float | str
    scheme: Any


@shares(SeqevalArguments, Seqeval)
def precision_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", **options: Unpack[SeqevalArguments]
) -> Any:
    """Compute the share of predicted spans that are right: in [0, 1], higher is better.

    Args:
        y_true: the reference, a list of tags for each document.
        y_pred: the prediction, in the same form.
        average: over labels: `micro` sums their counts, `macro` is their unweighted mean, `weighted` weights them by
            their reference spans; None returns an array with a value for each label, sorted by label.
        **options: `suffix`, `mode`, `sample_weight`, `zero_division` and `scheme`, see `SeqevalArguments`.

    Raises:
        InputError: for tags that cannot be read, sides that do not fit, and wrong options.
    """
    return _score(0, y_true, y_pred, average, options)


@shares(SeqevalArguments, Seqeval)
def recall_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", **options: Unpack[SeqevalArguments]
) -> Any:
    """Compute the share of reference spans that are found; see `precision_score` for arguments and errors."""
    return _score(1, y_true, y_pred, average, options)


@shares(SeqevalArguments, Seqeval)
def f1_score(y_true: Any, y_pred: Any, *, average: str | None = "micro", **options: Unpack[SeqevalArguments]) -> Any:
    """Compute the harmonic mean of precision and recall; see `precision_score` for arguments and errors."""
    return _score(2, y_true, y_pred, average, options)


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute the share of tokens with equal tags, including tokens outside spans: in [0, 1], higher is better.

    Args:
        y_true: the reference, a list of tags for each document, or one list of tags. Tags are any strings.
        y_pred: the prediction, in the same form.

    Raises:
        InputError: for tags that are not strings, sides that do not fit, and if there are no tokens.
    """
    equal, _, _ = _compared(y_true, y_pred)
    if not len(equal):
        raise InputError("accuracy is undefined: the corpus has no tokens.", "Pass a document with a tag or more.")
    return int(equal.sum()) / len(equal)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count tokens; see `accuracy_score` for arguments and errors.

    Returns:
        `TP`: both tags are equal and not `O`; `FP`: they differ and the predicted one is not `O`; `FN`: the predicted
        one alone is `O`; `TN`: both are `O`. A token with two different tags counts as `FP`, and not as `FN`.
    """
    equal, true, predicted = _compared(y_true, y_pred)
    flags = {"TP": equal & true, "FP": ~equal & predicted, "FN": true & ~predicted, "TN": ~true & ~predicted}
    return {name: int(flag.sum()) for name, flag in flags.items()}


def classification_report(
    y_true: Any,
    y_pred: Any,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: float | str = "warn",
    scheme: Any = None,
) -> Any:
    """Compute precision, recall, F1 and support (reference spans) of each label and of their averages.

    Args:
        y_true: the reference, a list of tags for each document.
        y_pred: the prediction, in the same form.
        digits: decimal places in the text.
        suffix, sample_weight, zero_division: see `SeqevalArguments`.
        output_dict: return a dict of dicts instead of a text.
        mode: as in `precision_score`, but that `strict` without a `scheme` infers it from the prefixes of both sides.
        scheme: see `SeqevalArguments`.

    Raises:
        InputError: as `precision_score`.
    """
    if not is_integer(digits) or not 0 <= digits <= _MOST_DIGITS:
        problem = f"invalid value for digits: {shown(digits)}."
        raise InputError(problem, f"Use a whole number from 0 to {_MOST_DIGITS}.", option="digits")
    options: SeqevalArguments = {
        "suffix": suffix,
        "mode": mode,
        "sample_weight": sample_weight,
        "zero_division": zero_division,
        "scheme": scheme,
    }
    labels, totals = _counted(y_true, y_pred, options)
    by_label = [values.tolist() for values in averaged(totals, None, zero_division)]
    rows = dict(zip(labels, zip(*by_label, strict=True), strict=True))
    averages = {f"{average} avg": averaged(totals, average, zero_division) for average in AVERAGES}
    if output_dict:
        return {name: dict(zip(_KEYS, row, strict=True)) for name, row in {**rows, **averages}.items()}
    width = max(*map(len, labels), _LONGEST_AVERAGE, digits) if labels else max(_LONGEST_AVERAGE, digits)
    parts = [[_row(name, row, width, digits) for name, row in part.items()] for part in (rows, averages)]
    head = f"{'':>{width}s} {''.join(f' {key:>9}' for key in _KEYS)}"
    return "\n".join([head, "", *parts[0], "", *parts[1], ""])


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """List the label, first token and last token of each span; illegal tags are read like the CoNLL script.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]

    Args:
        seq: a list of tags, or a list of tags for each document. As in seqeval, tokens are then numbered through all
            documents, and one number is skipped after each.
        suffix: whether tags have their prefixes after the labels (`PER-B`).

    Raises:
        InputError: for tags that cannot be read.
    """
    require_choice("suffix", suffix, (True, False))
    try:
        tags = as_tags([seq] if _is_one_list(seq) else seq)
        spans = decode(tags.suffixes_as_prefixes() if suffix else tags)
    except InputError as error:
        raise error.respelled(_spell) from None
    shift = tags.offsets[spans.document] + spans.document
    labels = [spans.labels[code] for code in spans.label.tolist()]
    return list(zip(labels, (spans.start + shift).tolist(), (spans.end + shift - 1).tolist(), strict=True))


def _row(name: str, row: tuple[Any, ...], width: int, digits: int) -> str:
    return f"{name:>{width}s} {''.join(f' {value:>9.{digits}f}' for value in row[:3])} {row[3]:>9}"


def _score(index: int, y_true: Any, y_pred: Any, average: str | None, options: SeqevalArguments) -> Any:
    """Compute one of the three scores."""
    require_arguments(precision_score, options)
    require_choice("average", average, (*AVERAGES, None))
    if options.get("mode") == "strict" and options.get("scheme") is None:
        warnings.warn(
            "mode='strict' has no effect without a scheme, here as in seqeval: name it, as in scheme='IOB2'.",
            stacklevel=3,
        )
        options = {**options, "mode": None}
    _, totals = _counted(y_true, y_pred, options)
    return averaged(totals, average, options.get("zero_division", "warn"), SCORES[index : index + 1])[index]


def _counted(y_true: Any, y_pred: Any, options: SeqevalArguments) -> tuple[tuple[str, ...], Totals]:
    """Count the spans of both sides by label, and list the labels."""
    scheme = options.get("scheme")
    named: dict[str, Any] = {**options, "scheme": getattr(scheme, "__name__", scheme)}
    measure = Seqeval(**named)
    if options.get("sample_weight") is not None:
        warnings.warn(WITHOUT_EFFECT, stacklevel=4)
    try:
        counts = measure.counts(y_true, y_pred)
    except InputError as error:
        raise _named(error) from None
    return counts.labels, measure.totals(counts)


def _compared(y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flag the tokens whose tags are equal, whose reference tag is not `O`, and whose predicted tag is not `O`."""
    if _is_one_list(y_true):
        y_true, y_pred = [y_true], [y_pred]
    try:
        true, predicted = on_both_sides(as_tags, y_true, y_pred)
        require_same_lengths(true.lengths, predicted.lengths)
    except InputError as error:
        raise _named(error) from None
    codes, names = common_codes(true, predicted)
    inside = [np.array([name != "O" for name in names], dtype=bool)[side] for side in codes]
    return codes[0] == codes[1], inside[0], inside[1]


def _is_one_list(tags: Any) -> bool:
    """Check whether tags are one document's, not a list for each document."""
    return isinstance(tags, (Sequence, np.ndarray)) and len(tags) > 0 and isinstance(tags[0], str)


def _named(error: InputError) -> InputError:
    """Name the side of an error by the argument here, and spell options that only modules have as theirs."""
    respelled = error.respelled(_spell)
    return respelled if error.side is None else respelled.placed(side=_NAMES[error.side])


def _spell(name: str, value: str | None) -> str:
    return "id2label=... of the module seqeval" if name == "id2label" else spell(name, value)
