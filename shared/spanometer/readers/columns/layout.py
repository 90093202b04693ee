"""Detection of the layout of columns, from the first row and the comments before it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain, repeat

import numpy as np
import pyarrow as pa

from ...arrays import integers, offsets_of, ranges
from ...documents.layers import Codes, Column, Layout
from ...exceptions import InputError, all_of, clause_for, counted, setting, shown
from ...tags.schemes import PREFIXES
from ...tags.tags import split_tag
from ..formats import ColumnReading
from ..source import Source

_COMMAS = re.compile(r"\S[,;]\S")
_COMMENTS = 1000
"""The maximum number of comments that are searched for names of columns."""

_NO_ROW = "there is no row of tags and no document in the first {}"

HEADER_WORDS = frozenset({"token", "tokens", "word", "words", "form"})

HEADER_NAMES = HEADER_WORDS | {"label", "labels", "ner", "ner_tag", "ner_tags", "tag", "tags"}
"""If a header has one of these names, the file is a table of tokens."""

_DOCUMENTS = ("document", "document_id", "doc_id", "doc", "sentence", "sentence_id", "sentence #")
"""The usual names, in any case, of the column that identifies documents. The first that occurs in the file is used."""

DOCSTART = "-DOCSTART-"

# not str.split: a no-break space is data
_BLANKS = re.compile(r"[ \t\r]+")
_TAB, _NEWLINE, HASH = b"\t\n#"
_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[list(b" \t\r\n")] = True


def find_layout(
    source: Source, options: ColumnReading, *, held: bool = True
) -> tuple[Layout, Iterator[tuple[int, bytes]]]:
    """Detect the layout of rows from the first block that has a row.

    Returns:
        The layout, and all blocks of the source.
    """
    blocks = source.blocks(held=held)
    begun: list[tuple[int, bytes]] = []
    marked: list[tuple[int, str]] = []
    size = 0
    for first, block in blocks:
        if not begun and is_blank(block):
            continue
        source.require_short(size, _NO_ROW, "Remove comments from the file", first)
        begun.append((first, block))
        size += len(block)
        for number, line in enumerate(BytesIO(block), first):
            row = line.decode().rstrip("\r\n")
            if row.startswith("#"):
                marked.append((number, row))
            elif split(row, tabs=False)[0] not in ("", options.boundary or DOCSTART):
                comments = [comment for _, comment in marked[:_COMMENTS]]
                return _layout_of(source, row, number, comments, options), chain(begun, blocks)
    for number, row in marked:
        # all lines begin with '#': a hashtag may be the only token
        cells = split(row, tabs=False)
        if len(cells) > 1 and looks_like_tag(cells[-1]):
            return _layout_of(source, row, number, [], options), iter(begun)
    raise no_rows(source)


def looks_like_tag(cell: str, outside: str | None = None) -> bool:
    """Check whether a cell is `O`, the tag for tokens outside spans, or a prefix of a scheme with a label."""
    prefix, label = split_tag(cell)
    return cell in ("O", outside) or (prefix in PREFIXES and label != "")


def no_rows(source: Source) -> InputError:
    """Create the error about a file without rows."""
    remedy = "Write one token on each line, and a blank line after each document."
    return source.refuse("the file has no rows of tags.", remedy)


def _layout_of(source: Source, row: str, number: int, comments: list[str], options: ColumnReading) -> Layout:
    """Detect the layout from the first row and the comments before it."""
    columns, words, documents = options.all_columns, options.words, options.documents
    tabs = "\t" in row
    cells = split(row, tabs)
    names_of = {cell.lower(): cell for cell in cells if not any(map(looks_like_tag, cells, repeat(options.outside)))}
    # a word such as `document` may also be the first token
    if documents is None and HEADER_NAMES & names_of.keys():
        documents = next((names_of[name] for name in _DOCUMENTS if name in names_of), None)
    if len(cells) == 1 and _COMMAS.search(row) and not looks_like_tag(row.strip()):
        remedy = f"Set {setting('format', 'csv')}, or separate the cells by tabs."
        raise source.refuse("this line has commas or semicolons between its cells, not tabs.", remedy, number)
    wanted = [column for column in (*columns, words) if isinstance(column, str) and not _is_number(column)]
    header = 0
    names = _names_in_comments(comments, len(cells), wanted)
    # comments with this key begin documents, so the key may also be the first token
    keyed = any(re.match(rf"#\s*{re.escape(str(documents))}\s*[=:]", comment) for comment in comments)
    named = any(name in cells for name in wanted) or (documents in names_of.values() and not keyed)
    if names is None and (named or (len(cells) > 1 and HEADER_WORDS & names_of.keys())):
        header, names = number, tuple(cells)
    indices = tuple(_index(source, column, len(cells), names, number) for column in columns)
    words_index = _words_index(names, indices, len(cells)) if words is True else None
    if not isinstance(words, bool):
        words_index = _index(source, words, len(cells), names, number)
    if words_index in indices:
        # a file with only tags has no words, wherever the other file has its words
        words_index = None
    of_documents = names.index(documents) if names is not None and documents in names else None
    return Layout(tabs, len(cells), number, header, names, indices, words_index, words is not True, of_documents)


def _names_in_comments(comments: Iterable[str], width: int, wanted: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names of columns from the comments before the first row, if there are any.

    `# columns: a b c` always names columns. `# a b c` names columns if it has as many names as there are columns,
    including all wanted names.
    """
    for comment in comments:
        text = comment[1:].strip()
        declared = text.lower().startswith("columns:")
        names = (text.partition(":")[2] if declared else text).split()
        if len(names) == width and (declared or (wanted and set(wanted) <= set(names))):
            return tuple(names)
    return None


