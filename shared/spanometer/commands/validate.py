"""`spanometer validate`: the illegal pairs of tags in a file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import HelpFormatter, add_scheme_option, read_columns
from .rewriting import add_file_options

if TYPE_CHECKING:
    from ..readers import TagFile
    from ..tags.validation import IllegalPair, Validation

ILLEGAL = 1
"""Exit status where there are illegal pairs."""

_DESCRIPTION = """\
List the illegal pairs of tags in FILE: the line, the tag and the one before it,
and the spans there under each repair policy, with their lines (in JSON lines:
with their tokens, from 0). FILE has one token a line and a blank line between
documents, or is JSON lines of tag lists; plain or gzipped. The exit status is 0
where all tags are legal, 1 where they are not, 2 for a file that cannot be
read.
"""

_EPILOG = """\
examples:
  spanometer validate system.conll
  spanometer validate both.tsv --column 2 --column 3 --scheme IOB1
  spanometer validate system.jsonl.gz --json
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "validate",
        usage="%(prog)s [options] FILE",
        help="list the illegal tags of a file",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_scheme_option(add_file_options(parser))
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, validate and list."""
    file = read_columns(options)
    columns = [file.select(index) for index in range(len(file.columns))]
    validations = [_validate(column, options.scheme) for column in columns]
    if options.json:
        report = {
            "spanometer": __version__,
            "file": file.source,
            "columns": [_to_dict(*pair) for pair in zip(columns, validations, strict=True)],
        }
        print(json.dumps(report, indent=2))
    else:
        for column, validation in zip(columns, validations, strict=True):
            for line in _lines(column, validation, name_column=len(columns) > 1):
                print(line)
        for column, validation in zip(columns, validations, strict=True):
            print(_summary(column, validation, told=options.scheme is None))
    return ILLEGAL if any(map(len, validations)) else 0


def _validate(column: TagFile, scheme: str | None) -> Validation:
    from ..tags.validation import Validation

    try:
        return Validation(column.tags[0], scheme=scheme)
    except InputError as error:
        raise (error if error.document is None else column.locate(error)) from None


def _lines(column: TagFile, validation: Validation, *, name_column: bool) -> Iterator[str]:
    """A line for each illegal pair."""
    source, name = printable(column.source), f"{printable(column.columns[0])}: " if name_column else ""
    for pair in validation:
        token = f"token {pair.position}: " if column.token_lines is None else ""
        place = f"{source}:{column.line(pair.document, pair.position)}: {name}{token}"
        yield f"{place}{printable(str(pair))} ({_policies(column, pair)})"


def _policies(column: TagFile, pair: IllegalPair) -> str:
    """What the policies make of a pair; those that agree are named together."""
    agreeing: dict[str, list[str]] = {}
    for policy, spans in pair.policies.items():
        made = " and ".join(_span(column, pair.document, *span) for span in spans) or "nothing"
        agreeing.setdefault(made, []).append(policy)
    return "; ".join(f"{', '.join(policies)}: {made}" for made, policies in agreeing.items())


def _span(column: TagFile, document: int, label: str, start: int, end: int) -> str:
    """A span's label and its lines, or tokens where documents stand on one line."""
    first, last = start, end - 1
    if column.token_lines is not None:
        first, last = column.line(document, first), column.line(document, last)
    return f"{printable(label)} {first}" + (f"-{last}" if last > first else "")


def _summary(column: TagFile, validation: Validation, *, told: bool) -> str:

    documents = counted(len(column.document_lines), "document")
    where = f"{printable(column.source)}, {printable(column.columns[0])}"
    scheme = f"({validation.scheme.name}{', inferred from the prefixes' if told else ''})"
    if not len(validation):
        return f"{where}: no illegal pairs in {documents} {scheme}."
    spans = ", ".join(f"{policy} {count:,}" for policy, count in validation.spans.items())
    pairs = counted(len(validation), "illegal pair")
    return f"{where}: {pairs} in {len(validation.affected):,} of {documents} {scheme}. Spans: {spans}."


def _to_dict(column: TagFile, validation: Validation) -> dict[str, Any]:
    return {
        "column": column.columns[0],
        "scheme": validation.scheme.name,
        "documents": len(column.document_lines),
        "tokens": len(column.tags[0].codes),
        "affected_documents": len(validation.affected),
        "spans": validation.spans,
        "illegal_pairs": [_pair_to_dict(column, pair) for pair in validation],
    }


def _pair_to_dict(column: TagFile, pair: IllegalPair) -> dict[str, Any]:
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
