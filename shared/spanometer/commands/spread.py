"""Score a system under every policy of repairing illegal tags.

The best, the worst and the mean score, the policies that have names, and the
choices that the best and the worst make. Files as in spanometer score, with
tags in IOBES, BILOU, BMES or IOB2. With --logits also the best legal path
(Viterbi), greedy decoding (left to right, and from guessed starts) and repair
by score; PREDICTION may then be left out, and is the label with the highest
logit at each token. It also says which published tools are which policies.

Examples:
  spanometer spread gold.conll system.conll
  spanometer spread gold.conll system.conll --plot spread.png
  spanometer spread both.tsv --reference-column 2 --prediction-column 3 --json
  spanometer spread gold.conll --logits logits.npz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.spread import PolicySpread, policy_spread
from ..errors import InputError, counted
from ..measures.registry import MEASURES
from ..plots import plot_spread
from ..readers.document_file import DocumentFile
from ..readers.logits import read_logits
from ..readers.tag_file import TagFile
from ..tables.table import Part, heading
from ..tags.decoding import Decoding
from .inputs import ChosenLabels, called, detected, located, once
from .measures import add_measure_options, chosen_measures, require_used, take_shorthands
from .options import add_options, read_options, text
from .output import OUTPUT_FLAGS, PlotOutput
from .tag_files import TagPair, documents_in, side_of


@dataclass(frozen=True, kw_only=True)
class SpreadInput(TagPair, Decoding, ChosenLabels):
    """Tags of a reference, and tags or logits of a system."""

    logits: str | None = text(
        "NPZ",
        "the system's logits: 'labels' and an array of shape (tokens, labels) for each document, or padded 'logits' "
        "with 'lengths'",
    )

    def read_sides(self, paths: Sequence[str]) -> tuple[TagFile, TagFile | None]:
        """Read both sides; no prediction if it follows from logits."""
        if self.logits is None or len(paths) == 2 or self.prediction_column is not None:
            return self.read_pair(paths)
        return self.read_reference(paths[0]), None


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help="file with the system's tags")
    add_options(parser.add_argument_group("reading"), {"": SpreadInput}, leave_out=("repair",))
    add_measure_options(parser, MEASURES, default="span_f")
    add_options(parser.add_argument_group("output"), {"": PlotOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Read, score under all policies and show."""
    take_shorthands(options)
    output = read_options(PlotOutput, options)
    options.reference = once(options.reference)
    options.prediction = None if options.prediction is None else once(options.prediction)
    measures = chosen_measures(options, MEASURES, ["span_f"])
    require_used(options, MEASURES, measures)
    source = read_options(SpreadInput, options)
    for path in (options.reference, options.prediction):
        found = None if path is None else detected(path, source.encoding, DocumentFile)
        if found is not None:
            raise InputError(
                f"{called(path)} has spans ({found.name}), and a spread is over policies for illegal tags: spans leave "
                "nothing to repair.",
                "Give the tags of the system, from before they were made spans; spanometer score takes this file.",
            )
    references, predictions = source.read_sides(
        [path for path in (options.reference, options.prediction) if path is not None]
    )
    logits, labels = _read_logits(source, references)
    with located({"references": references, "predictions": predictions or references, "": references}):
        spread = policy_spread(
            references.tags[0],
            None if predictions is None else predictions.tags[0],
            logits=logits,
            labels=labels,
            scheme=source.scheme,
            measures=measures,
            **source.chosen,
        )
    if output.plot is not None:
        plot_spread(spread, output.plot)
    output.write(
        lambda: _described(source, spread, references, predictions),
        lambda: _parts(source, spread, references, predictions),
    )
    return 0


def _read_logits(source: SpreadInput, references: TagFile) -> tuple[list[np.ndarray] | None, list[str] | None]:
    """Read the logits and their labels, for the documents of the reference."""
    if source.logits is None:
        return None, None
    logits, labels = read_logits(source.logits, scheme=source.scheme)
    lengths = references.lengths
    if len(logits) != len(lengths):
        raise InputError(
            f"logits of {len(logits)} documents, {len(lengths)} reference documents.",
            "Both must be of the same documents, in the same order.",
            source=source.logits,
        )
    for document, (array, length) in enumerate(zip(logits, lengths.tolist(), strict=True)):
        if len(array) != length:
            raise InputError(
                f"logits of {len(array)} tokens, but the reference has {length} "
                f"({references.source}, line {references.line(document)}).",
                "Both must be of the same tokens, without padding and special tokens.",
                source=source.logits,
                document=document,
            )
    return logits, labels


def _described(
    source: SpreadInput, spread: PolicySpread, references: TagFile, predictions: TagFile | None
) -> dict[str, Any]:
    return {
        "reference": side_of(references).described,
        "prediction": predictions and side_of(predictions).described,
        "logits": source.logits,
        "documents": len(references.document_lines),
        **spread.to_dict(),
    }


def _parts(
    source: SpreadInput, spread: PolicySpread, references: TagFile, predictions: TagFile | None
) -> Iterator[Part]:
    documents = documents_in(references, briefly=True)
    lines = {
        "reference": side_of(references).text,
        "prediction": "highest logits" if predictions is None else side_of(predictions).text,
        "logits": source.logits,
        "illegal": f"{counted(spread.illegal, 'pair')} in {len(spread.affected):,} of {documents}",
        "policies": f"{len(spread.grid):,} ({spread.scheme})",
    }
    yield from heading((name, text) for name, text in lines.items() if text is not None)
    yield ""
    yield from spread.lines()
