"""Score a system's tags against a reference.

Both are files with one token a line and a blank line between documents, the tag
in the last column (or the only one), or JSON lines of tag lists; plain or
gzipped; - is standard input. Without PREDICTION both sides are columns of
REFERENCE.

HIPE's columns and QUAERO's inline markup are read as entity trees and scored by
eter; they are recognised by their content unless a column is named. --level
fine (default) or coarse chooses among HIPE's types. See also spanometer eter.

JSON lines of spans with "attributes" are scored by span_attribute: a line is a
list of {"start", "end", "label", "attributes": {NAME: VALUE}} (and "scores"),
or an object with such a list under "spans" or "entities".

With --cluster, REFERENCE is a Parquet file, a folder or a pattern in quotes,
with both sides in columns: references and predictions, unless
--reference-column and --prediction-column name others. Tags then need --scheme.

Examples:
  spanometer score gold.conll system.conll
  spanometer score gold.conll system.conll --column ner --per-label
  spanometer score both.tsv --reference-column 2 --prediction-column 3
  spanometer score gold.jsonl.gz system.jsonl.gz --measure span_f,link_f --json
  spanometer score gold.conll system.conll --measure chance_kappa_f1 --by-chance 0.175
  spanometer score gold.tsv system.tsv --format hipe --per-label
  spanometer score gold.jsonl system.jsonl --attribute negated --plot curves.png
  spanometer score "data/*.parquet" --cluster tcp://10.0.0.1:8786 --scheme IOB2
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..analysis.results import Report
from ..errors import InputError
from ..measures.registry import ALL_MEASURES
from ..tables.table import Part, heading
from .attributes import AttributeInput
from .inputs import PairInput, Side, headlines, kind_of, once, require_distinct, require_scored
from .measures import add_measure_options, chosen_measures, chosen_resampling, named_measures, require_used
from .options import add_options, read_options, switch
from .output import Output, PlotOutput
from .parquet import ParquetInput
from .tag_files import ChanceParts, TagInput
from .trees import TreeInput

KINDS: tuple[type[PairInput], ...] = (AttributeInput, TreeInput, TagInput)
"""The kinds of files; the last one if the content shows nothing else."""


@dataclass(frozen=True, kw_only=True)
class ScoreOutput(Output):
    """How scores are shown."""

    per_label: bool = switch("also the scores of each label")
    per_document: bool = switch("also the scores of each document")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help="file with the system's tags")
    reading = parser.add_argument_group("reading")
    add_options(reading, {"": TagInput, TreeInput.title: TreeInput}, beside=ALL_MEASURES)
    default = "all that suit the files: eter for entity trees, span_attribute for attributes"
    add_measure_options(parser, ALL_MEASURES, default=default, intervals=True)
    add_options(parser.add_argument_group("Parquet files"), {"": ParquetInput})
    output = parser.add_argument_group("output")
    add_options(output, {"": ScoreOutput})
    add_options(output, {"span_attribute": AttributeInput})


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    paths = [path for path in (options.reference, options.prediction) if path is not None]
    require_distinct(paths)
    output = read_options(ScoreOutput, options)
    paths = paths if options.cluster is not None else list(map(once, paths))
    kind = _kind(options, paths)
    measures = chosen_measures(options, ALL_MEASURES, _default(kind))
    if kind is not ParquetInput:
        require_scored(measures, kind)
    if output.per_label and kind is AttributeInput:
        raise InputError("--per-label is for measures of tags and entities.", "All attributes are shown without it.")
    if output.per_document and kind in (AttributeInput, ParquetInput):
        raise InputError(f"--per-document is for files of tags and entities, not for {kind.title}.", "Leave it out.")
    resampling = chosen_resampling(options)
    kinds: list[type[PairInput]] = [*KINDS, ParquetInput]
    require_used(options, ALL_MEASURES, measures, resampling=resampling, kinds=kinds, kind=kind)
    report, sides = read_options(kind, options).score(paths, measures, resampling)
    more = {"per_label": output.per_label, "per_document": output.per_document}
    output.write(
        lambda: {
            **{name: side.described for name, side in sides.items()},
            **report.to_dict(**more),
        },
        lambda: _parts(report, sides, more),
    )
    return 0


def _kind(options: argparse.Namespace, paths: list[str]) -> type[PairInput]:
    """Return the kind of input: what options or measures ask for, or what the files show."""
    if options.cluster is not None:
        return ParquetInput
    if any(name in _default(AttributeInput) for name in named_measures(options, ())):
        return AttributeInput
    return kind_of(KINDS, options, paths, [*ALL_MEASURES.values(), PlotOutput, ChanceParts])


def _default(kind: type[PairInput]) -> list[str]:
    """Return the names of the measures that a kind of input is scored by."""
    return [name for name, measure in ALL_MEASURES.items() if measure.input == kind.input]


def _parts(report: Report, sides: Mapping[str, Side], more: Mapping[str, bool]) -> Iterator[Part]:
    yield from heading(headlines(list(sides.items()), report.size))
    yield ""
    yield from report.lines(**more)
