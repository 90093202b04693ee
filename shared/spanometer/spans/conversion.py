"""Conversion of tags to legal tags of the same scheme or another: decoded under a repair policy and written again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..exceptions import require_kind, setting
from ..tags.decoding import BARE_LABEL, require_legal, scheme_of
from ..tags.schemes import Scheme, get_scheme
from ..tags.tags import Tags, split_tag
from .spans import Spans


def repair_tags(tags: Tags, *, repair: str, scheme: str | None = None, to: str | None = None) -> Tags:
    """Write the tags of the spans that a repair policy reads. Legal tags of the same scheme stay as they are.

    Args:
        tags: the tags of all documents; bare prefixes stay bare.
        repair: the policy, see `decoding.decode`.
        scheme: the scheme of the tags, inferred from the prefixes if it is None.
        to: the scheme to write; by default the scheme of the tags.

    Raises:
        InputError: as `decoding.decode`, and for adjacent spans of one label if IO is to be written.
    """
    require_kind(tags, Tags, "an object of Tags", "Make one with Tags.from_lists.")
    source = scheme_of(scheme, tags)
    target = source if to is None else get_scheme(to)
    return encode_like(tags, Spans.from_tags(tags, scheme=source.name, repair=repair), target.name)


def encode_like(tags: Tags, spans: Spans, scheme: str) -> Tags:
    """Encode spans as tags of a scheme, with bare prefixes if the original tags are bare; see `Spans.encode`."""
    written = spans.encode(scheme)
    if any(name != "O" and split_tag(name)[1] is None for name in tags.names):
        return replace(written, names=tuple(name.removesuffix(f"-{BARE_LABEL}") for name in written.names))
    return written


def convert_tags(tags: Tags, *, to: str, scheme: str | None = None) -> Tags:
    """Convert tags to another scheme, with the same spans; an `InputError` names the first illegal pair.

    Arguments and errors are those of `repair_tags`.
    """
    target = get_scheme(to).name
    source = certain_scheme(tags, scheme, remedy=f"spanometer convert --repair ... --to {target}")
    return repair_tags(tags, repair="conlleval", scheme=source.name, to=to)


def certain_scheme(tags: Tags, scheme: str | None, *, remedy: str) -> Scheme:
    """Find the scheme of tags, and check that all tags are legal.

    Args:
        tags: the tags of all documents.
        scheme: the name of their scheme, inferred from the prefixes if it is None.
        remedy: the command that makes tags legal.

    Raises:
        InputError: as `decoding.scheme_of`, and for the first illegal pair of tags.
    """
    require_kind(tags, Tags, "an object of Tags", "Make one with Tags.from_lists.")
    source = scheme_of(scheme, tags)
    note = "" if scheme is not None else " (inferred from the prefixes)"
    other = f", or name the scheme with {setting('scheme')}" if scheme is None else "."
    require_legal(
        tags, source, f"Choose how to handle illegal tags with {remedy}{other}", f"{note}, so the spans are not certain"
    )
    return source


def changed_tokens(old: Tags, new: Tags) -> np.ndarray:
    """Find the tokens whose tags differ, ascending."""
    numbers = {name: code for code, name in enumerate(old.names)}
    # a tag that only the new ones have differs from all old ones
    lookup = np.array([numbers.get(name, -1) for name in new.names], dtype=np.int64)
    return np.flatnonzero(lookup[new.codes] != old.codes)
