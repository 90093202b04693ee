"""Examples of errors in their context: the words, names and lines of documents, and the spans of both sides."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ...alignment.matched_spans import BOUNDARIES, CORRECT, MARKS, MatchedSpans
from ...alignment.overlaps import order_of_line
from ...arrays import arrow_array, integers, inverse, string_array
from ...documents.document_file import DocumentFile
from ...documents.layers import LineRuns
from ...documents.sides import Sides
from ...exceptions import InputError, all_of, counted, plain_ends, printable, require_choice, setting
from ...measures.aligned import require_words
from ...options import CheckedOptions, option
from ...readers.json.records import json_line
from ...spans.spans import Spans
from ...spans.texts import Tokens, joined, words_and_signs
from ...spans.wording import Wording
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, Text, amounts, arrow_table
from .kinds import ERRORS

AROUND = {" ": 10, "": 80}
"""The number of words (or characters) shown on both sides of an example, by the separator of units."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """The words, names and lines of documents.

    Attributes:
        wording: the words or characters of the documents; None if unknown.
        names: the names of the documents; None if they have none.
        document_lines: the first line of each document; None without a file.
        line_runs: the lines of all tokens; None if the file does not have one token per line.
    """

    wording: Wording | None = None
    names: Sequence[str] | None = None
    document_lines: np.ndarray | None = None
    line_runs: LineRuns | None = None

    @property
    def separator(self) -> str:
        """The separator between two units of a text."""
        return " " if self.wording is None else self.wording.separator

    def lines(self, document: np.ndarray, start: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
        """Return the lines of tokens; None without a file."""
        if self.line_runs is not None:
            return self.line_runs.of(offsets[document] + start)
        return None if self.document_lines is None else self.document_lines[document]

    def places(self, document: np.ndarray, first: np.ndarray, offsets: np.ndarray) -> dict[str, pa.Array]:
        """Return the columns `document` (from 1), and `name` (of the document) and `line` if known, of tokens.

        Args:
            document: the document of each token.
            first: its position in the document.
            offsets: the position of each document's first token in the corpus.
        """
        columns = {"document": arrow_array(document.astype(np.int32) + 1)}
        if self.names is not None:
            columns["name"] = string_array(self.names).take(arrow_array(document))
        lines = self.lines(document, first, offsets)
        if lines is not None:
            columns["line"] = arrow_array(lines)
        return columns

    def texts(self, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> dict[str, pa.Array]:
        """Return the columns `before`, `text` and `after` of ranges of tokens; without words no columns."""
        wording = self.wording
        if wording is None:
            return {}
        around, length = AROUND[wording.separator], wording.lengths[document]
        outer = wording.bounds(document, np.maximum(start - around, 0), np.minimum(end + around, length))
        inner = wording.bounds(document, start, end)
        pieces = {"before": (outer[0], inner[0]), "text": inner, "after": (inner[1], outer[1])}
        return {name: wording.shown.between(document, *bounds) for name, bounds in pieces.items()}

    def fitting(self, references: Spans) -> Self:
        """Check that the words are the words of these documents, and return the context."""
        if self.wording is not None:
            require_words(self.wording.lengths, references)
        return self


def context_of_sides(sides: Sides, words: Any) -> Context:
    """Create the context of sides, from their file or from lists of words."""
    if sides.file is not None:
        # this file has only scored documents, and the tokens made from texts
        return context_of_documents(sides.file, sides.reading, sides.mentions_behind())
    return Context() if words is None else Context(wording=Wording.of_words(words))


def context_of_documents(
    file: DocumentFile,
    choices: Mapping[str, Any] | None = None,
    behind: Sequence[Sequence[str]] = (),
    kept: np.ndarray | None = None,
) -> Context:
    """Create the context of a file of documents.

    Args:
        file: the file.
        choices: how its spans were converted to one unit, see `Pairing`; by default they were not converted.
        behind: the mentions after the end of each document, see `Sides.mentions_behind`.
        kept: for a file of tags, whether each token is kept; None keeps all.
    """
    chosen = {"unit": "token" if file.in_tokens else "character", **(choices or {})}
    unit, runs, lengths = str(chosen["unit"]), file.line_runs, file.lengths
    wording = _wording(file, unit, behind, plain=chosen.get("texts") == "line_ends")
    # lines are those of a file's tokens, not of characters, of tokens made from texts, or of mentions behind the end
    if unit != "token" or any(behind) or runs is None or lengths is None or int(lengths.sum()) != runs.size:
        runs = None
    if kept is not None and not kept.all():
        wording = wording and replace(wording, units=wording.units.take(kept))
        runs = runs and runs.take(np.flatnonzero(kept))
    return Context(wording=wording, names=file.documents.ids, document_lines=file.document_lines, line_runs=runs)


def _wording(file: DocumentFile, unit: str, behind: Sequence[Sequence[str]], *, plain: bool) -> Wording | None:
    """Return the words or characters of the documents and of the mentions after their ends; None without words."""
    texts, words, tokens = file.documents.texts, file.words, file.documents.tokens
    if unit == "character":
        if texts is None and words is not None:
            texts, plain = tuple(joined(words)[0]), False
        if texts is None:
            return None
        pairs = zip(texts, behind or itertools.repeat(()), strict=False)
        return Wording.of_texts(["".join([plain_ends(text) if plain else text, *more]) for text, more in pairs])
    further = [list(itertools.chain.from_iterable(map(_words_of, mentions))) for mentions in behind if any(behind)]
    if words is not None:
        return Wording.of_words([[*row, *more] for row, more in zip(words, further, strict=True)] if further else words)
    if texts is None or tokens is None:
        return None
    if further:
        longer, bounds = list(texts), [tokens.bounds(document) for document in range(len(texts))]
        for document, word in ((document, word) for document, more in enumerate(further) for word in more):
            longer[document] += f" {word}"
            bounds[document].append((len(longer[document]) - len(word), len(longer[document])))
        texts, tokens = tuple(longer), Tokens.from_lists(bounds)
    return Wording.of_tokens(texts, tokens)


def _words_of(mention: str) -> list[str]:
    """Split a mention into words and punctuation; a mention without either is kept whole."""
    return [mention[first:last] for first, last in words_and_signs([mention]).bounds(0)] or [mention]


CHOICES = (*ERRORS, *list(BOUNDARIES)[1:], *MARKS)
"""The kinds, boundaries and marks by which errors can be selected."""

_SYNONYMS = {
    **dict.fromkeys(("fp", "false_positive"), "spurious"),
    **dict.fromkeys(("fn", "false_negative", "missed"), "missing"),
    "label": "wrong_label",
    "boundary": "wrong_boundary",
}
"""Other words for kinds of errors."""

_Span = Mapping[str, Any] | None
"""A span in a row of errors; None for no span."""

_SIDES = {"reference": "reference", "prediction": "predicted"}
"""The sides, and the prefixes of their columns."""

SHOWN = 20
"""The maximum number of examples that are printed."""


def _listed(text: Any) -> tuple[str, ...]:
    texts = [text] if isinstance(text, str) else text
    return tuple(name.strip() for part in texts for name in part.split(","))


class ErrorChoice(CheckedOptions):
    """Which errors to show, and how many.

    Attributes:
        kind: kinds, boundaries or marks of errors; errors with any of them are shown. Empty shows all.
        reference_label: labels of the reference span. A spurious span is selected by its own label, unless you set
            `predicted_label`.
        predicted_label: show only errors whose predicted span has one of these labels.
        limit: the maximum number of errors; None shows all.
        sample: the number of errors to draw at random; None shows all.
        sample_seed: the seed of this draw.
    """

    kind: tuple[str, ...] = option(
        (), help=f"show only these kinds of errors, separated by commas: {', '.join(CHOICES)}", metavar="KINDS"
    )
    reference_label: tuple[str, ...] = option(
        (),
        help="show only errors whose reference span has one of these labels. Without --predicted-label, "
        "spurious spans with one of these labels are shown, too",
        metavar="LABELS",
    )
    predicted_label: tuple[str, ...] = option((), metavar="LABELS")
    limit: int | None = option(None, help="show only the first N errors", kind=int, low=1, optional=True, metavar="N")
    sample: int | None = option(None, help="show N random errors", kind=int, low=1, optional=True, metavar="N")
    sample_seed: int = option(0, help="random seed of --sample", kind=int, low=0, metavar="N")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        for name in ("kind", "reference_label", "predicted_label"):
            object.__setattr__(self, name, _listed(getattr(self, name)))
        spellings = (kind.lower().replace("-", "_").replace(" ", "_") for kind in self.kind)
        object.__setattr__(self, "kind", tuple(_SYNONYMS.get(kind, kind) for kind in spellings))
        for kind in self.kind:
            require_choice("kind", kind, CHOICES)

    def rows(self, matched: MatchedSpans) -> np.ndarray:
        """Return the rows of the selected errors, in text order; raise an `InputError` for an unknown label."""
        chosen = matched.kind != CORRECT
        if self.kind:
            chosen &= np.any([matched.flags(kind) for kind in self.kind], axis=0)
        reference, predicted, names = matched.reference_label, matched.predicted_label, matched.alignment.labels
        own = reference if self.predicted_label else np.where(reference < 0, predicted, reference)
        for option_name, codes in (("reference_label", own), ("predicted_label", predicted)):
            labels = getattr(self, option_name)
            for unknown in (label for label in labels if label not in names):
                remedy = f"{all_of('label', names, 'The')}. Check {setting(option_name)}."
                raise InputError(f"no span has the label {unknown!r}.", remedy, option=option_name)
            if labels:
                chosen &= np.isin(codes, list(map(names.index, labels)))
        picked = matched.order[chosen[matched.order]]
        if self.sample is not None and self.sample < len(picked):
            drawn = np.random.default_rng(self.sample_seed).choice(len(picked), self.sample, replace=False)
            picked = picked[np.sort(drawn)]
        return np.asarray(picked)


@dataclass(frozen=True, eq=False, kw_only=True)
class MatchedSides:
    """The matched spans of a reference and a system, with their words.

    Attributes:
        references, predictions: the spans of both sides, with common labels.
        matched: the matched spans, a row for each pair and each unmatched span; it exports to Arrow and data frames.
        context: the words and lines of the documents, if known.
    """

    references: Spans
    predictions: Spans
    matched: MatchedSpans
    context: Context = field(default_factory=Context)

    @cached_property
    def reference(self) -> np.ndarray:
        """The index of each row's reference span in `references`; -1 for none."""
        return np.asarray(np.append(order_of_line(self.references), -1)[self.matched.reference])

    @cached_property
    def prediction(self) -> np.ndarray:
        """The index of each row's predicted span in `predictions`; -1 for none."""
        return np.asarray(np.append(order_of_line(self.predictions), -1)[self.matched.prediction])

    @cached_property
    def extent(self) -> np.ndarray:
        """The document of each row, and the first and last token (exclusive) of both sides' spans together."""
        (start, end), (other_start, other_end) = map(self.matched.bounds, ("reference", "prediction"))
        first = np.where(start < 0, other_start, np.where(other_start < 0, start, np.minimum(start, other_start)))
        return np.stack([self.matched.document, first, np.maximum(end, other_end)])

    @cached_property
    def first(self) -> np.ndarray:
        """The first token of each row's reference span or, if there is none, of its predicted span."""
        start, other = (self.matched.bounds(side)[0] for side in ("reference", "prediction"))
        return np.where(start < 0, other, start)

    def texts_of_sides(self, rows: np.ndarray) -> list[pa.Array]:
        """Return the strings of both sides' spans in some rows; null if there is no span or words are unknown."""
        wording = self.context.wording
        if wording is None:
            return [pa.nulls(len(rows), pa.string())] * 2
        sides = (self.references, self.reference[rows]), (self.predictions, self.prediction[rows])
        return [wording.of(spans).take(arrow_array(chosen, chosen < 0)) for spans, chosen in sides]

    def texts(self, rows: np.ndarray) -> pa.Array:
        """Return the strings of the reference spans in these rows or, where there is none, of the predicted spans.

        They are null if words are unknown.
        """
        return pa.compute.coalesce(*self.texts_of_sides(rows))


