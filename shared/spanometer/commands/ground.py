"""Turn the entities in a language model's answers into spans of the texts.

TEXTS is a file that "spanometer score" can read, or JSON lines with the key
"text". ANSWERS is a file of JSON lines with answers or chats. Answers are
matched with texts by the key "id", or by line order if there are no ids.
Entities that are not in the text are left out of the output. A summary shows
their number.

Examples:
  spanometer ground texts.jsonl answers.jsonl -o spans.jsonl --list-lost
  spanometer ground both.jsonl --answer-key answers.gpt-4o --aliases PERSON=PER
  spanometer ground gold.conll answers.jsonl --to IOB2 -o tagged.conll
"""

import argparse
import sys
from collections.abc import Iterator
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
from .convert import Target
from .input_files import ONE_FILE, InputFiles, add_reading, detected, input_paths
from .options import add_options, read_options, switch

_ENDINGS = {".spacy": "spacy", ".conll": "IOB2", ".iob": "IOB2", ".iob2": "IOB2", ".bio": "IOB2"}
"""The formats of files by their extensions; other files are JSON lines."""


class GroundingOutput(CheckedOptions):
    """Options for showing grounded answers.

    Attributes:
        list_lost: list each entity that is not found in the text, with the reason.
    """

    list_lost: bool = switch(common=True)


def _read(source: InputFiles, path: str) -> DocumentFile:
    """Read a file, which can also be JSON lines of texts."""
    shown = source.format_of(path)
    if shown is None and (source.text_key is not None or detected(path, source.encoding, "spans", "texts")):
        shown = formats_of("spans")["texts"]
    return require_one_annotator(source.read_all_spans(path, shown=shown))


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    what = "texts and answers in two files, or one file with both"
    parser.add_argument("files", metavar="TEXTS ANSWERS", nargs="+", help=what)
    add_reading(parser, (*options_of(AnswerReading), *ONE_FILE))
    add_options(parser, "output", Target, GroundingOutput, leave_out=("in_place",))


def run(options: argparse.Namespace) -> None:
    """Read, ground and write."""
    source = read_options(InputFiles, options)
    paths = input_paths(options.files, source.answer_key)
    if len(paths) > max(len(options.files), 2):
        remedy = "Name one key, and run the command once for each system."
        raise InputError(f"{mention('answer_key')} names several systems.", remedy)
    ending = next((name for end, name in _ENDINGS.items() if str(options.output or "").endswith(end)), "jsonl")
    target = read_options(Target, options)
    writing = target.of_documents(source, ending)
    if len(paths) > 2:
        raise InputError(f"got {counted(len(paths), 'file')}.", "Give TEXTS and ANSWERS, or one file with both.")
    source.require_effect(options, "spans", paths)
    texts, *others = (_read(source, path) for path in paths)
    answers = next(iter(others), texts)
    if answers.answers is None:
        remedy = "Give the file of the texts first, then the file of the answers. If the answers have another key,"
        named = f"name that key with {mention('answer_key')}."
        raise InputError("this file has no answers.", f"{remedy} {named}", source=answers.source)
    texts = replace(texts, answers=None)
    texts, answers = matched(texts if source.tokenizer is None else with_tokens(texts, source.tokenizer), answers)
    pairing = Pairing(unit="character", **vars(source.pairing.answering))
    paired = files_together({"references": texts, "predictions": answers}, pairing)
    grounded = paired.grounded["predictions"]
    made = replace(paired.file or texts, spans=grounded.spans, words=None, annotators=None, stated=None)
    tokenizer = None if made.documents.tokens is not None else source.tokenizer
    writing.write(made, replace(source.pairing, tokenizer=tokenizer), noted=True)
    for line in _lost(made, grounded) if read_options(GroundingOutput, options).list_lost else ():
        print(printable(line), file=sys.stderr)
    summary = f"{grounded.summary} (grounding:{grounded.policy})"
    if grounded.unplaced:
        summary += f"; not in the text, and wrong when scored: {len(grounded.unplaced):,}"
    if target.names_file:
        print(f"{printable(options.output)}: {summary}.")
    else:
        print(f"{summary}.", file=sys.stderr)


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
