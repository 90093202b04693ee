"""Drop-in for `seqeval.metrics` and `get_entities`, with the signatures and results of seqeval 1.2.2.

Replace `from seqeval.metrics import f1_score` by `from spanometer.seqeval import f1_score`, and
`from seqeval.scheme import IOB2` by `from spanometer.seqeval import IOB2`. As in scikit-learn, the first argument,
`y_true`, is the reference, and the second, `y_pred`, is the prediction: lists of lists of tags, or Arrow columns. If
you swap the arguments, precision and recall swap too, and nothing can detect it.

Results differ only where seqeval contradicts itself; the card, metrics/seqeval/README.md, lists these cases.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from .arrays import is_integer
from .counts.statistics import AVERAGES
from .documents.arguments import require_arguments, shares
from .exceptions import InputError, on_both_sides, require_choice, shown
from .measures.seqeval import SCORES, WITHOUT_EFFECT, Seqeval, averaged, spell
from .spans.arrow import require_same_lengths
from .spans.spans import as_tags
from .tags.decoding import decode
from .tags.tags import common_codes

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
    """Options for reading and scoring tags.

    Attributes:
        suffix: whether prefixes follow the labels, as in `PER-B`.
        mode: with None, illegal tags are read as in the CoNLL script. `strict` drops spans that are not well-formed;
            as in seqeval, it has an effect only with a `scheme`.
        sample_weight: has no effect, as in seqeval.
        zero_division: the value of a ratio with denominator 0: 0, 1 or nan, or `warn` for 0 with a warning.
        scheme: the tag scheme of strict mode: a name, or a class of `seqeval.scheme`.
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
    """Compute precision, the proportion of predicted spans that are right: in [0, 1], higher is better.

    Args:
        y_true: the reference, a list of tags for each document.
        y_pred: the prediction, in the same form.
        average: `micro`: sum counts over labels. `macro`: the plain mean over labels. `weighted`: the mean weighted by
            reference spans. None: an array with a value for each label, sorted by label.
        **options: `suffix`, `mode`, `sample_weight`, `zero_division` and `scheme`, see `SeqevalArguments`.

    Raises:
        InputError: if tags cannot be read, if the sides have different documents or lengths, or if an option is wrong.
    """
    return _score(0, y_true, y_pred, average, options)


@shares(SeqevalArguments, Seqeval)
def recall_score(
    y_true: Any, y_pred: Any, *, average: str | None = "micro", **options: Unpack[SeqevalArguments]
) -> Any:
    """Compute recall, the proportion of reference spans that are found. For the rest see `precision_score`."""
    return _score(1, y_true, y_pred, average, options)


@shares(SeqevalArguments, Seqeval)
def f1_score(y_true: Any, y_pred: Any, *, average: str | None = "micro", **options: Unpack[SeqevalArguments]) -> Any:
    """Compute F1, the harmonic mean of precision and recall. For the rest see `precision_score`."""
    return _score(2, y_true, y_pred, average, options)


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute accuracy, the proportion of all tokens with equal tags on both sides: in [0, 1], higher is better.

    Args:
        y_true: the reference, a list of tags for each document, or one list of tags. Tags are any strings.
        y_pred: the prediction, in the same form.

    Raises:
        InputError: if tags are not strings, if the sides have different documents or lengths, or if there are no
            tokens.
    """
    equal, _, _ = _compared(y_true, y_pred)
    if not len(equal):
        raise InputError("accuracy is undefined: the corpus has no tokens.", "Pass at least one tag.")
    return int(equal.sum()) / len(equal)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count tokens by the tags on both sides; see `accuracy_score` for arguments and errors.

    Returns:
        `TP`: both tags are equal and not `O`. `FP`: the tags differ and the predicted tag is not `O`. `FN`: the
            predicted tag is `O` and the reference tag is not. `TN`: both tags are `O`. So a token with two different
            tags other than `O` counts as `FP` only.
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
    """Compute precision, recall, F1 and support (the number of reference spans) of each label, and their averages.

    Args:
        y_true: the reference, a list of tags for each document.
        y_pred: the prediction, in the same form.
        digits: the number of decimal places in the text.
        suffix, sample_weight, zero_division: see `SeqevalArguments`.
        output_dict: return a dict of dicts instead of text.
        mode: see `precision_score`. However, `strict` without a `scheme` infers the scheme from the prefixes of both
            sides.
        scheme: see `SeqevalArguments`.

    Raises:
        InputError: see `precision_score`.
    """
    if not is_integer(digits) or not 0 <= digits <= _MOST_DIGITS:
        problem = f"invalid value for digits: {shown(digits)}."
        raise InputError(problem, f"Use a whole number from 0 to {_MOST_DIGITS}.", option="digits")
    options = SeqevalArguments(
        suffix=suffix, mode=mode, sample_weight=sample_weight, zero_division=zero_division, scheme=scheme
    )
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
    """List the label, first token and last token of each span; illegal tags are read as by the CoNLL script.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]

    Args:
        seq: a list of tags, or a list of tags for each document. As in seqeval, tokens are numbered across documents,
            and one number is skipped after each document.
        suffix: whether prefixes follow the labels, as in `PER-B`.

    Raises:
        InputError: if tags cannot be read.
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
    require_arguments(precision_score, options)
    require_choice("average", average, (*AVERAGES, None))
    if options.get("mode") == "strict" and options.get("scheme") is None:
        text = "mode='strict' has no effect without a scheme, here as in seqeval: name it, as in scheme='IOB2'."
        warnings.warn(text, stacklevel=3)
        options = {**options, "mode": None}
    _, totals = _counted(y_true, y_pred, options)
    return averaged(totals, average, options.get("zero_division", "warn"), SCORES[index : index + 1])[index]


def _counted(y_true: Any, y_pred: Any, options: SeqevalArguments) -> tuple[tuple[str, ...], Totals]:
    """Return the labels, and the counts of spans by label."""
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
    """Flag tokens with equal tags, tokens with a reference tag other than `O`, and the same for predicted tags."""
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
    """Check whether tags are the list of one document instead of a list for each document."""
    return isinstance(tags, (Sequence, np.ndarray)) and len(tags) > 0 and isinstance(tags[0], str)


def _named(error: InputError) -> InputError:
    """Change an error so that it uses the names of seqeval's arguments and options."""
    respelled = error.respelled(_spell)
    return respelled if error.side is None else respelled.placed(side=_NAMES[error.side])


def _spell(name: str, value: str | None) -> str:
    return "id2label=... (an option of the module seqeval)" if name == "id2label" else spell(name, value)
