"""Decoding of tags to spans, by a scheme and a repair policy, for a whole corpus at once.

The decoder looks only at tokens inside spans, in pairs of neighbours. Tables over the roles of the two tags (see
`schemes`) say whether the second tag continues the span of the first, and whether a span may open or close between
them. A repair policy chooses the tables for illegal tags. `Validation` lists illegal pairs of tags, and the spans that
each policy decodes from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import code_type, name_codes, place_of, sorted_codes
from ..exceptions import InputError, setting, without_option
from ..options import CheckedOptions, option, options_of
from .repairs import PLACES, REPAIRS, TOOLS, Repair, actions_in, places_of, read_policy
from .schemes import BEGIN, CONTINUES, END, OUTSIDE, ROLES, SCHEMES, Scheme, canonical, get_scheme, infer_scheme
from .tags import Tags, check_names, read_id2label, split_tag

BARE_LABEL = "_"
"""The label of spans whose tags are prefixes without labels, as in seqeval."""


_FURTHER = f"the name of a tool ({', '.join(TOOLS)}), or one action for each illegal case. In IOB2, "
_FURTHER += "'open,absorb' means: an I after an O starts a span, and an I with another label continues the span"


class Decoding(CheckedOptions):
    """Options for decoding.

    Without a scheme, it is inferred from the prefixes, see `schemes.infer_scheme`.

    Attributes:
        scheme: tag scheme, inferred if not set (IOB1 and IOE1 are never inferred).
        repair: how to handle illegal tags, see `decode`.

    Raises:
        InputError: if the scheme or policy is unknown, or if the policy does not work with the scheme.
    """

    scheme: str | None = option(
        None, choices=tuple(SCHEMES), metavar="SCHEME", convert=canonical, label="Tag scheme", common=True
    )
    repair: str = option(
        "conlleval",
        help="how to handle illegal tags",
        choices={name: repair.help for name, repair in REPAIRS.items()},
        further=_FURTHER,
        offered=([TOOLS], *([place.actions for place in places] for places in PLACES.values())),
        metavar="POLICY",
        label="Illegal tags",
        common=True,
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        get_repair(self.repair, None if self.scheme is None else get_scheme(self.scheme))


class LabelDecoding(Decoding):
    """Options for decoding tags with or without prefixes.

    Tags without prefixes are read as by `Tags.labels_as_tags`. `id2label` has the tag of each integer, in the order of
    the integers, and is None if tags are strings. For `ignore_index`, see `spans.pair_from_tags`.

    Attributes:
        prefix: whether tags have prefixes, as in B-PER. Without prefixes, as in part-of-speech tags, each tag except O
            is a label, and the scheme is IO.
        id2label: tag of each integer, such as ["O", "B-PER", "I-PER"]; needed if tags are integers.
        ignore_index: ignore positions with this integer tag in the reference.

    Raises:
        InputError: if `prefix` is False and a scheme is set, or if `id2label` is invalid; see also `Decoding`.
    """

    prefix: bool = option(True, label="Tags have prefixes")
    id2label: Any = option(
        None, type="list, dict, model config or ClassLabel, optional", flag="", convert=read_id2label
    )
    ignore_index: int | None = option(-100, optional=True, flag="")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        read_prefix(self.scheme, prefix=self.prefix)

    def reading(self, scheme: str) -> dict[str, object]:
        """Describe for the signature how tags were read."""
        prefix = {} if self.prefix else {"prefix": False}
        ignored = {} if self.id2label is None else {"ignore_index": self.ignore_index}
        return {"scheme": scheme, "repair": self.repair, **prefix, **ignored}


def read_prefix(scheme: str | None, *, prefix: bool) -> str | None:
    """Check the scheme of tags; without prefixes it can only be IO."""
    if prefix:
        return scheme
    if scheme is not None and get_scheme(scheme).name != "IO":
        problem = f"tags without prefixes are read as IO, not as {get_scheme(scheme).name}."
        raise InputError(problem, f"Leave out {setting('scheme')} or {setting('prefix', False)}.", option="scheme")
    return "IO"


@dataclass(frozen=True, eq=False)
class DecodedSpans:
    """Decoded spans: document, start, end (exclusive) and label index of each span, and the label names."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    labels: tuple[str, ...]


