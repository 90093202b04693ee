"""Columns in the manner of CoNLL: one token a line, a blank line between documents.

A file is read in blocks of whole lines. In each block the cells are found by comparing bytes all at once; Python looks
at single lines only where they begin with `#`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from ..arrays import integers, ranges
from ..errors import InputError
from ..tags.schemes import PREFIXES
from ..tags.tags import Tags, split_tag
from .source import Source
from .tag_file import Cells, Codes, Column, TagFile

DOCSTART = "-DOCSTART-"

_HEADER_WORDS = frozenset({"token", "tokens", "word", "words", "form"})
_KEYED_COMMENT = re.compile(r"#\s*(id\b|[\w.-]+\s*[=:])")
# not str.split: a no-break space is data
_BLANKS = re.compile(r"[ \t\r]+")
_TAB, _NEWLINE, _HASH, _HYPHEN = b"\t\n#-"
_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[list(b" \t\r\n")] = True


def read_columns(
    source: Source, columns: Sequence[Column], words: bool | int | str, documents: str | None, outside: str | None
) -> TagFile:
    """Read tag columns; see `read`."""
    blocks = source.blocks()
    begun, layout = _find_layout(source, blocks, columns, words)
    reader = _ColumnReader(source, layout, documents, outside)
    for lines in begun:
        reader.add(lines)
    for first, block in blocks:
        reader.add(Lines(first, block, layout.tabs))
    return reader.finish()


def read_column_parts(
    source: Source, columns: Sequence[Column], words: bool | int | str, outside: str | None
) -> Iterator[TagFile]:
    """Read tag columns in parts of whole documents; see `read_parts`."""
    blocks = source.blocks()
    begun, layout = _find_layout(source, blocks, columns, words)
    reader = _ColumnReader(source, layout, None, outside)
    for first, block in _whole_documents(chain(((lines.first, lines.block) for lines in begun), blocks)):
        reader.add(Lines(first, block, layout.tabs))
        if reader.rows:
            part = reader.finish()
            # the first part decides whether the first column holds words
            layout = replace(layout, words=None if part.words is None else layout.words, words_named=True)
            yield part
            reader = _ColumnReader(source, layout, None, outside)


def _whole_documents(blocks: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """The same lines in blocks that end with a blank line, but for the last one."""
    pieces: list[bytes] = []
    begun = 1
    for first, block in blocks:
        lines = Lines(first, block, tabs=False)
        blank = np.flatnonzero(lines.blank)
        if len(blank) == 0:
            pieces.append(block)
            continue
        after = int(blank[-1]) + 1
        cut = int(lines.start[after]) if after < len(lines.start) else len(block)
        yield begun, b"".join((*pieces, block[:cut]))
        pieces = [block[cut:]] if cut < len(block) else []
        begun = first + after
    if pieces:
        yield begun, b"".join(pieces)


@dataclass(frozen=True)
class _Layout:
    """How the rows of a file are built.

    Attributes:
        tabs: whether single tabs separate the cells, or runs of blanks.
        width: number of cells of a row.
        model: the number of the line that says so.
        header: the number of the line that holds the columns' names and is no data, or 0.
        names: the columns' names, where they are given.
        columns: indices of the tag columns.
        words: index of the words' column, or None.
        words_named: whether it was named, and not found.
    """

    tabs: bool
    width: int
    model: int
    header: int
    names: tuple[str, ...] | None
    columns: tuple[int, ...]
    words: int | None
    words_named: bool

    def called(self, index: int) -> str:
        """What a column is called."""
        return self.names[index] if self.names else f"column {index + 1}"


class Lines:
    """The lines of a block and their cells.

    Attributes:
        first: the number of the first line within the file.
        block: the bytes, ending in a newline.
        start: where each line begins in the block.
        mark: the first byte of each line.
        blank: whether a line is empty or holds nothing but blanks.
        docstart: whether it is a `-DOCSTART-` line.
        cells: number of cells of each line.
    """

    def __init__(self, first: int, block: bytes, tabs: bool) -> None:
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
            # a block begins and ends outside of cells
            edges = np.flatnonzero(ink[1:] != ink[:-1]) + 1
            edges = np.concatenate(([0], edges)) if ink[0] else edges
            self._cell_start, self._cell_end = edges[::2], edges[1::2]
        self._first_cell = np.searchsorted(self._cell_start, self.start)
        self.cells = np.diff(np.append(self._first_cell, len(self._cell_start)))
        if not tabs:
            self.blank = self.cells == 0
        self.docstart = self._find_docstart()

    def text(self, line: int) -> str:
        """A line of the block, without its end."""
        end = self.block.index(b"\n", self.start[line])
        return self.block[self.start[line] : end].decode().rstrip("\r")

    def bounds(self, lines: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the cells of some lines in a column begin and end in the block; blanks beside a tab are within."""
        cell = self._first_cell[lines] + column
        return self._cell_start[cell], self._cell_end[cell]

    def encode(self, lines: np.ndarray, column: int, names: Codes) -> np.ndarray:
        """Codes of the cells of some lines in a column, int32; new names are added."""
        if len(lines) == 0:
            return np.zeros(0, dtype=np.int32)
        start, end = self.bounds(lines, column)
        length = end - start
        offsets = np.zeros(len(lines) + 1, dtype=np.int32)
        np.cumsum(length, out=offsets[1:])
        text = self._bytes[ranges(start, length)]
        cells = pa.StringArray.from_buffers(len(lines), pa.py_buffer(offsets), pa.py_buffer(text)).dictionary_encode()
        codes = np.array([names[name.strip(" \r")] for name in cells.dictionary.to_pylist()], dtype=np.int32)
        return codes[integers(cells.indices)]

    def _find_docstart(self) -> np.ndarray:
        found = np.zeros(len(self.start), dtype=bool)
        if DOCSTART.encode() in self.block:
            for line in np.flatnonzero(self.mark == _HYPHEN).tolist():
                found[line] = _BLANKS.split(self.text(line), maxsplit=1)[0] == DOCSTART
        return found


