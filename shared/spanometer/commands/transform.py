"""Add errors of one or several kinds to a file.

The tags of the input FILE must be legal. Each added error splits, shifts,
shortens, lengthens, relabels, removes or invents a span, or makes a tag
illegal. Changed spans stay inside their documents and do not overlap. The
number of changed spans is printed to standard error.

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

from ..analysis.transformations.mapping import DESCRIPTIONS, TRANSFORMATIONS, free, get_transformation, matched
from ..analysis.transformations.transformations import SpanTransformation, Transformation
from ..documents.joining import locating_errors
from ..documents.pairing import Pairing
from ..exceptions import InputError, counted
from ..readers.json.lines import span_lines
from ..spans.conversion import certain_scheme
from ..spans.spans import Spans, as_tags
from ..spans.tokenisation import to_characters
from ..tags.tags import Tags
from .convert import Target, rewrite
from .input_files import ONE_FILE, InputFiles, InputPath, add_reading, read_source
from .options import add_options, group_of, read_options


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    what = "file with tags (can be gzipped), folder, quoted pattern such as '*.conll', or - for standard input"
    parser.add_argument("file", metavar="FILE", help=what)
    add_reading(parser, {*ONE_FILE} - {"repair"})
    shared = "once, or once for each --apply"
    helps = {
        "apply": "add errors of this kind (see --list). To add several kinds, repeat --apply",
        "rate": f"probability that a span is changed. Give --rate {shared}",
        "seed": "random seed: N for the first --apply, N + 1 for the second",
        "first": f"change only the first N spans. Give --first {shared}",
        "matched": "change the same number of spans with both errors of a pair (short_extension and long_extension)",
        "list": "list the kinds of errors for --apply, and exit",
        "as-spans": "write spans as JSON lines. The changed spans can overlap, or go beyond the end of the document",
    }
    listed = (f"{name:<18}rate {each.rate:<5g} {DESCRIPTIONS[name]}" for name, each in TRANSFORMATIONS.items())
    group = group_of(parser, "transforming")
    group.add_argument("--apply", metavar="NAME", action="append", default=[], help=helps["apply"])
    group.add_argument("--rate", metavar="R", type=float, action="append", default=[], help=helps["rate"])
    group.add_argument("--seed", metavar="N", type=int, default=0, help=helps["seed"])
    group.add_argument("--first", metavar="N", type=int, action="append", default=[], help=helps["first"])
    group.add_argument("--matched", action="store_true", help=helps["matched"])
    group.add_argument("--list", action="version", version="\n".join(listed), help=helps["list"])
    group.add_argument("--as-spans", action="store_true", help=helps["as-spans"])
    add_options(parser, "output", Target, leave_out=("to", "lossy"))
    parser.set_defaults(flags={**parser.get_default("flags"), "transformation": "--apply"})


def run(options: argparse.Namespace) -> None:
    """Read, transform and write."""
    if not options.apply and not options.as_spans:
        raise InputError("no transformation is named.", "Choose one with --apply. To list all, use --list.")
    steps = _steps(options)
    path = options.file = InputPath.of(options.file)
    source, of_tags = read_source(options, path)
    if of_tags and not options.as_spans:
        touched = _transform_tags(options, source, steps)
    else:
        if options.in_place or any(not isinstance(step, SpanTransformation) for step in steps):
            what = "--in-place" if options.in_place else "illegal_tags"
            remedy = f"Remove {what}, or choose a tag format for the output."
            raise InputError(f"{what} needs tags, but the output has spans.", remedy)
        touched = _transform_spans(options, source, steps, of_tags=of_tags)
    for name, step, number in zip(options.apply, steps, touched, strict=True):
        print(f"{name}: {counted(number, step.unit)} changed.", file=sys.stderr)


def _transform_tags(options: argparse.Namespace, source: InputFiles, steps: Sequence[Transformation]) -> list[int]:
    """Write a file with transformed tags; returns the number of spans (or tags) that each step changed."""
    touched = [0] * len(steps)

    def change(tags: Tags) -> Tags:
        scheme = certain_scheme(tags, source.scheme, remedy="spanometer convert --repair POLICY").name
        for number, (name, step) in enumerate(zip(options.apply, steps, strict=True)):
            chosen = matched(name, step, Spans.from_tags(tags, scheme=scheme)) if options.matched else step
            result = chosen.on_tags(tags, scheme=scheme)
            tags = result.tags
            touched[number] += result.touched
        return tags

    rewrite(options, source, change, ", ".join(options.apply))
    return touched


def _transform_spans(
    options: argparse.Namespace, source: InputFiles, steps: Sequence[Transformation], *, of_tags: bool
) -> list[int]:
    """Write documents with transformed spans in their format, or only the spans, which can overlap, as JSON lines.

    Returns the number of spans that each step changed.
    """
    format: Any = None if options.as_spans else source.format_of(options.file)
    if format is not None and format.writer is None:
        remedy = "Convert the file first: spanometer convert FILE --to jsonl -o OUT."
        raise InputError(f"{format.name} cannot be written.", remedy)
    target = read_options(Target, options, file=options.file)
    writing = None if format is None else target.of_documents(source, format.name)
    if of_tags:
        if source.columns:
            raise InputError("--as-spans can write only one column.", "Choose one with --column.")
        file = source.read_columns(options.file)
        with locating_errors({"": file}):
            tags = as_tags(file.tags[0], prefix=source.prefix)
            scheme = certain_scheme(tags, source.scheme, remedy="spanometer convert --repair POLICY")
        spans = Spans.from_tags(tags, scheme=scheme.name)
    else:
        file, carried = source.read_in_tokens(options.file, attributes=False)
        spans = carried.file.spans
    touched = []
    for name, step in zip(options.apply, map(free, steps) if options.as_spans else steps, strict=True):
        result = cast(SpanTransformation, matched(name, step, spans) if options.matched else step)(spans)
        spans = result.spans
        touched.append(result.touched)
    if writing is None:
        with target.opened() as output:
            output.writelines(span_lines(spans))
        return touched
    changed, tokens = replace(carried.file, spans=spans), carried.file.documents.tokens
    if not file.in_tokens and tokens is not None:
        changed = replace(file, spans=to_characters(spans, tokens, file.documents.lengths))
    writing.write(replace(changed, stated=None), Pairing(), noted=True)
    return touched


def _steps(options: argparse.Namespace) -> list[Transformation]:
    """Read the transformations."""
    names, rates, firsts = options.apply, options.rate, options.first
    for flag, values in (("--rate", rates), ("--first", firsts)):
        if len(values) not in (0, 1, len(names)):
            problem = f"got {len(values)} values of {flag} for {counted(len(names), 'transformation')}."
            raise InputError(problem, f"Give {flag} once, or once for each --apply.")
    if firsts and options.matched:
        raise InputError("--first and --matched cannot be used together.", "Remove one of them.")
    steps = []
    for number, name in enumerate(names):
        own = {key: values[number % len(values)] for key, values in (("rate", rates), ("first", firsts)) if values}
        steps.append(get_transformation(name, seed=options.seed + number, **own))
    if "illegal_tags" in names[:-1]:
        problem = "other transformations cannot read the output of illegal_tags."
        raise InputError(problem, "Apply illegal_tags once, as the last transformation.")
    return steps
