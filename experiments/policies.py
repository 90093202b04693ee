"""The decoding experiment beside '7776 ways to compute F1 for an NER task' (Kroutikov 2019)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import decoding
from .inputs import MULTICONER_DEV, MULTICONER_TRAIN, Inputs, MissingCorpus
from .published import published_rows
from .tables import Cell, Table

SOURCE = "Kroutikov, 7776 ways"
NAME = "decoding"

_STORED = (
    "A stored run, not made now: training the tagger takes about half a minute. To make it anew, name this table: "
    "python -m experiments decoding."
)
_MADE = "Made now: the tagger was trained and its logits were decoded."

_STATEMENTS = {
    "Viterbi is above every repair policy": ("Viterbi", "best policy"),
    "the best policy is above ignoring I and O": ("best policy", "I and O ignored"),
    "ignoring I and O is above the worst policy": ("I and O ignored", "worst policy"),
}


def table(inputs: Inputs) -> tuple[Table, ...]:
    """Compare repair policies and Viterbi, from a stored run unless the table is asked for by name."""
    found, said, missing = None, _STORED, None
    if NAME in inputs.named:
        try:
            found = decoding.run(inputs.path(MULTICONER_TRAIN), inputs.path(MULTICONER_DEV)).to_dict()
            said = _MADE
        except MissingCorpus as error:
            missing = f"A run made now. {error}"
    found = found or stored()
    notes = (
        said,
        f"Linear tagger, trained on {found['trained_on']}, decoded on {found['corpus']}; span_f. {found['statement']}",
        "All of it: docs/decoding.md.",
    )
    title = "F1 by repair policy, in %" + ("" if said == _MADE else " (stored run)")
    return (Table(NAME, title, SOURCE, _cells(found), notes, missing),)


def stored() -> dict[str, Any]:
    """Read the run that is stored here, as `DecodingResult.to_dict` gave it."""
    file = Path(__file__).with_name("data") / "decoding.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _cells(found: Mapping[str, Any]) -> tuple[Cell, ...]:
    printed = {row["quantity"]: float(row["printed"]) for row in published_rows("decoding_policies")}
    scores = {row["way"]: 100 * row["scores"]["span_f"] for row in found["rows"]}
    size = f"of {found['policies']:,} policies"
    # by our name: the printed value, and ours
    values = {
        "worst policy": (printed["worst"], scores[f"argmax, worst {size}"]),
        "I and O ignored": (printed["bes"], scores["argmax, bes"]),
        "best policy": (printed["best"], scores[f"argmax, best {size}"]),
        "Viterbi": (printed["viterbi"], scores["Viterbi"]),
    }
    return (
        Cell("policies", "value", int(printed["policies"]), found["policies"]),
        Cell("illegal pairs", "value", int(printed["illegal_pairs"]), found["illegal_pairs"]),
        *(Cell(name, "value", *pair, digits=2) for name, pair in values.items()),
        *(
            Cell(said, "value", *(high > low for high, low in zip(values[higher], values[lower], strict=True)))
            for said, (higher, lower) in _STATEMENTS.items()
        ),
    )
