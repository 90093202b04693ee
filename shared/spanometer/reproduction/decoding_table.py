"""The decoding experiment beside '7776 ways to compute F1 for an NER task' (Kroutikov 2019)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from ..analysis.published_tables import published_rows
from . import decoding
from .comparison import Cell, Table
from .known_differences import explained
from .reproduction_inputs import MULTICONER_DEV, MULTICONER_TRAIN, Inputs, MissingCorpus

SOURCE = "Kroutikov, 7776 ways"
NAME = "decoding"

_STORED = (
    "A stored run, not made now: training the tagger takes about half a minute. To make it anew, name this table: "
    "spanometer reproduce decoding."
)
_MADE = "Made now: the tagger was trained and its logits were decoded."

_BES = "argmax, bes"
_STATEMENTS = {
    "Viterbi is above every repair policy": ("viterbi", "best"),
    "the best policy is above ignoring I and O": ("best", "bes"),
    "ignoring I and O is above the worst policy": ("bes", "worst"),
}
_NAMES = {"worst": "worst policy", "bes": "I and O ignored", "best": "best policy", "viterbi": "Viterbi"}


def table(inputs: Inputs) -> tuple[Table, ...]:
    """What repair policies and Viterbi give, from a stored run unless it is asked for by name."""
    missing = None
    if NAME in inputs.named:
        try:
            train, dev = (inputs.path(names) for names in (MULTICONER_TRAIN, MULTICONER_DEV))
            found, said = decoding.run(train, dev).to_dict(), _MADE
        except MissingCorpus as error:
            found, said, missing = stored(), _STORED, f"A run made now. {error}"
    else:
        found, said = stored(), _STORED
    notes = (
        said,
        f"Linear tagger, trained on {found['trained_on']}, decoded on {found['corpus']}; span_f. {found['statement']}",
        "All of it: docs/decoding.md.",
    )
    title = "F1 by repair policy, in %" + ("" if said == _MADE else " (stored run)")
    return (Table(NAME, title, SOURCE, explained(NAME, _cells(found)), notes, missing),)


def stored() -> dict[str, Any]:
    """The run that comes with the package, as `DecodingResult.to_dict` gave it."""
    file = resources.files("spanometer") / "data" / "stored" / "decoding.json"
    return json.loads(file.read_text(encoding="utf-8"))


def _cells(found: Mapping[str, Any]) -> tuple[Cell, ...]:
    printed = {row["quantity"]: float(row["printed"]) for row in published_rows("decoding_policies")}
    by_way = {row["way"]: 100 * row["scores"]["span_f"] for row in found["rows"]}
    size = f"of {found['policies']:,} policies"
    ways = {"worst": f"argmax, worst {size}", "bes": _BES, "best": f"argmax, best {size}", "viterbi": "Viterbi"}
    ours = {name: by_way[way] for name, way in ways.items()}
    return (
        Cell("policies", "value", int(printed["policies"]), found["policies"]),
        Cell("illegal pairs", "value", int(printed["illegal_pairs"]), found["illegal_pairs"]),
        *(Cell(_NAMES[name], "value", printed[name], value, digits=2) for name, value in ours.items()),
        *(
            Cell(said, "value", printed[higher] > printed[lower], ours[higher] > ours[lower])
            for said, (higher, lower) in _STATEMENTS.items()
        ),
    )
