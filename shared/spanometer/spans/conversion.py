"""Tags to legal tags, of the same scheme or another: decoded under a repair policy and written again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import InputError, setting
from ..tags.decoding import BARE_LABEL, illegal_pairs, pair_problem, tell_scheme
from ..tags.schemes import Scheme, get_scheme
from ..tags.tags import Tags, split_tag
from .spans import Spans


def repair_tags(tags: Tags, *, repair: str, scheme: str | None = None, to: str | None = None) -> Tags:
    """The tags of the spans that a repair policy makes of tags. Legal tags of the same scheme stay what they are.

    Args:
        tags: the tags of all documents; bare prefixes stay bare.
        repair: the policy, see `decoding.decode`.
        scheme: the scheme of the tags, told from the prefixes where it is None.
        to: the scheme to write; by default that of the tags.

    Raises:
        InputError: as `decoding.decode`, and for adjacent spans of one label where IO is to be written.
    """
    known = tell_scheme(tags) if scheme is None else get_scheme(scheme)
    target = known if to is None else get_scheme(to)
    return encode_like(tags, Spans.from_tags(tags, scheme=known.name, repair=repair), target.name)


def encode_like(tags: Tags, spans: Spans, scheme: str) -> Tags:
    """Spans as tags of a scheme, bare prefixes where the tags that they come from are bare; see `Spans.encode`."""
    written = spans.encode(scheme)
    if any(name != "O" and split_tag(name)[1] is None for name in tags.names):
        return replace(written, names=tuple(name.removesuffix(f"-{BARE_LABEL}") for name in written.names))
    return written


def convert_tags(tags: Tags, *, to: str, scheme: str | None = None) -> Tags:
    """The tags of the same spans in another scheme; an `InputError` names the first illegal pair.

    Arguments and errors are those of `repair_tags`.
    """
    known = tell_scheme(tags) if scheme is None else get_scheme(scheme)
    require_legal(tags, known, told=scheme is None, remedy=f"spanometer repair --policy ... --to {to}")
    return repair_tags(tags, repair="conlleval", scheme=known.name, to=to)


def require_legal(tags: Tags, scheme: Scheme, *, told: bool, remedy: str) -> None:
    """Raise an `InputError` for the first illegal pair of tags.

    Args:
        tags: the tags of all documents.
        scheme: their scheme.
        told: whether it was told from the prefixes.
        remedy: the command that makes tags legal.
    """
    pairs = illegal_pairs(tags, scheme)
    if len(pairs):
        index, at_end = (int(value) for value in pairs[0])
        document, position = tags.place(index)
        so_told = " (told from the prefixes)" if told else ""
        raise InputError(
            pair_problem(tags, scheme, index, bool(at_end)).removesuffix(".")
            + f"{so_told}, so the spans are not certain.",
            f"Choose how to handle illegal tags with {remedy}"
            + (f", or name the scheme with {setting('scheme')}" if told else "."),
            document=document,
            position=position,
        )


def changed_tokens(old: Tags, new: Tags) -> np.ndarray:
    """Indices of the tokens whose tags differ, ascending."""
    numbers = {name: code for code, name in enumerate(old.names)}
    # names that only the new tags have are like none of the old
    lookup = np.array([numbers.get(name, -1) for name in new.names], dtype=np.int64)
    return np.flatnonzero(lookup[new.codes] != old.codes)
