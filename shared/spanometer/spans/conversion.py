"""Conversion of tags to legal tags, in the same or another scheme."""

from dataclasses import replace

import numpy as np

from ..exceptions import require_kind, setting
from ..tags.decoding import BARE_LABEL, require_legal, scheme_of
from ..tags.schemes import Scheme, get_scheme
from ..tags.tags import Tags, split_tag
from .spans import Spans


def repair_tags(tags: Tags, *, repair: str, scheme: str | None = None, to: str | None = None) -> Tags:
    """Decode tags under a repair policy, and encode the spans as legal tags.

    Legal tags stay unchanged if the scheme stays the same.

    Args:
        tags: the tags of all documents. Prefixes without labels stay without labels.
        repair: the policy, see `decoding.decode`.
        scheme: the scheme of the tags; None infers it from the prefixes.
        to: the scheme to write; by default the scheme of the tags.

    Raises:
        InputError: see `decoding.decode`; also if `to` is IO and spans of one label are adjacent.
    """
    require_kind(tags, Tags, "a Tags object", "Create Tags with Tags.from_lists.")
    source = scheme_of(scheme, tags)
    target = source if to is None else get_scheme(to)
    return encode_like(tags, Spans.from_tags(tags, scheme=source.name, repair=repair), target.name)


def encode_like(tags: Tags, spans: Spans, scheme: str) -> Tags:
    """Encode spans as tags of a scheme, without labels if the original tags have none; see `Spans.encode`."""
    written = replace(spans.encode(scheme, tags.sentence_offsets), sentence=tags.sentence)
    if any(name != "O" and split_tag(name)[1] is None for name in tags.names):
        return replace(written, names=tuple(name.removesuffix(f"-{BARE_LABEL}") for name in written.names))
    return written


def convert_tags(tags: Tags, *, to: str, scheme: str | None = None) -> Tags:
    """Convert tags to another scheme without changing spans; raise an `InputError` for the first illegal pair of tags.

    See `repair_tags` for arguments and errors.
    """
    target = get_scheme(to).name
    source = certain_scheme(tags, scheme, remedy=f"spanometer convert --repair POLICY --to {target}")
    return repair_tags(tags, repair="conlleval", scheme=source.name, to=to)


def certain_scheme(tags: Tags, scheme: str | None, *, remedy: str) -> Scheme:
    """Return the scheme of tags, and check that all tags are legal.

    Args:
        tags: the tags of all documents.
        scheme: the name of the scheme; None infers it from the prefixes.
        remedy: the command that repairs tags.

    Raises:
        InputError: if a pair of tags is illegal; see also `decoding.scheme_of`.
    """
    require_kind(tags, Tags, "a Tags object", "Create Tags with Tags.from_lists.")
    source = scheme_of(scheme, tags)
    note = "" if scheme is not None else " (inferred from the prefixes)"
    other = f" If the tags have another scheme, name it with {setting('scheme')}." if scheme is None else ""
    require_legal(tags, source, f"To repair illegal tags, use {remedy}.{other}", note)
    return source


def changed_tokens(old: Tags, new: Tags) -> np.ndarray:
    """Return the indices of the tokens with different tags, ascending."""
    numbers = {name: code for code, name in enumerate(old.names)}
    # a tag that occurs only among the new tags differs from all old tags
    lookup = np.array([numbers.get(name, -1) for name in new.names], dtype=np.int64)
    return np.flatnonzero(lookup[new.codes] != old.codes)
