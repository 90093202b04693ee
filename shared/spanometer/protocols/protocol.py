"""Protocols: declarations of what an official scorer computes, and the official scores of a report.

A protocol is a TOML file in this folder; the name of the file is the name of the protocol. It says how files are read,
which measures are computed, and the official name and rounding of each number.
"""

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from ..arrays import plain
from ..documents.document_file import UNSTATED
from ..documents.pairing import Pairing
from ..exceptions import InputError, did_you_mean, shown
from ..measures.base import Measure
from ..measures.notation import Signature
from ..measures.registry import NAMED_MEASURES, read_measures
from ..options import options_of
from ..tables.table import EMPTY, Cell, Part, Table, Text
from ..tags.decoding import BARE_LABEL, LabelDecoding
from ..tags.schemes import LabelChoice, signed_names

_HERE = Path(__file__).parent

_OF_LABELS = ("label_map", "reference_label_map", "labels", "ignore_labels")
"""Reading options that signatures write as sorted names."""

_READING = {**options_of(Pairing), **options_of(LabelDecoding), **options_of(LabelChoice)}
"""The reading options that appear in signatures."""

_CHANGING = (
    *(*_OF_LABELS, "label_case", "reference_labels", "layers", "outside", "boundary"),
    *("trim", "join_fragments", "merge_overlaps", "split_spans", "texts", "tokenizer", "scored_documents"),
)
"""Parts that signatures have only if a reading option is set that changes what is scored."""

Kind = TypeVar("Kind", bound=Any)

_LABEL, _COLUMN = "{label}", "{column}"