def _index(source: Source, column: Column, width: int, names: tuple[str, ...] | None, line: int) -> int:
    """Return the index of a column, from 0."""
    if column is None:
        return width - 1
    if isinstance(column, int) or _is_number(column):
        number = int(column)
        if number == 0 or not -width <= number <= width:
            problem = f"column {shown(number)} does not exist: the rows have {counted(width, 'column')}."
            raise source.refuse(problem, "Count columns from 1 (the first column), or from -1 (the last column).", line)
        return number - 1 if number > 0 else width + number
    if names is None:
        problem = f"there is no column {shown(column)}, because the file does not name its columns."
        raise source.refuse(problem, "Give the number of the column.")
    if names.count(column) != 1:
        problem = "two columns have the name" if column in names else "there is no column"
        own = f"Give each column its own name{clause_for('prefix', ', or give the number of the column')}."
        remedy = own if column in names else "Give one of these names, or the number of a column."
        raise source.refuse(f"{problem} {shown(column)}: {all_of('column', names)}.", remedy)
    return names.index(column)


def _words_index(names: tuple[str, ...] | None, columns: Sequence[int], width: int) -> int | None:
    """Return the column of the words: by its name, or the first column if it is not a tag column."""
    for index, name in enumerate(names or ()):
        if name.lower() in HEADER_WORDS and index not in columns:
            return index
    return 0 if width > 1 and 0 not in columns else None


def _is_number(column: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", column) is not None


class Lines:
    """The lines of a block and their cells.

    Attributes:
        first: the number of the first line in the file.
        block: the bytes, which end in a newline.
        start: the position of each line in the block.
        mark: the first byte of each line.
        blank: whether each line is empty or has only whitespace.
        docstart: whether each line begins with the boundary, by default `-DOCSTART-`.
        cells: the number of cells of each line.
    """

    def __init__(self, first: int, block: bytes, tabs: bool, boundary: str | None = None) -> None:
        self.first = first
        self.block = block
        self._bytes = np.frombuffer(block, dtype=np.uint8)
        end = np.flatnonzero(self._bytes == _NEWLINE)
        self.start = np.concatenate(([0], end[:-1] + 1))
        self.mark = self._bytes[self.start]
        ink = ~_IS_BLANK[self._bytes]
        if tabs:
            self._cell_end = np.flatnonzero((self._bytes == _TAB) | (self._bytes == _NEWLINE))
            self._cell_start = np.concatenate(([0], self._cell_end[:-1] + 1))
            self.blank = ~np.logical_or.reduceat(ink, self.start)
        else:
            # a block begins and ends outside cells
            edges = np.flatnonzero(ink[1:] != ink[:-1]) + 1
            edges = np.concatenate(([0], edges)) if ink[0] else edges
            self._cell_start, self._cell_end = edges[::2], edges[1::2]
        self._first_cell = np.searchsorted(self._cell_start, self.start)
        self.cells = np.diff(np.append(self._first_cell, len(self._cell_start)))
        if not tabs:
            self.blank = self.cells == 0
        self.docstart = self.beginning_with(boundary or DOCSTART)

    def beginning_with(self, word: str) -> np.ndarray:
        """Flag the lines whose first cell is a word."""
        flags = np.zeros(len(self.start), dtype=bool)
        if word.encode() in self.block:
            for line in np.flatnonzero(~self.blank & (self.mark == word.encode()[0])).tolist():
                flags[line] = split(self.text(line), tabs=False)[0] == word
        return flags

    def text(self, line: int) -> str:
        """Decode a line without its line end."""
        end = self.block.index(b"\n", self.start[line])
        return self.block[self.start[line] : end].decode().rstrip("\r")

    def bounds(self, lines: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the boundaries of the cells of some lines in a column; spaces beside a tab belong to the cell."""
        cell = self._first_cell[lines] + column
        return self._cell_start[cell], self._cell_end[cell]

    def encode(self, lines: np.ndarray, column: int, names: Codes) -> np.ndarray:
        """Encode the cells of some lines in a column as int32; new names are added to `names`."""
        start, end = self.bounds(lines, column)
        length = end - start
        buffers = pa.py_buffer(offsets_of(length)), pa.py_buffer(self._bytes[ranges(start, length)])
        cells = pa.LargeStringArray.from_buffers(len(lines), *buffers).dictionary_encode()
        codes = np.array([names[name.strip(" \r")] for name in cells.dictionary.to_pylist()], dtype=np.int32)
        return np.asarray(codes[integers(cells.indices)])


def is_blank(text: bytes) -> bool:
    """Check whether a text has only spaces, tabs and line ends."""
    return not text.strip(b" \t\r\n")


def split(line: str, tabs: bool) -> list[str]:
    """Split a line into cells."""
    if tabs:
        return [cell.strip(" \r") for cell in line.split("\t")]
    return _BLANKS.split(line.strip(" \t\r"))
