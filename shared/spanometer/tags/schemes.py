"""The eight tag schemes as data, and the choice of labels to score.

Every scheme maps its prefixes to the five roles of IOBES. A span is a run of tags of the same label in which each tag
*continues* the previous one (I or E after B or I). Schemes differ in their prefixes, and in the roles that may *open*
and *close* a span. From these follow the legal pairs of tags. Tokens outside spans, and the ends of a document, have
the role O.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import LOGITS_REMEDY, is_integer
from ..exceptions import InputError, has_control_characters, mention, require_choice, setting
from ..options import escaped, option, options_of, unescaped

ROLES = ("O", "B", "I", "E", "S")
OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)


@dataclass(frozen=True)
class Scheme:
    """A tag scheme.

    Attributes:
        name: the value of `scheme=`.
        prefixes: maps the prefixes of tags to their roles.
        opens: the roles that may open a span.
        closes: the roles that may close a span.
        writes: the prefixes of a one-token span, and of the first, inner and last token of longer spans.
        opens_beside: the roles that may open a span only directly after a tag of the same label.
        closes_beside: the roles that may close a span only directly before a tag of the same label.
    """

    name: str
    prefixes: dict[str, str]
    opens: str
    closes: str
    writes: str
    opens_beside: str = ""
    closes_beside: str = ""

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the scheme's prefixes."""
        return frozenset(self.prefixes.values())

    def legal(self) -> np.ndarray:
        """Compute the legal pairs of neighbouring tags, bool, shape (previous role, role, same label)."""
        return np.asarray(CONTINUES | (self.may_open() & self.may_close()))

    def may_open(self) -> np.ndarray:
        """Compute the pairs whose second tag may open a span or is outside; same shape as `legal`."""
        table = np.zeros((5, 5, 2), dtype=bool)
        table[:, _indices("O" + self.opens)] = True
        table[1:, _indices(self.opens_beside), 1] = True
        return table

    def may_close(self) -> np.ndarray:
        """Compute the pairs whose first tag may close a span or is outside; same shape as `legal`."""
        table = np.zeros((5, 5, 2), dtype=bool)
        table[_indices("O" + self.closes)] = True
        table[_indices(self.closes_beside), 1:, 1] = True
        return table


def _indices(roles: str) -> list[int]:
    return [ROLES.index(role) for role in roles]


def continuations(previous: str, current: str, same_label: Sequence[int] = (1,)) -> np.ndarray:
    """Return the table of the pairs of roles in which the second tag continues the span of the first.

    `same_label` is (0, 1) if labels do not matter.
    """
    table = np.zeros((5, 5, 2), dtype=bool)
    table[np.ix_(_indices(previous), _indices(current), same_label)] = True
    return table


CONTINUES = continuations("BI", "IE")
"""The pairs that continue a span, in every scheme (the rule of the CoNLL script). Shape (previous role, role, same)."""

SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("IO", {"I": "I"}, opens="I", closes="I", writes="IIII"),
        Scheme("IOB1", {"I": "I", "B": "B"}, opens="I", closes="IB", writes="IIII", opens_beside="B"),
        Scheme("IOB2", {"I": "I", "B": "B"}, opens="B", closes="IB", writes="BBII"),
        Scheme("IOE1", {"I": "I", "E": "E"}, opens="IE", closes="I", writes="IIII", closes_beside="E"),
        Scheme("IOE2", {"I": "I", "E": "E"}, opens="IE", closes="E", writes="EIIE"),
        Scheme("IOBES", {"I": "I", "B": "B", "E": "E", "S": "S"}, opens="BS", closes="ES", writes="SBIE"),
        Scheme("BILOU", {"B": "B", "I": "I", "L": "E", "U": "S"}, opens="BS", closes="ES", writes="UBIL"),
        Scheme("BMES", {"B": "B", "M": "I", "E": "E", "S": "S"}, opens="BS", closes="ES", writes="SBME"),
    )
}

SYNONYMS = {"BIO": "IOB2", "BIO1": "IOB1", "BIO2": "IOB2", "BIOES": "IOBES", "BILUO": "BILOU", "BIOUL": "BILOU"}
"""Synonyms of schemes."""

PREFIXES = frozenset(prefix for scheme in SCHEMES.values() for prefix in scheme.prefixes)

# Schemes are guessed in this order: the first that has all the prefixes. IOB1 and IOE1 have the prefixes of
# IOB2 and IOE2 and are never guessed.
_GUESSES = ("IO", "IOB2", "IOE2", "IOBES", "BILOU", "BMES")


