"""`spanometer score`: a system's tags against the reference, by several measures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError, printable
from ..version import __version__
from .attributes import NAME as ATTRIBUTES
from .attributes import add_attribute_options, asks_for_attributes, score_attributes
from .cluster import ParquetSide, add_cluster_options, score_on_cluster
from .inputs import STANDARD_INPUT, HelpFormatter, add_form_options, add_scheme_option, add_side_options, read_sides
from .measuring import (
    add_interval_options,
    add_measure_options,
    add_own_options,
    add_tree_options,
    chosen_measures,
    chosen_resampling,
)
from .trees import (
    TREE_FORMATS,
    Trees,
    add_entity_types_option,
    hold_trees,
    how_read,
    left_out,
    read_trees,
    tree_reading,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..analysis.results import Report
    from ..measures.aligned import AlignedMeasure
    from ..readers import TagFile

_REPAIR = "conlleval"

_DESCRIPTION = """\
Score the tags of PREDICTION against those of REFERENCE. Both are files with
one token a line and a blank line between documents, the tag in the last column
(or the only one), or JSON lines of tag lists; plain or gzipped; - is standard
input. Without PREDICTION both sides are columns of REFERENCE.

HIPE's columns and QUAERO's inline markup are read as entity trees and scored by
eter; they are told from the content unless a column is named. Of HIPE's types
--level fine (default) or coarse chooses. See also spanometer eter.

JSON lines of spans with "attributes" are scored by span_attribute: a line is a
list of {"start", "end", "label", "attributes": {NAME: VALUE}} (and "scores"),
or an object with such a list under "spans" or "entities".

With --cluster, REFERENCE is a Parquet file, a folder or a pattern in quotes, with
both sides in columns: references and predictions, unless --reference-column and
--prediction-column name others. Tags then need --scheme.
"""

_EPILOG = """\
examples:
  spanometer score gold.conll system.conll
  spanometer score gold.conll system.conll --column ner --per-label
  spanometer score both.tsv --reference-column 2 --prediction-column 3
  spanometer score gold.jsonl.gz system.jsonl.gz --measure span_f,link_f --json
  spanometer score gold.tsv system.tsv --format hipe --per-label
  spanometer score gold.jsonl system.jsonl --attribute negated --plot curves.png
  spanometer score "data/*.parquet" --cluster tcp://10.0.0.1:8786 --scheme IOB2
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
    scoring = parser.add_argument_group("scoring")
    add_measure_options(scoring, default="all of these, eter for entity trees, or span_attribute for attributes")
    add_interval_options(scoring, seed=False)
    single = parser.add_argument_group("options of single measures")
    add_own_options(single)
    add_tree_options(single, "eter: ")
    add_attribute_options(single)
    add_cluster_options(parser.add_argument_group("Parquet files"))
    output = parser.add_argument_group("output")
    output.add_argument("--per-label", action="store_true", help="also the scores of each label")
    output.add_argument(
        "--plot",
        metavar="PNG",
        help=f"{ATTRIBUTES}: write a picture of precision and recall (.png, .svg or .pdf); needs matplotlib",
    )
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    if options.cluster is None and _holds_attributes(options):
        return score_attributes(options)
    if options.plot is not None:
        raise InputError(f"--plot draws the curves of {ATTRIBUTES}.", "Leave it out.")
    report: Report
    sides: Mapping[str, _TagSide | Trees | ParquetSide]
    paths = [options.reference] if options.prediction is None else [options.reference, options.prediction]
    if options.cluster is not None:
        report, sides = score_on_cluster(options, _cluster_measures(options))
    elif options.lengths_column is not None:
        raise InputError("--lengths-column is for Parquet files.", "Leave it out, or add --cluster.")
    elif hold_trees(options, paths, _named_columns(options).values()):
        # readers of trees know the option under this name
        options.called = {"format": "format"}
        report, sides = _score_trees(options)
    else:
        report, sides = _score_tags(options)
    if options.json:
        read = {name: side.to_dict() for name, side in sides.items()}
        found = {"spanometer": __version__, **read, **report.to_dict(per_label=options.per_label)}
        print(json.dumps(found, indent=2, allow_nan=False))
    else:
        _show(options, report, sides)
    return 0


def _add_reading_options(group: argparse._ArgumentGroup) -> None:
    add_side_options(group)
    group.add_argument(
        "--words-column", metavar="COLUMN", help="word column of the reference, for --corpus-probabilities"
    )
    add_form_options(group, *TREE_FORMATS)
    add_scheme_option(group)
    group.add_argument(
        "--repair",
        metavar="POLICY",
        default=_REPAIR,
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )
    add_entity_types_option(group)


def _holds_attributes(options: argparse.Namespace) -> bool:
    """Whether the files are to be read as spans with attributes."""
    of_tags = {
        **_named_columns(options),
        **{name: getattr(options, name) for name in ("outside", "documents", "scheme")},
    }
    given = [name for name, value in of_tags.items() if value is not None]
    if options.repair != _REPAIR:
        given.append("repair")
    if asks_for_attributes(options):
        if given:
            raise InputError(
                f"--{given[0].replace('_', '-')} is for files of tags; {ATTRIBUTES} reads spans with attributes.",
                "Leave out one of them.",
            )
        if options.format not in ("auto", "jsonl"):
            raise InputError(
                f"{ATTRIBUTES} reads JSON lines, not the format {options.format}.", "Leave out --format, or name jsonl."
            )
        return True
    if given or options.format not in ("auto", "jsonl"):
        return False
    from ..readers import AttributeFile, detect

    # standard input can be read only once
    paths = (path for path in (options.reference, options.prediction) if path not in (None, STANDARD_INPUT))
    # a side whose documents have no spans does not tell
    found = (detect(path) for path in paths)
    return any(format is not None and format.content is AttributeFile for format in found)


