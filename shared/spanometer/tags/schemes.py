"""The eight tag schemes, as data.

Every scheme is written in the five roles of IOBES: a span of a scheme is a run of tags of one label in which each tag
*continues* the one before it (a B or I is followed by an I or E). What differs from scheme to scheme is which prefixes
stand for the roles, and which roles may *open* and *close* a span. From these follow the legal pairs of tags. The
places outside all spans and beyond both ends of a document have the role O.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, require_choice, setting

ROLES = ("O", "B", "I", "E", "S")
OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)

ALWAYS = "always"
BESIDE_SAME = "beside a tag of the same label"


@dataclass(frozen=True)
class Scheme:
    """A tag scheme.

    Attributes:
        name: the name that `scheme=` takes.
        prefixes: the prefixes of tags, each with its role.
        opens: the roles that may open a span: `ALWAYS`, or only directly after a tag of the same label.
        closes: the roles that may close a span: `ALWAYS`, or only directly before a tag of the same label.
        writes: the prefixes that `encode` writes for a one-token span, the first, the inner and the last token.
    """

    name: str
    prefixes: dict[str, str]
    opens: dict[str, str]
    closes: dict[str, str]
    writes: tuple[str, str, str, str]

    @property
    def roles(self) -> frozenset[str]:
        """The roles that the scheme's prefixes stand for."""
        return frozenset(self.prefixes.values())

    def legal(self) -> np.ndarray:
        """Which pairs of neighbouring tags are legal: booleans of shape (previous role, role, labels are the same)."""
        return CONTINUES | (self.may_open() & self.may_close())

    def may_open(self) -> np.ndarray:
        """Whether the second tag of a pair may open a span there; true where it is outside. Shape as `legal`."""
        table = np.zeros((5, 5, 2), dtype=bool)
        table[:, OUTSIDE] = True
        for role, where in self.opens.items():
            if where == ALWAYS:
                table[:, ROLES.index(role)] = True
            else:
                table[1:, ROLES.index(role), 1] = True
        return table

    def may_close(self) -> np.ndarray:
        """Whether the first tag of a pair may close a span there; true where it is outside. Shape as `legal`."""
        table = np.zeros((5, 5, 2), dtype=bool)
        table[OUTSIDE] = True
        for role, where in self.closes.items():
            if where == ALWAYS:
                table[ROLES.index(role)] = True
            else:
                table[ROLES.index(role), 1:, 1] = True
        return table


def _continuations(previous: str, current: str) -> np.ndarray:
    table = np.zeros((5, 5, 2), dtype=bool)
    for first in previous:
        for second in current:
            table[ROLES.index(first), ROLES.index(second), 1] = True
    return table


CONTINUES = _continuations("BI", "IE")
"""Which pairs continue a span (the rule of the CoNLL script, in every scheme). Shape (previous role, role, same)."""

CONTINUES_CONVERTED = _continuations("BIES", "IE")
"""The same after a conversion to IOB2 (S becomes B, E becomes I)."""

SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("IO", {"I": "I"}, {"I": ALWAYS}, {"I": ALWAYS}, ("I", "I", "I", "I")),
        Scheme(
            "IOB1",
            {"I": "I", "B": "B"},
            {"I": ALWAYS, "B": BESIDE_SAME},
            {"I": ALWAYS, "B": ALWAYS},
            ("I", "I", "I", "I"),
        ),
        Scheme("IOB2", {"I": "I", "B": "B"}, {"B": ALWAYS}, {"I": ALWAYS, "B": ALWAYS}, ("B", "B", "I", "I")),
        Scheme(
            "IOE1",
            {"I": "I", "E": "E"},
            {"I": ALWAYS, "E": ALWAYS},
            {"I": ALWAYS, "E": BESIDE_SAME},
            ("I", "I", "I", "I"),
        ),
        Scheme("IOE2", {"I": "I", "E": "E"}, {"I": ALWAYS, "E": ALWAYS}, {"E": ALWAYS}, ("E", "I", "I", "E")),
        Scheme(
            "IOBES",
            {"I": "I", "B": "B", "E": "E", "S": "S"},
            {"B": ALWAYS, "S": ALWAYS},
            {"E": ALWAYS, "S": ALWAYS},
            ("S", "B", "I", "E"),
        ),
        Scheme(
            "BILOU",
            {"B": "B", "I": "I", "L": "E", "U": "S"},
            {"B": ALWAYS, "S": ALWAYS},
            {"E": ALWAYS, "S": ALWAYS},
            ("U", "B", "I", "L"),
        ),
        Scheme(
            "BMES",
            {"B": "B", "M": "I", "E": "E", "S": "S"},
            {"B": ALWAYS, "S": ALWAYS},
            {"E": ALWAYS, "S": ALWAYS},
            ("S", "B", "M", "E"),
        ),
    )
}

PREFIXES = frozenset(prefix for scheme in SCHEMES.values() for prefix in scheme.prefixes)

# The order is that of guessing: the first scheme that has all the prefixes found. IOB1 and IOE1 have the prefixes of
# IOB2 and IOE2 and are never guessed.
_GUESSES = ("IO", "IOB2", "IOE2", "IOBES", "BILOU", "BMES")


def get_scheme(name: str) -> Scheme:
    """The scheme of that name; an `InputError` lists the names where there is none."""
    require_choice("scheme", name, tuple(SCHEMES))
    return SCHEMES[name]


def infer_scheme(prefixes: frozenset[str]) -> Scheme:
    """Tell the scheme from the prefixes that occur in both inputs together.

    Only I (or nothing): IO; B, I: IOB2; I, E: IOE2; E with B, or S: IOBES; L or U: BILOU; M: BMES. IOB1 and IOE1
    look like IOB2 and IOE2 and are never guessed.

    Raises:
        InputError: where no one scheme has all these prefixes.
    """
    for name in _GUESSES:
        if prefixes <= SCHEMES[name].prefixes.keys():
            return SCHEMES[name]
    found = ", ".join(sorted(prefixes))
    raise InputError(
        f"no scheme has all the prefixes found ({found}).",
        f"Name the scheme with {setting('scheme')}, and convert the tags that do not follow it.",
    )


def encode(
    scheme: Scheme, start: np.ndarray, end: np.ndarray, adjacent: np.ndarray, tokens: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Write spans that do not overlap as prefixes.

    Args:
        scheme: the scheme to write.
        start, end: bounds of the spans in a text of `tokens` tokens, ends exclusive, in the order of the text.
        adjacent: shape (spans + 1), whether span i directly follows span i - 1 and has its label; false at both ends.
        tokens: length of the text.

    Returns:
        A code for each token, uint8, and the prefixes that the codes stand for, `"O"` first.
    """
    prefixes = ("O", *scheme.prefixes)
    single, first, inner, last = (prefixes.index(prefix) for prefix in scheme.writes)
    change = np.zeros(tokens + 1, dtype=np.int8)
    change[start] += 1
    change[end] -= 1
    codes = np.where(np.cumsum(change[:-1]) > 0, inner, 0).astype(np.uint8)
    codes[start] = first
    codes[end - 1] = last
    codes[start[end - start == 1]] = single
    for prefix, role in scheme.prefixes.items():
        if scheme.opens.get(role) == BESIDE_SAME:
            codes[start[adjacent[:-1]]] = prefixes.index(prefix)
        if scheme.closes.get(role) == BESIDE_SAME:
            codes[end[adjacent[1:]] - 1] = prefixes.index(prefix)
    return codes, prefixes
