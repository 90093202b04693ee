"""Random transformations, all transformations by name, and functions for `Dataset.map`.

function = as_map("label_noise", id2label=dataset.features["ner_tags"])
dataset.map(function, batched=True, with_indices=True)
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, ClassVar, cast

import numpy as np

from ...arrays import code_type, is_integer, read_rows
from ...exceptions import InputError, mention, require_choice, require_kind, setting, shown
from ...options import option, options_of
from ...spans.spans import Spans
from ...tags.decoding import get_repair, labels_of, scheme_of
from ...tags.schemes import OUTSIDE, ROLES, Scheme, get_scheme
from ...tags.tags import Tags, check_names, read_id2label, split_tag
from .transformations import (
    ChosenSpans,
    Extend,
    Move,
    Numbers,
    Shift,
    SpanTransformation,
    Split,
    Transformation,
    Transformed,
    TransformedTags,
    Truncate,
    bases,
    changed,
    covered_before,
    document_numbers,
    lengths_of,
    uniform,
)

_BLOCK = 1 << 20
"""The number of tokens for which random numbers are drawn at a time."""


class Relabel(ChosenSpans):
    """Give spans another label; all other labels are equally likely.

    Attributes:
        labels: the labels to draw from; None means the labels of the corpus. With fewer than two, nothing is changed.
    """

    labels: tuple[str, ...] | None = option(None, help="the labels to draw from", type="tuple of str, optional")

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self, self.labels)

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Change the labels of spans, see `SpanTransformation.transform`."""
        spans, offered = _with_offered(spans, self.labels)
        is_offered = np.isin(spans.label, offered)
        others = len(offered) - is_offered
        chosen = self.choose(spans, numbers, others > 0)
        # draw by the label's name, because its code depends on the other labels in this part of the corpus
        names = np.array([zlib.crc32(label.encode()) for label in spans.labels], dtype=np.uint64)
        draw = uniform(self.seed, numbers[spans.document], spans.start, spans.end, names[spans.label])
        pick = (draw * others).astype(np.int64)
        # skip the span's own label
        pick += is_offered & (pick >= np.searchsorted(offered, spans.label))
        label = spans.label.copy()
        label[chosen] = offered[pick[chosen]]
        return changed(spans, spans.document[chosen], spans.document, spans.start, spans.end, label)


class Drop(ChosenSpans):
    """Remove spans."""

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Remove spans, see `SpanTransformation.transform`."""
        chosen = self.choose(spans, numbers)
        columns = (column[~chosen] for column in (spans.document, spans.start, spans.end, spans.label))
        return changed(spans, spans.document[chosen], *columns)


class Invent(SpanTransformation):
    """Add spans in tokens outside all spans, with at least one token between them and any other span.

    At each token outside all spans, a span begins with the probability `rate`, with a random length and label. It is
    not added if it would pass the end of its document, or come too near to another span.

    Attributes:
        lengths: the lengths to draw from, all entries equally likely; None means the lengths of the corpus's spans.
        labels: the labels to draw from; None means the labels of the corpus.
    """

    rate: float = option(0.02, help="the probability that a free token begins a new span", kind=float, low=0, high=1)
    lengths: tuple[int, ...] | None = option(None, help="the lengths to draw from", type="tuple of int, optional")
    labels: tuple[str, ...] | None = option(None, help="the labels to draw from", type="tuple of str, optional")

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        _require_labels(self, self.labels)
        lengths: Any = (1,) if self.lengths is None else self.lengths
        whole = isinstance(lengths, tuple) and all(is_integer(length) and length >= 1 for length in lengths)
        if not whole or not lengths:
            self.refuse("lengths", "Give a tuple of one or more lengths, each at least 1, such as (1, 2, 3).")

    def transform(self, spans: Spans, numbers: np.ndarray) -> Transformed:
        """Add spans, see `SpanTransformation.transform`."""
        spans, offered = _with_offered(spans, self.labels)
        lengths = np.sort(spans.end - spans.start) if self.lengths is None else np.array(self.lengths)
        if len(lengths) == 0 or len(offered) == 0:
            return Transformed(spans, np.zeros(spans.documents, dtype=np.int64))
        base = bases(spans)
        token = np.concatenate([np.zeros(0, dtype=np.int64), *self._drawn(base, numbers)])
        document = np.searchsorted(base, token, side="right") - 1
        position = token - base[document]
        by_length, by_label = (uniform(self.seed, numbers[document], position, np.int64(turn)) for turn in (1, 2))
        end = position + lengths[(by_length * len(lengths)).astype(np.int64)]
        kept = self._stands_apart(spans, document, position, end)
        if self.first is not None:
            kept &= np.cumsum(kept) <= self.first
        document, position, end = document[kept], position[kept], end[kept]
        label = offered[(by_label[kept] * len(offered)).astype(np.int64)]
        columns = (spans.document, document), (spans.start, position), (spans.end, end), (spans.label, label)
        return changed(spans, document, *(np.append(*pair) for pair in columns))

    def _drawn(self, base: np.ndarray, numbers: np.ndarray) -> Iterator[np.ndarray]:
        """Draw tokens at which spans begin, from the concatenated documents, a block at a time."""
        for first in range(0, int(base[-1]), _BLOCK):
            token = np.arange(first, min(first + _BLOCK, int(base[-1])))
            document = np.searchsorted(base, token, side="right") - 1
            yield token[uniform(self.seed, numbers[document], token - base[document]) < self.rate]

    def _stands_apart(self, spans: Spans, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Check whether new spans are inside their documents and at least a token away from all other spans."""
        base, length = bases(spans)[document], lengths_of(spans)[document]
        first = base + np.maximum(start - 1, 0)
        last = base + np.minimum(end + 1, length)
        free = (end <= length) & (covered_before(spans, first) == covered_before(spans, last))
        reach = np.maximum.accumulate(np.where(free, base + end, -1))
        within = np.ones(len(start), dtype=bool)
        # spans of two documents need no token between them
        within[1:] = (reach[:-1] < base[1:] + start[1:]) | (reach[:-1] <= base[1:])
        within &= free
        return within


