"""Find the items of a language model's answers in the texts, and write the spans.

TEXTS is JSON lines with "text", or a file of any other format. ANSWERS is JSON
lines of answers or chats. Answers are matched with texts by "id", or by their
order if they have no ids. Items that are not in the text are counted and left
out.

Examples:
  spanometer ground texts.jsonl answers.jsonl -o spans.jsonl --list-lost
  spanometer ground both.jsonl --answer-key answers.gpt-4o --aliases PERSON=PER
  spanometer ground gold.conll answers.jsonl --to IOB2 -o tagged.conll
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..documents.document_file import DocumentFile
from ..documents.joining import matched
from ..documents.pairing import Pairing
from ..documents.sides import files_together, require_one_annotator
from ..documents.units import with_tokens
from ..exceptions import InputError, counted, mention, printable
from ..grounding.grounded import Grounded, outcomes_by_answer
from ..grounding.reading import AnswerReading
from ..options import CheckedOptions, options_of
from ..readers.formats import formats_of
from .convert import Target, WrittenAs
from .input_files import ONE_FILE, InputFiles, add_reading
from .inputs import detected, input_paths
from .options import add_options, read_options, switch

_ENDINGS = {".spacy": "spacy", ".conll": "IOB2", ".iob": "IOB2", ".iob2": "IOB2", ".bio": "IOB2"}
"""The formats of files by their extensions; other files are JSON lines."""


class GroundingOutput(CheckedOptions):
    """Options for showing grounded answers."""

    list_lost: bool = switch("list the items that are not found in the text, and why", common=True)


def _read_both(
    options: argparse.Namespace, source: InputFiles, paths: Sequence[str]
) -> tuple[DocumentFile, DocumentFile]:
    """Read texts and answers, from two files or from one."""
    if len(paths) > 2:
        raise InputError(f"got {counted(len(paths), 'file')}.", "Give TEXTS and ANSWERS, or one file with both.")
    source.require_effect(options, "spans", paths)
    texts = _read(source, paths[0])
    answers = texts if len(paths) == 1 else _read(source, paths[1])
    if answers.answers is None:
        raise InputError(
            "this file has no answers.",
            f"Name the key of the answers with {mention('answer_key')}. Give the texts first.",
            source=answers.source,
        )
    texts = replace(texts, answers=None)
    return matched(texts if source.tokenizer is None else with_tokens(texts, source.tokenizer), answers)


def _read(source: InputFiles, path: str) -> DocumentFile:
    """Read a file, which can also be JSON lines of texts."""
    shown = source.format_of(path)
    if shown is None and (source.text_key is not None or detected(path, source.encoding, "spans", "texts")):
        shown = formats_of("spans")["texts"]
    return require_one_annotator(source.read_all_spans(path, shown=shown))


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument(
        "files", metavar="TEXTS ANSWERS", nargs="+", help="texts and answers in two files, or one file with both"
    )
    add_reading(parser, (*options_of(AnswerReading), *ONE_FILE))
    output = parser.add_argument_group("output")
    add_options(output, WrittenAs, optional=("to",))
    add_options(output, Target, leave_out=("in_place",))
    add_options(output, GroundingOutput)


def run(options: argparse.Namespace) -> int:
    """Read, ground and write."""
    source = read_options(InputFiles, options)
    paths = _paths(options.files, source.answer_key)
    ending = next((name for end, name in _ENDINGS.items() if str(options.output or "").endswith(end)), "jsonl")
    writing = read_options(WrittenAs, options).writing(options, source, ending)
    texts, answers = _read_both(options, source, paths)
    pairing = Pairing(unit="character", **vars(source.pairing.answering))
    paired = files_together({"references": texts, "predictions": answers}, pairing)
    grounded = paired.grounded["predictions"]
    first = paired.file or texts
    made = replace(first, spans=grounded.spans, words=None, annotators=None, left_out=(), notes=(), stated=None)
    tokenizer = None if made.documents.tokens is not None else source.tokenizer
    prepared = writing.prepare(made, replace(source.pairing, tokenizer=tokenizer))
    if read_options(GroundingOutput, options).list_lost:
        for line in _lost(made, grounded):
            print(printable(line), file=sys.stderr)
    writing.write(prepared)
    summary = f"{grounded.summary} (grounding:{grounded.policy})"
    if grounded.unplaced:
        summary += f"; not in the text, and wrong when scored: {len(grounded.unplaced):,}"
    if writing.target.names_file:
        print(f"{printable(options.output)}: {summary}.")
    else:
        print(f"{summary}.", file=sys.stderr)
    return 0


def _paths(paths: Sequence[str], key: str | None) -> Sequence[str]:
    """Return the files of the texts and of the answers; if a key is set, it belongs to the answers."""
    keyed = input_paths(paths, key)
    if len(keyed) > max(len(paths), 2):
        raise InputError(
            f"{mention('answer_key')} names several systems.", "Name one key, and run the command once for each system."
        )
    return keyed


def _lost(made: DocumentFile, grounded: Grounded) -> Iterator[str]:
    """Yield a line for each item that has no place in the text."""
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
