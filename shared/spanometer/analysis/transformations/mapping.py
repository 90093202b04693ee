"""Illegal tags, all transformations by name, and functions for `Dataset.map`.

function = as_map("label_noise", id2label=dataset.features["ner_tags"])
dataset.map(function, batched=True, with_indices=True)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, ClassVar

import numpy as np

from ...arrays import read_rows, recoded
from ...exceptions import InputError, all_of, require_choice, require_kind, setting, shown
from ...options import option, options_of, require_known
from ...spans.spans import Spans
from ...tags.decoding import get_repair, labels_of, scheme_of
from ...tags.schemes import OUTSIDE, ROLES, get_scheme
from ...tags.tags import Tags, check_names, read_id2label, split_tag
from ...tags.viterbi import Legality
from .transformations import Drop, Extend, Invent, Relabel, Shift, Split, Transformation, TransformedTags, Truncate


class IllegalTags(Transformation):
    """Make tags illegal: each changed tag forms an illegal pair with a neighbour or with an end of its document.

    A tag can be changed if the scheme has such an illegal tag with one of the labels. If two neighbours are drawn, only
    the first is changed.

    Attributes:
        rate: the probability that a tag is changed.
    """

    rate: float = option(0.05, kind=float, low=0, high=1)

    unit: ClassVar[str] = "tag"

    def on_tags(self, tags: Tags, *, scheme: str, repair: str = "raise", numbers: Any = None) -> TransformedTags:
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
        split = [split_tag(name) for name in tags.names]
        suffixes = sorted({"" if label is None else f"-{label}" for prefix, label in split if prefix != "O"})
        names = ("O", *(prefix + suffix for prefix in tag_scheme.prefixes for suffix in suffixes))
        illegal = ~Legality.of(names, tag_scheme.name).follows
        codes = recoded(tags.codes, tags.names, {name: code for code, name in enumerate(names)})
        document = np.repeat(np.arange(len(tags.lengths)), tags.lengths)
        number = self.document_numbers(numbers, len(tags.lengths))[document]
        position = np.arange(len(codes)) - tags.offsets[document]
        drawn = self.uniform(number, position) < self.rate
        drawn[1:] &= ~(drawn[:-1] & (position[1:] > 0))
        token = np.flatnonzero(drawn)
        # both ends of a document act like the outside tag, which has the code 0
        previous = np.where(position[token] > 0, codes[token - 1], 0)
        last = position[token] == tags.lengths[document[token]] - 1
        following = np.where(last, 0, codes[np.minimum(token + 1, len(codes) - 1)])
        wrong = illegal[previous] | illegal[:, following].T
        wrong[np.arange(len(token)), codes[token]] = False
        candidate = np.arange(len(names))
        preference = self.uniform(number[token][:, None], position[token][:, None], candidate[None, :])
        chosen = np.where(wrong, preference, -1.0).argmax(axis=1)
        possible = wrong.any(axis=1)
        new = codes.copy()
        new[token[possible]] = chosen[possible]
        touched = np.bincount(document[token[possible]], minlength=len(tags.lengths))
        return TransformedTags(Tags(new, names, tags.offsets, sentence=tags.sentence), touched)


_FURTHER: dict[str, Any] = {"alone": True, "room": 4, "otherwise": 1}
_ALONE: dict[str, Any] = {"alone": True, "longest": 9}

_DESCRIBED: dict[str, tuple[Transformation, str]] = {
    "sequence_split": (Split(), "split spans of at least 2 tokens in half"),
    "maximum_overlap": (Shift(**_ALONE), "shift spans of 2 to 9 tokens by one token, in documents with one span"),
    "minimum_overlap": (
        Shift(tokens=None, **_ALONE),
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
    "label_noise": (Relabel(rate=0.1), "change the labels of spans"),
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

_REMEDY = "Give tags as strings, or as integers with id2label=..."


def get_transformation(name: str, **parameters: Any) -> Transformation:
    """Return a transformation by its name, with some parameters changed.

    Raises:
        InputError: if the name or a parameter is unknown.
    """
    require_choice("transformation", name, tuple(TRANSFORMATIONS))
    require_known(parameters, options_of(TRANSFORMATIONS[name]), f"the transformation {name!r}")
    return replace(TRANSFORMATIONS[name], **parameters)


def free(transformation: Transformation) -> Transformation:
    """Return a copy whose boundaries may move anywhere (`overlap`, `beyond`), as in the SL-ICM paper."""
    own: dict[str, Any] = {name: True for name in ("overlap", "beyond") if name in options_of(transformation)}
    return replace(transformation, **own)


def matched(name: str, transformation: Transformation, spans: Spans) -> Transformation:
    """Limit a transformation so that all transformations of its group in `PAIRS` change the same number of spans.

    Each changes its first n spans, where n is the smallest number that one of them can change. Extensions (`+1` to
    `+3`) change the same spans: those with room for the longest extension.

    Args:
        name: the name of the transformation.
        transformation: the transformation; the others of its group get its rate, seed, `overlap` and `beyond`.
        spans: the corpus.

    Raises:
        InputError: if the transformation is in no group, or if spans cannot be transformed.
    """
    group = next((names for names in PAIRS if name in names), ())
    if not group:
        problem = f"{setting('matched', True)} needs a transformation that has an opposite, but {name!r} has none."
        names = ", ".join(map(repr, chain.from_iterable(PAIRS)))
        remedy = f"Leave out {setting('matched', True)}, or apply one of {names}."
        raise InputError(problem, remedy)
    shared = {field: getattr(transformation, field) for field in ("rate", "seed", "overlap", "beyond")}
    room = max(getattr(TRANSFORMATIONS[other], "room", None) or 0 for other in group)
    shared |= {"room": room, "otherwise": 0} if room else {}
    members: list[Any] = [replace(TRANSFORMATIONS[other], **shared) for other in group]
    shared["first"] = min(member(spans).touched for member in members)
    return replace(TRANSFORMATIONS[name], **shared)


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
            columns = f"{all_of('column', batch, 'The')}."
            raise InputError(f"there is no column {shown(self.column)}.", columns)
        single = isinstance(indices, (int, np.integer))
        rows = read_rows([batch[self.column]] if single else batch[self.column], 0, _REMEDY)
        numbers = self.transformation.document_numbers([indices] if single else indices, len(rows))
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
    require_kind(chosen, Transformation, "a transformation", "Give a transformation, or its name.")
    for name in (column, touched_column or column):
        require_kind(name, str, "the name of a column", "Give a name such as 'ner_tags'.")
    if touched_column == column:
        problem = f"touched_column={shown(column)} is also the column of the tags."
        raise InputError(problem, "Choose another name for touched_column=...")
    tags = None if id2label is None else read_id2label(id2label)
    if tags is not None:
        stated, listed = None if scheme is None else get_scheme(scheme), Tags.each_once(tags)
        try:
            check_names(listed, stated)
        except InputError as error:
            raise error.in_file(f"id2label[{error.position}]") from None
        scheme = (stated or scheme_of(None, listed)).name
        if isinstance(chosen, (Relabel, Invent)) and chosen.labels is None:
            chosen = replace(chosen, labels=labels_of(tags))
    elif isinstance(chosen, IllegalTags):
        remedy = "Set id2label=... to all tags of the dataset."
        raise InputError("illegal_tags needs all tags of the dataset, but a single batch can lack some.", remedy)
    if scheme is None:
        remedy = f"Set {setting('scheme')} to the scheme of the tags."
        raise InputError("the scheme cannot be inferred from a batch.", remedy)
    get_repair(repair, get_scheme(scheme))
    parameter = chosen.looks_at_corpus
    if parameter is not None:
        value = getattr(chosen, parameter)
        needs = "needs the whole dataset, but Dataset.map passes only one batch at a time."
        remedy = f"Leave out {setting(parameter, value)}, or transform a Spans object."
        remedy = f"Give {setting(parameter)}" if value is None else remedy
        raise InputError(f"{setting(parameter, value)} {needs}", remedy)
    return TagMap(chosen, column, get_scheme(scheme).name, tags, repair, touched_column)


def _recoded(tags: Tags, names: tuple[str, ...], problem: str, remedy: str) -> Tags:
    """Recode tags as indices into `names`; raise an `InputError` for a tag that is not there."""
    number = {name: code for code, name in enumerate(names)}
    codes: np.ndarray = np.array([number.get(name, -1) for name in tags.names], dtype=np.int64)[tags.codes]
    for code in tags.codes[codes < 0][:1].tolist():
        raise tags.refusal(code, problem.format(repr(tags.names[code])), remedy)
    return Tags(codes, names, tags.offsets)
