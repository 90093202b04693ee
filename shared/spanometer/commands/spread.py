"""`spanometer spread`: what the repair of illegal tags is worth."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import HelpFormatter, add_form_options, add_scheme_option, add_side_options, read_file, read_sides
from .measuring import add_measure_options, add_own_options, chosen_measures

if TYPE_CHECKING:
    from ..analysis.spread import MeasureSpread, PolicySpread
    from ..measures.aligned import AlignedMeasure
    from ..readers import TagFile

ANY = "any"
"""What stands in place of an action where every action gives the same score."""

_DESCRIPTION = """\
Score PREDICTION against REFERENCE under every policy of repairing illegal tags:
the best, the worst and the mean, the policies that have names, and the choices
that the best and the worst make. Files as in spanometer score, with tags in
IOBES, BILOU, BMES or IOB2. With --logits also the best legal path (Viterbi),
greedy decoding and repair by score; PREDICTION may then be left out, and is the
label with the highest logit at each token.
"""

_EPILOG = """\
examples:
  spanometer spread gold.conll system.conll
  spanometer spread gold.conll system.conll --plot spread.png
  spanometer spread both.tsv --reference-column 2 --prediction-column 3 --json
  spanometer spread gold.conll --logits logits.npz
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "spread",
        usage="%(prog)s [options] REFERENCE [PREDICTION]",
        help="score a system under every repair policy",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help="file with the system's tags")
    reading = parser.add_argument_group("reading")
    add_side_options(reading)
    add_form_options(reading)
    add_scheme_option(reading)
    reading.add_argument(
        "--logits",
        metavar="NPZ",
        help="the system's logits: 'labels' and an array of shape (tokens, labels) for each document, or padded "
        "'logits' with 'lengths'",
    )
    add_measure_options(parser.add_argument_group("scoring"), default="span_f")
    add_own_options(parser.add_argument_group("options of single measures"), words=False)
    output = parser.add_argument_group("output")
    output.add_argument("--plot", metavar="PNG", help="write a picture (.png, .svg or .pdf); needs matplotlib")
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, score under all policies and show."""
    from ..measures.registry import MEASURES

    if options.plot is not None:
        from ..plots.figure import require_format

        require_format(options.plot)
    measures: list[AlignedMeasure] = chosen_measures(options, ["span_f"], MEASURES)
    references, predictions = _read(options)
    spread = _spread(options, measures, references, predictions)
    if options.plot is not None:
        from ..plots import plot_spread

        plot_spread(spread, options.plot)
    if options.json:
        print(json.dumps(_to_json(options, spread, references, predictions), indent=2, allow_nan=False))
    else:
        _show(options, spread, references, predictions)
    return 0


def _read(options: argparse.Namespace) -> tuple[TagFile, TagFile | None]:
    """Both sides; the prediction is None where it is to be told from logits."""
    if options.logits is None or options.prediction is not None or options.prediction_column is not None:
        return read_sides(options)
    return read_file(options, options.reference, [options.reference_column or options.column]), None


def _spread(
    options: argparse.Namespace, measures: Sequence[AlignedMeasure], references: TagFile, predictions: TagFile | None
) -> PolicySpread:
    """All policies; errors about tokens are said of the files' lines."""
    from ..analysis.spread import policy_spread

    logits, labels = _read_logits(options, references)
    try:
        return policy_spread(
            references.tags[0],
            None if predictions is None else predictions.tags[0],
            logits=logits,
            labels=labels,
            scheme=options.scheme,
            measures=measures,
        )
    except InputError as error:
        if error.side is None and error.document is None:
            raise
        raise (predictions if error.side == "predictions" and predictions else references).locate(error) from None


def _read_logits(options: argparse.Namespace, references: TagFile) -> tuple[list[np.ndarray] | None, list[str] | None]:
    """The logits and their labels, for the documents of the reference."""
    if options.logits is None:
        return None, None
    from ..readers.logits import read_logits

    logits, labels = read_logits(options.logits, scheme=options.scheme)
    lengths = references.tags[0].lengths
    if len(logits) != len(lengths):
        raise InputError(
            f"logits of {len(logits)} documents, {len(lengths)} reference documents.",
            "Both must be of the same documents, in the same order.",
            source=options.logits,
        )
    for document, (array, length) in enumerate(zip(logits, lengths.tolist(), strict=True)):
        if len(array) != length:
            raise InputError(
                f"logits of {len(array)} tokens, where the reference has {length} "
                f"({references.source}, line {references.line(document)}).",
                "Both must be of the same tokens, without padding and special tokens.",
                source=options.logits,
                document=document,
            )
    return logits, labels


