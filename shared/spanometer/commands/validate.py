"""List the illegal tags of a file, or its invalid spans.

For tags, the output has the line number of each illegal pair of neighbouring
tags, and the spans that each repair policy reads there. For other files, the
output lists spans that are empty, repeated, outside the text or padded with
blanks, and spans whose text in the file differs from the text at their offsets.
The exit status is 1 if there are problems, and 2 if a file cannot be read.

Examples:
  spanometer validate system.conll
  spanometer validate ann.conll ben.conll cat.conll
  spanometer validate project.json --tokenizer words
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from ..documents.checks import KINDS, SpanValidation
from ..documents.document_file import DocumentFile
from ..documents.joining import locating_errors
from ..exceptions import InputError, counted, printable
from ..tags.decoding import Validation
from .input_files import ONE_FILE, InputPath, add_reading, called, input_paths, read_source
from .main import BAD_INPUT
from .options import add_options, read_options, speller
from .output import Output, documents_in

ILLEGAL = 1
"""The exit status if there are illegal pairs."""

_Checked = tuple[int, dict[str, Any], list[str]]
"""The exit status for a file, its problems for JSON, and a line for each column, or one for all documents."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    what = "file with tags or spans (can be gzipped), folder, quoted pattern such as '*.conll', or - for "
    parser.add_argument("files", metavar="FILE", nargs="+", help=f"{what}standard input")
    add_reading(parser, {*ONE_FILE} - {"repair", "prefix", "to_tokens", "trim"})
    add_options(parser, "output", Output, leave_out=("no_color",))


def run(options: argparse.Namespace) -> int:
    """Read, validate and list."""
    output = read_options(Output, options)
    paths = input_paths(options.files)
    checked: list[_Checked] = []
    for path in paths:
        try:
            checked.append(_check(options, path, as_json=output.json))
        except InputError as error:
            if len(paths) == 1:
                raise
            message = error.message(speller(options.flags), " ")
            checked.append((BAD_INPUT, {"file": called(path), "error": message}, []))
            print(f"spanometer: {printable(message)}", file=sys.stderr)
    statuses = [status for status, _, _ in checked]
    if output.json:
        described = [values for _, values, _ in checked]
        output.write_json(described[0] if len(paths) == 1 else {"files": described})
        return max(statuses)
    for line in chain.from_iterable(summary for _, _, summary in checked):
        print(line)
    if len(paths) > 1:
        kinds = {0: "without problems", ILLEGAL: "with problems", BAD_INPUT: "that cannot be read"}
        numbers = (f"{statuses.count(status):,} {kind}" for status, kind in kinds.items() if status in statuses)
        print(f"{counted(len(paths), 'file')}: {', '.join(numbers)}.")
    return max(statuses)


def _check(options: argparse.Namespace, path: InputPath, *, as_json: bool) -> _Checked:
    """Check a file; describe its problems for JSON, or print a line for each problem."""
    source, of_tags = read_source(options, path)
    source = replace(source, repair="raise")
    if not of_tags:
        validation = SpanValidation(tokenizer=source.tokenizer)
        return _check_documents(validation.read(lambda: source.read_all_spans(path)), path, as_json=as_json)
    file = source.read_columns(path)
    pairs = []
    for column in map(file.select, range(len(file.columns))):
        with locating_errors({"": column}):
            pairs.append((column, Validation(column.tags[0], scheme=source.scheme)))
    status = ILLEGAL if any(len(validation) for _, validation in pairs) else 0
    if as_json:
        return status, {"file": file.source, "columns": [_described(*pair) for pair in pairs]}, []
    for line in chain.from_iterable(_lines(*pair, name_column=len(pairs) > 1) for pair in pairs):
        print(line)
    return status, {}, [_summary(*pair, inferred=source.scheme is None) for pair in pairs]


def _check_documents(validation: SpanValidation, path: InputPath, *, as_json: bool) -> _Checked:
    """Describe or print the invalid spans of documents; left-out items are listed on standard error."""
    source, problems, described = printable(called(path)), validation.problems, validation.to_dict()
    status = ILLEGAL if problems else 0
    if as_json:
        return status, {"file": called(path), **described}, []
    for problem in problems:
        name = problem.place or ("" if problem.name is None else f"document {problem.name!r}")
        print(f"{source}:{problem.line}: {printable(': '.join(filter(None, [name, problem.text])))}")
    for text in described["left_out"]:
        print(f"left out: {printable(text)}", file=sys.stderr)
    documents, spans = counted(validation.documents, "document"), counted(validation.spans, "span")
    summary = f"no problems with {spans} in {documents}"
    if problems:
        listed = "; ".join(f"{KINDS[kind]}: {count:,}" for kind, count in validation.counts.items())
        number = counted(len(problems), "problem")
        summary = f"{number} in {validation.affected:,} of {documents}, with {spans}: {listed}"
    return status, {}, [f"{source}: {summary}."]


def _lines(column: DocumentFile, validation: Validation, *, name_column: bool) -> Iterator[str]:
    """Yield a line for each illegal pair, with the spans under each policy."""
    source, name = printable(column.source), f"{printable(column.columns[0])}: " if name_column else ""
    for pair in validation:
        token = f"token {pair.position}: " if column.line_runs is None else ""
        # policies with the same spans are named together
        agreeing: dict[str, list[str]] = {}
        for policy, spans in pair.policies.items():
            made = " and ".join(_span(column, pair.document, *span) for span in spans) or "nothing"
            agreeing.setdefault(made, []).append(policy)
        policies = "; ".join(f"{', '.join(policies)}: {made}" for made, policies in agreeing.items())
        place = f"{source}:{column.line(pair.document, pair.position)}: {name}{token}"
        yield f"{place}{printable(str(pair))} ({policies})"


def _span(column: DocumentFile, document: int, label: str, start: int, end: int) -> str:
    """Return a span's label and its lines, or its tokens if each document is on one line."""
    first, last = start, end - 1
    if column.line_runs is not None:
        first, last = column.line(document, first), column.line(document, last)
    return f"{printable(label)} {first}" + (f"-{last}" if last > first else "")


def _summary(column: DocumentFile, validation: Validation, *, inferred: bool) -> str:
    documents = documents_in(column, briefly=True)
    where = f"{printable(column.source)}, {printable(column.columns[0])}"
    scheme = f"({validation.scheme.name}{', inferred from the prefixes' if inferred else ''})"
    if not len(validation):
        return f"{where}: no illegal pairs in {documents} {scheme}."
    spans = ", ".join(f"{policy} {count:,}" for policy, count in validation.spans.items())
    pairs = counted(len(validation), "illegal pair")
    return f"{where}: {pairs} in {len(validation.affected):,} of {documents} {scheme}. Spans: {spans}."


def _described(column: DocumentFile, validation: Validation) -> dict[str, Any]:
    keys = ("label", "start", "end")
    pairs = []
    for pair in validation:
        place = {"line": column.line(pair.document, pair.position), "document": pair.document, "token": pair.position}
        policies = {
            policy: [dict(zip(keys, span, strict=True)) for span in spans] for policy, spans in pair.policies.items()
        }
        pairs.append({**place, "previous": pair.previous, "tag": pair.tag, "policies": policies})
    return {
        "column": column.columns[0],
        "scheme": validation.scheme.name,
        "documents": len(column.document_lines),
        "tokens": len(column.tags[0].codes),
        "affected_documents": len(validation.affected),
        "spans": validation.spans,
        "illegal_pairs": pairs,
    }
