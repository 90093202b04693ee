"""Scores against several references: what `spanometer score --references` does."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..analysis.several_references import AgainstReferences, score_against
from ..counts.statistics import Resampling
from ..errors import InputError, counted
from ..measures.registry import MEASURES
from ..readers.reading import by_annotator
from ..tables.table import Part, heading
from .answers import known_measures
from .documents import DocumentSeries
from .documents import side_of as side_of_documents
from .inputs import (
    PairInput,
    Side,
    headlines,
    kind_of,
    named,
    names_of,
    once,
    require_distinct,
    require_scored,
    size_of,
    with_answer_keys,
)
from .measures import chosen_measures, chosen_resampling, require_used
from .options import read_options
from .output import TableOutput
from .tag_files import ChanceParts, TagSeries, documents_in, side_of

_NOT_SHOWN = ("per_label", "per_document", "score_only")
"""Options of showing that are for one reference."""


def run(options: argparse.Namespace, output: TableOutput, kinds: Sequence[type[PairInput]]) -> int:
    """Read the annotators' files and the systems', score and show."""
    paths = [options.reference, *options.predictions]
    number = _number_in(options.references, len(paths))
    for name in _NOT_SHOWN:
        if getattr(options, name):
            raise InputError(f"{options.flags[name]} is for one reference.", "Leave it out.")
    require_distinct(paths)
    paths = with_answer_keys(list(map(once, paths)), options.answer_key, systems=number)
    kind = kind_of((DocumentSeries, TagSeries), options, paths, [*MEASURES.values(), ChanceParts])
    measures = chosen_measures(options, MEASURES, ["span_f"])
    require_scored(measures, kind)
    resampling = chosen_resampling(options)
    require_used(options, known_measures(), measures, resampling=resampling, kinds=[*kinds, kind], kind=kind)
    default = names_of(paths[number:])
    if not set(default).isdisjoint(names_of(paths[:number])):
        default = names_of(paths)[number:]
    systems = named(options.names, default, "system")
    if kind is DocumentSeries:
        source = read_options(DocumentSeries, options)
        sides, found, size = _of_documents(source, paths, number, systems, measures, resampling)
    else:
        sides, found, size = _of_tags(read_options(TagSeries, options), paths, number, systems, measures, resampling)
    output.write(lambda: _described(found, sides), lambda: _parts(found, sides, size))
    return 0


def _number_in(text: str, files: int) -> int:
    """Return how many files are references; an `InputError` if it is no number, or leaves no system."""
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise InputError(f"invalid value for --references: {text!r}.", "Give the number of files, at least 1.")
    if number >= files:
        problem = f"the first {counted(number, 'file')} are references, and there are {counted(files, 'file')}."
        raise InputError(problem, "Give the files of systems behind them.")
    return number


def _of_documents(
    source: DocumentSeries,
    paths: Sequence[str],
    number: int,
    systems: Sequence[str],
    measures: Sequence[Any],
    resampling: Resampling | None,
) -> tuple[list[tuple[str, Side]], AgainstReferences, str]:
    """Score files of documents; a single file of references has those of several annotators."""
    source.require_taken(paths)
    if number == 1:
        people = by_annotator(source.read_whole(paths[0]), "Give more references.")
    else:
        people = dict(zip(names_of(paths[:number]), map(source.read, paths[:number]), strict=True))
    outputs = dict(zip(systems, map(source.read, paths[number:]), strict=True))
    found = score_against(
        people, outputs, measures=measures, pairing=source.pairing, **source.chosen, **_drawn(resampling)
    )
    sides = [(name, side_of_documents(file)) for name, file in [*people.items(), *outputs.items()]]
    return sides, found, counted(found.documents, "document")


def _of_tags(
    source: TagSeries,
    paths: Sequence[str],
    number: int,
    systems: Sequence[str],
    measures: Sequence[Any],
    resampling: Resampling | None,
) -> tuple[list[tuple[str, Side]], AgainstReferences, str]:
    """Score files of tags; errors name the files' lines."""
    if number == 1:
        raise InputError("one file of tags is one reference.", "Name two or more, with --references 2.")
    files = source.read_all(paths, "references and systems")
    people = dict(zip(names_of(paths[:number]), files[:number], strict=True))
    outputs = dict(zip(systems, files[number:], strict=True))
    sides = {f"annotator {name}": file for name, file in people.items()}
    with source.located({**sides, **{f"system {name}": file for name, file in outputs.items()}}):
        found = score_against(
            {name: source.annotation_in(file) for name, file in people.items()},
            {name: source.annotation_in(file) for name, file in outputs.items()},
            measures=measures,
            **source.decoding,
            **source.chosen,
            **_drawn(resampling),
        )
    shown = [(name, side_of(file)) for name, file in [*people.items(), *outputs.items()]]
    return shown, found, documents_in(files[0])


def _drawn(resampling: Resampling | None) -> Mapping[str, Any]:
    return {} if resampling is None else asdict(resampling)


def _described(found: AgainstReferences, sides: Sequence[tuple[str, Side]]) -> dict[str, Any]:
    return {"files": [side.described for _, side in sides], **found.to_dict()}


def _parts(found: AgainstReferences, sides: Sequence[tuple[str, Side]], size: str) -> Iterator[Part]:
    yield from heading(headlines(sides, size_of(size, found.tokens, found.unit)))
    yield from found.lines()
