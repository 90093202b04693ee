"""Scores against several references: what `spanometer score --references` does."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ..analysis.several_references import AgainstReferences, score_against
from ..errors import InputError, counted
from ..measures.registry import MEASURES
from ..tables.table import Part, heading
from .answers import known_measures
from .corpus import Corpus, SeveralFiles
from .documents import DocumentSeries
from .inputs import (
    PairInput,
    headlines,
    kind_of,
    once,
    require_distinct,
    require_scored,
    with_answer_keys,
)
from .measures import chosen_measures, chosen_resampling, require_used
from .options import read_options
from .output import TableOutput
from .tag_files import ChanceParts, TagSeries

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
    owners: tuple[type[SeveralFiles], ...] = (DocumentSeries, TagSeries)
    kind = kind_of(owners, options, paths, [*MEASURES.values(), ChanceParts])
    measures = chosen_measures(options, MEASURES, ["span_f"])
    require_scored(measures, kind)
    resampling = chosen_resampling(options)
    require_used(options, known_measures(), measures, resampling=resampling, kinds=[*kinds, kind], kind=kind)
    if kind is TagSeries and number == 1:
        raise InputError("one file of tags is one reference.", "Name two or more, with --references 2.")
    corpus = read_options(kind, options).corpus(paths, options.names, annotators=number)
    drawn = {} if resampling is None else asdict(resampling)
    with corpus.placing_errors():
        found = score_against(corpus.annotators, corpus.systems, measures=measures, **corpus.reading, **drawn)
    output.write(
        lambda: {"files": [side.described for side in corpus.shown], **found.to_dict()}, lambda: _parts(found, corpus)
    )
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


def _parts(found: AgainstReferences, corpus: Corpus) -> Iterator[Part]:
    yield from heading(headlines(corpus.sides, corpus.size(found.documents, found.tokens, found.unit)))
    yield from found.lines()
