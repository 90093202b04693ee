"""Combine the annotations of several annotators by vote.

A span is in the consensus if more than half of the annotators have it, with the
same label and the same bounds; --rule and --at-least ask for fewer or more.
Half of an even number is a tie: ties are counted and listed, left out under
majority, and taken in under half. With --vote token the labels of tokens are
voted on, and read as runs. Spans that have won may overlap where annotators
nest them, and under rules other than majority; --resolve says which give way.

Files as in spanometer agree: one for each annotator, one with a column for
each, or an export of an annotation tool with several annotators. The consensus
is written as a file of any format that spanometer convert writes: JSON lines by
default, IOB2 for files of tags. What the format cannot hold is listed, and
refused unless --lossy asks for what is left. How many spans have won is on
standard output, or on standard error if the consensus itself is there.

Examples:
  spanometer consensus ann.conll ben.conll cat.conll -o gold.conll
  spanometer consensus project.json --to doccano -o gold.jsonl
  spanometer consensus ann.jsonl ben.jsonl cat.jsonl --rule union --resolve overlaps --to IOB2 --tokenizer words
  spanometer consensus ann.jsonl ben.jsonl cat.jsonl --at-least 2 -o gold.jsonl --list-spans votes.csv
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..analysis.agreement.consensus import Consensus, Voting
from ..analysis.agreement.vote import consensus
from ..documents.pairing import Pairing, unit_of
from ..documents.tag_file import TagFile
from ..exceptions import InputError, setting
from ..readers.formats import writers
from ..readers.reading import documents_of_tags
from ..readers.writing import prepare, require_writable, writing
from ..tables.exports import to_csv
from ..tables.table import Part, Precision, heading
from .documents import DocumentSeries
from .inputs import STANDARD_INPUT, Side, headlines, input_paths, kind_of, size_of
from .measures import require_used
from .options import add_options, read_options, switch, text
from .output import Output
from .rewritten import Target, WrittenAs, require_new, say_what_is_lost, write_out
from .tag_files import TagSeries, documents_in


@dataclass(frozen=True, kw_only=True)
class VotedDocuments(DocumentSeries, WrittenAs):
    """Documents of annotators, and the form of the consensus."""


@dataclass(frozen=True, kw_only=True)
class VotedTags(TagSeries, WrittenAs):
    """Tags of annotators, and the form of the consensus."""


@dataclass(frozen=True, kw_only=True)
class ConsensusOutput(Output):
    """How votes are shown."""

    with_votes: bool = switch("write the number of votes and the voters of each span as its attributes")
    list_spans: str | None = text(
        "CSV", "write all spans that anybody has, with their votes and outcome, into a new file"
    )

    def __post_init__(self) -> None:
        """Refuse a file that exists, before anything is read."""
        if self.list_spans is not None:
            require_writable(self.list_spans, replace=False)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="file with the annotation of one annotator")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the annotators' names, with commas between")
    add_options(reading, {"": VotedTags, VotedDocuments.title: VotedDocuments}, leave_out=("to", "lossy"))
    add_options(parser.add_argument_group("voting"), {"": Voting})
    output = parser.add_argument_group("output")
    add_options(output, {"": WrittenAs}, optional=("to",))
    add_options(output, {"": Target}, leave_out=("in_place",), called={"output": "-o --output"})
    add_options(output, {"": ConsensusOutput})


def run(options: argparse.Namespace) -> int:
    """Read, count the votes, write and show."""
    output, voting = read_options(ConsensusOutput, options), read_options(Voting, options)
    to_screen = options.output in (None, STANDARD_INPUT)
    if output.json and to_screen:
        raise InputError("--json is about votes, and standard output has the consensus.", "Name a file with -o.")
    paths = input_paths(options.files)
    kinds: tuple[type[VotedDocuments | VotedTags], ...] = (VotedDocuments, VotedTags)
    kind = kind_of(kinds, options, paths, [Voting, ConsensusOutput])
    source = read_options(kind, options)
    require_used(options, source)
    format, settings = source.target(source.to or ("jsonl" if kind is VotedDocuments else "IOB2"))
    require_new(options, format)
    corpus = source.corpus(paths, options.names, words=True)
    first = corpus.first
    if isinstance(source, VotedTags) and not source.kept(first).all():
        raise InputError(
            "tokens that are left out have no place in what is written.",
            f"Set {setting('ignore_index')} to a number that does not occur.",
            source=first.source,
        )
    with corpus.placing_errors():
        found = consensus(corpus.annotators, **corpus.reading, **asdict(voting))
    file = documents_of_tags(first, found.spans) if isinstance(first, TagFile) else None
    size = documents_in(first, briefly=True) if isinstance(first, TagFile) else found.spans.documents
    sides = corpus.sides
    pairing = Pairing(to_tokens=getattr(source, "to_tokens", "strict")) if writers()[format].unit == "token" else None
    # what the readers of all files say is shown with their names
    made = replace(found.documents(file, votes=output.with_votes), left_out=(), notes=())
    prepared = prepare(made, format, pairing or Pairing(), settings, lossy=source.lossy)
    say_what_is_lost(made, prepared)
    if output.list_spans is not None:
        with writing(output.list_spans) as stream:
            stream.write(to_csv([found.tables()[-1]], Precision()).encode())
    write_out(options, prepared, format, settings)
    if to_screen:
        from ..tables.screen import text_of

        print(text_of(_parts(found, sides, size), terminal=False), end="", file=sys.stderr)
    else:
        output.write(lambda: _described(found, sides), lambda: _parts(found, sides, size))
    return 0


def _described(found: Consensus, sides: Sequence[tuple[str, Side]]) -> dict[str, Any]:
    return {"files": [side.described for _, side in sides], **found.to_dict()}


def _parts(found: Consensus, sides: Sequence[tuple[str, Side]], size: int | str) -> Iterator[Part]:
    spans = found.spans
    tokens = None if spans.lengths is None else int(spans.lengths.sum())
    yield from heading(headlines(sides, size_of(size, tokens, unit_of([found.signature]))))
    yield ""
    yield from found.parts()
