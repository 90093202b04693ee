"""`spanometer score`: a system's tags against the reference, by several measures."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError, printable
from ..version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from ..measures import Measure
    from ..readers import TagFile
    from ..report import Report

_OWN_OPTIONS = {
    "token_format": ("token_f", "format"),
    "cap": ("intersection_f", "cap"),
    "prior": ("sl_icm", "prior"),
    "log_base": ("sl_icm", "log_base"),
    "matching": ("sl_icm", "matching"),
    "token_probability": ("sl_icm", "token_probabilities"),
    "corpus_probabilities": ("sl_icm", "tokens"),
}
"""The options that belong to one measure: the measure, and what it calls them."""

_STANDARD_INPUT = "-"

_DESCRIPTION = """\
Score the tags of PREDICTION against those of REFERENCE. Both are files with
one token a line and a blank line between documents, the tag in the last column
(or the only one), or JSON lines of tag lists; plain or gzipped; - is standard
input. Without PREDICTION both sides are columns of REFERENCE.
"""

_EPILOG = """\
examples:
  spanometer score gold.conll system.conll
  spanometer score gold.conll system.conll --column ner --per-label
  spanometer score both.tsv --reference-column 2 --prediction-column 3
  spanometer score gold.jsonl.gz system.jsonl.gz --measure span_f,link_f --json
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "score",
        usage="%(prog)s [options] REFERENCE [PREDICTION]",
        help="score a system's tags against a reference",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help="file with the system's tags")
    _add_reading_options(parser.add_argument_group("reading"))
    _add_scoring_options(parser.add_argument_group("scoring"))
    _add_own_options(parser.add_argument_group("options of single measures"))
    output = parser.add_argument_group("output")
    output.add_argument("--per-label", action="store_true", help="also the scores of each label")
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    measures = _measures(options)
    references, predictions = _read(options)
    report = _score(options, measures, references, predictions)
    if options.json:
        print(json.dumps(_to_json(options, report, references, predictions), indent=2, allow_nan=False))
    else:
        _show(options, report, references, predictions)
    return 0


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help with room for the options' names."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


def _add_reading_options(group: argparse._ArgumentGroup) -> None:
    column = "number from 1 (-1 is the last) or name; the last by default; in JSON lines a key, by default tags"
    group.add_argument("--column", metavar="COLUMN", help=f"tag column of both sides: {column}")
    group.add_argument("--reference-column", metavar="COLUMN", help="tag column of the reference")
    group.add_argument("--prediction-column", metavar="COLUMN", help="tag column of the system")
    group.add_argument(
        "--words-column", metavar="COLUMN", help="word column of the reference, for --corpus-probabilities"
    )
    group.add_argument(
        "--format", choices=("auto", "columns", "jsonl"), default="auto", help="form of the files; auto by default"
    )
    group.add_argument(
        "--documents",
        metavar="KEY",
        help="what begins a document, in place of the blank line: the KEY of comments '# KEY = ...', or -DOCSTART-",
    )
    group.add_argument("--outside", metavar="TAG", help="read TAG as O, for example _")
    group.add_argument(
        "--scheme",
        metavar="SCHEME",
        type=str.upper,
        help="IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU or BMES; told from the prefixes by default",
    )
    group.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )


def _add_scoring_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        help="span_f, token_f, link_f, bcubed, intersection_f or sl_icm; several with commas, or by repeating the "
        "option; all by default",
    )
    group.add_argument(
        "--average", metavar="AVERAGE", default="micro", help="over labels: micro (default), macro or weighted"
    )
    group.add_argument(
        "--zero-division",
        metavar="VALUE",
        type=float,
        default=0.0,
        help="value of a ratio with the denominator 0: 0 (default), 1 or nan",
    )


def _add_own_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--token-format", metavar="FORMAT", help="token_f: IO (default), BIO, BIOE, BIOES or IO* (quote the star)"
    )
    group.add_argument(
        "--cap", action="store_true", default=None, help="intersection_f: a span counts as covered once at the most"
    )
    group.add_argument("--prior", metavar="PRIOR", help="sl_icm: label frequencies in spans (default) or tokens")
    group.add_argument("--log-base", metavar="BASE", type=float, help="sl_icm: base of the logarithms, by default 2")
    group.add_argument("--matching", metavar="MATCHING", help="sl_icm: mutual (default) or optimal")
    probabilities = group.add_mutually_exclusive_group()
    probabilities.add_argument(
        "--corpus-probabilities",
        action="store_true",
        default=None,
        help="sl_icm: word probabilities from the words of the reference file",
    )
    probabilities.add_argument(
        "--token-probability", metavar="P", type=float, help="sl_icm: one probability for every word"
    )


