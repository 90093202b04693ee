"""Score a system under every policy of repairing illegal tags.

The best, the worst and the mean score, the policies that have names, and the
choices that the best and the worst make. Files as in spanometer score, with
tags in IOBES, BILOU, BMES or IOB2. With --logits also the best legal path
(Viterbi), greedy decoding and repair by score; PREDICTION may then be left out,
and is the label with the highest logit at each token.

Examples:
  spanometer spread gold.conll system.conll
  spanometer spread gold.conll system.conll --plot spread.png
  spanometer spread both.tsv --reference-column 2 --prediction-column 3 --json
  spanometer spread gold.conll --logits logits.npz
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.results import plain
from ..analysis.spread import MeasureSpread, PolicySpread, policy_spread
from ..errors import InputError, counted
from ..measures.registry import MEASURES
from ..plots import plot_spread
from ..readers.logits import read_logits
from ..readers.tag_file import TagFile
from ..tables.table import Cell, Part, Table, heading, number
from ..tags.decoding import Decoding
from .inputs import located
from .measures import add_measure_options, chosen_measures, require_used
from .options import add_options, read_options, text
from .output import PlotOutput
from .tag_files import TagPair, documents_in, side_of

ANY = "any"
"""Stands for an action if every action gives the same score."""


@dataclass(frozen=True, kw_only=True)
class SpreadInput(TagPair, Decoding):
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
    add_options(parser.add_argument_group("output"), {"": PlotOutput})


def run(options: argparse.Namespace) -> int:
    """Read, score under all policies and show."""
    output = read_options(PlotOutput, options)
    measures = chosen_measures(options, MEASURES, ["span_f"])
    require_used(options, MEASURES, measures)
    source = read_options(SpreadInput, options)
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


def choices_of(measure: MeasureSpread, spread: PolicySpread, score: float) -> dict[str, str]:
    """Return the action of a policy with this score at each place; `ANY` if all actions there have the same score.

    Of several policies with one score it is one that has a name, or else the first.
    """
    grid = spread.grid
    with_score = measure.scores == score
    named = [index for index in grid.named.values() if with_score[index]]
    policy = named[0] if named else int(np.argmax(with_score))
    choices = grid.describe(policy)
    for index, place in enumerate(grid.places):
        others = np.delete(grid.choices == grid.choices[policy], index, axis=1).all(axis=1)
        if with_score[others].all():
            choices[place.name] = ANY
    return choices


def _described(
    source: SpreadInput, spread: PolicySpread, references: TagFile, predictions: TagFile | None
) -> dict[str, Any]:
    return {
        "reference": side_of(references).described,
        "prediction": predictions and side_of(predictions).described,
        "logits": source.logits,
        "scheme": spread.scheme,
        "policies": len(spread.grid),
        "documents": len(references.document_lines),
        "illegal_pairs": spread.illegal,
        "affected_documents": len(spread.affected),
        "measures": {name: plain(_of_measure(measure, spread)) for name, measure in spread.measures.items()},
    }


def _of_measure(measure: MeasureSpread, spread: PolicySpread) -> dict[str, Any]:
    choices = {
        f"{end}_choices": None if math.isnan(score) else choices_of(measure, spread, score)
        for end, score in (("best", measure.best), ("worst", measure.worst))
    }
    return {
        "key": measure.key,
        "best": measure.best,
        "mean": measure.mean,
        "worst": measure.worst,
        "named": measure.named,
        "from_logits": measure.from_logits,
        **choices,
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
    yield from ("", _score_table(spread))
    if spread.illegal == 0:
        yield from ("", "There is nothing to repair: all policies read these tags alike.")
        return
    for name, measure in spread.measures.items():
        if not math.isnan(measure.best):
            yield from ("", _choice_table(name, measure, spread))


def _score_table(spread: PolicySpread) -> Table:
    """Return a row for each policy, the grid as a whole first."""
    measures = list(spread.measures.values())
    rows: list[list[Cell] | None] = [
        [("best", "bold"), *(number(measure.best, "bold") for measure in measures)],
        ["mean", *(number(measure.mean) for measure in measures)],
        [("worst", "bold"), *(number(measure.worst, "bold") for measure in measures)],
        None,
    ]
    rows += [[(name, "cyan"), *(number(measure.named[name]) for measure in measures)] for name in measures[0].named]
    if measures[0].from_logits:
        rows.append(None)
    for name in measures[0].from_logits:
        rows.append([(name, "cyan"), *(number(measure.from_logits[name]) for measure in measures)])
    return Table("policy", [f"{name}\n{measure.key}" for name, measure in spread.measures.items()], rows)


def _choice_table(name: str, measure: MeasureSpread, spread: PolicySpread) -> Table:
    """Return the actions of the best and the worst policy at each place."""
    choices = [choices_of(measure, spread, score) for score in (measure.best, measure.worst)]
    rows: list[list[Cell]] = []
    for place in spread.grid.places:
        actions = [of_policy[place.name] for of_policy in choices]
        rows.append([place.text, *((action, "dim" if action == ANY else "") for action in actions)])
    return Table(f"{name} {measure.key}: where", ("best", "worst"), rows, left=3)
