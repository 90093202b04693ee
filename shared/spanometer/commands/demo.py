"""Score a system on the example corpus, and show what F1 hides.

Works offline.
"""

import argparse
from collections.abc import Mapping
from typing import Any

from ..analysis.errors.find import errors
from ..analysis.scores.report import Report
from ..analysis.scores.score import score
from ..data import EXAMPLE
from ..exceptions import counted
from ..measures.registry import MEASURES
from ..readers.reading import read
from ..tables.table import Copyable, Part, Table, TableColumn
from .options import add_options, read_options
from .output import Output

COMPARED = ("span_f", "token_f", "link_f", "bcubed", "matched_f")
"""The measures that are shown side by side: over whole spans, tokens, links and overlaps."""

BEYOND_CHANCE = {"chance_kappa_f1": ("f1", "chance_f1", "kappa_f1")}
"""A measure that corrects for chance, and its scores in the table."""

SYSTEMS = {
    "careful": "finds fewer spans, most of them right",
    "greedy": "finds nearly everything, but its spans are often too long",
    "hasty": "splits spans and writes illegal tags",
}
"""The systems of the example corpus, and the typical errors of each."""

_HEADLINES = {name: (MEASURES[name].headline,) for name in COMPARED}

SHOWN = "greedy"
"""The system that is shown before all are compared."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_options(parser, "output", Output, leave_out=("json",))


def run(options: argparse.Namespace) -> None:
    """Read the example corpus, score it and show the scores."""
    output = read_options(Output, options)
    corpus = read(EXAMPLE, columns=["reference", *SYSTEMS], words=True)
    reference, *predicted = corpus.tags
    tags = dict(zip(SYSTEMS, predicted, strict=True))
    systems = {system: _score(reference, tags[system]) for system in SYSTEMS}
    repairs = {repair: _score(reference, tags["hasty"], repair) for repair in ("conlleval", "discard")}
    result = errors(reference, {SHOWN: tags[SHOWN]}, words=corpus.words, confidence=None).only
    near = result.examples(kind="wrong_boundary", limit=1)
    place = near.to_dict()[0]["document"] - 1
    sentence = {SHOWN: _score(reference.between(place, place + 1), tags[SHOWN].between(place, place + 1))}
    first = systems[SHOWN]
    labels = first["span_f"].per_label
    spans = counted(first.reference_spans, "span")
    size = [counted(first.documents, "sentence"), counted(len(corpus.tags[0].codes), "token"), spans]
    boundaries = f"{result.counts['wrong_boundary']} spans have only a wrong boundary"
    parts: list[Part] = [
        ("The example corpus", "bold"),
        f"{', '.join(size)} of {len(labels)} labels ({', '.join(labels)}).",
        "The corpus and the outputs of three systems are made up:",
        *(f"  {system:<8} {habit}" for system, habit in SYSTEMS.items()),
        *("", (f"One system, {SHOWN}, by the measure that seqeval computes", "bold"), ""),
        *(_table("system", {"span_f": ("precision", "recall", "f1")}, {SHOWN: first}), ""),
        (f"What the F1 hides: {boundaries}", "bold"),
        *("", *near.parts(), "For this sentence the measures give:", ""),
        *(_table("system", _HEADLINES, sentence), ""),
        *(("All systems", "bold"), "", _table("system", _HEADLINES, systems), ""),
        *(("Corrected for chance: compared with random spans of the same lengths", "bold"), ""),
        *(_table("system", BEYOND_CHANCE, systems), ""),
        *(("The repair policy matters: hasty under two policies", "bold"), ""),
        *(_table("repair", _HEADLINES, repairs), ""),
        ("How the numbers were made", "bold"),
        Copyable(*(each.signature for each in first.results)),
        *("", ("Your own files", "bold")),
        Copyable(
            "spanometer score REFERENCE PREDICTION --per-label",
            "spanometer score FILE --reference-column 2 --prediction-column 3",
            "spanometer score --help",
        ),
    ]
    output.write_parts(parts)


def _score(references: Any, predictions: Any, repair: str = "conlleval") -> Report:
    return score(references, predictions, measures=(*COMPARED, *BEYOND_CHANCE), repair=repair)


def _table(title: str, keys: Mapping[str, tuple[str, ...]], rows: Mapping[str, Report]) -> Table:
    """Return a table with a column for each measure and key, the best value in bold.

    The measure's name is above its first column.
    """
    pairs = [(name, key) for name, of_measure in keys.items() for key in of_measure]
    # high chance agreement is not better; a single row has no best value
    heads = (f"{name if key == keys[name][0] else ''}\n{key}" for name, key in pairs)
    higher = (True if key != "chance_f1" and len(rows) > 1 else None for _, key in pairs)
    columns = [TableColumn("", head=head, higher=best) for head, best in zip(heads, higher, strict=True)]
    values = [((row, "cyan"), *(report[name].scores[key] for name, key in pairs)) for row, report in rows.items()]
    return Table.of(title, columns, values)
