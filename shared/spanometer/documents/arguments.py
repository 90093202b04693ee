"""Arguments for reading that several Python functions share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from ..counts.statistics import Resampling
from ..exceptions import InputError, did_you_mean, mention, setting, spell_python, spelled
from ..options import changed, counterpart, made, options_of
from ..spans.annotations import require_no_reading
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from .pairing import Pairing

Function = TypeVar("Function", bound=Callable[..., Any])


class LabelArguments(TypedDict, total=False):
    """Arguments that choose the labels to score, see `schemes.LabelChoice`.

    Attributes:
        label_map: maps old labels to new labels.
        reference_label_map: the same, for the reference (the first side) only; not for several annotators. Mapping a
            label to "" removes its spans.
        labels: score only these labels; use the new names of renamed labels.
        ignore_labels: remove spans with these labels on all sides; use the new names of renamed labels.
        label_case: convert labels to `upper` or `lower` case.
        reference_labels: remove spans with labels that the reference (the first side) does not have; not for several
            annotators.
    """

    label_map: Mapping[str, str] | None
    reference_label_map: Mapping[str, str] | None
    labels: Sequence[str] | None
    ignore_labels: Sequence[str] | None
    label_case: str | None
    reference_labels: bool


class DecodingArguments(TypedDict, total=False):
    """Arguments for reading tags.

    Attributes:
        scheme: the tag scheme; None infers it from the prefixes on all sides.
        repair: how to handle illegal tags, see `decoding.decode`.
        prefix: whether tags have prefixes, see `Spans.from_tags`.
        id2label: the tag of each integer: a list, a mapping, a model's configuration, or a `ClassLabel` feature.
        ignore_index: remove the positions where the first side has this integer, on all sides.
    """

    scheme: str | None
    repair: str
    prefix: bool
    id2label: Any
    ignore_index: int | None


class TagArguments(DecodingArguments, LabelArguments, total=False):
    """Arguments for reading tags and choosing the labels to score."""


class SideArguments(TagArguments, total=False):
    """Arguments for reading sides: tags, spans, files or answers of language models.

    Attributes:
        lengths: the documents' lengths in tokens, for spans and entities; not needed for tags.
        unit, to_tokens, trim, join_fragments, merge_overlaps, split_spans, texts, tokenizer, scored_documents,
            ignore_words: for files, see `pairing.Pairing`. There is a warning if spans are moved or lost.
        grounding, asked_labels, aliases, offsets, answer_format, item_mention_key, item_label_key: how the answers of
            language models become spans, see `grounding.AnswerReading`.
    """

    lengths: Any
    unit: str | None
    to_tokens: str
    trim: str
    join_fragments: bool
    merge_overlaps: str
    split_spans: str | None
    texts: str
    tokenizer: str | None
    scored_documents: str
    ignore_words: bool
    grounding: Any
    asked_labels: Sequence[str] | None
    aliases: Mapping[str, str] | None
    offsets: str | None
    answer_format: str
    item_mention_key: str | None
    item_label_key: str | None


class DrawArguments(TypedDict, total=False):
    """Arguments for resampling, see `statistics.Resampling`.

    Attributes:
        interval_method: `bca` or `percentile`.
        n_resamples: the number of resampled corpora.
        seed: the seed of the random generator.
    """

    interval_method: str
    n_resamples: int
    seed: int


class DrawnSideArguments(SideArguments, DrawArguments, total=False):
    """Arguments for reading sides and for resampling."""


_OWNERS = (LabelDecoding, LabelChoice, Pairing, Resampling)
"""The dataclasses that declare these arguments as options with defaults."""


def shares(arguments: type, *owners: type) -> Callable[[Function], Function]:
    """Write the keys of a typed dictionary into a function's signature, with their declared defaults.

    Args:
        arguments: the typed dictionary.
        *owners: dataclasses that declare further options besides those for reading and resampling.
    """
    declared = {name: option for owner in (*_OWNERS, *owners) for name, option in options_of(owner).items()}

    def declare(function: Function) -> Function:
        signature = inspect.signature(function)
        parameters = dict(signature.parameters)
        _, rest = parameters.popitem()
        for name, kind in inspect.get_annotations(arguments).items():
            default = declared[name].default if name in declared else None
            annotation = getattr(kind, "__forward_arg__", kind)
            parameters[name] = inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
        if rest.annotation in (Any, "Any"):
            # the other arguments are options of measures
            parameters[rest.name] = rest
        function.__dict__["__signature__"] = signature.replace(parameters=list(parameters.values()))
        return function

    return declare


def require_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Raise a `TypeError` for the first argument that the function does not have."""
    parameters = inspect.signature(function).parameters
    for name in arguments:
        if name not in parameters:
            remedy = counterpart(name) or did_you_mean(name, parameters, repr)
            problem = f"{function.__qualname__}() got an unexpected keyword argument {name!r}. {remedy}"
            raise TypeError(spelled(problem.rstrip(), spell_python))


@dataclass(frozen=True, kw_only=True)
class SideReading:
    """The reading options of a function.

    Attributes:
        decoding: how tags are decoded.
        choice: which labels are scored, and how labels are renamed.
        lengths: the documents' lengths in tokens, for spans without lengths.
        pairing: how files are paired.
    """

    decoding: LabelDecoding
    choice: LabelChoice
    pairing: Pairing
    lengths: Any = None

    @classmethod
    def of(cls, function: Callable[..., Any], arguments: Mapping[str, Any]) -> SideReading:
        """Create it from the arguments (`SideArguments`) of a function.

        Raises:
            TypeError: if the function does not have an argument.
            InputError: if a value is wrong.
        """
        require_arguments(function, arguments)
        return cls(
            decoding=made(LabelDecoding, arguments),
            choice=made(LabelChoice, arguments),
            lengths=arguments.get("lengths"),
            pairing=made(Pairing, arguments),
        )

    def for_annotators(self) -> SideReading:
        """Return these options, for several annotators; raise an `InputError` if an option needs one reference."""
        values = {**vars(self.choice), **vars(self.pairing)}
        for name, value, use in (
            ("reference_label_map", ..., f"{mention('label_map')} or {mention('ignore_labels')}"),
            ("reference_labels", True, mention("labels")),
            ("merge_overlaps", "references", setting("merge_overlaps", "all")),
        ):
            if values[name] and value in (..., values[name]):
                raise InputError(f"{setting(name, value)} needs a single reference.", f"Leave it out, or use {use}.")
        return self

    def require_none(self, clause: str) -> None:
        """Raise an `InputError` with this clause if any option for tags, labels or files is set."""
        require_no_reading(clause, self.decoding)
        self.choice.require_none(clause)
        self.require_unpaired()

    def require_unpaired(self) -> None:
        """Raise an `InputError` if an option for files or answers is set."""
        for name in changed(self.pairing):
            problem = f"{mention(name)} works only with answers of models, or with files from spanometer.read."
            raise InputError(problem, f"Leave out {mention(name)}.")

    def require_read(self) -> None:
        """Raise an `InputError` if an option for tags or spans is set, because files have been read already."""
        if self.lengths is not None or self.decoding != LabelDecoding():
            raise InputError(
                "these options have no effect on files or answers that are already read: scheme, repair, prefix, "
                "id2label, ignore_index, lengths.",
                "Pass these options to spanometer.read, or leave them out.",
            )