def _named_columns(options: argparse.Namespace) -> dict[str, str | None]:
    names = ("column", "reference_column", "prediction_column", "words_column")
    return {name: getattr(options, name) for name in names}


def _score_trees(options: argparse.Namespace) -> tuple[Report, dict[str, Trees]]:
    """Both sides as entity trees, and the report on them."""
    from ..analysis.results import Report
    from ..measures.eter import Eter
    from ..measures.registry import ALL_MEASURES

    for name, value in {**_named_columns(options), "outside": options.outside}.items():
        if value is not None:
            raise InputError(
                f"--{name.replace('_', '-')} is for files of tags; --format {options.format} reads entity trees.",
                "Leave out one of them.",
            )
    if options.prediction is None:
        raise InputError("there is no file with the system's entities.", "Give PREDICTION.")
    # of types here, not of a measure
    level, options.level = options.level, None
    measures = chosen_measures(options, [Eter.name], ALL_MEASURES)
    for measure in measures:
        if measure.name != Eter.name:
            raise InputError(
                f"{measure.name} scores spans, and these files hold entity trees.",
                "Ask for eter, or name one of HIPE's columns with --column (and --documents document_id --outside _).",
            )
    reading = tree_reading(options, level)
    reference, prediction = read_trees([options.reference, options.prediction], format=options.format, reading=reading)
    how = how_read((reference, prediction), reading)
    resampling = chosen_resampling(options)
    report = Report.of(reference.entities, prediction.entities, measures, how, resampling=resampling)
    return report, {"reference": reference, "prediction": prediction}


def _score_tags(options: argparse.Namespace) -> tuple[Report, dict[str, _TagSide]]:
    """Both sides as tags, and the report on them."""
    if options.entity_types is not None:
        raise InputError(
            "--entity-types is for markup, and these files are read as tags.", "Leave it out, or add --format quaero."
        )
    measures = _measures(options)
    chosen_resampling(options)
    references, predictions = _read(options)
    report = _score(options, measures, references, predictions)
    return report, {"reference": _TagSide(references), "prediction": _TagSide(predictions)}


def _cluster_measures(options: argparse.Namespace) -> list[Any]:
    """The measures of Parquet files, those of spans where none is asked for."""
    from ..measures.registry import ALL_MEASURES, MEASURES

    return chosen_measures(options, MEASURES, ALL_MEASURES)


def _measures(options: argparse.Namespace) -> list[AlignedMeasure]:
    """The measures, once the policy is known to be one."""
    from ..measures.eter import Eter
    from ..measures.registry import ALL_MEASURES, MEASURES
    from ..tags.decoding import get_repair
    from ..tags.schemes import get_scheme

    get_repair(options.repair, None if options.scheme is None else get_scheme(options.scheme))
    measures = chosen_measures(options, MEASURES, ALL_MEASURES)
    if any(measure.name == Eter.name for measure in measures):
        raise InputError(
            f"{Eter.name} scores entity trees, and these files are read as tags.",
            "Give HIPE's columns or markup, with --format hipe or quaero; JSON lines of trees go into spanometer eter.",
        )
    return measures


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
    from ..analysis.results import Report
    from ..measures.sl_icm import SlIcm
    from ..readers import tag_lists
    from ..spans.spans import pair_from_tags

    if references.words is not None:
        words = tag_lists(references.words)
        measures = [replace(measure, tokens=words) if isinstance(measure, SlIcm) else measure for measure in measures]
    try:
        reference, predicted, scheme = pair_from_tags(
            references.tags[0], predictions.tags[0], scheme=options.scheme, repair=options.repair
        )
        reading = {"scheme": scheme, "repair": options.repair}
        return Report.of(reference, predicted, measures, reading, _progress, chosen_resampling(options))
    except InputError as error:
        if error.side is None and error.document is None:
            raise
        raise (predictions if error.side == "predictions" else references).locate(error) from None


def _progress(measures: Sequence[AlignedMeasure]) -> Iterable[AlignedMeasure]:
    from tqdm import tqdm

    return tqdm(measures, desc="scoring", unit="measure", delay=1, leave=False, disable=None)


def _show(options: argparse.Namespace, report: Report, sides: Mapping[str, _TagSide | Trees | ParquetSide]) -> None:
    from rich.text import Text

    from .tables import copyable, label_tables, page, score_tables, show

    console: Console = page(color=not options.no_color)
    lines = [*((name, str(side)) for name, side in sides.items()), ("size", report.size)]
    lines += left_out({name: side for name, side in sides.items() if isinstance(side, Trees)})
    for name, text in lines:
        show(console, Text.assemble((f"{name:<10}", "bold"), f"  {text}"))
    show(console, "")
    for table in score_tables(report):
        show(console, table, "")
    show(console, *(copyable(result.signature) for result in report.results))
    if options.per_label:
        for table in label_tables(report):
            show(console, "", table)


@dataclass(frozen=True)
class _TagSide:
    """A side that is a column of tags, as it is shown."""

    file: TagFile

    def __str__(self) -> str:
        return f"{printable(self.file.source)}, {printable(self.file.columns[0])}"

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        return {"file": self.file.source, "column": self.file.columns[0]}