class IllegalTags(Transformation):
    """Make tags illegal: each changed tag forms an illegal pair with a neighbour or with an end of its document.

    A tag can be changed if the scheme has such an illegal tag with one of the labels. If two neighbours are drawn, only
    the first is changed.
    """

    rate: float = option(0.05, help="the probability that a tag is changed", kind=float, low=0, high=1)

    unit: ClassVar[str] = "tag"

    def on_tags(self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: Numbers = None) -> TransformedTags:
        """Change tags, see `Transformation.on_tags`. The input may have illegal tags, so `repair` is not used.

        New tags have the labels of `tags.names`; if there are none, nothing is changed.
        """
        require_kind(tags, Tags, "a Tags object", "Create Tags with Tags.from_lists.")
        tag_scheme = get_scheme(scheme)
        roles = [OUTSIDE, *(ROLES.index(role) for role in tag_scheme.roles)]
        if tag_scheme.legal()[np.ix_(roles, roles)].all():
            problem = f"the scheme {tag_scheme.name} has no illegal tags."
            raise InputError(problem, "Choose another scheme, such as IOB2.")
        check_names(tags, tag_scheme)
        names, code, illegal = _vocabulary(tags, tag_scheme)
        codes = code[tags.codes]
        document = np.repeat(np.arange(len(tags.lengths)), tags.lengths)
        number = document_numbers(numbers, len(tags.lengths))[document]
        position = np.arange(len(codes)) - tags.offsets[document]
        drawn = uniform(self.seed, number, position) < self.rate
        drawn[1:] &= ~(drawn[:-1] & (position[1:] > 0))
        token = np.flatnonzero(drawn)
        # both ends of a document act like the outside tag, which has the code 0
        previous = np.where(position[token] > 0, codes[token - 1], 0)
        last = position[token] == tags.lengths[document[token]] - 1
        following = np.where(last, 0, codes[np.minimum(token + 1, len(codes) - 1)])
        wrong = illegal[previous] | illegal[:, following].T
        wrong[np.arange(len(token)), codes[token]] = False
        candidate = np.arange(len(names))
        preference = uniform(self.seed, number[token][:, None], position[token][:, None], candidate[None, :])
        chosen = np.where(wrong, preference, -1.0).argmax(axis=1)
        possible = wrong.any(axis=1)
        new = codes.copy()
        new[token[possible]] = chosen[possible]
        touched = np.bincount(document[token[possible]], minlength=len(tags.lengths))
        return TransformedTags(Tags(new, names, tags.offsets), touched)


