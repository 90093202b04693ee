"""CoNLL columns (one token on each line, a blank line between documents), and CSV tables of tokens with a header."""

import csv
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...arrays import begins_run, first_flagged
from ...documents.document_file import DocumentFile
from ...documents.fitting import Fitted
from ...documents.layers import Codes, Layout, LineRuns, Words, Writer
from ...exceptions import InputError, clause_for, counted, setting
from ...spans.spans import Spans
from ...tags.schemes import get_scheme
from ...tags.tags import Tags
from ..formats import ColumnReading, register
from ..json.records import is_json_lines
from ..json.values import is_array
from ..source import BLOCK_SIZE, Source
from .layout import DOCSTART, HASH, HEADER_NAMES, Lines, find_layout, is_blank, looks_like_tag, no_rows, split

# all lines up to the last blank one
_UP_TO_BLANK = re.compile(rb"(?s:.*\n)?[ \t\r]*\n")
_NO_COLUMNS = {
    rb"<\?xml|<!DOCTYPE": (
        "the file is XML of an unknown format.",
        "Export in another format. The known XML formats are BioC, GATE, i2b2 and UIMA CAS (XMI).",
    ),
    rb'(?:\[\s*)?\{\s*"[^"\n]{1,80}"\s*:': (
        "this is JSON that is damaged or cut off.",
        "Export or download the file again.",
    ),
    rb"# [\w.]+\.[\w.]+ \| [^\n]*\n#id=": (
        "this is WebAnno TSV 2, which has no offsets.",
        "Export the document as WebAnno TSV v3.3.",
    ),
}
"""How files without columns begin, with the problem and the remedy for the error."""

_HIPE = {"NE-COARSE-LIT", "NE-FINE-LIT"}
_NOT_IN_CELLS = re.compile(r"[\x00\t\n\r]")
_KEYED_COMMENT = re.compile(r"#\s*(id\b|[\w.-]+\s*[=:])")


def read_columns(source: Source, options: ColumnReading) -> DocumentFile:
    """Read tag columns, see `read`."""
    if is_array(source):
        raise source.refuse("this is JSON.", f"Give the format with {setting('format', 'jsonl')}.", 1)
    head = source.head.lstrip()
    for begin, problem in _NO_COLUMNS.items():
        if re.match(begin, head):
            raise source.refuse(*problem, 1)
    layout, blocks = find_layout(source, options)
    reader = _Reader(source, layout, options)
    for first, block in blocks:
        reader.add(first, block)
    file = reader.finish()
    return file if options.numbers is None else file.with_numbers()


def read_column_parts(source: Source, options: ColumnReading) -> Iterator[DocumentFile]:
    """Read tag columns in parts of whole documents, see `read_parts`."""
    layout, blocks = find_layout(source, options, held=False)
    reader = _Reader(source, layout, options)
    for first, block in _whole_documents(source, blocks, layout.documents is None):
        reader.add(first, block)
        if reader.rows:
            part = reader.finish()
            # the first part decides whether the first column has words
            layout = replace(layout, words=None if part.words is None else layout.words, words_named=True)
            yield part
            reader = _Reader(source, layout, options)


def _whole_documents(source: Source, blocks: Iterable[tuple[int, bytes]], blank: bool) -> Iterator[tuple[int, bytes]]:
    """Divide lines into blocks that end with a blank line, except the last block.

    If a blank line does not end a document (`blank`), all lines are one block.
    """
    pieces: list[bytes] = []
    begun = 1
    for first, block in blocks:
        begun = begun if pieces else first
        source.require_held(sum(map(len, pieces)) + len(block), begun, "a document")
        match = _UP_TO_BLANK.match(block) if blank else None
        cut = match.end() if match else 0
        if cut:
            yield begun, b"".join([*pieces, block[:cut]])
            begun = first + block.count(b"\n", 0, cut)
            pieces.clear()
        if cut < len(block):
            pieces.append(block[cut:])
    if pieces:
        yield begun, b"".join(pieces)