def _measures(options: argparse.Namespace) -> list[Measure]:
    """The measures with their options, but for the words."""
    from ..decoding import get_repair
    from ..measures import MEASURES
    from ..schemes import get_scheme

    get_repair(options.repair, None if options.scheme is None else get_scheme(options.scheme))
    listed = [name.strip() for part in options.measure or MEASURES for name in part.split(",")]
    names = list(dict.fromkeys(listed))
    for name in names:
        if name not in MEASURES:
            raise InputError(f"there is no measure {name!r}.", f"The measures are {', '.join(MEASURES)}.")
    own: dict[str, dict[str, Any]] = {name: {} for name in names}
    for option, (name, keyword) in _OWN_OPTIONS.items():
        value = getattr(options, option)
        if value is None:
            continue
        if name not in own:
            written = option.replace("_", "-")
            raise InputError(f"--{written} is an option of {name}, which is not computed.", f"Add {name} to --measure.")
        if keyword != "tokens":
            own[name][keyword] = value
    return [MEASURES[name](average=options.average, zero_division=options.zero_division, **own[name]) for name in names]


def _read(options: argparse.Namespace) -> tuple[TagFile, TagFile]:
    """Both sides, with the words of the reference where they are needed."""
    from ..readers import require_same_tokens

    reference_column = options.reference_column or options.column
    prediction_column = options.prediction_column or options.column
    words = (options.words_column or True) if options.corpus_probabilities else False
    if options.prediction is None:
        if options.reference_column is None or options.prediction_column is None:
            raise InputError(
                "with one file, both of its columns must be named.",
                "Give --reference-column and --prediction-column, or a second file.",
            )
        both = _read_file(options, options.reference, [reference_column, prediction_column], words)
        references, predictions = both.select(0), both.select(1)
        if references.columns == predictions.columns:
            raise InputError(
                f"the reference and the prediction are the same column ({references.columns[0]}).",
                "Name two columns.",
                source=both.source,
            )
    else:
        if options.reference == options.prediction == _STANDARD_INPUT:
            raise InputError("both files are standard input.", "Name one of them.")
        references = _read_file(options, options.reference, [reference_column], words)
        predictions = _read_file(options, options.prediction, [prediction_column], False)
        require_same_tokens(references, predictions)
    if words and references.words is None:
        raise InputError(
            "--corpus-probabilities needs words, and the reference file has none.",
            "Name their column with --words-column.",
            source=references.source,
        )
    return references, predictions


def _read_file(
    options: argparse.Namespace, path: str, columns: Sequence[str | None], words: bool | int | str
) -> TagFile:
    from tqdm import tqdm

    from ..readers import read

    standard = path == _STANDARD_INPUT
    size = os.path.getsize(path) if not standard and os.path.isfile(path) else None
    with tqdm(
        desc=f"reading {printable(os.path.basename(path))}",
        total=size,
        unit="B",
        unit_scale=True,
        delay=1,
        leave=False,
        disable=None,
    ) as bar:
        return read(
            sys.stdin.buffer if standard else path,
            columns=columns,
            words=words,
            format=options.format,
            documents=options.documents,
            outside=options.outside,
            name="standard input" if standard else path,
            progress=bar.update,
        )


def _score(
    options: argparse.Namespace, measures: Sequence[Measure], references: TagFile, predictions: TagFile
) -> Report:
    """All measures; errors about tokens are said of the files' lines."""
    from ..measures import SlIcm
    from ..readers import tag_lists
    from ..report import Report
    from ..spans import pair_from_tags

    if references.words is not None:
        words = tag_lists(references.words)
        measures = [replace(measure, tokens=words) if isinstance(measure, SlIcm) else measure for measure in measures]
    try:
        reference, predicted, scheme = pair_from_tags(
            references.tags[0], predictions.tags[0], scheme=options.scheme, repair=options.repair
        )
        reading = {"scheme": scheme, "repair": options.repair}
        return Report.of(reference, predicted, measures, reading, _progress)
    except InputError as error:
        if error.side is None and error.document is None:
            raise
        raise (predictions if error.side == "predictions" else references).locate(error) from None


def _progress(measures: Sequence[Measure]) -> Iterable[Measure]:
    from tqdm import tqdm

    return tqdm(measures, desc="scoring", unit="measure", delay=1, leave=False, disable=None)


def _to_json(options: argparse.Namespace, report: Report, references: TagFile, predictions: TagFile) -> dict[str, Any]:
    sides = {
        side: {"file": file.source, "column": file.columns[0]}
        for side, file in (("reference", references), ("prediction", predictions))
    }
    return {"spanometer": __version__, **sides, **report.to_dict(per_label=options.per_label)}


def _show(options: argparse.Namespace, report: Report, references: TagFile, predictions: TagFile) -> None:
    from rich.text import Text

    from ..report import page, show

    console: Console = page(color=not options.no_color)
    for side, file in (("reference ", references), ("prediction", predictions)):
        show(console, Text.assemble((side, "bold"), f"  {printable(file.source)}, {printable(file.columns[0])}"))
    show(console, Text.assemble(("size      ", "bold"), f"  {report.size}"), "")
    for table in report.score_tables():
        show(console, table, "")
    show(console, *report.signatures())
    if options.per_label:
        for table in report.label_tables():
            show(console, "", table)
