"""Protocols: what an official scorer computes, declared without code.

A protocol is a TOML file of this folder, named as the protocol is. It says how files are read, which measures are
computed, and which official name and rounding each number has.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..exceptions import InputError, shown
from ..measures.base import Measure
from ..measures.notation import Signature
from ..measures.registry import MeasureTable, read_measures
from ..options import Option, options_of
from ..tags.schemes import signed_names

_HERE = Path(__file__).parent

ROWS = ("both", "reference", "predicted")
"""The sides whose labels have official numbers of their own."""

_MEASURES: MeasureTable[Measure] = MeasureTable("spans", "entities", "attributes", "mentions")

_OF_LABELS = ("label_map", "reference_label_map", "labels", "ignore_labels")
"""The options of reading that signatures write as sorted names."""

_CHANGING = (
    *(*_OF_LABELS, "label_case", "reference_labels", "layers", "outside", "boundary"),
    *("trim", "join_fragments", "merge_overlaps", "split_spans", "texts", "tokenizer", "scored_documents"),
)
"""The parts of signatures that are there only if an option of reading is set, which changes what is scored."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What an official scorer computes.

    Attributes:
        name: the protocol's name, and its file's.
        title: the task, library or benchmark.
        description: what is computed, in one paragraph.
        source: the scorer, with its version.
        paper: where the task is described.
        formats: the files that it reads, in words.
        measures: measures as text, by the names that `keys` use.
        keys: where each official number comes from, by its official name: `NAME.KEY` is a score or a count of a
            measure, `NAME.COUNT-2*COUNT` a sum of counts, in which another measure's count is `NAME.COUNT`, too, and
            `NAME.SUM/SUM` a ratio of two sums; without NAME it is a size of the report. `:4` behind any of them
            rounds the number to 4 decimals. A key with
            `{label}` stands for one key for each label, and `{column}` is the column that is read. In files a key with
            `{key}` stands for several ones: it has a table of what is put there and its KEY or COUNT, `{of = NAME, P =
            "precision"}`.
        reading: options of reading by their names, with values as signatures write them.
        instead: options that users may set to what the task ships, and the option of `reading` that each replaces.
        rows: the side whose labels have official numbers, one of `ROWS`.
        bare_label: how keys name the label of tags that are bare prefixes.
        format: how numbers are written, as Python's `format` takes it; empty for all digits.
        percent: whether scores are in percent.
        round: the decimals that numbers are rounded to before they are written; None to leave them.
        cut: the decimals behind which numbers are cut off instead of rounded; None to round.
        known_labels: the labels of the task, by which its files are recognised.
        fixed_labels: labels that have official numbers, zeros, even if neither side has them.
        differences: where our scores differ from the scorer's, and why, or `none`.
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
    def named(cls, name: str) -> Protocol:
        """Read the protocol of a name.

        Raises:
            InputError: if there is no protocol of the name.
        """
        if name not in names():
            close = get_close_matches(str(name).lower(), names(), n=1)
            remedy = f"Did you mean {close[0]}?" if close else f"The protocols are {', '.join(names())}."
            raise InputError(f"there is no protocol {shown(name)}.", remedy, option="protocol")
        return _read(name)

    @property
    def about(self) -> dict[str, str]:
        """What help and documentation say beside the description, by its name."""
        flags = [(name.replace("_", "-"), value) for name, value in self.reading.items()]
        switches = ({"yes": f"--{flag}", "no": f"--no-{flag}"}.get(value, f"--{flag} {value}") for flag, value in flags)
        setting = " ".join(switches)
        named = [text if len(self.measures) == 1 else f"{name} = {text}" for name, text in self.measures.items()]
        return {
            "files": self.formats,
            "measures": "; ".join(named),
            **({"options": setting} if setting else {}),
            "differences": self.differences,
            "source": self.source,
            **({"paper": self.paper} if self.paper else {}),
        }

    @property
    def example(self) -> str:
        """A command that computes the scores."""
        files = "FILE" if "," in self.reading.get("column", "") else "REFERENCE PREDICTION"
        return f"spanometer score {files} --protocol {self.name}"

    def signature(self, options: Collection[str] = ()) -> Signature:
        """Write the reading in the form of a signature's parts, beside options that are set anyway."""
        replaced = {own for option, own in self.instead.items() if option in options}
        return Signature(self.name, {name: text for name, text in self.reading.items() if name not in replaced}, "")

    @cached_property
    def own_measures(self) -> dict[str, Measure]:
        """The measures by the names that `keys` use."""
        return read_measures(self.measures, _MEASURES)

    def owner_of(self, signature: str) -> str | None:
        """Find the name of the measure whose options a signature has; None if no measure of the protocol has them."""
        parts = Signature.read(signature)
        for name, measure in self.own_measures.items():
            own, options = Signature.read(measure.signature({})), options_of(measure)
            if own.measure == parts.measure and own.parts == {
                option: value for option, value in parts.parts.items() if option in options
            }:
                return name
        return None

    def changes(self, signatures: Iterable[str], declared: Mapping[str, Option]) -> list[str]:
        """List what results have otherwise than the protocol, as their signatures write it.

        Args:
            signatures: of the results.
            declared: the options of reading.
        """
        own = {name: _signed(name, text, declared) for name, text in self.reading.items()}
        # signatures have the columns by their names
        own |= {"layers": ""} if "layer_columns" in own else {}
        changes = dict[str, None]()
        for signature in signatures:
            parts = Signature.read(signature)
            # a measure may have an option of the name of one of reading
            of_measure = options_of(_MEASURES[parts.measure])
            for name, value in parts.parts.items():
                if name in of_measure:
                    continue
                if (own.get(name) and value != own[name]) or (name in _CHANGING and name not in {*own, *self.instead}):
                    changes[f"{name}:{value}"] = None
        owners = list(map(self.owner_of, signatures))
        for name, measure in self.own_measures.items():
            alike = [text for text, owner in zip(signatures, owners, strict=True) if owner is None]
            options = Signature.read(measure.signature({})).parts
            for parts in map(Signature.read, alike if name not in owners else ()):
                if parts.measure == measure.name:
                    # options that signatures name only where they are not the default are in one of them
                    named = dict.fromkeys([*options, *(part for part in parts.parts if part in options_of(measure))])
                    differing = (part for part in named if parts.parts.get(part) != options.get(part))
                    changes |= {f"{part}:{parts.parts.get(part)}": None for part in differing}
        return list(changes)

    def signed(self, signature: str) -> str:
        """Add the protocol to the signature of a result of one of its measures."""
        if self.owner_of(signature) is None:
            return signature
        parts, _, version = signature.rpartition("|v:")
        return f"{parts}|protocol:{self.name}|v:{version}"

    def written(self, value: float, *, share: bool) -> str:
        """Write a number as the scorer prints it; `share` says whether it may be in percent."""
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
    """Read a declaration; `extends` takes what another one has and this one lacks, an empty option is none."""
    values = tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))
    base = _declared(values.pop("extends")) if "extends" in values else {}
    # one protocol of a task is enough to recognise its files
    base.pop("known_labels", None)
    keys = {"keys": dict(_keys(values["keys"]))} if "keys" in values else {}
    reading = {**base.get("reading", {}), **values.get("reading", {})}
    return {**base, **values, **keys, "reading": {option: text for option, text in reading.items() if text}}


def _keys(declared: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List the official keys, also those that stand together in a table."""
    for key, place in declared.items():
        if isinstance(place, str):
            yield key, place
        else:
            yield from (
                (key.replace("{key}", own), f"{place['of']}.{each}") for own, each in place.items() if own != "of"
            )


def _signed(name: str, text: str, declared: Mapping[str, Option]) -> str:
    """Write the value of an option as a signature has it."""
    return signed_names(declared[name].read(text)) if name in _OF_LABELS and name in declared else text
