"""Tags as checked, encoded columns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ..arrays import (
    as_column,
    batches,
    integers,
    is_integer,
    is_ordered,
    is_utf8,
    list_chunks,
    list_offsets,
    listed,
    listed_items,
    offsets_of,
    place_of,
    read_rows,
    run_bounds,
    strings,
    take_segments,
    typed_array,
    with_values,
)
from ..exceptions import InputError, clause_for, mention, require_kind, setting, shown, with_type
from .schemes import PREFIXES, SCHEMES, Scheme, name_problem, remedy_for, with_capital_prefix

_BLOCK = 1 << 17
"""The number of tokens that are encoded or decoded at a time."""

_OUTSIDE = frozenset({"o", "0", "_", "-", "", "none", "null", "nan", "outside"})
"""Other spellings of `O` in files, in lower case."""

_SPECIAL = re.compile(r"\[[A-Z]+\]|</?[a-z]+>|-100", re.IGNORECASE)
_UNNAMED = re.compile(r"LABEL_[0-9]+|[0-9]+")
_JOINED = re.compile(r"([A-Za-z])[-_:/.|+ ]+(.+)")

_MARK = "\0"
"""Marks a name that stands for an integer tag."""

_NUMBER = re.compile(f"{_MARK}?(-?[0-9]+)")

LABELS_REMEDY = "Write all tags with labels, such as B-PER, or all tags without labels, such as B."
_WORDS_REMEDY = (
    "Pass one list of tags for each document, such as [['B-PER', 'I-PER', 'O']] for one document. "
    "Split a string of tags with 'B-PER I-PER O'.split()."
)


@dataclass(frozen=True, eq=False)
class Tags:
    """The tags of one side, encoded as integers.

    Attributes:
        codes: the index of each token's tag in `names`, document after document, in the smallest unsigned type.
        names: the distinct tags.
        offsets: int64, shape (documents + 1). Document d has the tokens `offsets[d]` to `offsets[d + 1]`.
        reading: options for reading the file that do not have their defaults and can change scores, for the signature.
        sentence: a number for each token that changes where a sentence, and so a span, ends within a document; None if
            spans end only with their documents.
    """

    codes: np.ndarray
    names: tuple[str, ...]
    offsets: np.ndarray
    reading: Mapping[str, str] = field(default_factory=dict)
    sentence: np.ndarray | None = None

    @classmethod
    def from_lists(cls, documents: Iterable[Sequence[str]]) -> Self:
        """Encode lists, tuples or NumPy rows of tags. Integer tags get temporary names, see `renamed`."""
        return cls.from_arrow(pa.chunked_array(list_arrays(documents), pa.list_(pa.string())))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Self:
        """Encode an Arrow column of lists of strings (also dictionary-encoded) or of integer tags."""
        require_kind(column, (pa.Array, pa.ChunkedArray), "an Arrow column", _WORDS_REMEDY)
        chunks = _checked_chunks(column, 0)
        lengths = [np.diff(integers(chunk.offsets)) for chunk in chunks]
        offsets = offsets_of(np.concatenate(lengths) if lengths else [])
        # unlike .values, flatten() follows slices
        codes, names = _encode((chunk.flatten() for chunk in chunks), int(offsets[-1]))
        return cls(codes, names, offsets)

    @classmethod
    def each_once(cls, names: Sequence[str]) -> Self:
        """Create one document that has each of these tags once."""
        return cls(np.arange(len(names)), tuple(names), np.array([0, len(names)]))

    @property
    def lengths(self) -> np.ndarray:
        """The documents' lengths in tokens, int64."""
        return np.diff(self.offsets)

    @cached_property
    def sentence_offsets(self) -> np.ndarray:
        """The boundaries of documents and of the sentences in them."""
        return self.offsets if self.sentence is None else np.union1d(self.offsets, run_bounds(self.sentence)[0])

    def blocks(self) -> Iterator[tuple[int, Self]]:
        """Yield blocks of whole documents, with the number of the first document; one empty block if there are none."""
        first, last = run_bounds(self.offsets[:-1] // _BLOCK)
        for begin, end in zip(first.tolist() or [0], last.tolist() or [0], strict=True):
            yield begin, self.between(begin, end)

    def between(self, first: int, last: int) -> Self:
        """Select documents `first` to `last` (exclusive)."""
        offsets = self.offsets[first : last + 1]
        return self._with_tokens(slice(offsets[0], offsets[-1]), offsets - offsets[0])

    def _with_tokens(self, tokens: np.ndarray | slice, offsets: np.ndarray) -> Self:
        sentence = None if self.sentence is None else self.sentence[tokens]
        return replace(self, codes=self.codes[tokens], offsets=offsets, sentence=sentence)

    def labels_as_tags(self) -> Self:
        """Convert labels without prefixes to IO tags: `NOUN` becomes `I-NOUN`, `O` is kept.

        Raises:
            InputError: if the tags have prefixes.
        """
        named = [code for code, name in enumerate(self.names) if name != "O"]
        parts = [split_tag(self.names[code]) for code in named]
        if named and all(prefix in PREFIXES and label for prefix, label in parts):
            problem = f"{setting('prefix', False)} is set, but tags have prefixes, as in {shown(self.names[named[0]])}."
            raise self.refusal(named[0], problem, f"Leave out {setting('prefix', False)}.")
        return replace(self, names=tuple(name if name == "O" else f"I-{name}" for name in self.names))

    def with_outside(self, outside: str | None) -> Self:
        """Read the tag `outside` as `O`. `o` also accepts lower-case prefixes; `nothing` reads every tag as a label."""
        if outside is None or "outside" in self.reading:
            return self
        read = replace(self, reading={**self.reading, "outside": outside})
        if outside == "nothing":
            return replace(read, names=tuple(f"I-{name}" for name in self.names))
        if outside not in self.names:
            return read
        changed = with_capital_prefix if outside == "o" else str
        number: dict[str, int] = {}
        codes = [number.setdefault("O" if name == outside else changed(name), len(number)) for name in self.names]
        return replace(read, codes=np.array(codes, dtype=self.codes.dtype)[self.codes], names=tuple(number))

    def suffixes_as_prefixes(self) -> Self:
        """Move suffixes of tags to the front: `PER-B` becomes `B-PER`.

        Raises:
            InputError: if a tag does not end in a prefix.
        """
        names = []
        for code, name in enumerate(self.names):
            label, _, prefix = name.rpartition("-")
            if not (name == "O" or (prefix in PREFIXES and (label or name == prefix))):
                suffix, listed = setting("suffix", True), ", ".join(sorted(PREFIXES))
                problem = f"{shown(name)} does not end in one of {listed} ({suffix})."
                raise self.refusal(code, problem, f"Write tags such as 'PER-B' or 'O', or remove {suffix}.")
            names.append(f"{prefix}-{label}" if label else name)
        return replace(self, names=tuple(names))

    def take(self, kept: np.ndarray) -> Self:
        """Keep only the flagged tokens, in the same documents."""
        return self._with_tokens(kept, offsets_of(kept)[self.offsets])

    def of_documents(self, documents: np.ndarray) -> Self:
        """Select documents in the given order."""
        counts, taken = take_segments(self.offsets, documents)
        return self._with_tokens(taken, offsets_of(counts))

    def renamed(self, labels: Sequence[str] | None, ignore_index: int | None) -> Self:
        """Replace integer tags (also as strings) by their tags; other names are kept.

        Args:
            labels: the tag of each integer, in order; None if unknown.
            ignore_index: an integer that needs no tag.

        Raises:
            InputError: if an integer has no tag.
        """
        names = list(self.names)
        for code, name in enumerate(names):
            number = self._number(name) if labels is not None or _MARK in name else None
            if number is None:
                continue
            if labels is not None and 0 <= number < len(labels):
                names[code] = f"{'I-' if name.startswith('I-') else ''}{labels[number]}"
            elif labels is not None and number == ignore_index and not (self.codes == code).any():
                names[code] = "O"
            else:
                raise self.refusal(code, *_unnamed(number, labels))
        return replace(self, names=tuple(names))

    def has_number(self, number: int | None) -> np.ndarray:
        """Flag the tokens with this integer tag; None flags no token."""
        codes = [code for code, name in enumerate(self.names) if number is not None and self._number(name) == number]
        return np.isin(self.codes, codes) if codes else np.zeros(len(self.codes), dtype=bool)

    def _number(self, name: str) -> int | None:
        """Return the integer that a temporary name stands for; None if the name is a tag."""
        # tags that were read as labels have got a prefix
        match = _NUMBER.fullmatch(name.removeprefix("I-") if self.reading.get("outside") == "nothing" else name)
        return None if match is None else int(match[1])

    def refusal(self, code: int, problem: str, remedy: str) -> InputError:
        """Create an error about the first token with this tag index."""
        document, position = place_of(self.offsets, int(np.argmax(self.codes == code)))
        return InputError(problem, remedy, document=document, position=position)


def _encode(arrays: Iterable[pa.Array], tokens: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode strings as integers in the order of their first occurrence, in blocks to save memory."""
    codes, names, filled = np.zeros(tokens, dtype=np.uint8), dict[str, int](), 0
    for block in (values.slice(start, _BLOCK) for values in arrays for start in range(0, len(values), _BLOCK)):
        indices, dictionary = _encoded(block)
        numbers = [names.setdefault(name, len(names)) for name in dictionary]
        if len(names) > np.iinfo(codes.dtype).max + 1:
            codes = codes.astype(np.min_scalar_type(len(names)))
        codes[filled : filled + len(block)] = np.array(numbers, dtype=codes.dtype)[indices]
        filled += len(block)
    return codes, tuple(names)


def _encoded(block: pa.Array) -> tuple[np.ndarray, list[str]]:
    """Encode strings as indices into the distinct strings, which are in the order of their first occurrence."""
    if pa.types.is_dictionary(block.type):
        # the caller's dictionary may have unused or repeated tags
        encoded = block.indices.dictionary_encode()
        return integers(encoded.indices), block.dictionary.take(encoded.dictionary).to_pylist()
    if pa.types.is_integer(block.type):
        numbers = block.dictionary_encode()
        return integers(numbers.indices), [f"{_MARK}{number}" for number in numbers.dictionary.to_pylist()]
    encoded = (block if pa.types.is_string(block.type) else block.cast(pa.string())).dictionary_encode()
    return integers(encoded.indices), encoded.dictionary.to_pylist()


def split_tag(tag: str) -> tuple[str, str | None]:
    """Split a tag into prefix and label; the label is None for `O` and for a prefix without a label."""
    prefix, hyphen, label = tag.partition("-")
    return (prefix, label) if hyphen else (tag, None)


def check_names(tags: Tags, scheme: Scheme | None) -> None:
    """Check that every distinct tag is `O`, or has a label and a prefix of the scheme (None: of any scheme).

    Prefixes without labels (`B`, `I`) are allowed if no tag has a label.

    Raises:
        InputError: for the first token whose tag cannot be read.
    """
    allowed = PREFIXES if scheme is None else scheme.prefixes.keys()
    parts = [split_tag(name) for name in tags.names]
    labelled = any(label is not None for _, label in parts)
    for code, (prefix, label) in enumerate(parts):
        if prefix == "O" and label is None:
            continue
        bare = label is None and not labelled
        if prefix in allowed and (bare or (label is not None and not name_problem(label, "label"))):
            continue
        raise tags.refusal(code, *_unreadable(tags.names[code], prefix, label, scheme))


def _unreadable(tag: str, prefix: str, label: str | None, scheme: Scheme | None) -> tuple[str, str]:
    allowed = sorted(PREFIXES) if scheme is None else list(scheme.prefixes)
    prefixes = f"{'known prefix' if scheme is None else f'{scheme.name} prefix'} ({', '.join(allowed)} or O)"
    last = tag.rpartition("-")[2]
    text = shown(tag)
    if prefix in allowed:
        if label is None:
            return f"{text} has no label, but other tags have a label.", LABELS_REMEDY
        return f"in {text}, {name_problem(label, 'label')}", "Write a label after the hyphen, as in 'B-PER'."
    if prefix not in PREFIXES and prefix != tag and last in PREFIXES:
        behind = clause_for("suffix", f", or set {setting('suffix', True)}")
        problem = f"in {text}, the prefix {last} comes after the label."
        return problem, f"Write {shown(last + '-' + tag.rpartition('-')[0])}{behind}."
    if prefix == "O":
        return f"{text} has a label, but O means outside all spans.", "For a token outside all spans, write 'O'."
    if scheme is not None and prefix in PREFIXES:
        schemes = ", ".join(name for name, candidate in SCHEMES.items() if prefix in candidate.prefixes)
        problem = f"{text} has no {prefixes}. {prefix} is used in {schemes}."
        return problem, f"Set {setting('scheme')} to the scheme of the tags."
    return f"{text} has no {prefixes}.", _remedy(tag)


def _remedy(tag: str) -> str:
    """Suggest how to correct a tag without a prefix."""
    if tag.startswith("(") or tag.endswith(")"):
        named = setting("format", "conll2012")
        return f"Brackets are not tags. To read coreference mentions as in CoNLL-2012, set {named}."
    if _NUMBER.fullmatch(tag):
        named = clause_for("id2label", f", or pass {setting('id2label')}")
        read = clause_for("outside", f". If '0' marks tokens outside spans, set {setting('outside', tag)}")
        remedy = f"If the numbers stand for tags, write tags such as 'B-PER'{named}"
        return f"{remedy}{read if tag == '0' else ''}."
    if tag.lower() in _OUTSIDE:
        read = clause_for("outside", f", or set {setting('outside', tag)}") if tag else ""
        return f"If {shown(tag)} marks tokens outside spans, write 'O' instead{read}."
    if _SPECIAL.fullmatch(tag):
        return "Leave out padding and other special tokens, in the references and in the predictions."
    if _UNNAMED.fullmatch(tag):
        named = clause_for("id2label", f", or name the model's tags with {setting('id2label')}")
        return f"{tag} comes from a model without names for its tags. Replace {tag} with a tag such as 'B-PER'{named}."
    joined = _JOINED.fullmatch(tag)
    if joined and joined[1].upper() in PREFIXES:
        return f"Write an upper-case prefix and a hyphen before the label: {shown(f'{joined[1].upper()}-{joined[2]}')}."
    labels = f". If the tags are labels without prefixes, such as parts of speech, set {setting('prefix', False)}"
    return f"Write tags such as 'O' or 'B-PER'{clause_for('prefix', labels)}."


def common_codes(*sides: Tags) -> tuple[list[np.ndarray], tuple[str, ...]]:
    """Convert the tags of all sides to indices of a common list of tags. Returns the indices and the list."""
    number = {name: code for code, name in enumerate(dict.fromkeys(chain(*(side.names for side in sides))))}
    kind = np.min_scalar_type(len(number))
    return [np.array([number[name] for name in side.names], kind)[side.codes] for side in sides], tuple(number)


def is_tags(type_: pa.DataType) -> bool:
    """Check whether an Arrow type is a list of tags or integer tags."""
    if not (pa.types.is_list(type_) or pa.types.is_large_list(type_)):
        return False
    value = type_.value_type
    if pa.types.is_integer(value):
        return True
    if pa.types.is_dictionary(value):
        value = value.value_type
    return any(is_type(value) for is_type in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null))


def list_arrays(documents: Iterable[Sequence[str]], first_document: int = 0) -> list[pa.ListArray]:
    """Check lists of tags and convert them to Arrow arrays, one array for each thousand documents.

    Args:
        documents: a sequence of tags or integer tags for each document, or an Arrow column of them. Integers become
            strings, see `Tags.renamed`.
        first_document: the number of the first document, for errors.

    Raises:
        InputError: if a document is not a sequence of tags, or if a tag is not a string or an integer.
    """
    column = as_column(documents)
    if column is not None:
        return [with_values(chunk, _named(chunk.flatten())) for chunk in _checked_chunks(column, first_document)]
    rows = read_rows(documents, first_document, _WORDS_REMEDY)
    return [_list_array(part, first_document + first) for first, part in batches(rows)]


def _list_array(rows: Sequence[Sequence[str]], first_document: int) -> pa.ListArray:
    flat = list(chain.from_iterable(rows))
    as_text = not flat or isinstance(flat[0], str)
    values = typed_array(flat, pa.string() if as_text else pa.int64())
    if values is None:
        raise _bad_tag(rows, first_document)
    return pa.ListArray.from_arrays(list_offsets(rows), _named(values))


def _checked_chunks(column: pa.Array | pa.ChunkedArray, first_document: int) -> list[pa.Array]:
    """Split an Arrow column into chunks; raise an `InputError` unless it has lists of tags or integer tags."""
    if not is_tags(column.type):
        raise InputError(f"expected lists of tags, but got a column of type {column.type}.", _WORDS_REMEDY)
    chunks = list_chunks(column)
    for chunk in chunks:
        values = chunk.flatten()
        named = pa.types.is_dictionary(values.type) and values.dictionary.null_count
        if chunk.null_count or values.null_count or named:
            for document, row in enumerate(chunk.to_pylist(), first_document):
                if row is None:
                    raise InputError("this document is None.", _WORDS_REMEDY, document=document)
                if None in row:
                    # other values may be integer tags
                    raise _bad_tag([["" if tag is not None else None for tag in row]], document)
        first_document += len(chunk)
    return chunks


def _named(values: pa.Array) -> pa.StringArray:
    """Convert tags to strings, and integer tags to temporary names."""
    if not pa.types.is_integer(values.type):
        return values.cast(pa.string())
    indices, names = _encoded(values)
    return strings(indices, names)


def _unnamed(number: int, labels: Sequence[str] | None) -> tuple[str, str]:
    """Describe the problem of an integer that has no tag, and the remedy."""
    if labels is None:
        problem = f"the tag is the integer {number}, but the names of the tags are missing."
        return problem, f"Pass the names of the tags with {setting('id2label')}."
    problem = f"{mention('id2label')} has no tag for the integer {number}, only for 0 to {len(labels) - 1}."
    ignored = f"To leave a token out of the score, set its reference tag to the value of {mention('ignore_index')}."
    return problem, f"Put all tags into {mention('id2label')}. {ignored}"


def _bad_tag(rows: Sequence[Sequence[Any]], first_document: int) -> InputError:
    others = any(isinstance(tag, str) for tag in chain.from_iterable(rows))
    for document, row in enumerate(rows, first_document):
        for position, tag in enumerate(row):
            if isinstance(tag, str) and not is_utf8(tag):
                problem = f"{shown(tag)} is not valid Unicode."
                remedy = "Remove or replace the unpaired surrogate."
                return InputError(problem, remedy, document=document, position=position)
            # without strings, integers of 64 bits are tags
            if not isinstance(tag, str) and (others or not is_integer(tag) or abs(tag) >= 1 << 63):
                problem = f"the tag is {with_type(tag)}, {'but other tags are strings' if others else 'not a string'}."
                return InputError(problem, remedy_for(tag), document=document, position=position)
    return InputError("the tags cannot be stored as UTF-8 text.", _WORDS_REMEDY)


def read_id2label(id2label: Any) -> tuple[str, ...]:
    """Return the tag of each integer, in order.

    Args:
        id2label: a list of tags, a mapping from integers (or their strings, as in JSON) to tags, a model's
            configuration, or a (list of a) `ClassLabel` feature.

    Raises:
        InputError: if integers are not 0, 1, 2 ..., or if tags are not strings or occur twice.
    """
    remedy = "Pass the model's id2label, {0: 'O', 1: 'B-PER', ...}, or a list of tags."
    refusal = partial(InputError, remedy=remedy, option="id2label")
    labels = getattr(id2label, "id2label", id2label)
    labels = getattr(getattr(labels, "feature", labels), "names", labels)
    if not isinstance(labels, Mapping) and is_ordered(labels):
        labels = dict(enumerate(listed(labels, remedy, option="id2label")))
    if not isinstance(labels, Mapping):
        raise refusal(f"{setting('id2label', id2label)} does not map integers to tags.")
    entries = listed_items(labels, remedy, option="id2label")
    tags = {_label_number(key): tag for key, tag in entries}
    numbers: dict[Any, int] = {}
    for number in range(max(len(entries), 1)):
        if number not in tags:
            raise refusal(f"{mention('id2label')} has no tag for {number}; its keys must be 0, 1, 2 and so on.")
        tag = tags[number]
        if not isinstance(tag, str):
            raise refusal(f"in {mention('id2label')}, the integer {number} has the tag {shown(tag)}, not a string.")
        if (first := numbers.setdefault(tag, number)) != number:
            raise refusal(f"{mention('id2label')} has the tag {shown(tag)} twice, for {first} and {number}.")
    return tuple(numbers)


def _label_number(key: object) -> int | None:
    """Convert a key of id2label to an integer (keys are strings in JSON); None for other keys."""
    if isinstance(key, str):
        return int(key) if key.isascii() and key.isdecimal() else None
    return int(key) if is_integer(key) and key >= 0 else None


def readable(labels: Sequence[str]) -> list[Tags]:
    """Return one document with all of these tags; an empty list if there are none or one cannot be read."""
    tags = Tags.each_once(labels)
    try:
        check_names(tags, None)
    except InputError:
        return []
    return [tags] if labels else []