class _ColumnReader:
    """Collects the rows of one block after the other.

    Attributes:
        rows: how many there are so far.
    """

    def __init__(self, source: Source, layout: _Layout, documents: str | None, outside: str | None) -> None:
        self._source = source
        self._layout = layout
        self._outside = outside
        self._documents = documents
        key = "" if documents is None else re.escape(documents)
        self._begins_document = re.compile(rf"#\s*{key}\s*(?:[=:\s]\s*|$)(.*)")
        wanted = [*layout.columns, *([] if layout.words is None else [layout.words])]
        self._names: dict[int, Codes] = {column: Codes() for column in wanted}
        self._codes: dict[int, list[np.ndarray]] = {column: [] for column in wanted}
        self._lines: list[np.ndarray] = []
        self._firsts: list[np.ndarray] = []
        self._document_names: dict[int, str] = {}
        self._comments: list[tuple[int, str]] = []
        self._docstart_lines: list[int] = []
        self.rows = 0
        self._after_boundary = True
        self._pending_break = True
        self._marked = documents is None

    def add(self, lines: Lines) -> None:
        """Take the rows of a block."""
        is_row = ~(lines.blank | lines.docstart)
        self._docstart_lines += (np.flatnonzero(lines.docstart) + lines.first).tolist()
        if lines.first <= self._layout.header < lines.first + len(is_row):
            is_row[self._layout.header - lines.first] = False
        boundary = ~is_row
        if self._documents is not None:
            begins = lines.docstart.copy() if self._documents == DOCSTART else np.zeros(len(is_row), dtype=bool)
            self._marked |= bool(begins.any())
        else:
            begins = boundary
        self._sort_out_comments(lines, is_row, boundary, begins)
        rows = np.flatnonzero(is_row)
        self._require_width(lines, rows)
        self._note_documents(begins, rows)
        for column, codes in self._codes.items():
            codes.append(lines.encode(rows, column, self._names[column]))
        self._require_tags(lines, rows)
        self._lines.append(rows + lines.first)
        self.rows += len(rows)

    def finish(self) -> TagFile:
        """All rows as columns."""
        layout = self._layout
        if self.rows == 0:
            raise _no_rows(self._source)
        if not self._marked:
            raise self._source.refuse(
                f"no line begins a document: there is no '# {self._documents} = ...'."
                if self._documents != DOCSTART
                else f"there is no {DOCSTART} line.",
                "Leave out documents=..., and a blank line ends a document.",
            )
        offsets = np.append(np.concatenate(self._firsts), self.rows)
        lines = np.concatenate(self._lines)
        words = None if layout.words is None else self._column(layout.words, offsets)
        if words is not None and not layout.words_named and all(map(self._looks_like_tag, words.names)):
            words = None
        return TagFile(
            self._source.name,
            tuple(layout.called(column) for column in layout.columns),
            tuple(self._tags(column, offsets) for column in layout.columns),
            words,
            layout.names,
            lines[offsets[:-1]],
            lines,
            Cells(layout.tabs, layout.columns, layout.width),
            self._names_of_documents(lines[offsets[:-1]]),
            tuple(self._comments),
            tuple(self._docstart_lines),
        )

    def _names_of_documents(self, first_lines: np.ndarray) -> tuple[str, ...] | None:
        """What the last comment before each document says."""
        if self._documents in (None, DOCSTART):
            return None
        names = ("", *self._document_names.values())
        before = np.searchsorted(list(self._document_names), first_lines)
        return tuple(names[index] for index in before.tolist())

    def _column(self, column: int, offsets: np.ndarray) -> Tags:
        return Tags(np.concatenate(self._codes[column]), tuple(self._names[column]), offsets)

    def _tags(self, column: int, offsets: np.ndarray) -> Tags:
        tags = self._column(column, offsets)
        if self._outside is None or self._outside not in tags.names:
            return tags
        read_as = Codes()
        codes = np.array([read_as["O" if name == self._outside else name] for name in tags.names], dtype=np.int32)
        return Tags(codes[tags.codes], tuple(read_as), offsets)

    def _sort_out_comments(self, lines: Lines, is_row: np.ndarray, boundary: np.ndarray, begins: np.ndarray) -> None:
        """Take the comments out of the rows, and note those that begin documents."""
        # boundary[line] says whether the next line stands at the beginning of a sentence, over comments too
        for line in np.flatnonzero((lines.mark == _HASH) & is_row).tolist():
            at_start = bool(boundary[line - 1]) if line else self._after_boundary
            text = lines.text(line)
            if not self._is_comment(text, at_start, lines.first + line):
                continue
            is_row[line] = False
            boundary[line] = at_start
            self._comments.append((lines.first + line, text))
            key = None if self._documents is None else self._begins_document.match(text)
            if key:
                begins[line] = self._marked = True
                self._document_names[lines.first + line] = key[1].strip(" \t\r")
        self._after_boundary = bool(boundary[-1])

    def _is_comment(self, text: str, at_start: bool, line: int) -> bool:
        """Whether a line that begins with `#` is a comment, and not a row of a token that does.

        What decides is the number of cells, then whether there are tags in the columns of the tags.
        """
        layout = self._layout
        if layout.width == 1:
            return True
        cells = _split(text, layout.tabs)
        if len(cells) == layout.width:
            tags = [cells[column] for column in layout.columns]
            if not any(tags):
                return True
            if any(map(self._looks_like_tag, tags)):
                return False
            if line < layout.model or ("\t" in text and not layout.tabs):
                return True
            return at_start and _KEYED_COMMENT.match(text) is not None
        if at_start and text[1:2] in ("", " "):
            return True
        if not at_start and text[1:2] not in ("", " ", "\t", "#"):
            return False
        # a row that lacks or exceeds cells must not go unseen
        last = next((cell for cell in reversed(cells[1:]) if cell), "")
        return not (last == "O" or (self._looks_like_tag(last) and "-" in last))

    def _looks_like_tag(self, cell: str) -> bool:
        return cell == self._outside or _looks_like_tag(cell)

    def _require_width(self, lines: Lines, rows: np.ndarray) -> None:
        different = lines.cells[rows] != self._layout.width
        if not different.any():
            return
        line = int(rows[np.argmax(different)])
        found = int(lines.cells[line])
        by = "tabs" if self._layout.tabs else "blanks"
        raise self._source.refuse(
            f"{found} column{'' if found == 1 else 's'} (separated by {by}), where line {self._layout.model} has "
            f"{self._layout.width}.",
            "Give every row the same columns.",
            lines.first + line,
        )

    def _note_documents(self, begins: np.ndarray, rows: np.ndarray) -> None:
        """Note which rows are the first of their documents."""
        if len(rows) == 0:
            self._pending_break |= bool(begins.any())
            return
        seen = np.cumsum(begins)
        before = seen[rows]
        fresh = np.empty(len(rows), dtype=bool)
        fresh[0] = self._pending_break or before[0] > 0
        fresh[1:] = before[1:] > before[:-1]
        self._firsts.append(np.flatnonzero(fresh) + self.rows)
        self._pending_break = bool(seen[-1] > before[-1])

    def _require_tags(self, lines: Lines, rows: np.ndarray) -> None:
        """Refuse empty cells where tags are due; only tabs can leave a cell empty."""
        for column in self._layout.columns:
            empty = self._names[column].get("")
            if empty is not None:
                line = int(rows[np.argmax(self._codes[column][-1] == empty)])
                raise self._source.refuse(
                    f"{_in_words(self._layout, column)} is empty.",
                    "Choose another column, or write O for a token outside all spans.",
                    lines.first + line,
                )


