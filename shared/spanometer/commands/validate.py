"""List the illegal pairs of tags in a file.

For each the line, the tag and the one before it, and the spans there under each
repair policy, with their lines (in JSON lines: with their tokens, from 0). FILE
has one token a line and a blank line between documents, or is JSON lines of tag
lists; plain or gzipped. The exit status is 0 if all tags are legal, 1 if they
are not, 2 for a file that cannot be read.

Examples:
  spanometer validate system.conll
  spanometer validate both.tsv --column 2 --column 3 --scheme IOB1
  spanometer validate system.jsonl.gz --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..errors import counted, printable
from ..readers.tag_file import TagFile
from ..tags.validation import IllegalPair, Validation
from .inputs import located
from .options import add_options, read_options
from .output import Output
from .rewritten import TagColumns, add_file_options
from .tag_files import documents_in

ILLEGAL = 1
"""Exit status if there are illegal pairs."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_options(add_file_options(parser), {"": TagColumns}, leave_out=("repair", "prefix"))
    add_options(parser.add_argument_group("output"), {"": Output}, leave_out=("no_color",))


def run(options: argparse.Namespace) -> int:
    """Read, validate and list."""
    output = read_options(Output, options)
    source = read_options(TagColumns, options)
    file = source.read_columns(options.file)
    columns = [file.select(index) for index in range(len(file.columns))]
    found = [(column, _validate(column, source.scheme)) for column in columns]
    if output.json:
        output.write(lambda: {"file": file.source, "columns": [_described(*pair) for pair in found]}, tuple)
    else:
        for column, validation in found:
            for line in _lines(column, validation, name_column=len(columns) > 1):
                print(line)
        for column, validation in found:
            print(_summary(column, validation, inferred=source.scheme is None))
    return ILLEGAL if any(len(validation) for _, validation in found) else 0


def _validate(column: TagFile, scheme: str | None) -> Validation:
    with located({"": column}):
        return Validation(column.tags[0], scheme=scheme)


def _lines(column: TagFile, validation: Validation, *, name_column: bool) -> Iterator[str]:
    """Yield a line for each illegal pair."""
    source, name = printable(column.source), f"{printable(column.columns[0])}: " if name_column else ""
    for pair in validation:
        token = f"token {pair.position}: " if column.line_runs is None else ""
        place = f"{source}:{column.line(pair.document, pair.position)}: {name}{token}"
        yield f"{place}{printable(str(pair))} ({_policies(column, pair)})"


def _policies(column: TagFile, pair: IllegalPair) -> str:
    """Return the spans of each policy; policies that agree are named together."""
    agreeing: dict[str, list[str]] = {}
    for policy, spans in pair.policies.items():
        made = " and ".join(_span(column, pair.document, *span) for span in spans) or "nothing"
        agreeing.setdefault(made, []).append(policy)
    return "; ".join(f"{', '.join(policies)}: {made}" for made, policies in agreeing.items())


def _span(column: TagFile, document: int, label: str, start: int, end: int) -> str:
    """Return a span's label and its lines, or tokens if documents stand on one line."""
    first, last = start, end - 1
    if column.line_runs is not None:
        first, last = column.line(document, first), column.line(document, last)
    return f"{printable(label)} {first}" + (f"-{last}" if last > first else "")


def _summary(column: TagFile, validation: Validation, *, inferred: bool) -> str:
    documents = documents_in(column, briefly=True)
    where = f"{printable(column.source)}, {printable(column.columns[0])}"
    scheme = f"({validation.scheme.name}{', inferred from the prefixes' if inferred else ''})"
    if not len(validation):
        return f"{where}: no illegal pairs in {documents} {scheme}."
    spans = ", ".join(f"{policy} {count:,}" for policy, count in validation.spans.items())
    pairs = counted(len(validation), "illegal pair")
    return f"{where}: {pairs} in {len(validation.affected):,} of {documents} {scheme}. Spans: {spans}."


def _described(column: TagFile, validation: Validation) -> dict[str, Any]:
    return {
        "column": column.columns[0],
        "scheme": validation.scheme.name,
        "documents": len(column.document_lines),
        "tokens": len(column.tags[0].codes),
        "affected_documents": len(validation.affected),
        "spans": validation.spans,
        "illegal_pairs": [_described_pair(column, pair) for pair in validation],
    }


def _described_pair(column: TagFile, pair: IllegalPair) -> dict[str, Any]:
    return {
        "line": column.line(pair.document, pair.position),
        "document": pair.document,
        "token": pair.position,
        "previous": pair.previous,
        "tag": pair.tag,
        "policies": {
            policy: [{"label": label, "start": start, "end": end} for label, start, end in spans]
            for policy, spans in pair.policies.items()
        },
    }