def _vocabulary(tags: Tags, scheme: Scheme) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Return all tags of a scheme with these tags' labels (O first), the index of each tag name, and illegal pairs."""
    split = [split_tag(name) for name in tags.names]
    suffixes = sorted({"" if label is None else f"-{label}" for prefix, label in split if prefix != "O"})
    names = ("O", *(prefix + suffix for prefix in scheme.prefixes for suffix in suffixes))
    codes = np.array([names.index(name) for name in tags.names], dtype=np.int64)
    role = np.array([OUTSIDE, *(ROLES.index(kind) for kind in scheme.prefixes.values() for _ in suffixes)])
    # prefixes without a label share one label
    label = np.array([-1, *(code for _ in scheme.prefixes for code in range(len(suffixes)))])
    same = (label[:, None] == label[None, :]).astype(np.int64)
    return names, codes, ~scheme.legal()[role[:, None], role[None, :], same]


def _with_offered(spans: Spans, labels: tuple[str, ...] | None) -> tuple[Spans, np.ndarray]:
    """Add more labels to the spans' list of labels; also returns the indices of these labels, ascending."""
    names = spans.labels if labels is None else labels
    spans = spans.with_labels(tuple(sorted({*spans.labels, *names})))
    codes = sorted(spans.labels.index(name) for name in set(names))
    return spans, np.array(codes, dtype=code_type(len(spans.labels)))


def _require_labels(owner: Transformation, labels: Any) -> None:
    if labels is not None and not (isinstance(labels, tuple) and all(isinstance(label, str) for label in labels)):
        owner.refuse("labels", "Give a tuple of labels, such as ('LOC', 'PER').")


_FURTHER: dict[str, Any] = {"alone": True, "room": 4, "otherwise": 1}

_DESCRIBED: dict[str, tuple[Transformation, str]] = {
    "sequence_split": (Split(), "split spans of at least 2 tokens in half"),
    "maximum_overlap": (
        Shift(tokens=1, alone=True, longest=9),
        "shift spans of 2 to 9 tokens by one token, in documents with one span",
    ),
    "minimum_overlap": (
        Shift(tokens=None, alone=True, longest=9),
        "shift the same spans until they share one token with the original",
    ),
    "long_truncation": (Truncate(shortest=4, longest=4), "remove the last token of spans of 4 tokens"),
    "short_truncation": (Truncate(shortest=2, longest=2), "remove the last token of spans of 2 tokens"),
    "long_extension": (Extend(shortest=4, longest=4), "add a token to spans of 4 tokens"),
    "short_extension": (Extend(shortest=2, longest=2), "add a token to spans of 2 tokens"),
    "-1": (Truncate(tokens=1, shortest=4, longest=4), "remove the last token of spans of 4 tokens"),
    "-2": (Truncate(tokens=2, shortest=4, longest=4), "remove the last 2 tokens of the same spans"),
    "-3": (Truncate(tokens=3, shortest=4, longest=4), "remove the last 3 tokens of the same spans"),
    "+1": (Extend(tokens=1, alone=True), "add a token to spans, in documents with one span"),
    "+2": (Extend(tokens=2, **_FURTHER), "add 2 tokens if at least 4 tokens are free, otherwise one"),
    "+3": (Extend(tokens=3, **_FURTHER), "add 3 tokens to the same spans, otherwise one"),
    "shifted_spans": (Shift(tokens=1), "shift spans of at least 2 tokens by one token"),
    "shortened_spans": (Truncate(), "remove the last token of spans of at least 2 tokens"),
    "lengthened_spans": (Extend(), "add a token to spans"),
    "label_noise": (Relabel(rate=0.1), "give spans another label"),
    "dropped_spans": (Drop(rate=0.1), "drop spans"),
    "invented_spans": (Invent(), "add spans at free tokens; the rate is the probability for each free token"),
    "illegal_tags": (IllegalTags(), "make tags illegal; apply this last"),
}

TRANSFORMATIONS: dict[str, Transformation] = {name: transformation for name, (transformation, _) in _DESCRIBED.items()}
"""Transformations by name. The first thirteen are from Table 4 of the SL-ICM paper.

The paper does not give their parameters; these were found by fitting, see `docs/monotonicity.md`: long is four tokens,
short is two. Here, transformed spans stay in their documents and do not overlap other spans; in the paper they may
(`free`).
"""