class ErrorExamples(Result, kw_only=False):
    """Errors with their words in context, sorted by the frequency of their strings, then in text order.

    Its table is `examples`, a row for each error.

    Attributes:
        rows: an Arrow table with the columns of `MatchedSpans.to_arrow` (documents from 1); `name` and `line` of the
            first token (of the reference span or, if there is none, of the predicted span); the texts of both spans;
            `before`, `text` and `after`; and `times`, the number of these errors on the same string.
        context: the words and lines of the documents.
        about: the columns that name the system in tables; empty if there is only one system.
    """

    rows: pa.Table
    context: Context
    about: Mapping[str, str]

    @classmethod
    def of(cls, sides: MatchedSides, choice: ErrorChoice, about: Mapping[str, str]) -> Self:
        """Select errors, and add their words in context; raise an `InputError` if a label is unknown."""
        matched, context = sides.matched, sides.context
        rows = choice.rows(matched)
        texts, unknown = sides.texts_of_sides(rows), context.wording is None
        string = np.arange(len(rows)) if unknown else integers(pa.compute.coalesce(*texts).dictionary_encode().indices)
        times = np.bincount(string)[string] if len(rows) else string
        order = np.lexsort((string, -times))[: choice.limit]
        rows = rows[order]
        document, start, end = sides.extent[:, rows]
        table = matched.to_arrow().take(arrow_array(inverse(matched.order)[rows]))
        columns = {
            **dict(zip(table.column_names, table.columns, strict=True)),
            "reference_text": texts[0].take(arrow_array(order)),
            "predicted_text": texts[1].take(arrow_array(order)),
            **context.places(document, sides.first[rows], matched.alignment.offsets),
            **context.texts(document, start, end),
            "times": arrow_array(times[order], np.full(len(rows), unknown)),
        }
        return cls(pa.table(columns), context, about)

    def __len__(self) -> int:
        """Count the errors."""
        return int(self.rows.num_rows)

    def parts(self, most: int = SHOWN) -> Iterator[Part]:
        """Yield the first errors, each with both sides."""
        yield from heading_of_first(most, len(self))
        for row in replace(self, rows=self.rows.slice(0, most)).to_dict():
            spans = {side: row[side] for side in _SIDES}
            labels = " → ".join("–" if span is None else span["label"] for span in spans.values())
            boundary = [] if row.get("boundary", "same") == "same" else [row["boundary"]]
            kinds = ", ".join([row["kind"].replace("_", " "), *boundary, *filter(row.get, MARKS)])
            times = f", {row['times']} times" if row.get("times", 1) > 1 else ""
            yield from error_lines(row, labels, kinds, times, spans, self.context.wording)

    def tables(self) -> Sequence[Table]:
        """Return the table of all errors."""
        shown = self.rows.select([name for name in self.rows.column_names if not name.endswith("_fragments")])
        return [arrow_table(shown, left=shown.num_columns, kind="examples", about=self.about)]

    def to_json_lines(self) -> str:
        """Write a line of JSON for each error."""
        return "".join(map(json_line, self.to_dict()))

    def to_dict(self) -> list[dict[str, Any]]:
        """Convert to built-in types: spans become objects, no span becomes None, and unknown values are left out."""
        first = ("document", "name", "line", "kind", "boundary")
        errors = []
        for row in self.rows.to_pylist():
            spans = {side: span_in(row, f"{name}_") for side, name in _SIDES.items()}
            known = {key: value for key, value in row.items() if value is not None}
            rest = {key: value for key, value in known.items() if key.partition("_")[0] not in _SIDES.values()}
            errors.append({**self.about, **{key: rest.pop(key) for key in first if key in rest}, **spans, **rest})
        return errors

    def strings(self) -> list[tuple[str, int, str]]:
        """List the strings with errors, the most frequent first: text, number of errors, and labels of both sides."""
        counts: dict[str, Counter[str]] = {}
        names = ("kind", "reference_label", "predicted_label", "reference_text", "predicted_text")
        rows = zip(*(self.rows[name].to_pylist() for name in names), strict=True)
        for kind, reference, predicted, *texts in rows:
            labels = f"{reference or 'spurious'} → {predicted or 'missing'}"
            text = next((text for text in texts if text is not None), None)
            if text is not None:
                name = f"{reference}, {kind}" if reference == predicted else labels
                counts.setdefault(text, Counter())[name.replace("_", " ")] += 1
        return [
            (text, kinds.total(), "; ".join(name + f" ({times})" * (times > 1) for name, times in kinds.items()))
            for text, kinds in counts.items()
        ]

    def string_table(self) -> Table:
        """Return a table of the strings with errors, the most frequent first."""
        rows = [(printable(text), printable(labels), times) for text, times, labels in self.strings()]
        columns = [TableColumn("labels", "reference → prediction"), *amounts("errors")]
        return Table.of("string", columns, rows, left=2, kind="strings", about=self.about)


