"""Official scores: the numbers of a report with the names and the rounding of a protocol's scorer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from ...arrays import plain
from ...documents.pairing import Pairing
from ...options import options_of
from ...protocols.protocol import Protocol
from ...tables.table import EMPTY, Cell, Part, Table, Text
from ...tags.decoding import BARE_LABEL, LabelDecoding
from ...tags.schemes import LabelChoice
from .measure_result import MeasureResult

Kind = TypeVar("Kind", bound=Any)

_LABEL = "{label}"
_COLUMN = "{column}"

_TERM = re.compile(r"([+-]?)(?:(\d+)\*)?(?:(\w+)\.)?(\w+)")
"""A term of a sum of counts: its sign, its factor, its measure if it is another one, and the count."""

_READING = {**options_of(Pairing), **options_of(LabelDecoding), **options_of(LabelChoice)}
"""The reading options that appear in signatures."""


@dataclass(frozen=True)
class OfficialScores:
    """The scores of a protocol by their official names, each as its scorer prints it and with all digits.

    Attributes:
        protocol: the name of the protocol.
        values: the scores of the corpus.
        of_labels: the scores of single labels.
        changes: the options that differ from the protocol, as signatures write them; if any differ, there are no
            scores.
    """

    protocol: str
    values: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    of_labels: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    changes: Sequence[str] = ()

    @classmethod
    def of(cls, protocol: Protocol, signatures: Sequence[str]) -> Self:
        """Check whether results with these signatures follow the protocol; the scores are added later."""
        return cls(protocol.name, changes=tuple(protocol.changes(signatures, _READING)))

    @property
    def text(self) -> str:
        """The protocol, or the reason why the scores are not official, on one line."""
        if not self.changes:
            return f"{self.protocol} (spanometer help {self.protocol})"
        return f"not the official scores of {self.protocol}: you changed {', '.join(self.changes)}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        values = {**self.values, **self.of_labels}
        numbers = {key: {"printed": text, "value": plain(value)} for key, (text, value) in values.items()}
        return {"protocol": self.protocol, **({"changes": list(self.changes)} if self.changes else {}), "keys": numbers}


def scored_by(protocol: Protocol, report: Kind) -> Kind:
    """Add the official scores of a protocol to a report, and the protocol to the signatures of its measures.

    If an option differs from the protocol, there are no official scores, and the report says which option it is.
    """
    official = OfficialScores.of(protocol, [result.signature for result in report.results])
    if official.changes:
        return replace(report, official=official)
    owners = {protocol.owner_of(result.signature): result for result in report.results}
    values, of_labels = dict[str, tuple[str, float]](), dict[str, tuple[str, float]]()
    for template, rounded in protocol.keys.items():
        place, _, decimals = rounded.partition(":")
        written = replace(protocol, round=int(decimals)) if decimals else protocol
        key = template.replace(_COLUMN, protocol.reading.get("column", ""))
        name, dot, number = place.partition(".")
        if not dot:
            size = getattr(report, name)
            if size is not None:
                values[key] = written.written(size, share=True), size
        elif not {name, *(other for _, _, other, _ in _TERM.findall(number) if other)} <= owners.keys():
            continue
        elif _LABEL in key:
            for label in dict.fromkeys([*_labels(owners[name], protocol.rows), *protocol.fixed_labels]):
                named = key.replace(_LABEL, protocol.bare_label if label == BARE_LABEL else label)
                of_labels[named] = _official(written, owners, place, label)
        else:
            values[key] = _official(written, owners, place)
    results = tuple(replace(result, signature=protocol.signed(result.signature)) for result in report.results)
    return replace(report, results=results, official=replace(official, values=values, of_labels=of_labels))


def _official(
    protocol: Protocol, results: Mapping[str | None, MeasureResult], place: str, label: str | None = None
) -> tuple[str, float]:
    """Look up a score, or compute a sum of counts or a ratio of two sums, and round it as the scorer does."""
    name, _, number = place.partition(".")
    scores: Mapping[str, Any] = results[name].scores
    if label is not None:
        scores = results[name].per_label.get(label) or dict.fromkeys(scores, 0.0)
    if number in scores:
        return protocol.written(scores[number], share=results[name].measure.results[number].share), scores[number]
    sums: list[int | float] = [0, 0]
    for position, terms in enumerate(number.split("/")):
        for sign, factor, other, count in _TERM.findall(terms):
            result = results[other or name]
            counts = result.counts if label is None else result.label_counts.get(label, {})
            sums[position] += int(f"{sign}{factor or 1}") * counts.get(count, 0)
    if "/" not in number:
        return protocol.written(sums[0], share=False), sums[0]
    ratio = sums[0] / sums[1] if sums[1] else results[name].measure.zero_division
    return protocol.written(ratio, share=True), ratio


def _labels(result: MeasureResult, rows: str) -> Iterator[str]:
    """Yield the labels of one side or of both."""
    support = "support" if rows == "reference" else rows
    for label, values in result.per_label.items():
        if rows == "both" or {**result.label_counts.get(label, {}), **values}.get(support, 0):
            yield label


def official_lines(reports: Mapping[str, Any], *, per_label: bool) -> Iterator[Part]:
    """Yield a table of the protocol's scores with a column for each system, or say why there are none."""
    scores = {name: report.official for name, report in reports.items() if report.official is not None}
    for text in dict.fromkeys(official.text for official in scores.values() if official.changes):
        line: list[Text] = [("protocol", "bold"), f"  {text}"]
        yield from (line, "")
    columns = {
        name or "official": {**official.values, **(official.of_labels if per_label else {})}
        for name, official in scores.items()
        if not official.changes
    }
    keys = dict.fromkeys(key for values in columns.values() for key in values)
    rows: list[Sequence[Cell] | None] = [
        [key, *(values[key][0] if key in values else EMPTY for values in columns.values())] for key in keys
    ]
    if rows:
        (protocol,) = {official.protocol for official in scores.values()}
        yield from (Table(protocol, list(columns), rows, kind="official", names="key"), "")
