"""List the illegal tags of a file, or its invalid spans.

For tags, validate lists each illegal pair of neighbouring tags, its line, and
the spans from each repair policy. For other files, validate lists spans that
are empty, outside the text, repeated or padded with blanks. It also lists a
span if the file states another text for it than the text at its offsets. The
exit status is 1 if there are problems, and 2 if a file cannot be read.

Examples:
  spanometer validate system.conll
  spanometer validate ann.conll ben.conll cat.conll
  spanometer validate project.json --tokenizer words
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ..documents.checks import KINDS, SpanValidation
from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, printable
from ..tags.validation import Validation
from .input_files import ONE_FILE, add_reading, read_source
from .inputs import InputPath, called, documents_in, input_paths, located
from .main import BAD_INPUT
from .options import add_options, read_options, speller
from .output import Output

ILLEGAL = 1
"""The exit status if there are illegal pairs."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    what = "file with tags or spans (can be gzipped), folder, or pattern in quotes, such as '*.conll'; - is "
    parser.add_argument("files", metavar="FILE", nargs="+", help=f"{what}standard input")
    add_reading(parser, {*ONE_FILE} - {"repair", "prefix", "to_tokens", "trim"})
    add_options(parser.add_argument_group("output"), Output, leave_out=("no_color",))


def run(options: argparse.Namespace) -> int:
    """Read, validate and list."""
    output = read_options(Output, options)
    paths = input_paths(options.files)
    checked: list[_Checked] = []
    for path in paths:
        try:
            checked.append(_check(options, path))
        except InputError as error:
            if len(paths) == 1:
                raise
            message = error.message(speller(options.flags), " ")
            checked.append(_Checked(BAD_INPUT, partial(dict, file=called(path), error=message)))
            print(f"spanometer: {printable(message)}", file=sys.stderr)
        for line in () if output.json else checked[-1].lines:
            print(line)
    statuses = [each.status for each in checked]
    if output.json:
        described = [each.described() for each in checked]
        output.write(lambda: described[0] if len(paths) == 1 else {"files": described}, tuple)
        return max(statuses)
    for line in chain.from_iterable(each.summary for each in checked):
        print(line)
    if len(paths) > 1:
        kinds = {0: "without problems", ILLEGAL: "with problems", BAD_INPUT: "that cannot be read"}
        numbers = (f"{statuses.count(status):,} {kind}" for status, kind in kinds.items() if status in statuses)
        print(f"{counted(len(paths), 'file')}: {', '.join(numbers)}.")
    return max(statuses)


class _Checked(NamedTuple):
    """The problems of a file.

    Attributes:
        status: the exit status for this file.
        described: a function that describes them for JSON.
        lines: a line for each problem.
        summary: a line for each column, or one for all documents.
    """

    status: int
    described: Callable[[], dict[str, Any]]
    lines: Iterable[str] = ()
    summary: Sequence[str] = ()


def _check(options: argparse.Namespace, path: InputPath) -> _Checked:
    source, of_tags = read_source(options, path, repair="raise")
    if not of_tags:
        validation = SpanValidation(tokenizer=source.tokenizer)
        return _check_documents(validation.read(lambda: source.read_all_spans(path)), path)
    file = source.read_columns(path)
    pairs = []
    for column in map(file.select, range(len(file.columns))):
        with located({"": column}):
            pairs.append((column, Validation(column.tags[0], scheme=source.scheme)))
    return _Checked(
        ILLEGAL if any(len(validation) for _, validation in pairs) else 0,
        lambda: {"file": file.source, "columns": [_described(*pair) for pair in pairs]},
        chain.from_iterable(_lines(*pair, name_column=len(pairs) > 1) for pair in pairs),
        [_summary(*pair, inferred=source.scheme is None) for pair in pairs],
    )


def _check_documents(validation: SpanValidation, path: InputPath) -> _Checked:
    """Describe the invalid spans of documents; left-out items are listed on standard error."""
    source, problems = printable(called(path)), validation.problems
    described = validation.to_dict()

    def lines() -> Iterator[str]:
        for problem in problems:
            name = problem.place or ("" if problem.name is None else f"document {problem.name!r}")
            yield f"{source}:{problem.line}: {printable(': '.join(filter(None, [name, problem.text])))}"
        for text in described["left_out"]:
            print(f"left out: {printable(text)}", file=sys.stderr)

    documents, spans = counted(validation.documents, "document"), counted(validation.spans, "span")
    summary = f"no problems with {spans} in {documents}"
    if problems:
        listed = "; ".join(f"{KINDS[kind]}: {count:,}" for kind, count in validation.counts.items())
        number = counted(len(problems), "problem")
        summary = f"{number} in {validation.affected:,} of {documents}, with {spans}: {listed}"
    return _Checked(
        ILLEGAL if problems else 0, lambda: {"file": called(path), **described}, lines(), [f"{source}: {summary}."]
    )


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
    pairs = [
        {
            "line": column.line(pair.document, pair.position),
            "document": pair.document,
            "token": pair.position,
            "previous": pair.previous,
            "tag": pair.tag,
            "policies": {
                policy: [dict(zip(("label", "start", "end"), span, strict=True)) for span in spans]
                for policy, spans in pair.policies.items()
            },
        }
        for pair in validation
    ]
    return {
        "column": column.columns[0],
        "scheme": validation.scheme.name,
        "documents": len(column.document_lines),
        "tokens": len(column.tags[0].codes),
        "affected_documents": len(validation.affected),
        "spans": validation.spans,
        "illegal_pairs": pairs,
    }