def span_in(row: Mapping[str, Any], before: str = "", after: str = "") -> dict[str, Any] | None:
    """Return the span in the columns of a row whose names begin and end so; None for no span."""
    columns = {key: row.get(f"{before}{key}{after}") for key in ("start", "end", "label", "text", "fragments")}
    return {key: value for key, value in columns.items() if value is not None} or None


def heading_of_first(most: int | None, errors: int) -> Iterator[Part]:
    """Yield a heading if only the first errors of a list are shown."""
    if most is not None and most < errors:
        yield from (f"The first {most:,} of {counted(errors, 'error')}:", "")


def error_lines(
    row: Mapping[str, Any], title: str, kinds: str, times: str, spans: Mapping[str, _Span], wording: Wording | None
) -> Iterator[Part]:
    """Yield an error as lines: its kind and place, and the text around it for each side, with its span in brackets."""
    line = f"line {row['line']}, " if row.get("line") else ""
    yield [(title, "bold"), f"  {kinds}  ", (f"{line}document {row.get('name', row['document'])}{times}", "dim")]
    bounds = [bound for span in spans.values() if span for bound in (span["start"], span["end"])]
    width = max(map(len, spans))
    for side, span in spans.items():
        text = _marked_text(wording, row["document"] - 1, min(bounds), max(bounds), span)
        yield [(f"  {side:<{width}}  ", "dim"), *text]
    yield ""


def _marked_text(wording: Wording | None, document: int, start: int, end: int, span: _Span) -> list[Text]:
    """Return a part of a document with its context, and a span in brackets; without words, only the span's offsets."""
    if wording is None:
        return ["–" if span is None else f"[{span['label']} {span['start']}–{span['end']}]"]
    around = AROUND[wording.separator]
    first, last = max(start - around, 0), min(end + around, int(wording.lengths[document]))
    if span is None:
        return [wording.text(document, first, last)]
    parts = [np.array(part) for part in ([document, document], [first, span["start"]], [last, span["end"]])]
    low, high = (bounds.tolist() for bounds in wording.bounds(*parts))
    pieces = (low[0], low[1]), (low[1], high[1]), (high[1], high[0])
    before, text, after = (wording.shown.text(document, *piece) for piece in pieces)
    left, right = (wording.shown.separator if part else "" for part in (before, after))
    return [before, left, (f"[{span['label']} {text}]", "bold"), right, after]
