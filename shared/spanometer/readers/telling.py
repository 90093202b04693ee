"""Whether a file holds entity trees, told where there is no doubt."""

from __future__ import annotations

import os
import re

from ..errors import InputError
from ..spans.markup import ENTITY_TYPES
from .hipe import is_hipe
from .reading import is_json_lines
from .source import Source

_TYPES = "|".join(ENTITY_TYPES).encode()
_ENTITY_END = re.compile(rb"</(?:" + _TYPES + rb")(?:[.+][\w.+-]*)?>")
# the tags of a leaf and the words between them on one line
_LEAF = re.compile(rb"<([A-Za-z][\w.+-]*)>[ \t]*[^\s<>][^<>\n]*</\1>")
# the end of a row, as it is in files whose last column is that of the tags
_TAG = re.compile(rb"(?:^|[ \t])(?:O|[BIESLUM]-\S+)\s*$")


def clear_entity_format(path: str | os.PathLike[str]) -> str | None:
    """`hipe` or `quaero` where a file begins in a way that no file of tags does, otherwise None.

    HIPE's columns have a header that names the column of literal entities. Markup has the end of an entity of QUAERO's
    types, and tags with words between on one line that ends in no tag of a scheme: a word `</pers>` is not enough.
    """
    try:
        with Source.open(path, None, None) as source:
            if is_json_lines(source):
                return None
            if is_hipe(source):
                return "hipe"
            block = source.first_block()
    except InputError:
        # whoever reads the file says what is wrong with it
        return None
    if not _ENTITY_END.search(block):
        return None
    leaves = (line for line in block.split(b"\n") if _LEAF.search(line))
    return "quaero" if any(not _TAG.search(line) for line in leaves) else None
