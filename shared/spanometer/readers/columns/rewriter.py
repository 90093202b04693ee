"""Replacement of the tags in a file; all other bytes stay the same.

The file is read twice: first to read its tags, then to find and replace the bytes of the tags that change.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import AnyStr, cast

import numpy as np

from ...documents.document_file import DocumentFile
from ...documents.layers import Layout
from ...exceptions import InputError
from ...spans.conversion import changed_tokens
from ...tags.tags import Tags
from ..json.records import TAGS_KEY
from ..source import BYTE_ORDER_MARK, Source
from .layout import Lines

# a string (with its colon if it is a key), or a bracket
_JSON = re.compile(r'("(?:[^"\\]|\\.)*")([ \t\n\r]*:)?|[][{}]')


class Rewriter:
    """Replaces the tags in a file.

    Args:
        file: the file, as read.
        tags: the new tags for each tag column.
        outside: the tag that means `O` in the file.

    Attributes:
        source: what errors call the file.
        changed: the number of tags that change.
        tokens: the number of all tags.
    """

    def __init__(self, file: DocumentFile, tags: Sequence[Tags], *, outside: str | None = None) -> None:
        self._file, self._new, self._outside = file, tags, outside
        self._changed = list(map(changed_tokens, file.tags, tags))
        self._token_lines = np.zeros(0, np.int64) if file.token_lines is None else file.token_lines
        self.source = file.source
        self.changed = sum(map(len, self._changed))
        self.tokens = sum(len(column.codes) for column in file.tags)

    def blocks(self, source: Source) -> Iterator[bytes]:
        """Yield the new text in blocks, not compressed; `source` is the same file, opened again.

        Raises:
            InputError: if the file has changed since its tags were read.
        """
        for number, (first, block) in enumerate(source.blocks()):
            if number == 0 and source.marked:
                yield BYTE_ORDER_MARK
            written = (self._json_lines if self._file.line_runs is None else self._rows)(first, block)
            yield written[:-1] if source.unended else written

    def _rows(self, first: int, block: bytes) -> bytes:
        """Replace the tags in a block of columns."""
        layout = cast(Layout, self._file.layout)
        tokens = np.searchsorted(self._token_lines, [first, first + block.count(b"\n")])
        changed = [_between(of_column, *tokens) for of_column in self._changed]
        if not any(map(len, changed)):
            return block
        lines = Lines(first, block, layout.tabs)
        edits = []
        for column, (index, of_column) in enumerate(zip(layout.columns, changed, strict=True)):
            rows = self._token_lines[of_column] - first
            if (lines.cells[rows] <= index).any():
                raise self._other_file()
            bounds = (bound.tolist() for bound in lines.bounds(rows, index))
            for token, start, end in zip(of_column.tolist(), *bounds, strict=True):
                cell = block[start:end].lstrip(b" \r")
                start, cell = end - len(cell), cell.rstrip(b" \r")
                edits.append((start, start + len(cell), self._replaced(column, token, cell.decode()).encode()))
        return _spliced(block, edits)

    def _json_lines(self, first: int, block: bytes) -> bytes:
        """Replace the tags in a block of JSON lines."""
        lines = block.split(b"\n")
        documents = np.searchsorted(self._file.document_lines, [first, first + len(lines) - 1])
        for document in range(*documents.tolist()):
            line = int(self._file.document_lines[document]) - first
            text = lines[line].decode()
            edits = []
            for column, key in enumerate(self._file.columns):
                base, end = self._file.tags[column].offsets[document : document + 2].tolist()
                changed = _between(self._changed[column], base, end).tolist()
                bounds = _string_bounds(text, key) if changed else []
                if changed and len(bounds) != end - base:
                    raise self._other_file()
                for token in changed:
                    start, stop = bounds[token - base]
                    tag = self._replaced(column, token, json.loads(text[start:stop]))
                    # escape other letters only if the whole line does
                    edits.append((start, stop, json.dumps(tag, ensure_ascii=text.isascii())))
            if edits:
                lines[line] = _spliced(text, edits).encode()
        return b"\n".join(lines)

    def _replaced(self, column: int, token: int, tag: str) -> str:
        """Return the new tag of a token; raise an `InputError` unless `tag`, the tag in the file, is the old one."""
        old, new = (tags[column].names[tags[column].codes[token]] for tags in (self._file.tags, self._new))
        if tag != old and not (old == "O" and tag == self._outside):
            raise self._other_file()
        return self._outside if new == "O" and self._outside is not None else new

    def _other_file(self) -> InputError:
        return InputError("the file was changed while it was read.", "Run the command again.", source=self.source)


def _between(tokens: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return the tokens from `first` to `last` (exclusive); tokens ascend."""
    return tokens[slice(*np.searchsorted(tokens, [first, last]))]


def _spliced(text: AnyStr, edits: Sequence[tuple[int, int, AnyStr]]) -> AnyStr:
    """Replace parts of a text or of bytes."""
    pieces: list[AnyStr] = []
    done = 0
    for start, end, replacement in sorted(edits):
        pieces += (text[done:start], replacement)
        done = end
    pieces.append(text[done:])
    return text[:0].join(pieces)


def _string_bounds(text: str, key: str) -> list[tuple[int, int]]:
    """Return the boundaries of each string in the list of tags in a line of JSON."""
    bare = text.lstrip("\ufeff \t\r").startswith("[")
    wanted, depth = bare and key == TAGS_KEY, 0
    bounds: list[tuple[int, int]] = []
    for match in _JSON.finditer(text):
        string, colon = match.groups()
        if string is None:
            depth += 1 if match[0] in "[{" else -1
        elif colon is None:
            if wanted and depth == (1 if bare else 2):
                bounds.append(match.span())
        elif depth == 1:
            wanted = json.loads(string) == key
    return bounds