def choices_of(measure: MeasureSpread, spread: PolicySpread, score: float) -> dict[str, str]:
    """What a policy with this score does at each place; `ANY` where it could do anything else and score the same.

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


def _to_json(
    options: argparse.Namespace, spread: PolicySpread, references: TagFile, predictions: TagFile | None
) -> dict[str, Any]:
    return {
        "spanometer": __version__,
        "reference": {"file": references.source, "column": references.columns[0]},
        "prediction": predictions and {"file": predictions.source, "column": predictions.columns[0]},
        "logits": options.logits,
        "scheme": spread.scheme,
        "policies": len(spread.grid),
        "documents": len(references.document_lines),
        "illegal_pairs": spread.illegal,
        "affected_documents": len(spread.affected),
        "measures": {name: _measure_to_json(measure, spread) for name, measure in spread.measures.items()},
    }


def _measure_to_json(measure: MeasureSpread, spread: PolicySpread) -> dict[str, Any]:
    choices = {
        f"{end}_choices": None if math.isnan(score) else choices_of(measure, spread, score)
        for end, score in (("best", measure.best), ("worst", measure.worst))
    }
    return {
        "key": measure.key,
        "best": _number(measure.best),
        "mean": _number(measure.mean),
        "worst": _number(measure.worst),
        "named": {name: _number(score) for name, score in measure.named.items()},
        "from_logits": {name: _number(score) for name, score in measure.from_logits.items()},
        **choices,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _show(options: argparse.Namespace, spread: PolicySpread, references: TagFile, predictions: TagFile | None) -> None:
    from rich.text import Text

    from .tables import page, show

    console = page(color=not options.no_color)
    prediction = "highest logits" if predictions is None else f"{predictions.source}, {predictions.columns[0]}"
    documents = counted(len(references.document_lines), "document")
    heads = {
        "reference ": f"{references.source}, {references.columns[0]}",
        "prediction": prediction,
        **({"logits    ": options.logits} if options.logits is not None else {}),
        "illegal   ": f"{counted(spread.illegal, 'pair')} in {len(spread.affected):,} of {documents}",
        "policies  ": f"{len(spread.grid):,} ({spread.scheme})",
    }
    for name, value in heads.items():
        show(console, Text.assemble((name, "bold"), f"  {printable(value)}"))
    show(console, "", _score_table(spread))
    if spread.illegal == 0:
        show(console, "", "There is nothing to repair: all policies read these tags alike.")
        return
    for name, measure in spread.measures.items():
        if not math.isnan(measure.best):
            show(console, "", _choice_table(name, measure, spread))


def _score_table(spread: PolicySpread) -> Any:
    """A row for each policy, the grid as a whole first."""
    from rich.text import Text

    from .tables import empty_table, number

    table = empty_table("policy", (f"{name}\n{measure.key}" for name, measure in spread.measures.items()))
    measures = list(spread.measures.values())
    table.add_row(Text("best", "bold"), *(Text(number(measure.best), "bold") for measure in measures))
    table.add_row("mean", *(number(measure.mean) for measure in measures))
    table.add_row(Text("worst", "bold"), *(Text(number(measure.worst), "bold") for measure in measures))
    table.add_section()
    for name in measures[0].named:
        table.add_row(Text(name, "cyan"), *(number(measure.named[name]) for measure in measures))
    if measures[0].from_logits:
        table.add_section()
    for name in measures[0].from_logits:
        table.add_row(Text(name, "cyan"), *(number(measure.from_logits[name]) for measure in measures))
    return table


def _choice_table(name: str, measure: MeasureSpread, spread: PolicySpread) -> Any:
    """What the best and the worst policy do at each place."""
    from rich.text import Text

    from .tables import empty_table

    table = empty_table(f"{name} {measure.key}: where", ())
    for head in ("best", "worst"):
        table.add_column(head, no_wrap=True)
    choices = [choices_of(measure, spread, score) for score in (measure.best, measure.worst)]
    for place in spread.grid.places:
        table.add_row(
            place.text, *(Text(actions[place.name], "dim" if actions[place.name] == ANY else "") for actions in choices)
        )
    return table
