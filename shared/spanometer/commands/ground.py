"""Find the spans that a language model's answers mean, and write them.

TEXTS is JSON lines with "text", or a file of any other format. ANSWERS is JSON
lines of answers or chats. Lines belong together by their "id", else in order.
Items without a place are counted, and left out of the file.

Examples:
  spanometer ground texts.jsonl answers.jsonl -o spans.jsonl --list-lost
  spanometer ground both.jsonl --answer-key answers.gpt-4o --aliases PERSON=PER
  spanometer ground gold.conll answers.jsonl --to IOB2 -o tagged.conll
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..documents.document_file import DocumentFile
from ..documents.matching import matched
from ..documents.pairing import Pairing, pair
from ..documents.tokenizers import with_tokens
from ..exceptions import InputError, counted, mention, printable
from ..grounding.grounded import Grounded, outcomes_by_answer
from ..grounding.reading import AnswerReading
from ..readers.formats import Format, formats_of
from .documents import CarriedDocuments
from .inputs import detected, input_paths
from .options import add_options, read_options, switch
from .rewritten import Target, WrittenAs

_ENDINGS = {".spacy": "spacy", ".conll": "IOB2", ".iob": "IOB2", ".iob2": "IOB2", ".bio": "IOB2"}
"""The formats of files by their endings; others are JSON lines."""


@dataclass(frozen=True, kw_only=True)
class GroundedFiles(CarriedDocuments, AnswerReading, WrittenAs):
    """Texts and answers, and the options of grounding and writing them."""

    list_lost: bool = switch("list the items that have no place, and why", common=True)

    def format_of(self, path: str) -> Format | None:
        """Detect the format of a file, which may be JSON lines of texts."""
        format = super().format_of(path)
        if format is None and (self.text_key is not None or detected(path, self.encoding, "spans", "texts")):
            return formats_of("spans")["texts"]
        return format

    def read_both(self, paths: Sequence[str]) -> tuple[DocumentFile, DocumentFile]:
        """Read texts and answers, from two files or one."""
        if len(paths) > 2:
            raise InputError(f"{counted(len(paths), 'file')}.", "Give TEXTS and ANSWERS, or one file that has both.")
        self.require_taken(paths)
        texts = self.read(paths[0])
        answers = texts if len(paths) == 1 else self.read(paths[1])
        if answers.answers is None:
            raise InputError(
                "this file has no answers.",
                f"Name their key with {mention('answer_key')}, and give the texts first.",
                source=answers.source,
            )
        texts = replace(texts, answers=None)
        return matched(texts if self.tokenizer is None else with_tokens(texts, self.tokenizer), answers)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("files", metavar="TEXTS ANSWERS", nargs="+", help="the two files; or one that has both")
    grounding = parser.add_argument_group("grounding")
    add_options(grounding, {"": AnswerReading})
    reading = parser.add_argument_group("reading")
    add_options(reading, {"": GroundedFiles}, leave_out=("to", "lossy", "list_lost"))
    output = parser.add_argument_group("output")
    add_options(output, {"": WrittenAs}, optional=("to",))
    add_options(output, {"": Target}, leave_out=("in_place",), called={"output": "-o --output"})
    add_options(output, {"": GroundedFiles})


def run(options: argparse.Namespace) -> int:
    """Read, ground and write."""
    source = read_options(GroundedFiles, options)
    paths = _paths(options.files, source.answer_key)
    ending = next((name for end, name in _ENDINGS.items() if str(options.output or "").endswith(end)), "jsonl")
    writing = source.writing(options, source, ending)
    texts, answers = source.read_both(paths)
    paired = pair(texts, answers, Pairing(unit="character", **vars(source.answering)))
    grounded = paired.grounded["predictions"]
    spans = paired.sides["predictions"].file.spans
    made = replace(paired.file, spans=spans, words=None, annotators=None, left_out=(), notes=(), stated=None)
    carrying = replace(source.carrying, tokenizer=None) if made.documents.tokens is not None else source.carrying
    prepared = writing.prepare(made, carrying)
    if source.list_lost:
        for line in _lost(made, grounded):
            print(printable(line), file=sys.stderr)
    writing.write(prepared)
    summary = f"{grounded.summary} (grounding:{grounded.policy})"
    if grounded.unplaced:
        summary += f"; without a place, and wrong when scored: {len(grounded.unplaced):,}"
    if writing.target.names_file:
        print(f"{printable(options.output)}: {summary}.")
    else:
        print(f"{summary}.", file=sys.stderr)
    return 0


def _paths(paths: Sequence[str], key: str | None) -> Sequence[str]:
    """List the files of the texts and of the answers, the answers with their key if it is named."""
    keyed = input_paths(paths, key)
    if len(keyed) > max(len(paths), 2):
        raise InputError(f"{mention('answer_key')} names several systems.", "Name one; each is written by itself.")
    return keyed


def _lost(made: DocumentFile, grounded: Grounded) -> Iterator[str]:
    """Yield a line for each item that has no place."""
    for answer in outcomes_by_answer(grounded):
        number = answer.document
        place = made.places[number] if made.places else ""
        name = f"{made.source_of(number)}, {place or f'line {made.document_lines[number]}'}"
        name += "" if made.documents.ids is None else f", {made.documents.name(number)}"
        if answer.read.broken:
            yield f"broken: the answer to {name}"
        for outcome in answer.outcomes:
            if outcome.kind != "placed":
                where = f"{name}: {outcome.item.mention!r} of {outcome.item.label!r}"
                yield f"lost: {where}, {outcome.kind}{', wrong' if outcome.wrong else ', left out'}"
