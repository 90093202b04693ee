"""`spanometer score`: a system's tags against the reference, by several measures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError, printable
from ..version import __version__
from .inputs import HelpFormatter, add_form_options, add_scheme_option, add_side_options, read_sides
from .measuring import add_measure_options, add_own_options, chosen_measures

if TYPE_CHECKING:
    from rich.console import Console

    from ..measures import AlignedMeasure
    from ..readers import TagFile
    from ..report import Report

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
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help="file with the system's tags")
    _add_reading_options(parser.add_argument_group("reading"))
    add_measure_options(parser.add_argument_group("scoring"), default="all")
    add_own_options(parser.add_argument_group("options of single measures"))
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


def _add_reading_options(group: argparse._ArgumentGroup) -> None:
    add_side_options(group)
    group.add_argument(
        "--words-column", metavar="COLUMN", help="word column of the reference, for --corpus-probabilities"
    )
    add_form_options(group)
    add_scheme_option(group)
    group.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )


def _measures(options: argparse.Namespace) -> list[AlignedMeasure]:
    """The measures, once the policy is known to be one."""
    from ..decoding import get_repair
    from ..measures import MEASURES
    from ..schemes import get_scheme

    get_repair(options.repair, None if options.scheme is None else get_scheme(options.scheme))
    return chosen_measures(options, MEASURES)


def _read(options: argparse.Namespace) -> tuple[TagFile, TagFile]:
    """Both sides, with the words of the reference where they are needed."""
    words = (options.words_column or True) if options.corpus_probabilities else False
    references, predictions = read_sides(options, words)
    if words and references.words is None:
        raise InputError(
            "--corpus-probabilities needs words, and the reference file has none.",
            "Name their column with --words-column.",
            source=references.source,
        )
    return references, predictions


def _score(
    options: argparse.Namespace, measures: Sequence[AlignedMeasure], references: TagFile, predictions: TagFile
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


def _progress(measures: Sequence[AlignedMeasure]) -> Iterable[AlignedMeasure]:
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