def _find_layout(
    source: Source, blocks: Iterator[tuple[int, bytes]], columns: Sequence[Column], words: bool | int | str
) -> tuple[list[Lines], _Layout]:
    """Read up to the first block that holds a row, and tell from it how rows are built."""
    begun: list[tuple[int, bytes]] = []
    comments: list[str] = []
    for first, block in blocks:
        begun.append((first, block))
        lines = Lines(first, block, tabs=False)
        sure = ~(lines.blank | lines.docstart | (lines.mark == _HASH))
        before = int(np.argmax(sure)) if sure.any() else len(sure)
        comments.extend(lines.text(line) for line in np.flatnonzero(lines.mark[:before] == _HASH).tolist())
        if sure.any():
            row, number = lines.text(before), first + before
            break
    else:
        # nothing but lines that begin with '#': a hashtag may be the only token there is
        hashes = ((number, text, _split(text, tabs=False)) for number, text in _numbered(begun))
        rows = ((number, text) for number, text, cells in hashes if len(cells) > 1 and _looks_like_tag(cells[-1]))
        number, row = next(rows, (0, ""))
        if not number:
            raise _no_rows(source)
        comments = []
    layout = _layout_of(source, row, number, comments, columns, words)
    return [Lines(first, block, layout.tabs) for first, block in begun], layout