_TERM = re.compile(r"([+-]?)(?:(\d+)\*)?(?:(\w+)\.)?(\w+)")
"""A term of a sum of counts: its sign, its factor, its measure if it is another one, and the count."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What an official scorer computes.

    Attributes:
        name: the name of the protocol and of its file.
        title: the task, library or benchmark.
        description: what is computed, in one paragraph.
        source: the scorer, with its version.
        paper: the paper that describes the task.
        formats: the files that the scorer reads, in words.
        measures: measures as text, by the names that `keys` use for them.
        keys: the formula of each official number, by its official name. `NAME.KEY` is a score or a count of a measure,
            `NAME.COUNT-2*COUNT` a sum of counts (a count of another measure is also written `NAME.COUNT`), and
            `NAME.SUM/SUM` a ratio of two sums. Without NAME it is a size in the report. `:4` at the end rounds the
            number to 4 decimals. A name with `{label}` stands for one number for each label; `{column}` is the name of
            the column that is read. In the TOML file, a name with `{key}` can stand for several numbers: its value is
            then a table such as `{of = NAME, P = "precision"}`, which replaces `{key}` by `P` and computes
            `NAME.precision`.
        reading: reading options by name, with values as signatures write them.
        instead: maps options that users may set (to resources that the task provides) to the options of `reading` that
            they replace.
        rows: the side whose labels get official numbers, `both`, `reference` or `predicted`.
        bare_label: how official names write the label of tags that are prefixes without labels.
        format: how numbers are written, a format specification of Python; empty for all digits.
        percent: whether scores are in percent.
        round: the number of decimals to which numbers are rounded before they are written; None for no rounding.
        cut: the number of decimals after which numbers are cut off instead of rounded; None for no cutting.
        known_labels: the labels of the task, by which its files are recognised.
        fixed_labels: labels that get official numbers (0) even if they do not occur.
        differences: how and why our scores differ from the scorer's, or `none`.
        faults: errors of the scorer itself, each with a tiny example.
    """

    name: str
    title: str
    description: str
    source: str
    formats: str
    measures: Mapping[str, str]
    keys: Mapping[str, str]
    paper: str = ""
    reading: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    rows: str = "both"
    bare_label: str = "_"
    format: str = ""
    percent: bool = False
    round: int | None = None
    cut: int | None = None
    known_labels: Sequence[str] = ()
    fixed_labels: Sequence[str] = ()
    differences: str = "none"
    faults: Sequence[str] = ()

    @classmethod
    def named(cls, name: str) -> "Protocol":
        """Read the protocol with this name.

        Raises:
            InputError: if there is no such protocol.
        """
        if name not in names():
            remedy = did_you_mean(str(name).lower(), names()) or f"The protocols are {', '.join(names())}."
            raise InputError(f"there is no protocol {shown(name)}.", remedy, option="protocol")
        return _read(name)

    @property
    def about(self) -> dict[str, str]:
        """What help and documentation show besides the description: texts by heading."""
        flags = [(name.replace("_", "-"), value) for name, value in self.reading.items()]
        switches = ({"yes": f"--{flag}", "no": f"--no-{flag}"}.get(value, f"--{flag} {value}") for flag, value in flags)
        named = [text if len(self.measures) == 1 else f"{name} = {text}" for name, text in self.measures.items()]
        texts = {
            "files": self.formats,
            "measures": "; ".join(named),
            "options": " ".join(switches),
            "differences": self.differences,
            "source": self.source,
            "paper": self.paper,
        }
        return {heading: text for heading, text in texts.items() if text}

    @property
    def example(self) -> str:
        """A command that computes the scores."""
        files = "FILE" if "," in self.reading.get("column", "") else "REFERENCE PREDICTION"
        return f"spanometer score {files} --protocol {self.name}"

    def signature(self, options: Collection[str] = ()) -> Signature:
        """Write the reading options as parts of a signature, together with options that are set anyway."""
        replaced = {own for option, own in self.instead.items() if option in options}
        return Signature(self.name, {name: text for name, text in self.reading.items() if name not in replaced}, "")

    @cached_property
    def own_measures(self) -> dict[str, Measure]:
        """The measures, by the names that `keys` use for them."""
        return read_measures(self.measures, NAMED_MEASURES)

    def owner_of(self, signature: str) -> str | None:
        """Return the name of the measure whose options the signature has; None if the protocol has no such measure."""
        parts = Signature.read(signature)
        for name, measure in self.own_measures.items():
            own = Signature.read(measure.signature({}))
            options = {option: value for option, value in parts.parts.items() if option in options_of(measure)}
            if (own.measure, own.parts) == (parts.measure, options):
                return name
        return None

    def official(self, signatures: Sequence[str]) -> "OfficialScores":
        """Check whether results with these signatures follow the protocol; the scores are added later."""
        # `OF_LABELS` are written as sorted names
        own = {
            name: signed_names(_READING[name].read(text)) if name in _OF_LABELS else text
            for name, text in self.reading.items()
        }
        # signatures have the columns by their names
        own |= {"layers": ""} if "layer_columns" in own else {}
        changes = dict[str, None]()
        for signature in signatures:
            parts = Signature.read(signature)
            # a measure can have an option with the same name as a reading option
            of_measure = options_of(NAMED_MEASURES[parts.measure])
            read = {name: value for name, value in parts.parts.items() if name not in of_measure}
            # what signatures omit; only files, whose signatures have a unit, can have lines that separate documents
            omitted = {**UNSTATED, "layers": "none"} if "scheme" in read or own.get("outside") == "nothing" else {}
            for name, value in {**omitted, **read}.items():
                if name not in read and (name not in own or (name == "boundary" and "unit" not in read)):
                    continue
                # sides or files that were decoded one by one can have different schemes
                mixed = name == "scheme" and not value.isalnum() and read["repair"] != "conlleval"
                changing = name in _CHANGING or (name == "documents" and "average=documents" in str(self.measures))
                added = changing and (value == "none" or name not in {*own, *self.instead})
                if (own.get(name) and value != own[name]) or added or mixed:
                    changes[f"{name}:{value}"] = None
        owners = list(map(self.owner_of, signatures))
        others = [Signature.read(text) for text, owner in zip(signatures, owners, strict=True) if owner is None]
        for name, measure in self.own_measures.items():
            options = Signature.read(measure.signature({})).parts
            for parts in others:
                if parts.measure == measure.name and name not in owners:
                    # if signatures name an option only when it is not the default, look for it in any of them
                    named = dict.fromkeys([*options, *(part for part in parts.parts if part in options_of(measure))])
                    differing = (part for part in named if parts.parts.get(part) != options.get(part))
                    changes |= {f"{part}:{parts.parts.get(part)}": None for part in differing}
        return OfficialScores(self.name, changes=tuple(changes))

    def signed(self, signature: str) -> str:
        """Add the protocol to the signature of one of its measures."""
        parts, _, version = signature.rpartition("|v:")
        return signature if self.owner_of(signature) is None else f"{parts}|protocol:{self.name}|v:{version}"

    def written(self, value: float, *, share: bool) -> str:
        """Write a number as the scorer prints it; `share` says whether it can be in percent."""
        if isinstance(value, int):
            return str(value)
        scaled = 100 * value if self.percent and share else value
        if self.round is not None:
            scaled = round(scaled, self.round)
        if self.cut is not None and math.isfinite(scaled):
            scaled = math.trunc(scaled * 10**self.cut) / 10**self.cut
        return f"{scaled:{self.format}}"


