"""Fitting of documents to a format, with a list of losses."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import name_codes, ordered_codes, sorted_codes
from ..exceptions import InputError, counted, setting
from ..spans.annotations import with_common_labels
from ..spans.spans import in_order
from ..spans.texts import joined
from ..spans.tokenisation import to_tokens
from .document_file import DocumentFile
from .layers import Record, Writer
from .pairing import Pairing
from .stated import StatedSpans
from .units import Carrying, with_tokens

_LISTED = 3
_WORDS = "Give a file with words or a text."
_NO_TEXT = "the documents have no text.", "Convert a file with texts."


@dataclass(frozen=True)
class Loss:
    """Something that a format cannot represent.

    Attributes:
        what: says which items are lost or changed, and how, as in `spans lose their attributes`.
        documents: the number of lost items in each document.
    """

    what: str
    documents: Mapping[str, int]

    def __str__(self) -> str:
        """Describe the loss and name the documents with the most lost items."""
        most = sorted(self.documents.items(), key=lambda item: -item[1])
        listed = ", ".join(f"{count:,} in {name}" for name, count in most[:_LISTED])
        others = len(most) - _LISTED
        more = f", and {counted(others, 'other document')}" if others > 0 else ""
        total = counted(sum(self.documents.values()), "case")
        return f"{self.what} ({total}: {listed}{more})" if len(most) > 1 else f"{self.what} ({total} in {most[0][0]})"


@dataclass(eq=False)
class Fitted(Carrying):
    """Documents during and after fitting to a format.

    Attributes:
        file: the documents. Spans with attributes have numbered labels: different attributes, different labels.
        marked: the original label and the attributes of each numbered label.
        losses: what the format cannot represent.
        remedy: how to avoid a loss, if there is a way.
        notes: a sentence about each kind of other change.
    """

    marked: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    remedy: str = ""

    @property
    def has_words(self) -> bool:
        """Whether the words are known, either directly or from texts and tokens."""
        return self.file.words is not None or (self.texts is not None and self.tokens is not None)

    def records(self) -> Iterator[Record]:
        """Yield each document with its spans in order; a repeated span occurs as often as in the file."""
        file, documents = self.file, self.file.documents
        column = file.spans.picked(np.repeat(np.arange(len(file.spans)), file.spans.times)).to_arrow()
        for number in range(documents.size):
            record = Record(
                text=None if documents.texts is None else documents.texts[number],
                words=None if file.words is None else file.words[number],
                tokens=None if documents.tokens is None else documents.tokens.bounds(number),
                id=None if documents.ids is None else documents.ids[number],
                annotator=None if file.annotators is None else file.annotators[number],
            )
            for span in column[number].as_py():
                label, values = self.marked.get(span["label"], (span["label"], {}))
                pieces = [(start, end) for start, end in span.get("fragments") or [(span["start"], span["end"])]]
                record.add(pieces[0][0], pieces[-1][1], label, attributes=values, pieces=pieces)
            yield record

    def lose(self, what: str, documents: Iterable[int]) -> None:
        """Record a loss for each of these documents; a document can occur several times."""
        self.lose_all((what, document) for document in documents)

    def lose_all(self, losses: Iterable[tuple[str, int]]) -> None:
        """Record losses of several kinds, each with its document."""
        counts: dict[str, Counter[str]] = {}
        for what, document in losses:
            counts.setdefault(what, Counter())[self.file.documents.name(int(document))] += 1
        self.losses += [Loss(what, documents) for what, documents in counts.items()]

    def mark(self, stated: StatedSpans) -> None:
        """Number the labels of spans with attributes."""
        spans = self.file.spans
        sides = with_common_labels([stated.spans, spans])
        columns = ([getattr(side, name) for side in sides] for name in ("document", "start", "end", "label"))
        stated_place, place = np.split(ordered_codes(*map(np.concatenate, columns)), [len(sides[0])])
        # scores are lost, so attributes that differ only in scores are equal
        codes, written = name_codes([json.dumps(value["attributes"], sort_keys=True) for value in stated.values])
        value = codes[stated.attributes].astype(np.int64)
        places, first = np.unique(stated_place, return_index=True)
        # of spans with the same bounds and label, only one keeps its attributes
        others = stated_place[value != value[first[np.searchsorted(places, stated_place)]]]
        lost = spans.document[np.isin(place, others)]
        self.lose("spans get the attributes of another span with the same boundaries", lost.tolist())
        of_span = np.full(len(spans), codes[0], dtype=np.int64)
        stands = np.isin(place, places)
        of_span[stands] = value[first[np.searchsorted(places, place[stands])]]
        marked = np.flatnonzero(of_span != codes[0])
        label, names = spans.label.astype(np.int64), list(spans.labels)
        pairs, pair = np.unique(label[marked] * len(written) + of_span[marked], return_inverse=True)
        label[marked] = len(names) + pair
        for key in pairs.tolist():
            name, code = spans.labels[key // len(written)], key % len(written)
            names.append(f"{name}\0{len(names)}")
            self.marked[names[-1]] = name, stated.values[int(np.argmax(codes == code))]["attributes"]
        label, labels = sorted_codes(label, names)
        self.put(spans=in_order(replace(spans, label=label, labels=labels)))

    def join_fragments(self) -> None:
        """Make discontinuous spans contiguous, from their first to their last boundary."""
        spans = self.file.spans
        if spans.fragments is not None:
            several = np.diff(spans.fragments.offsets) > 1
            self.lose("discontinuous spans become contiguous spans", spans.document[several].tolist())
            self.put(spans=in_order(replace(spans, fragments=None)))

    def in_characters(self) -> None:
        """Convert spans of tokens to characters; create missing texts from the words."""
        if self.file.in_tokens:
            self._make_texts()
            self.to_characters(remedy=_WORDS, source=self.file.source)
            self.put(words=None)

    def in_tokens(self, policy: str) -> None:
        """Convert spans of characters to tokens; spans without tokens are lost."""
        if self.file.in_tokens:
            return
        if self.texts is None:
            raise self._refuse(*_NO_TEXT)
        if self.tokens is None:
            remedy = f"Choose a tokenizer, such as {setting('tokenizer', 'words')}."
            raise self._refuse("the documents have no tokens.", remedy)
        spans = self.file.spans
        if policy == "strict":
            off = to_tokens(spans, self.tokens, policy="contract").moved != 0
            self.lose("spans that begin or end within a token are left out", spans.document[off].tolist())
            self.remedy = f"To extend spans to whole tokens, add {setting('to_tokens', 'expand')}." if off.any() else ""
            self.keep(~off)
        carried = self.to_tokens(self.tokens, policy, f" ({policy})")
        self.lose("spans without a token are left out", spans.document[carried.lost].tolist())

    def require_texts(self) -> None:
        """Create missing texts from the words; raise an `InputError` if there are no words."""
        self._make_texts()
        if self.texts is None:
            raise self._refuse(*_NO_TEXT)

    def flatten(self, unless: str) -> None:
        """Remove repeated spans, and spans that overlap an earlier or longer span."""
        spans, times = replace(self.file.spans, copies=None), self.file.spans.times
        self.lose(f"repeated spans are written once{unless}", np.repeat(spans.document, times - 1).tolist())
        self.put(spans=spans)
        order = np.lexsort((spans.label, -spans.end, spans.start, spans.document))
        document, start, end = (column[order] for column in (spans.document, spans.start, spans.end))
        if not ((document[1:] == document[:-1]) & (start[1:] < end[:-1])).any():
            return
        kept = np.ones(len(spans), dtype=bool)
        current, reach = -1, 0
        for place, row, begin, stop in zip(
            order.tolist(), document.tolist(), start.tolist(), end.tolist(), strict=True
        ):
            if row == current and begin < reach:
                kept[place] = False
            else:
                current, reach = row, stop
        self.lose(f"spans that overlap another span are left out{unless}", spans.document[~kept].tolist())
        self.keep(kept)

    def keep(self, flags: np.ndarray) -> None:
        """Keep only flagged spans."""
        self.put(spans=self.file.spans.picked(np.flatnonzero(flags)))

    def _make_texts(self) -> None:
        """Create missing texts by joining the words with spaces."""
        words = self.file.words
        if self.texts is not None or words is None:
            return
        self.lose("documents without a text get a text: their words, joined with blanks", range(len(words)))
        texts, tokens = joined(words, " ")
        self.put(texts=tuple(texts), tokens=tokens)

    def _refuse(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, remedy, source=self.file.source)


def fitted(file: DocumentFile, writer: Writer, options: Mapping[str, Any], pairing: Pairing) -> Fitted:
    """Fit documents to a format.

    Args:
        file: the documents.
        writer: the writer of the format.
        options: the options of the writer.
        pairing: how spans of characters are trimmed and converted to tokens, and by which tokenizer. With `strict`,
            spans that begin or end inside a token are lost.

    Raises:
        InputError: if the documents lack the text, words or tokens that the format needs.
    """
    fitting = Fitted(replace(file.require_spans(), missing=None))
    if not writer.annotators and len(file.names) > 1:
        fitting.lose(
            f"documents of {len(file.names)} annotators lose the names of the annotators", range(file.documents.size)
        )
        fitting.put(annotators=None)
    fitting.lose("unannotated parts become parts without spans", () if file.missing is None else file.missing.document)
    if file.stated is not None and file.has_attributes:
        if writer.attributes:
            fitting.mark(file.stated)
        else:
            fitting.lose("spans lose their attributes", file.stated.documents_with("attributes"))
        fitting.lose("spans lose the scores of their attributes", file.stated.documents_with("scores"))
    if not writer.discontinuous:
        fitting.join_fragments()
    if pairing.tokenizer is not None:
        fitting.file = with_tokens(fitting.file, pairing.tokenizer)
    fitting.trim(pairing.trim)
    if writer.unit == "character":
        fitting.in_characters()
    elif writer.unit == "token":
        fitting.in_tokens(pairing.to_tokens)
    if writer.needs_text:
        fitting.require_texts()
    option = writer.overlapping
    if option is False or (isinstance(option, str) and options.get(option) is None):
        fitting.flatten(f" ({setting(option)} keeps them)" if option else "")
    if writer.problems is not None:
        fitting.lose_all(writer.problems(fitting, **options))
    return fitting