PAIRS: tuple[tuple[str, ...], ...] = (
    ("maximum_overlap", "minimum_overlap"),
    ("long_truncation", "short_truncation"),
    ("long_extension", "short_extension"),
    ("-1", "-2", "-3"),
    ("+1", "+2", "+3"),
)
"""Groups of transformations that are compared with each other."""

DESCRIPTIONS: dict[str, str] = {name: text for name, (_, text) in _DESCRIBED.items()}
"""Descriptions of the transformations."""

_REMEDY = "Give strings, or numbers of the tags in id2label=..."


def get_transformation(name: str, **parameters: Any) -> Transformation:
    """Return a transformation by its name, with some parameters changed.

    Raises:
        InputError: if the name or a parameter is unknown.
    """
    require_choice("transformation", name, tuple(TRANSFORMATIONS))
    known = options_of(TRANSFORMATIONS[name])
    unknown = next((parameter for parameter in parameters if parameter not in known), None)
    if unknown is not None:
        problem = f"the transformation {name} has no parameter {unknown!r}."
        raise InputError(problem, f"Its parameters are {', '.join(known)}.")
    return replace(TRANSFORMATIONS[name], **parameters)


def free(transformation: Transformation) -> Transformation:
    """Return a copy whose boundaries may move anywhere (`overlap`, `beyond`), as in the SL-ICM paper."""
    return replace(transformation, overlap=True, beyond=True) if isinstance(transformation, Move) else transformation


def matched(name: str, transformation: Transformation, spans: Spans, *, numbers: Numbers = None) -> Transformation:
    """Limit a transformation so that all transformations of its group in `PAIRS` change equally many spans.

    Each changes its first n spans, where n is the smallest number that one of them can change. Extensions (`+1` to
    `+3`) change the same spans: those with room for the longest extension.

    Args:
        name: the name of the transformation.
        transformation: the transformation; the others of its group get its rate, seed, `overlap` and `beyond`.
        spans: the corpus.
        numbers: see `transformations.Numbers`.

    Raises:
        InputError: if the transformation is in no group, or if spans cannot be transformed.
    """
    group = next((names for names in PAIRS if name in names), ())
    if not group:
        problem = f"{setting('matched', True)} compares a transformation with its opposite, but {name} has no opposite."
        remedy = f"Leave out {setting('matched', True)}, or apply one of {', '.join(chain.from_iterable(PAIRS))}."
        raise InputError(problem, remedy)
    shared = {field: getattr(transformation, field) for field in ("rate", "seed", "overlap", "beyond")}
    room = max(getattr(TRANSFORMATIONS[other], "room", None) or 0 for other in group)
    shared |= {"room": room, "otherwise": 0} if room else {}
    members = {other: cast(Move, replace(TRANSFORMATIONS[other], **shared)) for other in group}
    return replace(members[name], first=min(member(spans, numbers=numbers).touched for member in members.values()))


@dataclass(frozen=True)
class TagMap:
    """A function for `Dataset.map(..., with_indices=True)`; its fields are the arguments of `as_map`."""

    transformation: Transformation
    column: str
    scheme: str
    id2label: tuple[str, ...] | None
    repair: str
    touched_column: str | None

    def __call__(self, batch: Mapping[str, Any], indices: Any = None) -> dict[str, Any]:
        """Return the new column for a batch or one example, given its indices in the dataset."""
        if indices is None:
            raise InputError("a transformation needs the documents' indices.", "Call map(..., with_indices=True).")
        require_kind(batch, Mapping, "a batch of columns", "Pass it to Dataset.map.")
        if self.column not in batch:
            columns = ", ".join(map(shown, batch))
            raise InputError(f"there is no column {shown(self.column)}.", f"The columns are {columns}.")
        single = isinstance(indices, (int, np.integer))
        rows = read_rows([batch[self.column]] if single else batch[self.column], 0, _REMEDY)
        numbers = document_numbers([indices] if single else indices, len(rows))
        tags = Tags.from_lists(rows).renamed(self.id2label, None)
        if self.id2label is not None:
            tags = _recoded(tags, self.id2label, "{} is not in id2label.", "Give all tags in id2label=...")
        transformed = self.transformation.on_tags(tags, scheme=self.scheme, repair=self.repair, numbers=numbers)
        tags = transformed.tags
        if self.id2label is None or any(isinstance(value, str) for value in chain.from_iterable(rows)):
            flat = np.array(tags.names, dtype=object)[tags.codes].tolist()
        else:
            problem = "the result has the tag {} here, but id2label lacks it."
            remedy = "Use strings, or a ClassLabel with all tags of the scheme."
            flat = _recoded(tags, self.id2label, problem, remedy).codes.tolist()
        written = {self.column: [flat[first:last] for first, last in pairwise(tags.offsets.tolist())]}
        if self.touched_column is not None:
            written[self.touched_column] = transformed.per_document.tolist()
        return {name: rows[0] for name, rows in written.items()} if single else written


