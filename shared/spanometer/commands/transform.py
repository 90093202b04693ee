"""Add errors of one or several kinds to a file.

Spans are cut, shifted, shortened, lengthened, relabelled, removed or invented,
or tags become illegal. Changed spans stay inside their documents and do not
overlap. The number of changed spans is printed to standard error. The tags of
FILE must be legal.

Examples:
  spanometer transform --list
  spanometer transform gold.conll --apply shifted_spans > shifted.conll
  spanometer transform gold.conll --apply label_noise --rate 0.2 -o worse.conll
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from ..analysis.transformations.mapping import (
    DESCRIPTIONS,
    TRANSFORMATIONS,
    IllegalTags,
    free,
    get_transformation,
    matched,
)
from ..analysis.transformations.transformations import SpanTransformation, Transformation
from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted
from ..documents.pairing import Pairing
from ..exceptions import InputError, counted
from ..readers.json.lines import span_lines
from ..spans.conversion import certain_scheme
from ..spans.spans import Spans, as_tags
from ..spans.tokenisation import to_characters
from ..tags.tags import Tags
from .convert import Target, WrittenAs, rewrite
from .input_files import ONE_FILE, InputFiles, add_reading, read_source
from .inputs import InputPath, located
from .options import add_options, read_options


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    what = "file with tags, plain or gzipped, or a folder, or a quoted pattern; - is standard input"
    parser.add_argument("file", metavar="FILE", help=what)
    add_reading(parser, {*ONE_FILE} - {"repair"})
    group = parser.add_argument_group("transforming")
    group.add_argument(
        "--apply",
        metavar="NAME",
        action="append",
        help="transformation to apply (see --list); repeat it to apply several in turn",
    )
    group.add_argument(
        "--rate",
        metavar="R",
        type=float,
        action="append",
        help="probability that a span is changed; give it once for all transformations, or once per transformation",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=0,
        help="random seed of the first transformation; the next one uses N + 1",
    )
    group.add_argument(
        "--first",
        metavar="N",
        type=int,
        action="append",
        help="change at most the first N spans; give it once for all transformations, or once per transformation",
    )
    group.add_argument(
        "--matched",
        action="store_true",
        help="change at most as many spans as the opposite transformation could change",
    )
    listed = (f"{name:<18}rate {each.rate:<5g} {DESCRIPTIONS[name]}" for name, each in TRANSFORMATIONS.items())
    group.add_argument("--list", action="version", version="\n".join(listed), help="list the transformations and exit")
    group.add_argument(
        "--as-spans",
        action="store_true",
        help="write JSON lines of spans; as in the SL-ICM paper, spans may overlap, or end after the end of the "
        "document",
    )
    add_options(parser.add_argument_group("output"), Target)
    parser.set_defaults(flags={**parser.get_default("flags"), "transformation": "--apply"})


def run(options: argparse.Namespace) -> int:
    """Read, transform and write."""
    options.apply = options.apply or []
    if not options.apply and not options.as_spans:
        raise InputError("no transformation is named.", "Name one with --apply; see --list.")
    steps = _steps(options)
    path = options.file = InputPath.of(options.file)
    source, of_tags = read_source(options, path)
    touched: list[tuple[int, ...]] = []

    def change(tags: Tags) -> Tags:
        scheme = certain_scheme(tags, source.scheme, remedy="spanometer convert --repair ...")
        counts = []
        for name, step in zip(options.apply, steps, strict=True):
            if options.matched:
                step = matched(name, step, Spans.from_tags(tags, scheme=scheme.name))
            result = step.on_tags(tags, scheme=scheme.name)
            tags = result.tags
            counts.append(result.touched)
        touched.append(tuple(counts))
        return tags

    if not of_tags or options.as_spans:
        _require_spans(options, steps)
    if options.as_spans:
        touched.append(_write_spans(options, source, steps, of_tags=of_tags))
    elif not of_tags:
        touched.append(_transform_documents(options, source, steps))
    else:
        rewrite(options, source, change, ", ".join(options.apply))
    for name, step, counts in zip(options.apply, steps, zip(*touched, strict=True), strict=True):
        total = sum(counts)
        print(f"{name}: {counted(total, step.unit)} changed.", file=sys.stderr)
    return 0


def _transform_documents(
    options: argparse.Namespace, source: InputFiles, steps: Sequence[Transformation]
) -> tuple[int, ...]:
    """Write documents with transformed spans in their format; returns the number of spans that each step changed."""
    format: Any = source.format_of(options.file)
    if format.writer is None:
        remedy = "Convert the file first: spanometer convert FILE --to jsonl -o OUT."
        raise InputError(f"{format.name} cannot be written.", remedy)
    writing = WrittenAs(to=format.name).writing(options, source)
    file, carried = _read_in_tokens(options, source)
    spans, touched = _transformed(options, steps, carried.file.spans)
    changed = replace(carried.file, spans=spans)
    if not file.in_tokens:
        tokens, lengths = carried.file.documents.tokens, file.documents.lengths
        changed = replace(file, spans=to_characters(spans, tokens, lengths)) if tokens is not None else changed
    # the notes on the file were shown when it was read
    writing.write(writing.prepare(replace(changed, stated=None, left_out=(), notes=()), Pairing()))
    return touched


def _read_in_tokens(options: argparse.Namespace, source: InputFiles) -> tuple[DocumentFile, Fitted]:
    """Read documents with their spans in tokens; note on standard error that attributes are lost."""
    file, carried = source.read_in_tokens(options.file)
    if file.has_attributes:
        print("lost: the attributes of spans", file=sys.stderr)
    return file, carried


def _transformed(
    options: argparse.Namespace, steps: Sequence[Transformation], spans: Spans
) -> tuple[Spans, tuple[int, ...]]:
    """Apply all steps to spans; also returns the number of spans that each step changed."""
    touched = []
    for name, step in zip(options.apply, steps, strict=True):
        chosen = matched(name, step, spans) if options.matched else step
        result = cast(SpanTransformation, chosen)(spans)
        spans = result.spans
        touched.append(result.touched)
    return spans, tuple(touched)


def _require_spans(options: argparse.Namespace, steps: Sequence[Transformation]) -> None:
    """Raise an `InputError` for options that apply only to tags."""
    if options.in_place or any(not isinstance(step, SpanTransformation) for step in steps):
        what = "--in-place" if options.in_place else "illegal_tags"
        raise InputError(f"{what} needs tags, but the output has spans.", f"Remove {what}, or write tags.")


def _write_spans(
    options: argparse.Namespace, source: InputFiles, steps: Sequence[Transformation], *, of_tags: bool
) -> tuple[int, ...]:
    """Write transformed spans, which can overlap, as JSON lines; returns the number of spans that each step changed."""
    if not of_tags:
        spans = _read_in_tokens(options, source)[1].file.spans
    else:
        if source.columns:
            raise InputError("--as-spans can write only one column.", "Name one column.")
        file = source.read_columns(options.file)
        with located({"": file}):
            tags = as_tags(file.tags[0], prefix=source.prefix)
            scheme = certain_scheme(tags, source.scheme, remedy="spanometer convert --repair ...")
        spans = Spans.from_tags(tags, scheme=scheme.name)
    spans, touched = _transformed(options, list(map(free, steps)), spans)
    with read_options(Target, options, file=options.file).opened() as output:
        output.writelines(span_lines(spans))
    return touched


def _steps(options: argparse.Namespace) -> list[Transformation]:
    """Read the transformations."""
    names, rates, firsts = options.apply, options.rate or [], options.first or []
    for flag, what, values in (("--rate", "rates", rates), ("--first", "numbers", firsts)):
        if len(values) not in (0, 1, len(names)):
            problem = f"got {len(values)} {what} for {counted(len(names), 'transformation')}."
            raise InputError(problem, f"Give {flag} once, or once for each --apply.")
    if firsts and options.matched:
        raise InputError("--first and --matched cannot be used together.", "Remove one of them.")
    parameters = {"rate": rates, "first": firsts}
    steps = [
        get_transformation(
            name,
            seed=options.seed + number,
            **{key: values[number % len(values)] for key, values in parameters.items() if values},
        )
        for number, name in enumerate(names)
    ]
    if any(isinstance(step, IllegalTags) for step in steps[:-1]):
        raise InputError(
            "no transformation can follow illegal_tags, because its tags are illegal.",
            "Apply illegal_tags once, and last.",
        )
    return steps