def scheme_of(name: str | None, *sides: Tags) -> Scheme:
    """Return a scheme by name; None infers it from the prefixes on all sides, see `schemes.infer_scheme`."""
    if name is not None:
        return get_scheme(name)
    prefixes: set[str] = set()
    for tags in sides:
        check_names(tags, None)
        prefixes.update(split_tag(name)[0] for name in tags.names)
    return infer_scheme(frozenset(prefixes - {"O"}))


def get_repair(name: str, scheme: Scheme | None = None) -> Repair:
    """Return a repair policy by name, and check that it works with the scheme."""
    named = name if isinstance(name, str) else ""
    repair = REPAIRS.get(named) or TOOLS.get(named) or Repair(named, named, CONTINUES, actions=actions_in(named))
    if named not in (*REPAIRS, *TOOLS) and not repair.actions:
        names = ", ".join(map(repr, REPAIRS))
        raise options_of(Decoding)["repair"].refusal(name, f"Use {names}, {_FURTHER}.")
    if scheme is None:
        return repair
    if repair.actions:
        places_of(repair.actions, scheme, repair.name)
    missing = [role for role in repair.needs if role not in scheme.roles]
    if missing:
        lacks = f"the scheme {scheme.name} lacks {', '.join(missing)}"
        problem = f"{setting('repair', name)} needs {', '.join(repair.needs)} tags, but {lacks}."
        policies = f"{setting('repair', 'conlleval')} or {setting('repair', 'discard')}"
        raise InputError(problem, f"Use {policies}, or set {setting('scheme')} to another scheme.", option="repair")
    return repair


def decode(tags: Tags, *, scheme: str | None = None, repair: str = "conlleval") -> DecodedSpans:
    """Decode tags to spans.

    Args:
        tags: the tags of all documents.
        scheme: the name of the tag scheme; None infers it from the prefixes (see `schemes.infer_scheme`).
        repair: how to handle illegal pairs of tags. `conlleval`: as in the CoNLL script: a span is a run of tags of the
            same label in which I or E follows B or I; the first and the last tag of a span can be any. `discard`: keep
            only spans that are well-formed from first to last tag. `bes`: ignore I and O. B opens a span, E closes the
            open span, and S is a span. The label is the label of the opening tag. If B, S or the end of the document
            comes while a span is open, the span ends before it (Yang et al. 2018). Only for schemes with B, E and S
            tags. `convert`: convert to IOB2 (S to B, E to I), then `conlleval` (Lample et al. 2016). Only for schemes
            with B. `raise`: raise an error for the first illegal pair. It can also be the name of a tool in `TOOLS`, or
            a comma-separated list of actions, see `repairs`.

    Returns:
        The spans in text order.

    Raises:
        InputError: if tags cannot be read, or if the policy does not work with the scheme; with `raise`, for the
            first illegal pair.
    """
    rules = scheme_of(scheme, tags)
    policy = get_repair(repair, rules)
    if policy.refuse:
        require_legal(tags, rules, f"Fix the tags, or repair them with {setting('repair', 'conlleval')}.")
    if policy.actions:
        role, code, labels = read_roles(tags, rules)
        document, start, end, name = read_policy(policy.actions, rules, role, code, tags.offsets, tags.sentence_offsets)
        return DecodedSpans(document, start, end, *_used_labels(name, labels))
    names = _Names(tags, rules)
    # in parts, so that data stays in the processor's cache
    parts = [_decode_part(part, names, rules, policy, first) for first, part in tags.blocks()]
    document, start, end, label = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    spans = DecodedSpans(document, start, end, *_used_labels(label, names.labels))
    return spans if policy.label is None else _relabelled(spans, tags, rules, policy.label)