def as_map(
    transformation: str | Transformation,
    *,
    column: str = "ner_tags",
    scheme: str | None = None,
    id2label: Any = None,
    repair: str = "raise",
    touched_column: str | None = None,
) -> TagMap:
    """Create a function for `Dataset.map(..., with_indices=True)`, with or without `batched=True`.

    The result does not depend on the size of batches or on the number of processes.

    Args:
        transformation: a transformation, or its name in `TRANSFORMATIONS`.
        column: the column of tags, lists of strings or of ClassLabel integers; the result has the same type.
        scheme: the scheme of the tags; by default inferred from `id2label`.
        id2label: all tags that the column may have, `dataset.features["ner_tags"]`. Required for integers, and for
            transformations that need all labels.
        repair: how to handle illegal tags, see `decoding.decode`; by default they raise an error.
        touched_column: a new column with the number of spans (or tags) that were changed in each document.

    Raises:
        InputError: if both `scheme` and `id2label` are missing, if both columns have the same name, or if the
            transformation needs the whole corpus (`first`, or missing `lengths`), because a map sees only a part at
            a time. Missing `labels` are taken from `id2label`.
    """
    chosen = get_transformation(transformation) if isinstance(transformation, str) else transformation
    if not isinstance(chosen, Transformation):
        raise InputError(
            f"{shown(chosen)} is not a transformation.", "Give a transformation, or a name from TRANSFORMATIONS."
        )
    for name in (column, touched_column or column):
        require_kind(name, str, "the name of a column", "Name a column.")
    if touched_column == column:
        problem = f"touched_column={shown(column)} is also the column of the tags."
        raise InputError(problem, "Choose another name for touched_column=...")
    tags = None if id2label is None else read_id2label(id2label)
    if tags is not None:
        scheme = _scheme_of(tags, scheme)
        if isinstance(chosen, (Relabel, Invent)) and chosen.labels is None:
            chosen = replace(chosen, labels=labels_of(tags))
    elif isinstance(chosen, IllegalTags):
        remedy = "Pass all tags of the dataset with id2label=..."
        raise InputError("one batch does not show all tags of the dataset.", remedy)
    if scheme is None:
        remedy = f"Set {setting('scheme')} to the scheme of the tags."
        raise InputError("the scheme cannot be inferred from a batch.", remedy)
    get_repair(repair, get_scheme(scheme))
    parameter = chosen.looks_at_corpus
    if parameter is not None:
        value = getattr(chosen, parameter)
        problem = (
            f"{setting(parameter, value)} needs the whole dataset, but Dataset.map passes only one batch at a time."
        )
        remedy = f"Leave out {mention(parameter)}, or transform a Spans object."
        raise InputError(problem, f"Give {setting(parameter)}" if value is None else remedy)
    return TagMap(chosen, column, get_scheme(scheme).name, tags, repair, touched_column)


def _scheme_of(tags: tuple[str, ...], scheme: str | None) -> str:
    """Check that tags fit a scheme (None infers it), and return its name."""
    document = Tags(np.arange(len(tags)), tags, np.array([0, len(tags)], dtype=np.int64))
    stated = None if scheme is None else get_scheme(scheme)
    try:
        check_names(document, stated)
    except InputError as error:
        raise error.in_file("id2label", position=error.position) from None
    return (stated or scheme_of(None, document)).name


def _recoded(tags: Tags, names: tuple[str, ...], problem: str, remedy: str) -> Tags:
    """Recode tags as indices into `names`; raise an `InputError` for a tag that is not there."""
    number = {name: code for code, name in enumerate(names)}
    codes: np.ndarray = np.array([number.get(name, -1) for name in tags.names], dtype=np.int64)[tags.codes]
    if (codes < 0).any():
        token = int(np.argmax(codes < 0))
        document, position = tags.place(token)
        tag = repr(tags.names[tags.codes[token]])
        raise InputError(problem.format(tag), remedy, document=document, position=position)
    return Tags(codes, names, tags.offsets)
