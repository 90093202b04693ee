"""Combine the annotations of several annotators by vote.

A span is in the consensus if more than half of the annotators have it, with
the same label and boundaries. Ties are listed. To read files, use the options
of spanometer agree. The output is IOB2 tags if the files have tags, otherwise
JSON lines.

Examples:
  spanometer consensus ann.conll ben.conll cat.conll -o gold.conll
  spanometer consensus project.json --to doccano -o gold.jsonl
  spanometer consensus ann.jsonl ben.jsonl cat.jsonl --rule union -o gold.jsonl
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict

from ..analysis.agreement.consensus import Consensus, Voting, consensus
from ..documents.pairing import Pairing, unit_of
from ..exceptions import InputError, setting
from ..tables.table import Part, heading
from .convert import Target, WrittenAs
from .corpus import CorpusFiles, Sides
from .input_files import OF_SEVERAL, add_reading
from .inputs import documents_in, headlines, size_of
from .options import add_annotators, add_options, read_options
from .output import Output


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_annotators(parser)
    add_reading(parser, OF_SEVERAL)
    add_options(parser.add_argument_group("voting"), Voting)
    output = parser.add_argument_group("output")
    add_options(output, WrittenAs, optional=("to",))
    add_options(output, Target, leave_out=("in_place",))
    add_options(output, Output)


def run(options: argparse.Namespace) -> int:
    """Read, count the votes, write and show."""
    output, voting = read_options(Output, options), read_options(Voting, options)
    sides = Sides.of(options)
    source, of_tags = sides.source, sides.content == "tags"
    writing = read_options(WrittenAs, options).writing(options, source, "IOB2" if of_tags else "jsonl")
    to_screen = not writing.target.names_file
    if output.json and to_screen:
        raise InputError(
            "--json prints the votes to standard output, but the consensus is printed there.",
            "Name a file for the consensus with -o.",
        )
    corpus = sides.read(words=True)
    first = corpus.first
    if of_tags and not source.kept(first).all():
        raise InputError(
            "tokens with the ignored tag cannot be written.",
            f"Set {setting('ignore_index')} to a number that does not occur.",
            source=first.source,
        )
    with corpus.placing_errors():
        result = consensus(corpus.annotators, **corpus.reading, **asdict(voting))
    file = first.with_spans(result.spans) if of_tags else None
    writing.write(result.documents(file), Pairing(to_tokens=source.to_tokens), noted=True)
    if to_screen:
        from ..tables.screen import text_of

        print(text_of(_parts(result, corpus), terminal=False), end="", file=sys.stderr)
    else:
        output.write(lambda: {**corpus.described(), **result.to_dict()}, lambda: _parts(result, corpus))
    return 0


def _parts(result: Consensus, corpus: CorpusFiles) -> Iterator[Part]:
    first, spans = corpus.first, result.spans
    tokens = None if spans.lengths is None else int(spans.lengths.sum())
    size = documents_in(first, briefly=True) if first.tags else spans.documents
    yield from heading(headlines(corpus.sides, size_of(size, tokens, unit_of([result.signature]))))
    yield ""
    yield from result.parts()
