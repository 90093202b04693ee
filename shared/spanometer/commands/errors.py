"""Show where systems go wrong: kinds of errors, by label, and what each kind costs.

Every reference span is matched with at most one predicted span that overlaps
it: the pair is correct, or has the wrong label, the wrong extent (shorter,
longer, shifted) or both; what stays alone is missing or spurious. Of several
systems it also shows which errors all make, which only one makes, and what
changes from one to another. Files as in spanometer score; the first is the
reference.

Examples:
  spanometer errors gold.conll system.conll
  spanometer errors gold.conll system.jsonl --to-tokens overlap --plot confusion.png
  spanometer errors gold.conll old.conll new.conll --names old,new
  spanometer errors gold.conll system.conll --table csv -o errors.csv
  spanometer errors gold.conll old.conll new.conll --per-error --table csv | less
  spanometer errors both.tsv --columns 2,3 --average macro --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..analysis.comparison import REFERENCES, SYSTEM
from ..analysis.confusion import EXTENT_CHOICES
from ..analysis.error_analysis import Errors, Matching, errors
from ..counts.statistics import Resampling
from ..errors import InputError, counted
from ..measures.registry import MEASURES
from ..options import option
from ..plots import plot_confusion
from ..readers.annotated_file import require_same_tokens
from ..readers.document_file import DocumentFile
from ..readers.tag_file import TagFile
from ..tables.table import Part, heading
from .documents import DocumentSeries
from .documents import side_of as side_of_documents
from .inputs import Side, headlines, kind_of, named, names_of, once, require_distinct, size_of
from .measures import add_measure_options, chosen_measures, require_used, take_shorthands
from .options import add_options, read_options, switch
from .output import OUTPUT_FLAGS, PlotOutput
from .tag_files import TagSeries, documents_in, side_of

_KINDS = (DocumentSeries, TagSeries)


@dataclass(frozen=True, kw_only=True)
class ErrorOutput(PlotOutput):
    """How errors are shown."""

    per_error: bool = switch("nothing but every error, with what each system makes of its span")
    extents: str = option("overlap", help="which confusion matrix the picture shows", choices=EXTENT_CHOICES)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("systems", metavar="PREDICTION", nargs="*", help="file with the tags of one system")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the systems' names, with commas between")
    add_options(reading, {"": TagSeries, DocumentSeries.title: DocumentSeries})
    add_options(parser.add_argument_group("matching"), {"": Matching})
    draws = parser.add_argument_group("intervals")
    add_options(draws, {"": Resampling})
    add_measure_options(parser, MEASURES, default="span_f, in which costs are told", leave_out=("n_simulations",))
    add_options(parser.add_argument_group("output"), {"": ErrorOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Read, match and show."""
    paths = [options.reference, *options.systems]
    require_distinct(paths)
    take_shorthands(options)
    output = read_options(ErrorOutput, options)
    paths = list(map(once, paths))
    kind = kind_of(_KINDS, options, paths, [*MEASURES.values(), PlotOutput])
    measures = chosen_measures(options, MEASURES, ["span_f"])
    if len(measures) > 1:
        raise InputError(
            f"costs are told in one measure, and {counted(len(measures), 'measure')} are named.", "Name one."
        )
    resampling = read_options(Resampling, options)
    require_used(options, MEASURES, measures, resampling=resampling, kinds=_KINDS, kind=kind)
    matching = read_options(Matching, options)
    values = {"measure": measures[0], "min_overlap": matching.min_overlap, **asdict(resampling)}
    files: Sequence[TagFile | DocumentFile]
    if kind is DocumentSeries:
        found, files = _errors_of_documents(read_options(DocumentSeries, options), paths, options, values)
    else:
        found, files = _errors_of_tags(read_options(TagSeries, options), paths, options, values)
    sides = [_side(file) for file in files]
    if output.plot is not None:
        if len(found.systems) > 1:
            raise InputError("--plot draws the confusion of one system.", "Leave it out, or give one PREDICTION.")
        plot_confusion(found.only.confusion(output.extents), output.plot)
    output.write(lambda: _described(found, sides, output), lambda: _parts(found, files, sides, output))
    return 0


def _errors_of_tags(
    source: TagSeries, paths: Sequence[str], options: argparse.Namespace, values: Mapping[str, Any]
) -> tuple[Errors, list[TagFile]]:
    """Find the errors in tags; errors about tokens name the files' lines."""
    reference, *files = source.read_all(paths, "the reference and the systems")
    if not files:
        raise InputError("there is no file with a system's tags.", "Give PREDICTION, or two --columns or more.")
    default = names_of(paths[1:]) if source.columns is None else [file.columns[0] for file in files]
    systems = dict(zip(named(options.names, default, "system"), files, strict=True))
    for file in files:
        require_same_tokens(reference, file)
    with source.located({REFERENCES: reference, **{f"{SYSTEM}{name}": file for name, file in systems.items()}}):
        found = errors(
            reference.tags[0],
            {name: file.tags[0] for name, file in systems.items()},
            scheme=source.scheme,
            repair=source.repair,
            prefix=source.prefix,
            id2label=source.id2label,
            ignore_index=source.ignore_index,
            **source.chosen,
            **values,
        )
    return found, [reference, *files]


def _errors_of_documents(
    source: DocumentSeries, paths: Sequence[str], options: argparse.Namespace, values: Mapping[str, Any]
) -> tuple[Errors, list[DocumentFile]]:
    """Find the errors in spans of documents, each side in a format of its own."""
    if len(paths) == 1:
        raise InputError("there is no file with a system's spans.", "Give PREDICTION.")
    reference, *files = source.read_all(paths).values()
    systems = dict(zip(named(options.names, names_of(paths[1:]), "system"), files, strict=True))
    return errors(reference, systems, pairing=source.pairing, **source.chosen, **values), [reference, *files]


def _side(file: TagFile | DocumentFile) -> Side:
    return side_of_documents(file) if isinstance(file, DocumentFile) else side_of(file)


def _described(found: Errors, sides: Sequence[Side], output: ErrorOutput) -> dict[str, Any]:
    reference, *systems = (side.described for side in sides)
    described = {"reference": reference, "predictions": dict(zip(found.systems, systems, strict=True))}
    listed = {"errors": found.shared.to_arrow().to_pylist()} if output.per_error else {}
    return {**described, **found.to_dict(), **listed}


def _parts(
    found: Errors, files: Sequence[TagFile | DocumentFile], sides: Sequence[Side], output: ErrorOutput
) -> Iterator[Part]:
    first = files[0]
    size = found.size if isinstance(first, DocumentFile) else size_of(documents_in(first), found.tokens)
    if output.per_error:
        yield found.shared.listed()
        return
    yield from heading(headlines(list(zip(("reference", *found.systems), sides, strict=True)), size))
    yield from found.lines(matrices=output.table != "text")