def _relabelled(
    spans: DecodedSpans, tags: Tags, scheme: Scheme, choose: Callable[[Sequence[str]], str]
) -> DecodedSpans:
    """Choose the label of spans with several labels, as the policy says."""
    _, codes, names = read_roles(tags, scheme)
    base = tags.offsets[spans.document]
    first, last = base + spans.start, base + spans.end - 1
    changes = np.concatenate(([0], np.cumsum(codes[1:] != codes[:-1])))
    chosen = [spans.labels[code] for code in spans.label.tolist()]
    for span in np.flatnonzero(changes[first] != changes[last]).tolist():
        chosen[span] = choose([names[code] for code in codes[first[span] : last[span] + 1].tolist()])
    label, labels = name_codes(chosen)
    return replace(spans, label=label, labels=labels)


def _decode_part(
    tags: Tags, names: _Names, scheme: Scheme, policy: Repair, first_document: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Decode some documents; returns document, start, end and label index of each span."""
    inside = _Inside(tags, names, policy.skips)
    continues = np.take(policy.continues, inside.pair) & inside.neighbours
    first = np.flatnonzero(np.concatenate(([True], ~continues))[: len(inside.token)])
    last = np.flatnonzero(np.concatenate((~continues, [True]))[: len(inside.token)])
    start, end = inside.token[first], inside.token[last] + 1
    if policy.skips:
        # a B without an E ends at the next tag, or with its sentence
        limit = tags.sentence_offsets[_documents_of(tags.sentence_offsets, inside.token) + 1]
        limit[:-1] = np.where(inside.neighbours, inside.token[1:], limit[:-1])
        end = np.where(inside.role[last] == BEGIN, limit[last], end)
        keep = inside.role[first] != END
    elif policy.well_formed:
        opens, closes = inside.well_formed(scheme)
        keep = opens[first] & closes[last]
    else:
        keep = slice(None)
    first, start, end = first[keep], start[keep], end[keep]
    document = _documents_of(tags.offsets, start)
    columns = (document + first_document, start - tags.offsets[document], end - tags.offsets[document])
    return *(column.astype(np.int32) for column in columns), inside.label[first]


def illegal_pairs(tags: Tags, scheme: Scheme) -> np.ndarray:
    """Return the illegal pairs of tags, including pairs of a last tag and the end of its document or sentence.

    Returns:
        An int64 array of shape (pairs, 2), in ascending order. For two tags: the index of the second token, and 0. For
            the end of a document or sentence: the index of its last token, and 1.
    """
    inside = _Inside(tags, _Names(tags, scheme))
    illegal = ~scheme.legal()
    after_outside = illegal[OUTSIDE, :, 0][inside.role]
    after_outside[1:] &= ~inside.neighbours
    before_outside = illegal[:, OUTSIDE, 0][inside.role]
    before_outside[:-1] &= ~inside.neighbours
    between = inside.token[1:][np.take(illegal, inside.pair) & inside.neighbours]
    left = inside.token[before_outside]
    ends_document = first_tokens(tags.sentence_offsets, len(tags.codes) + 1)[left + 1]
    token = np.concatenate([inside.token[after_outside], between, np.where(ends_document, left, left + 1)])
    at_end = np.append(np.zeros(len(token) - len(left), dtype=np.int64), ends_document)
    order = np.lexsort((at_end, token))
    return np.stack([token[order], at_end[order]], axis=1)


def read_roles(tags: Tags, scheme: Scheme) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return the role and the label index (-1 for outside tags) of each token, and the label names."""
    names = _Names(tags, scheme)
    role = names.roles[tags.codes]
    return role, np.where(role == OUTSIDE, -1, names.label_codes[tags.codes]), names.labels


class _Names:
    """The role and label index of each distinct tag, and the sorted label names.

    Raises:
        InputError: if the scheme cannot read a tag.
    """

    def __init__(self, tags: Tags, scheme: Scheme) -> None:
        check_names(tags, scheme)
        parts = [split_tag(name) for name in tags.names]
        self.labels = labels_of(tags.names)
        number = {label: code for code, label in enumerate(self.labels)}
        self.roles = np.zeros(len(parts), dtype=np.uint8)
        self.label_codes = np.zeros(len(parts), dtype=code_type(len(number)))
        for code, (prefix, label) in enumerate(parts):
            if prefix != "O":
                self.roles[code] = ROLES.index(scheme.prefixes[prefix])
                self.label_codes[code] = number[BARE_LABEL if label is None else label]


class _Inside:
    """The tokens inside spans, and pairs of consecutive such tokens.

    Attributes:
        token: the indices of the tokens, ascending.
        role: the index of each token's role, uint8.
        label: the index of each token's label.
        neighbours: for each token but the first, whether the previous token in `token` is its direct neighbour in the
            same document and sentence.
        pair: for each token but the first, the flat index of the pair in tables of shape (5, 5, 2).

    Args:
        tags: the tags.
        names: the role and label of each tag.
        skips: roles whose tokens are left out, as tokens with O are; but they do not separate their neighbours.
    """

    def __init__(self, tags: Tags, names: _Names, skips: str = "") -> None:
        kept = names.roles != OUTSIDE
        for skipped in skips:
            kept &= names.roles != ROLES.index(skipped)
        self.token = token = _tokens_of(tags.codes, kept)
        code = tags.codes[token]
        self.role, self.label = names.roles[code], names.label_codes[code]
        if skips:
            sentence = _documents_of(tags.sentence_offsets, token)
            self.neighbours = sentence[1:] == sentence[:-1]
        else:
            begins_sentence = first_tokens(tags.sentence_offsets, len(tags.codes))[token]
            self.neighbours = (token[1:] == token[:-1] + 1) & ~begins_sentence[1:]
        same_label = self.label[1:] == self.label[:-1]
        self.pair = self.role[:-1] * np.uint8(10) + self.role[1:] * np.uint8(2) + same_label

    def well_formed(self, scheme: Scheme) -> tuple[np.ndarray, np.ndarray]:
        """Flag the tokens at which a span may open, and those at which a span may close."""
        may_open, may_close = scheme.may_open(), scheme.may_close()
        opens, closes = may_open[OUTSIDE, :, 0][self.role], may_close[:, OUTSIDE, 0][self.role]
        opens[1:] = np.where(self.neighbours, np.take(may_open, self.pair), opens[1:])
        closes[:-1] = np.where(self.neighbours, np.take(may_close, self.pair), closes[:-1])
        return opens, closes


def require_legal(tags: Tags, scheme: Scheme, remedy: str, note: str = "") -> None:
    """Raise an `InputError` for the first illegal pair of tags.

    Args:
        tags: the tags of all documents.
        scheme: the scheme of the tags.
        remedy: the remedy in the error.
        note: text that is appended to the problem.
    """
    pairs = illegal_pairs(tags, scheme)
    for index, at_end in pairs[:1].tolist():
        document, position = place_of(tags.offsets, index)
        tag = tags.names[tags.codes[index]]
        part = "document" if index + at_end in tags.offsets else "sentence"
        if at_end:
            problem = f"{tag!r} cannot stand at the end of a {part}"
        elif index in tags.sentence_offsets:
            problem = f"{tag!r} cannot stand at the beginning of a {part}"
        else:
            problem = f"{tag!r} cannot follow {tags.names[tags.codes[index - 1]]!r}"
        raise InputError(f"{problem} in {scheme.name}{note}.", remedy, document=document, position=position)


def _used_labels(label: np.ndarray, labels: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Remove unused labels from label codes and names."""
    codes, used = sorted_codes(label, labels)
    return codes.astype(code_type(len(used))), used


def labels_of(tags: Iterable[str]) -> tuple[str, ...]:
    """List the sorted labels of tags with prefixes."""
    parts = map(split_tag, tags)
    return tuple(sorted({BARE_LABEL if label is None else label for prefix, label in parts if prefix != "O"}))


def _tokens_of(codes: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return the tokens with a kept tag. If only O is dropped, one comparison replaces the look-up."""
    dropped = np.flatnonzero(~kept)
    if len(dropped) == 1:
        return np.flatnonzero(codes != codes.dtype.type(dropped[0]))
    return np.flatnonzero(kept[codes])


def first_tokens(offsets: np.ndarray, tokens: int) -> np.ndarray:
    """Flag the first token of each document."""
    flags = np.zeros(tokens + 1, dtype=bool)
    flags[offsets] = True
    return flags[:tokens]


def _documents_of(offsets: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Return the document of each token; tokens are ascending."""
    # with few documents, counting their tokens is faster
    if len(offsets) < len(tokens):
        return np.repeat(np.arange(len(offsets) - 1), np.diff(np.searchsorted(tokens, offsets)))
    return np.searchsorted(offsets, tokens, side="right") - 1


@dataclass(frozen=True)
class IllegalPair:
    """Two neighbouring tags that the scheme does not allow.

    Attributes:
        document: the document.
        position: the token of the second tag; at the end of a document, the last token.
        previous: the first tag; None at the beginning of a document or sentence.
        tag: the second tag; None at the end of a document or sentence.
        policies: for each repair policy, the spans (label, start, exclusive end) that contain one of the two tokens.
    """

    document: int
    position: int
    previous: str | None
    tag: str | None
    policies: dict[str, list[tuple[str, int, int]]]

    def __str__(self) -> str:
        """Describe the pair: `I-PER after O`, `I-PER at the beginning` or `B-PER at the end`."""
        if self.tag is None:
            return f"{self.previous} at the end"
        return f"{self.tag} at the beginning" if self.previous is None else f"{self.tag} after {self.previous}"


class Validation:
    """The illegal pairs in the tags of a corpus.

    Args:
        tags: the tags of all documents.
        scheme: the name of the scheme; None infers it from the prefixes.

    Attributes:
        scheme: the scheme.
        spans: the number of spans under each repair policy that works with the scheme.
        affected: the documents with illegal pairs, ascending.

    Raises:
        InputError: if tags cannot be read.
    """

    @without_option("prefix", "id2label")
    def __init__(self, tags: Tags, *, scheme: str | None = None) -> None:
        self.scheme = scheme_of(scheme, tags)
        self._tags = tags
        self._pairs = illegal_pairs(tags, self.scheme)
        self._begins = first_tokens(tags.sentence_offsets, len(tags.codes))
        self._documents = np.searchsorted(tags.offsets, self._pairs[:, 0], side="right") - 1
        self.affected = np.unique(self._documents)
        decoded = {policy: decode(tags, scheme=self.scheme.name, repair=policy) for policy in policies_of(self.scheme)}
        self.spans = {policy: len(columns.start) for policy, columns in decoded.items()}
        self._near = {policy: self._find(columns) for policy, columns in decoded.items()} if len(self) else {}

    def __len__(self) -> int:
        """Count the illegal pairs."""
        return len(self._pairs)

    def __iter__(self) -> Iterator[IllegalPair]:
        """Yield the illegal pairs in text order."""
        tags = self._tags
        pairs = zip(self._pairs.tolist(), self._documents.tolist(), strict=True)
        for number, ((token, at_end), document) in enumerate(pairs):
            name = tags.names[tags.codes[token]]
            before = None if self._begins[token] else tags.names[tags.codes[token - 1]]
            policies = {policy: spans[number] for policy, spans in self._near.items()}
            previous, tag = (name, None) if at_end else (before, name)
            yield IllegalPair(document, token - int(tags.offsets[document]), previous, tag, policies)

    def _find(self, columns: DecodedSpans) -> list[list[tuple[str, int, int]]]:
        """Return the spans that contain a token of each pair."""
        last, at_end = self._pairs.T
        first = last - ((at_end == 0) & ~self._begins[last])
        base = self._tags.offsets[columns.document]
        # spans of one policy do not overlap, so that starts and ends ascend together
        low = np.searchsorted(base + columns.end, first, side="right")
        high = np.searchsorted(base + columns.start, last, side="right")
        near = []
        for here in map(slice, low.tolist(), high.tolist()):
            labels = [columns.labels[code] for code in columns.label[here].tolist()]
            near.append(list(zip(labels, columns.start[here].tolist(), columns.end[here].tolist(), strict=True)))
        return near


def policies_of(scheme: Scheme) -> tuple[str, ...]:
    """List the repair policies that work with a scheme, except `raise`."""
    return tuple(name for name, repair in REPAIRS.items() if not repair.refuse and scheme.roles >= {*repair.needs})