class _Reader:
    """Collects the rows of a file of columns block by block.

    Attributes:
        rows: the number of rows so far.
    """

    def __init__(self, source: Source, layout: Layout, options: ColumnReading) -> None:
        self.rows = 0
        self._source, self._layout, self._options = source, layout, options
        self._documents = options.documents if layout.documents is None else layout.called(layout.documents)
        self._begins_document = re.compile(rf"#\s*{re.escape(self._documents or '')}\s*(?:[=:\s]\s*|$)(.*)")
        self._names = {column: Codes() for column in (*layout.columns, layout.words) if column is not None}
        # the codes of each column, the first rows of documents, and the first rows and lines of runs, block by block;
        # with options for documents, also the number of each row's sentence (not for HIPE's columns)
        self._arrays: dict[int | str, list[np.ndarray]] = defaultdict(list)
        self._after_last = 0
        self._document_names: dict[int, str] = {}
        self._document, self._document_codes = -1, Codes()
        self._comment_lines, self._comment_text = array("q"), bytearray()
        self._docstart_lines: list[int] = []
        self._after_boundary = True
        # the number of lines that separate sentences and that begin documents so far; the latter up to the last row
        self._begun, self._last = np.zeros((2, 1), dtype=np.int64), -1

    def add(self, first: int, block: bytes) -> None:
        """Add the rows of a block; `first` is the number of its first line."""
        if is_blank(block):
            self._begun += [[1], [int(self._documents is None)]]
            self._after_boundary = True
            return
        lines = Lines(first, block, self._layout.tabs, self._options.boundary)
        is_header = np.arange(first, first + len(lines.start)) == self._layout.header
        is_row = ~(lines.blank | lines.docstart | is_header)
        self._docstart_lines += (np.flatnonzero(lines.docstart) + first).tolist()
        begins, boundary = self._sort_out_comments(lines, is_row)
        rows = np.flatnonzero(is_row)
        self._require_width(lines, rows)
        if self._layout.documents is not None:
            begins = self._begun_by_values(lines, rows, self._layout.documents)
        sentence, before = (np.cumsum([boundary, begins], axis=1) + self._begun)[:, rows]
        self._begun += np.sum([boundary, begins], axis=1, keepdims=True)
        # HIPE's scorer skips blank lines
        if self._documents is not None and not _HIPE & {*(self._layout.names or ())}:
            self._arrays["sentence"].append(sentence)
        self._arrays["documents"].append(np.flatnonzero(np.diff(before, prepend=self._last)) + self.rows)
        for column, names in self._names.items():
            encoded = lines.encode(rows, column, names)
            if column in self._layout.columns:
                self._require_tags(lines, rows, column, encoded)
            self._arrays[column].append(encoded.astype(np.min_scalar_type(max(len(names) - 1, 0))))
        runs = np.flatnonzero(np.diff(rows, prepend=self._after_last - first - 1) != 1)
        self._arrays["runs"].append(runs + self.rows)
        self._arrays["lines"].append(rows[runs] + first)
        self.rows += len(rows)
        if len(rows):
            self._last = int(before[-1])
            self._after_last = int(rows[-1]) + first + 1

    def _begun_by_values(self, lines: Lines, rows: np.ndarray, column: int) -> np.ndarray:
        """Return the rows in which the value of a column changes, so that a document begins.

        Empty cells are ignored.
        """
        codes = np.append(self._document, lines.encode(rows, column, self._document_codes))
        kept = np.where(codes == self._document_codes.get(""), 0, np.arange(len(codes)))
        codes = codes[np.maximum.accumulate(kept)]
        changed = np.flatnonzero(codes[1:] != codes[:-1])
        begins = np.zeros(len(lines.start), dtype=bool)
        begins[rows[changed]] = True
        names = list(self._document_codes)
        # names come before their documents
        before = (rows[changed] + lines.first - 1).tolist()
        self._document_names |= zip(before, [names[code] for code in codes[1:][changed].tolist()], strict=True)
        self._document = int(codes[-1])
        return begins

    def finish(self) -> DocumentFile:
        """Return all rows as a file."""
        layout, named = self._layout, self._documents
        if self.rows == 0:
            raise no_rows(self._source)
        if named is not None and not self._begun[1]:
            line = f"line '# {named} = ...'" if named != DOCSTART else f"{DOCSTART} line"
            remedy = "Write this line before each document. If blank lines separate the documents, do not set "
            error = self._source.refuse(f"the file has no {line}.", f"{remedy}{setting('documents')}.")
            raise error.placed(option="documents")
        arrays = {name: np.concatenate(blocks) for name, blocks in self._arrays.items() if blocks}
        offsets = np.append(arrays["documents"], self.rows)
        runs = LineRuns(arrays["runs"], arrays["lines"], self.rows)
        first_lines = runs.of(offsets[:-1])
        ids = None
        if named not in (None, DOCSTART):
            # the last comment before a document names it
            ids_by_line = ("", *self._document_names.values())
            before = np.searchsorted(list(self._document_names), first_lines)
            ids = tuple(ids_by_line[index] for index in before.tolist())
        columns = {column: Tags(arrays[column], tuple(names), offsets) for column, names in self._names.items()}
        words = None if layout.words is None else Words.of(columns[layout.words])
        if words is not None and not layout.words_named and all(map(self._looks_like_tag, words.names)):
            words = None
        boundary = self._options.boundary
        reading = {} if boundary in (None, DOCSTART) else {"boundary": str(boundary)}
        reading |= {} if named is None else {"documents": named}
        tags = (replace(columns[column], reading=reading, sentence=arrays.get("sentence")) for column in layout.columns)
        return DocumentFile.in_words(
            source=self._source.name,
            ids=ids,
            columns=tuple(map(layout.called, layout.columns)),
            tags=tuple(each.with_outside(self._options.outside) for each in tags),
            words=words,
            document_lines=first_lines,
            line_runs=runs,
            layout=layout,
            comment_lines=self._comment_lines,
            comment_text=self._comment_text,
            docstart_lines=tuple(self._docstart_lines),
            sentences=named is None,
        )

    def _sort_out_comments(self, lines: Lines, is_row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Remove comments from the rows; flag the lines with which documents begin, and lines between sentences."""
        # boundary[line]: the next line is at the beginning of a sentence, ignoring comments
        boundary = ~is_row
        # if another line ends documents, the row of -DOCSTART- is a token
        begins = boundary if self._documents is None else lines.beginning_with(DOCSTART) & (self._documents == DOCSTART)
        for line in np.flatnonzero((lines.mark == HASH) & is_row).tolist():
            at_start = bool(boundary[line - 1]) if line else self._after_boundary
            text = lines.text(line)
            if not self._is_comment(text, at_start, lines.first + line):
                continue
            is_row[line] = False
            boundary[line] = at_start
            self._comment_lines.append(lines.first + line)
            self._comment_text += f"{text}\n".encode()
            key = None if self._documents is None else self._begins_document.match(text)
            if key:
                begins[line] = True
                self._document_names[lines.first + line] = key[1].strip(" \t\r")
        self._after_boundary = bool(boundary[-1])
        return begins, boundary

    def _is_comment(self, text: str, at_start: bool, line: int) -> bool:
        """Check whether a line that begins with `#` is a comment and not the row of a token.

        A line with another number of cells than the rows is a comment; so is one without tags in the tag columns.
        """
        layout = self._layout
        cells = split(text, layout.tabs)
        if layout.width == 1:
            return True
        if len(cells) == layout.width:
            tags = [cells[column] for column in layout.columns]
            if any(tags) and any(map(self._looks_like_tag, tags)):
                return False
            if not any(tags) or line < layout.model or ("\t" in text and not layout.tabs):
                return True
            return at_start and _KEYED_COMMENT.match(text) is not None
        if text[1:2] in ("", " "):
            if at_start:
                return True
        elif not at_start and text[1:2] not in ("\t", "#"):
            return False
        # a row with too few or too many cells must raise an error
        last = next((cell for cell in reversed(cells[1:]) if cell), "")
        return not (last == "O" or (self._looks_like_tag(last) and "-" in last))

    def _looks_like_tag(self, cell: str) -> bool:
        return looks_like_tag(cell, self._options.outside)

    def _require_width(self, lines: Lines, rows: np.ndarray) -> None:
        if (row := first_flagged(lines.cells[rows] != self._layout.width)) is not None:
            line = int(rows[row])
            by = "tabs" if self._layout.tabs else "blanks"
            width = f"{counted(int(lines.cells[line]), 'column')} (separated by {by})"
            problem = f"this line has {width}, but line {self._layout.model} has {self._layout.width}."
            raise self._source.refuse(problem, "Give all lines the same number of columns.", lines.first + line)

    def _require_tags(self, lines: Lines, rows: np.ndarray, column: int, codes: np.ndarray) -> None:
        """Raise an `InputError` if a cell in a tag column is empty, which can happen only with tabs."""
        empty = self._names[column].get("")
        if empty is not None:
            names, line = self._layout.names, lines.first + int(rows[np.argmax(codes == empty)])
            called = f"the column {names[column]!r}" if names else self._layout.called(column)
            remedy = f"Write O for tokens outside spans{clause_for('prefix', ', or choose another column')}."
            raise self._source.refuse(f"{called} has an empty cell.", remedy, line)


def write_columns(documents: Fitted, *, scheme: str = "IOB2") -> Iterator[bytes]:
    """Write a line with a word (if known), a tab and a tag for each token.

    Names of documents are written as comments.
    """
    file, target = documents.file, get_scheme(scheme).name
    # IO cannot separate adjacent spans, so they become one span
    tags = _relabelled(documents).encode("IOB2" if target == "IO" else target)
    names = np.array([f"I{name[1:]}" if target == "IO" and name != "O" else name for name in tags.names], dtype=object)
    for number, (first, last) in enumerate(pairwise(tags.offsets.tolist())):
        if first == last:
            continue
        rows = names[tags.codes[first:last]].tolist()
        if documents.has_words:
            rows = [f"{_cell(word)}\t{tag}" for word, tag in zip(documents.file.words_of(number), rows, strict=True)]
        name = "" if file.documents.ids is None else f"# document_id = {_cell(file.documents.ids[number])}\n"
        yield "".join([name, *(f"{row}\n" for row in rows), "\n"]).encode()


def _cell(text: str) -> str:
    """Replace characters that a cell cannot contain."""
    text = _NOT_IN_CELLS.sub("_", text).strip(" ")
    return "_" if not text.strip() or text == DOCSTART else text


def _label(text: str, *, words: bool) -> str:
    """Replace characters that a cell with a label cannot contain; without words, spaces separate cells."""
    return _cell(text) if words else "_".join(_cell(text).split())


def _relabelled(documents: Fitted) -> Spans:
    spans = documents.file.spans
    return spans.relabelled({label: _label(label, words=documents.has_words) for label in spans.labels})


def _problems(documents: Fitted, *, scheme: str = "IOB2") -> Iterator[tuple[str, int]]:
    """Yield what columns cannot represent."""
    file = documents.file
    changed = "words with blanks, tabs or line endings, replaced by _"
    other = [_label(label, words=documents.has_words) != label for label in file.spans.labels]
    of_spans = file.spans.document[np.array(other, dtype=bool)[file.spans.label]]
    yield from (("labels that columns cannot hold are replaced by _", number) for number in of_spans.tolist())
    if get_scheme(scheme).name == "IO":
        spans = _relabelled(documents)
        adjacent = (spans.start[1:] == spans.end[:-1]) & ~begins_run(spans.label, spans.document)[1:]
        joined = spans.document[1:][adjacent].tolist()
        yield from (("adjacent spans with the same label become one span", number) for number in joined)
    lengths = () if file.spans.lengths is None else file.spans.lengths.tolist()
    if lengths and not any(lengths):
        raise InputError("no document has a token, so columns would be empty.", "Write jsonl.", source=file.source)
    for number, length in enumerate(lengths):
        if not length:
            yield "documents without tokens are left out", number
        if documents.has_words:
            yield from ((changed, number) for word in documents.file.words_of(number) if _cell(word) != word)


register(
    "columns",
    "columns of words and tags",
    None,
    read_columns,
    allows=lambda source: not is_json_lines(source),
    content="tags",
    writer=Writer(write=write_columns, unit="token", needs_text=False, overlapping=False, problems=_problems),
)


_DELIMITERS = ",;"
_LOOKED_AT = 20


def read_csv(source: Source, options: ColumnReading) -> DocumentFile:
    """Read tag columns from a table of tokens, like `read_columns`.

    Cells may be in double quotes. A row of empty cells ends a document, like a blank line. If there is a column such as
    `document` or `sentence`, a document ends only where its value changes.

    Raises:
        InputError: if a cell has a tab or a line end; see also `read_columns`.
    """
    return replace(read_columns(source.with_text(_lines(source)), options), format="a table with commas or semicolons")


def _lines(source: Source) -> Iterator[bytes]:
    """Yield the rows in blocks, as lines with tabs between cells."""
    block = bytearray()
    for line, (number, cells) in enumerate(csv_rows(source), 1):
        # a row over several lines is an error, so that lines keep their numbers; cells are already stripped here
        if number > line or any("\t" in cell or "\n" in cell for cell in cells):
            problem, remedy = "a cell contains a tab or a line break.", "Remove tabs and line breaks from the cells."
            raise source.refuse(problem, remedy, line - (number > line))
        block += ("\t".join(cells) if any(cells) else "").encode() + b"\n"
        if len(block) >= BLOCK_SIZE:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)


def csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row's first line, and the cells of the row; a blank line has no cells."""
    delimiter = delimiter_of(source) or ","
    reader = csv.reader((f"{line}\n" for _, line in source.lines()), delimiter=delimiter, strict=True)
    begun = 1
    try:
        for cells in reader:
            yield begun, [cell.strip() for cell in cells]
            begun = reader.line_num + 1
    except csv.Error as error:
        raise source.refuse(f"this row is not valid CSV ({error}).", "Check the quotes.", begun) from None


def delimiter_of(source: Source) -> str | None:
    """Return the separator of the cells in the first rows: a tab, a comma or a semicolon; None if it is unclear."""
    *lines, _ = [line.rstrip("\r") for line in source.head.decode(errors="replace").split("\n")][: _LOOKED_AT + 1]
    lines = [line for line in lines if line.strip(f" {_DELIMITERS}\t")]
    for delimiter in _DELIMITERS if not any("\t" in line for line in lines) else "\t":
        try:
            widths = {len(cells) for cells in csv.reader(lines, delimiter=delimiter, strict=True)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    return None


def header_of(source: Source) -> list[str]:
    """Return the cells of the first row in lower case; an empty list if a cell is empty, except the first."""
    delimiter = None if source.binary else delimiter_of(source)
    if delimiter is None:
        return []
    cells = next(csv.reader([source.first_line().decode(errors="replace")], delimiter=delimiter), [])
    return [cell.strip().lower() for cell in cells] if all(cell.strip() for cell in cells[1:]) else []


def _shows(source: Source) -> bool:
    header = set(header_of(source))
    return bool(HEADER_NAMES & header) and not {"start", "end"} <= header and delimiter_of(source) != "\t"


register("csv", "a table of words and tags separated by commas or semicolons", _shows, read_csv, content="tags")
