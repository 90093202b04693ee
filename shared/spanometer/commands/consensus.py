"""Combine the annotations of several annotators by vote.

By default, a span is in the consensus if more than half of the annotators have
it, with the same label and boundaries. Spans with exactly half of the votes
are left out, and shown in a table of ties. The output is IOB2 tags if the files
have tags, otherwise JSON lines.

Examples:
  spanometer consensus ann.conll ben.conll cat.conll -o gold.conll
  spanometer consensus project.json --to doccano -o gold.jsonl
  spanometer consensus ann.jsonl ben.jsonl cat.jsonl --rule union -o gold.jsonl
"""

import argparse
import sys
from dataclasses import asdict

from ..analysis.agreement.consensus import Voting, consensus
from ..documents.pairing import Pairing, unit_of
from ..exceptions import InputError, setting
from ..tables.table import heading
from .convert import Target
from .corpus import Corpus
from .input_files import OF_SEVERAL, add_reading
from .options import add_annotators, add_options, read_options
from .output import Output, documents_in, headlines


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_annotators(parser)
    add_reading(parser, OF_SEVERAL)
    add_options(parser, "voting", Voting)
    add_options(parser, "output", Target, Output, leave_out=("in_place",))


def run(options: argparse.Namespace) -> None:
    """Read, count the votes, write and show."""
    output, voting = read_options(Output, options), read_options(Voting, options)
    corpus = Corpus.of(options)
    source, of_tags = corpus.source, corpus.content == "tags"
    target = read_options(Target, options)
    writing = target.of_documents(source, "IOB2" if of_tags else "jsonl")
    to_screen = not target.names_file
    if output.json and to_screen:
        problem = "--json prints the votes to standard output, but the consensus is printed there."
        raise InputError(problem, "Name a file for the consensus with -o.")
    corpus = corpus.read(words=True)
    first = corpus.first
    if of_tags and not source.kept(first).all():
        remedy = f"Set {setting('ignore_index')} to a number that does not occur."
        raise InputError("tokens with the ignored tag cannot be written.", remedy, source=first.source)
    with corpus.placing_errors():
        result = consensus(corpus.annotators, **corpus.reading, **asdict(voting))
    file = first.with_spans(result.spans) if of_tags else None
    # --to-tokens was applied when the annotators' files were paired
    writing.write(result.documents(file), Pairing(), noted=True)
    tokens = None if result.spans.lengths is None else int(result.spans.lengths.sum())
    documents = documents_in(first, briefly=True) if of_tags else result.spans.documents
    lines = headlines(corpus.sides, documents, tokens, unit_of([result.signature]))
    parts = [*heading(lines), "", *result.parts()]
    if to_screen:
        from ..tables.screen import text_of

        print(text_of(parts, terminal=False), end="", file=sys.stderr)
    elif output.json:
        output.write_json({**corpus.described(), **result.to_dict()})
    else:
        output.write_parts(parts)
