"""`spanometer advise`: which measure suits a corpus."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import COLUMN_HELP, STANDARD_INPUT, HelpFormatter, add_form_options, add_scheme_option, called, read_file

if TYPE_CHECKING:
    from ..analysis.advice import Advice, Thresholds
    from ..spans.spans import Spans

_DESCRIPTION = """\
Look at the reference annotation of a corpus and say which measure suits it and
why: how long its spans are, how much lengths vary, whether spans touch or
overlap, whether their words differ in what they tell. Each of these makes some
of the formal properties of the SL-ICM paper matter; of the measures that have
them in its Table 1 the simplest is named. From where on a statistic counts is
a judgement: the thresholds are shown, and options move them.
"""

_EPILOG = """\
examples:
  spanometer advise gold.conll
  spanometer advise gold.tsv --column NE-COARSE-LIT --documents document_id --outside _
  spanometer advise gold.jsonl --spans entities --json
"""

_THRESHOLDS = {
    "several_tokens": ("SHARE", "near misses matter from this share of spans of several tokens on"),
    "adjacent": ("SHARE", "borders matter from this share of spans on that touch another of their label"),
    "length_variation": ("RATIO", "lengths vary from this ratio of standard deviation to mean on"),
    "long_span": ("TOKENS", "a span is long from this number of tokens on"),
    "long_share": ("SHARE", "long spans matter from this share on"),
    "information_variation": ("RATIO", "words differ from this ratio of standard deviation to mean of their bits on"),
    "label_evenness": ("RATIO", "labels are uneven below this ratio of their entropy to its maximum"),
}
"""The options that are thresholds: what they are called in `advice.Thresholds`, their value and their meaning."""

_SCORE_OPTIONS = {"format": "--token-format", "cap": "--cap", "tokens": "--corpus-probabilities"}
"""What `spanometer score` calls the options of measures."""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "advise",
        usage="%(prog)s [options] REFERENCE",
        help="say which measure suits a corpus",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "reference", metavar="REFERENCE", help="file with the reference annotation; - is standard input"
    )
    reading = parser.add_argument_group("reading")
    reading.add_argument("--column", metavar="COLUMN", help=f"tag column: {COLUMN_HELP}")
    reading.add_argument("--words-column", metavar="COLUMN", help="word column; where there is one it is found")
    reading.add_argument(
        "--spans",
        metavar="KEY",
        help="REFERENCE is JSON lines of lists of spans, or of objects that have one under KEY; they may overlap. "
        "Words, where there are any, are under tokens or words",
    )
    add_form_options(reading)
    add_scheme_option(reading)
    reading.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )
    _add_thresholds(parser.add_argument_group("thresholds"))
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def _add_thresholds(group: argparse._ArgumentGroup) -> None:
    # their defaults are those of the library, which is not imported before it is needed
    for name, (value, meaning) in _THRESHOLDS.items():
        group.add_argument(
            f"--{name.replace('_', '-')}", metavar=value, type=int if value == "TOKENS" else float, help=meaning
        )


def run(options: argparse.Namespace) -> int:
    """Read, look and say."""
    from ..analysis.advice import advise

    thresholds = _thresholds(options)
    source, spans, words = _read(options)
    try:
        advice = advise(spans, words, thresholds=thresholds)
    except InputError as error:
        raise (error.in_file(source) if error.document is None else error) from None
    if options.json:
        report = {"spanometer": __version__, "file": source, **advice.to_dict(), "command": _command(options, advice)}
        print(json.dumps(report, indent=2, allow_nan=False))
    else:
        _show(options, source, advice)
    return 0


def _thresholds(options: argparse.Namespace) -> Thresholds:
    from ..analysis.advice import Thresholds

    given = {name: getattr(options, name) for name in _THRESHOLDS}
    return Thresholds(**{name: value for name, value in given.items() if value is not None})


def _read(options: argparse.Namespace) -> tuple[str, Spans, list[list[str]] | None]:
    """What the file is called, its spans, and its words where it has any."""
    from ..readers import read_spans, tag_lists
    from ..spans.spans import Spans

    if options.spans is not None:
        _refuse_tag_options(options)
        if options.reference == STANDARD_INPUT:
            import sys

            file = read_spans(sys.stdin.buffer, key=options.spans, name=called(options.reference))
        else:
            file = read_spans(options.reference, key=options.spans)
        return file.source, file.spans, file.words
    tags = read_file(options, options.reference, [options.column], options.words_column or True)
    try:
        spans = Spans.from_tags(tags.tags[0], scheme=options.scheme, repair=options.repair)
    except InputError as error:
        raise (error if error.document is None else tags.locate(error)) from None
    return tags.source, spans, None if tags.words is None else tag_lists(tags.words)


def _refuse_tag_options(options: argparse.Namespace) -> None:
    for name in ("column", "words_column", "documents", "outside", "scheme"):
        if getattr(options, name) is not None:
            written = name.replace("_", "-")
            raise InputError(f"--{written} is for tags, --spans for lists of spans.", "Leave out one of them.")


def _command(options: argparse.Namespace, advice: Advice) -> str | None:
    """How to score with the measure on the command line; None for lists of spans, which it does not score."""
    if options.spans is not None:
        return None
    own = [
        f"{_SCORE_OPTIONS[name]}{f' {shlex.quote(value)}' if name == 'format' else ''}"
        for name, value in advice.options.items()
    ]
    reading = [
        f"--{name.replace('_', '-')} {shlex.quote(getattr(options, name))}"
        for name in ("column", "documents", "outside", "scheme")
        if getattr(options, name) is not None
    ]
    if "tokens" in advice.options and options.words_column is not None:
        reading.append(f"--words-column {shlex.quote(options.words_column)}")
    file = shlex.quote(options.reference)
    return " ".join(["spanometer score", file, "SYSTEM", *reading, "--measure", advice.measure, *own])


def _show(options: argparse.Namespace, source: str, advice: Advice) -> None:
    from rich.text import Text

    from .tables import copyable, empty_table, page, show

    found = advice.statistics
    size = [counted(found.documents, "document"), counted(found.spans, "span"), counted(found.labels, "label")]
    if found.tokens is not None:
        size.insert(1, counted(found.tokens, "token"))
    console = page(color=not options.no_color)
    show(console, Text.assemble(("reference ", "bold"), f"  {printable(source)}"))
    show(console, Text.assemble(("size      ", "bold"), f"  {', '.join(size)}"))
    lengths = f"{found.mean_length:.2f} on average, variance {found.length_variance:.2f}, longest {found.longest}"
    show(console, Text.assemble(("lengths   ", "bold"), f"  {lengths}; {found.one_token_share:.1%} of one token"), "")
    table = empty_table("found", ("counts", "here", "properties"))
    for answer in advice.answers:
        here = "unknown" if answer.matters is None else "yes" if answer.matters else "no"
        properties = ", ".join(name.replace("_", " ") for name in answer.properties)
        table.add_row(Text(answer.found), Text(answer.threshold), Text(here, "bold"), Text(properties))
    show(console, table, "")
    show(console, Text.assemble(("suggested ", "bold"), "  ", (advice.call, "bold cyan")), Text(advice.why))
    for note in advice.notes:
        show(console, Text(printable(note)))
    command = _command(options, advice)
    if command is not None:
        show(console, "", copyable(printable(command)))