@cache
def names() -> tuple[str, ...]:
    """List the names of the protocols."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.toml")))


def known_by(labels: Iterable[str]) -> list[Protocol]:
    """List the protocols of tasks that have exactly these labels."""
    own = set(labels)
    return [each for each in map(_read, names()) if own and own == set(each.known_labels)]


@cache
def _read(name: str) -> Protocol:
    return Protocol(name=name, **_declared(name))


def _declared(name: str) -> dict[str, Any]:
    """Read a declaration. Missing entries are taken from the protocol in `extends`.

    An empty option removes one of these.
    """
    values = tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))
    base = _declared(values.pop("extends")) if "extends" in values else {}
    # one protocol of a task is enough to recognise its files
    base.pop("known_labels", None)
    reading = {**base.pop("reading", {}), **values.pop("reading", {})}
    declared = {**base, **values, "reading": {option: text for option, text in reading.items() if text}}
    return {**declared, "keys": dict(_keys(declared["keys"]))}


def _keys(declared: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield official names with their formulas, expanding tables."""
    for key, place in declared.items():
        if isinstance(place, str):
            yield key, place
        else:
            parts = {own: f"{place['of']}.{each}" for own, each in place.items() if own != "of"}
            yield from ((key.replace("{key}", own), formula) for own, formula in parts.items())


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
    official = protocol.official([result.signature for result in report.results])
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
            if (size := getattr(report, name)) is not None:
                values[key] = written.written(size, share=True), size
        elif {name, *(other for _, _, other, _ in _TERM.findall(number) if other)} <= owners.keys():
            if _LABEL not in key:
                values[key] = _official(written, owners, place)
                continue
            for label in dict.fromkeys([*_labels(owners[name], protocol.rows), *protocol.fixed_labels]):
                named = key.replace(_LABEL, protocol.bare_label if label == BARE_LABEL else label)
                of_labels[named] = _official(written, owners, place, label)
    results = tuple(replace(result, signature=protocol.signed(result.signature)) for result in report.results)
    return replace(report, results=results, official=replace(official, values=values, of_labels=of_labels))


def _official(
    protocol: Protocol, results: Mapping[str | None, Any], place: str, label: str | None = None
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
    value = sums[0]
    if "/" in number:
        value = sums[0] / sums[1] if sums[1] else results[name].measure.zero_division
    return protocol.written(value, share="/" in number), value


def _labels(result: Any, rows: str) -> Iterator[str]:
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
    followed = {name or "official": official for name, official in scores.items() if not official.changes}
    columns = {name: {**each.values, **(each.of_labels if per_label else {})} for name, each in followed.items()}
    keys = dict.fromkeys(key for values in columns.values() for key in values)
    rows: list[Sequence[Cell] | None] = [
        [key, *(values[key][0] if key in values else EMPTY for values in columns.values())] for key in keys
    ]
    if rows:
        (protocol,) = {official.protocol for official in scores.values()}
        yield from (Table(protocol, list(columns), rows, kind="official", names="key"), "")
