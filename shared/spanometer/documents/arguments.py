"""The reading arguments that Python functions share."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from ..counts.statistics import Resampling
from ..exceptions import InputError, mention, spell_python, spelled
from ..options import changed, counterpart, made, options_of
from ..spans.annotations import require_no_reading
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from .pairing import Pairing

Function = TypeVar("Function", bound=Callable[..., Any])


class LabelArguments(TypedDict, total=False):
    """Arguments that choose the labels to score in tags and spans, see `schemes.LabelChoice`.

    Attributes:
        label_map: a mapping of old labels to new ones.
        reference_label_map: a mapping of labels of the first side alone; an empty new label leaves spans out.
        labels: score only these labels; use the new names of renamed labels.
        ignore_labels: leave out spans with these labels on all sides; use the new names of renamed labels.
        label_case: convert labels to this case, `upper` or `lower`.
        reference_labels: leave out spans with labels that the first side does not have.
    """

    label_map: Mapping[str, str] | None
    reference_label_map: Mapping[str, str] | None
    labels: Sequence[str] | None
    ignore_labels: Sequence[str] | None
    label_case: str | None
    reference_labels: bool


class DecodingArguments(TypedDict, total=False):
    """Arguments that set how tags are read.

    Attributes:
        scheme: the scheme of tags; None detects it from the prefixes of all sides.
        repair: how to handle illegal tags, see `decoding.decode`.
        prefix: whether tags have prefixes, see `Spans.from_tags`.
        id2label: the tags that label numbers stand for: a list, a mapping, a model's configuration, or a `ClassLabel`
            feature.
        ignore_index: leave out the positions where the first side has this label number, on all sides.
    """

    scheme: str | None
    repair: str
    prefix: bool
    id2label: Any
    ignore_index: int | None


class TagArguments(DecodingArguments, LabelArguments, total=False):
    """Arguments that set how tags are read, and which labels are scored."""


class SideArguments(TagArguments, total=False):
    """Arguments that set how sides are read: tags, spans, files or answers.

    Attributes:
        lengths: the documents' lengths in tokens, for spans and entities; not needed for tags.
        unit, to_tokens, trim, join_fragments, merge_overlaps, split_spans, texts, tokenizer, scored_documents,
            ignore_words: for files, see `pairing.Pairing`; moved and lost spans cause warnings.
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
    """Arguments of resampling for intervals, see `statistics.Resampling`.

    Attributes:
        interval_method: `bca` or `percentile`.
        n_resamples: the number of resampled corpora.
        seed: the seed of the random numbers.
    """

    interval_method: str
    n_resamples: int
    seed: int


class DrawnSideArguments(SideArguments, DrawArguments, total=False):
    """Arguments that set how sides are read, and the resampling for intervals."""


_OWNERS = (LabelDecoding, LabelChoice, Pairing, Resampling)
"""The classes that declare these arguments as options with defaults."""


def shares(arguments: type, *owners: type) -> Callable[[Function], Function]:
    """Show the arguments of a typed dictionary in a function's signature, with the declared defaults.

    Args:
        arguments: the typed dictionary.
        *owners: dataclasses that declare options besides those of reading and resampling.
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
        if rest.annotation == "Any":
            # the rest are options of measures
            parameters[rest.name] = rest
        function.__dict__["__signature__"] = signature.replace(parameters=list(parameters.values()))
        return function

    return declare


def require_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Raise a `TypeError` for the first argument that a function does not have."""
    parameters = inspect.signature(function).parameters
    for name in arguments:
        if name not in parameters:
            close = difflib.get_close_matches(name, parameters, n=1)
            remedy = counterpart(name) or (f"Did you mean {close[0]!r}?" if close else "")
            problem = f"{function.__qualname__}() got an unexpected keyword argument {name!r}. {remedy}"
            raise TypeError(spelled(problem.rstrip(), spell_python))


@dataclass(frozen=True, kw_only=True)
class SideReading:
    """The reading options of a function's sides.

    Attributes:
        decoding: how tags are decoded.
        choice: which labels are scored, and how they are mapped.
        lengths: the documents' lengths in tokens, for spans without lengths.
        pairing: how files are paired.
    """

    decoding: LabelDecoding
    choice: LabelChoice
    pairing: Pairing
    lengths: Any = None

    @classmethod
    def of(cls, function: Callable[..., Any], arguments: Mapping[str, Any]) -> SideReading:
        """Read the arguments of a function, `SideArguments`.

        Raises:
            TypeError: for an argument that the function does not have.
            InputError: for wrong values.
        """
        require_arguments(function, arguments)
        return cls(
            decoding=made(LabelDecoding, arguments),
            choice=made(LabelChoice, arguments),
            lengths=arguments.get("lengths"),
            pairing=made(Pairing, arguments),
        )

    def require_none(self, clause: str) -> None:
        """Raise an `InputError` with this clause if options of tags, labels or files are set."""
        require_no_reading(clause, self.decoding)
        self.choice.require_none(clause)
        self.require_unpaired()

    def require_unpaired(self) -> None:
        """Raise an `InputError` if options of files and answers are set."""
        for name in changed(self.pairing):
            problem = f"{mention(name)} is only for files read by spanometer.read, and for answers."
            raise InputError(problem, f"Leave out {mention(name)}.")

    def require_read(self) -> None:
        """Raise an `InputError` if options of tags and spans are set, which is too late for files."""
        if self.lengths is not None or self.decoding != LabelDecoding():
            raise InputError(
                "scheme, repair, prefix, id2label, ignore_index and lengths are for tags and spans, but these are "
                "files or grounded answers.",
                "Give them to spanometer.read, or leave them out.",
            )