def canonical(name: str) -> str:
    """Replace other spellings and synonyms of a scheme's name by the name; return other texts unchanged."""
    if not isinstance(name, str):
        return name
    scheme = SYNONYMS.get(name.upper(), name.upper())
    return scheme if scheme in SCHEMES else name


def get_scheme(name: str) -> Scheme:
    """Return a scheme by name or synonym; raise an `InputError` if there is none."""
    name = canonical(name)
    require_choice("scheme", name, tuple(SCHEMES))
    return SCHEMES[name]


def infer_scheme(prefixes: frozenset[str]) -> Scheme:
    """Infer the scheme from the prefixes on both sides.

    Only I (or no prefixes): IO. B, I: IOB2. I, E: IOE2. E with B, or S: IOBES. L or U: BILOU. M: BMES. IOB1 and IOE1
    look like IOB2 and IOE2 and are never inferred.

    Raises:
        InputError: if no scheme has all these prefixes.
    """
    for name in _GUESSES:
        if prefixes <= SCHEMES[name].prefixes.keys():
            return SCHEMES[name]
    remedy = "Write all tags in one scheme. To convert files, use spanometer convert."
    raise InputError(f"no scheme has all of these prefixes: {', '.join(sorted(prefixes))}.", remedy)


def encode(
    scheme: Scheme, start: np.ndarray, end: np.ndarray, adjacent: np.ndarray, tokens: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode spans that do not overlap as prefixes.

    Args:
        scheme: the scheme to write.
        start, end: the boundaries of the spans in text order, ends exclusive.
        adjacent: whether span i directly follows span i - 1 and has the same label, shape (spans + 1); False at both
            ends.
        tokens: the length of the text.

    Returns:
        The index of each token's prefix, uint8, and the list of prefixes, `"O"` first.
    """
    prefixes = ("O", *scheme.prefixes)
    single, first, inner, last = (prefixes.index(prefix) for prefix in scheme.writes)
    change = np.zeros(tokens + 1, dtype=np.int8)
    change[start] += 1
    change[end] -= 1
    # spans do not overlap: the sums are 0 and 1
    codes = np.cumsum(change[:-1], dtype=np.int8).astype(np.uint8) * np.uint8(inner)
    codes[start] = first
    codes[end - 1] = last
    codes[start[end - start == 1]] = single
    for prefix, role in scheme.prefixes.items():
        if role in scheme.opens_beside:
            codes[start[adjacent[:-1]]] = prefixes.index(prefix)
        if role in scheme.closes_beside:
            codes[end[adjacent[1:]] - 1] = prefixes.index(prefix)
    return codes, prefixes


_SEPARATORS = ",="
"""The characters that separate names in text."""

_LONGEST_LIST = 100
"""Lists of labels that are longer than this are replaced by a hash in signatures."""

_CASES: Mapping[str | None, Callable[[str], str]] = {None: str, "upper": str.upper, "lower": str.lower}


def label_map_in(text: str, name: str = "label_map", *, leaves_out: bool = False) -> dict[str, str]:
    """Read `label_map`, or a similar option, from text such as `PER=PERSON,B-geo=LOC`.

    If `leaves_out` is True, a new label may be empty.
    """
    labels: dict[str, str] = {}
    for pair in text.split(","):
        old, equals, new = (unescaped(part.strip(), _SEPARATORS) for part in pair.partition("="))
        if not old or not (new or (equals and leaves_out)):
            remedy = "Write PER=PERSON,LOC=PLACE, or give a file with one pair on each line."
            raise InputError(f"{mention(name)}: {pair!r} is not of the form OLD=NEW.", remedy, option=name)
        if labels.setdefault(old, new) != new:
            raise InputError(f"{mention(name)} maps {old!r} twice.", "Map each label once.")
    return labels


def labels_in(text: str) -> list[str]:
    """Read labels from text such as `PER,LOC`; a comma inside a label is written as `%2C`."""
    return [unescaped(label.strip(), _SEPARATORS) for label in text.split(",")]


def labels_option(help: str = "", **details: Any) -> Any:
    """Declare an option that is a list of labels, with the default None."""
    return option(None, help=help, type="list of str", optional=True, parse=labels_in, **details)


@dataclass(frozen=True, kw_only=True)
class LabelChoice:
    """The labels to score. Labels are renamed and selected after decoding.

    Labels are converted to one case, then renamed by `label_map`, then in the reference (the first side) by
    `reference_label_map`, and then selected. Each map renames all labels at once. An old label may have a prefix:
    `B-geo` means `geo`. Spans with the same tokens and the same new label become one span. An empty new label in
    `reference_label_map` works as flair's exclude_labels.

    Attributes:
        label_map: rename labels: map old names (or tags such as B-geo) to new names; other labels keep their names.
        reference_label_map: rename labels only in the reference. OLD= (without NEW) removes reference spans with the
            label OLD. Predicted spans with the same tokens as a removed span are also removed.
        labels: score only these labels; if labels are renamed, use the new names.
        ignore_labels: ignore all spans with these labels; if labels are renamed, use the new names.
        label_case: convert labels to one case.
        reference_labels: ignore predicted spans whose labels are not in the reference.

    Raises:
        InputError: if a value is invalid, or if a label is both selected and ignored.
    """

    label_map: Mapping[str, str] | None = option(None, type="dict of str", metavar="OLD=NEW,...", parse=label_map_in)
    reference_label_map: Mapping[str, str] | None = option(
        None,
        type="dict of str",
        metavar="OLD=NEW,...",
        parse=partial(label_map_in, name="reference_label_map", leaves_out=True),
    )
    labels: Sequence[str] | None = labels_option(metavar="A,B", common=True)
    ignore_labels: Sequence[str] | None = labels_option(metavar="A,B", common=True)
    label_case: str | None = option(None, choices={"upper": "loc becomes LOC", "lower": "LOC becomes loc"})
    reference_labels: bool = option(False, kind=bool)

    def __post_init__(self) -> None:
        """Check the values."""
        for name, empty in (("label_map", None), ("reference_label_map", "")):
            names = getattr(self, name)
            fits = isinstance(names, Mapping) and _are_names(names)
            fits = fits and _are_names(new for new in names.values() if not new == empty == "")
            if names is not None and not fits:
                raise options_of(self)[name].refusal(names, "Use a mapping of names such as {'PER': 'PERSON'}.")
            if any(new == "O" != old for old, new in (names or {}).items()):
                remedy = f"'O' is not a label. To leave out a label, list it in {mention('ignore_labels')}."
                raise options_of(self)[name].refusal(names, remedy)
        boundaries = f" To compare only boundaries, set {setting('match_labels', False)}."
        for name, end in (("labels", boundaries), ("ignore_labels", "")):
            listed = getattr(self, name)
            fits = isinstance(listed, (list, tuple, set, frozenset)) and _are_names(listed)
            if listed is not None and not (fits and (listed or not end)):
                raise options_of(self)[name].refusal(listed, f"Use a list of names such as ['PER', 'LOC'].{end}")
        for label in sorted({*(self.labels or ())} & {*(self.ignore_labels or ())}):
            problem = f"{label!r} is in both {mention('labels')} and {mention('ignore_labels')}."
            raise InputError(problem, "Use each label in only one of these options.", option="ignore_labels")
        for name in ("label_case", "reference_labels"):
            options_of(self)[name].check(getattr(self, name))

    @property
    def chosen(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in options_of(LabelChoice)}

    @property
    def chooses(self) -> bool:
        """Whether any label is renamed or removed."""
        return any(self.chosen.values())

    def require_none(self, clause: str) -> None:
        """Raise an `InputError` with this clause if options for labels are set for input without labels."""
        if self.chooses:
            listed = ", ".join(self.chosen)
            raise InputError(f"{listed} are for tags or spans, but {clause}.", "Leave out these options.")

    def signed(self) -> dict[str, object]:
        """Write the options for the signature; long texts are replaced by a hash."""
        one = (str, bool, np.bool_)
        return {key: each if isinstance(each, one) else signed_names(each) for key, each in self.chosen.items() if each}

    def of_sides(self, sides: Mapping[str, Any]) -> dict[str, Any]:
        """Rename and select the labels of several sides (`Spans` by name), see `renamed`."""
        return dict(zip(sides, self.of(*sides.values()), strict=True))

    def of(self, *sides: Any, warn: bool = True) -> Any:
        """Rename and select the labels of several `Spans`, see `renamed`."""
        if not self.chooses:
            return sides
        names = self.renamed(*(side.labels for side in sides), warn=warn)
        first, *others = sides
        if self.reference_label_map:
            lost = set(first.relabelled({label: "_" if new == "" else "" for label, new in names[0].items()}).places())
            others = [side.picked(np.flatnonzero([place not in lost for place in side.places()])) for side in others]
        first, *others = (side.relabelled(of_side) for side, of_side in zip((first, *others), names, strict=True))
        if self.reference_labels:
            own = {first.labels[code] for code in np.unique(first.label)}
            others = [side.relabelled({name: name if name in own else None for name in side.labels}) for side in others]
        return first, *others

    def renamed(self, *sides: Sequence[str], warn: bool = True) -> list[dict[str, str | None]]:
        """Return the new name of each label of each side.

        The name is None if the label's spans are removed, and empty if predicted spans with their tokens are too.

        Args:
            *sides: the labels of each side; the first one is the reference.
            warn: whether to warn about labels that do not occur.

        Raises:
            InputError: if a label is mapped to two labels.
        """
        cased = {label: _CASES[self.label_case](label) for side in sides for label in side}
        new = self._mapped("label_map", cased, warn=warn)
        first, *others = ({label: new[label] for label in side} for side in sides)
        of_sides = [self._mapped("reference_label_map", first, warn=warn), *others]
        names = {"", *(name for side in of_sides for name in side.values())}
        kept, ignored = names if self.labels is None else {"", *self.labels}, set(self.ignore_labels or ())
        if warn:
            _warn_of("labels", kept - names, names)
            _warn_of("ignore_labels", ignored - names, names)
        return [{label: name if name in kept - ignored else None for label, name in each.items()} for each in of_sides]

    def _mapped(self, option: str, names: Mapping[str, str], *, warn: bool) -> dict[str, str]:
        """Rename the values of `names` by `label_map` or `reference_label_map`."""
        own, new_names = set(names.values()), dict[str, str]()
        for old, new in (getattr(self, option) or {}).items():
            prefix, _, label = old.partition("-")
            if old not in own and label in own and prefix in PREFIXES:
                old, new = label, new.removeprefix(f"{prefix}-") or new
            if new_names.setdefault(old, new) != new:
                problem = f"{mention(option)} maps {old!r} to both {new_names[old]!r} and {new!r}."
                raise InputError(problem, "Map each label once.", option=option)
        if warn:
            _warn_of(option, new_names.keys() - own, own)
        return {label: new_names.get(name, name) for label, name in names.items()}


def _are_names(values: Any) -> bool:
    try:
        return all(isinstance(value, str) and value and value == value.strip() for value in values)
    except Exception:
        # other classes may fail in any way
        return False


def name_problem(name: str, noun: str) -> str:
    """Say what is wrong with a name (empty, outer whitespace, control characters); empty if nothing is."""
    if not name:
        return f"the {noun} is empty."
    if has_control_characters(name):
        return f"the {noun} {name!r} has control characters."
    return "" if name == name.strip() else f"the {noun} {name!r} begins or ends with white space."


def signed_names(names: Iterable[str] | Mapping[str, str]) -> str:
    """Write names, or pairs of names, for a signature; long text is replaced by its length and hash."""
    pairs = names.items() if isinstance(names, Mapping) else ((name,) for name in names)
    listed = sorted({"=".join(escaped(name, _SEPARATORS) for name in pair) for pair in pairs})
    text = ",".join(listed)
    return text if len(text) <= _LONGEST_LIST else f"{len(listed)}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _warn_of(name: str, unknown: Iterable[str], labels: Iterable[str]) -> None:
    if listed := sorted(unknown):
        listing = ", ".join(sorted(filter(None, labels))) or "none"
        verb = "does" if len(listed) == 1 else "do"
        warnings.warn(f"{name}: {', '.join(listed)} {verb} not occur; the labels are {listing}", stacklevel=5)


def with_capital_prefix(tag: str) -> str:
    """Convert the prefix of a tag to upper case if that gives a known prefix."""
    prefix, hyphen, label = tag.partition("-")
    return f"{prefix.upper()}-{label}" if hyphen and prefix.upper() in PREFIXES else tag


def remedy_for(value: Any) -> str:
    """Suggest how to pass values that are not tags, such as logits or spans as tuples."""
    # lists of other classes may fail in any way
    plain = type(value) in (list, tuple) or (type(value) is np.ndarray and value.ndim == 1)
    items = list(value) if plain else []
    numbers, texts = list(filter(is_integer, items)), [item for item in items if isinstance(item, str)]
    if (len(items), len(numbers), len(texts)) == (3, 2, 1):
        return f"Write a span as a dictionary: {{'start': {numbers[0]}, 'end': {numbers[1]}, 'label': {texts[0]!r}}}."
    if items and all(isinstance(item, (float, np.floating)) for item in items):
        return LOGITS_REMEDY
    return "Write all tags as strings such as 'B-PER', or all as integers."