def _numbered(blocks: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
    for first, block in blocks:
        for number, line in enumerate(block.decode().split("\n"), first):
            if line.startswith("#"):
                yield number, line.rstrip("\r")


def _split(line: str, tabs: bool) -> list[str]:
    """The cells of a line."""
    if tabs:
        return [cell.strip(" \r") for cell in line.split("\t")]
    return _BLANKS.split(line.strip(" \t\r"))


def _layout_of(
    source: Source, row: str, number: int, comments: list[str], columns: Sequence[Column], words: bool | int | str
) -> _Layout:
    """The layout that the first row and the comments before it show."""
    tabs = "\t" in row
    cells = _split(row, tabs)
    wanted = [column for column in (*columns, words) if isinstance(column, str) and not _is_number(column)]
    header = 0
    names = _names_in_comments(comments, len(cells), wanted)
    if names is None and _is_header(cells, wanted):
        header, names = number, tuple(cells)
    indices = tuple(_index(source, column, len(cells), names, number) for column in columns)
    if words is True:
        words_index = _words_index(names, indices, len(cells))
    else:
        words_index = None if words is False else _index(source, words, len(cells), names, number)
    return _Layout(tabs, len(cells), number, header, names, indices, words_index, words is not True)


def _names_in_comments(comments: Iterable[str], width: int, wanted: Sequence[str]) -> tuple[str, ...] | None:
    """The columns' names in the comments before the first row.

    `# columns: a b c` gives names in any case; bare names, `# a b c`, where they are as many as the columns and hold
    all that are wanted.
    """
    for comment in comments:
        text = comment[1:].strip()
        declared = text.lower().startswith("columns:")
        names = (text.partition(":")[2] if declared else text).split()
        if len(names) == width and (declared or (wanted and set(wanted) <= set(names))):
            return tuple(names)
    return None


def _is_header(cells: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the first row holds the columns' names."""
    if any(name in cells for name in wanted):
        return True
    return len(cells) > 1 and cells[0].lower() in _HEADER_WORDS and not any(map(_looks_like_tag, cells[1:]))


def _index(source: Source, column: Column, width: int, names: tuple[str, ...] | None, line: int) -> int:
    """The index of a column, from 0."""
    if column is None:
        return width - 1
    if isinstance(column, int) or _is_number(column):
        number = int(column)
        if number == 0 or not -width <= number <= width:
            has = f"{width} column{'' if width == 1 else 's'}"
            raise source.refuse(
                f"there is no column {number}: the rows have {has}.",
                "Columns are counted from 1, or from -1 at the right.",
                line,
            )
        return number - 1 if number > 0 else width + number
    if names is None:
        raise source.refuse(
            f"there is no column {column!r}: the file does not name its columns.", "Choose the column by its number."
        )
    if names.count(column) != 1:
        found = "two columns are called" if column in names else "there is no column"
        raise source.refuse(f"{found} {column!r}: the columns are {', '.join(names)}.", "Choose one by its number.")
    return names.index(column)


def _words_index(names: tuple[str, ...] | None, columns: Sequence[int], width: int) -> int | None:
    """The column of the words: the one that is called so, or the first if it is no tag column."""
    for index, name in enumerate(names or ()):
        if name.lower() in _HEADER_WORDS and index not in columns:
            return index
    return 0 if width > 1 and 0 not in columns else None


def _is_number(column: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", column) is not None


def _looks_like_tag(cell: str) -> bool:
    prefix, label = split_tag(cell)
    return cell == "O" or (prefix in PREFIXES and label != "")


def _in_words(layout: _Layout, column: int) -> str:
    return f"column {layout.names[column]!r}" if layout.names else f"column {column + 1}"


def _no_rows(source: Source) -> InputError:
    return source.refuse("the file has no rows of tags.", "Write one token a line, a blank line between documents.")
