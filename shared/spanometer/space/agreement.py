"""The agreement of annotators from their files: what its page reads and shows."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ..alignment.overlaps import Alignment
from ..analysis.agreement import Agreement, agreement
from ..analysis.agreement_tables import label_table, pair_table
from ..analysis.disagreement_tables import difference_table, kind_table, place_table
from ..analysis.disagreements import Disagreements, disagreements
from ..arrays import plain
from ..errors import InputError, printable, setting, spelled
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.unitizing_alpha import UnitizingAlpha
from ..options import Option, options_of
from ..readers.document_file import DocumentFile
from ..readers.formats import reading_options
from ..readers.pairing import Pairing
from ..readers.reading import by_annotator
from ..readers.sides import files_together
from ..spans.spans import Spans
from ..tables.exports import to_csv, to_html
from ..tables.table import Precision, Table
from ..web.templates import shown
from .chance_work import require_little_work
from .controls import CONFIDENCE, Control, control_of, read_values, speller
from .documents import named, read_file
from .layers import Mark, marked
from .limits import too_much
from .templates import error_message, render

MAX_FILES = 8
MAX_SPANS = 60_000
"""How many files, and spans of all annotators together, the page takes."""

SHOWN_PLACES = 40
SHOWN_DOCUMENTS = 50
SHOWN_CHARACTERS = 600
"""How many places, documents and characters of a place are shown."""

MAX_DRAWN = 40_000_000
"""How many counts (documents, labels, pairs and resamplings multiplied) intervals are drawn from."""

_LABELS = {
    "offset_unit": ("Offsets count", "Only where a file does not tell.", "as the file says"),
    "layer": ("Layer", "Of WebAnno and INCEpTION, where a file has several.", ""),
    "feature": ("Feature", "Of the layer: the one with the labels.", ""),
    "unit": ("Count spans in", "", "as the files do"),
    "tokenizer": ("Words of texts", "For spans of characters: words to count in, made of the texts.", "none"),
    "to_tokens": ("Spans that cut words", "", ""),
    "shared_documents": ("Shared documents only", "", ""),
    "labels": ("Labels", "", ""),
    "placement": ("Random placement", "", ""),
    "method": ("Method of chance", "", ""),
    "variant": ("Unitizing alpha", "Year of the definition; it has none where spans of a label overlap.", "left out"),
    "confidence": ("Confidence", "", "none"),
}
"""What the page calls options, the lines below, and what stands for None."""

_OF_FORMATS = ("offset_unit", "layer", "feature")
_OPTIONS = {
    **{name: replace(reading_options(DocumentFile)[name], kind=None) for name in _OF_FORMATS},
    **{name: options_of(Pairing)[name] for name in ("unit", "to_tokens", "shared_documents")},
    "tokenizer": replace(options_of(Pairing)["tokenizer"], kind=None, choices=("words", "blanks")),
    **{name: options_of(ChanceKappaF1)[name] for name in ("labels", "placement", "method")},
    "variant": replace(options_of(UnitizingAlpha)["variant"], default=None, optional=True),
    "confidence": CONFIDENCE,
}
OPTIONS: dict[str, Option] = {name: replace(_OPTIONS[name], label=label) for name, (label, *_) in _LABELS.items()}
_PAIRING = ("unit", "tokenizer", "to_tokens", "shared_documents")


@dataclass(frozen=True)
class Answer:
    """The results of the page as HTML, and files to take along, by name."""

    html: str
    files: Mapping[str, str] = field(default_factory=dict)


def controls() -> tuple[Control, ...]:
    """Return the controls of the page."""
    first = {"variant": options_of(UnitizingAlpha)["variant"].default}
    return tuple(
        control_of(option, value=first.get(name, option.default), info=_LABELS[name][1], unset=_LABELS[name][2])
        for name, option in OPTIONS.items()
    )


def respond(paths: Sequence[str], values: Mapping[str, Any]) -> Answer:
    """Return the agreement of annotators; an error in words if it cannot be computed.

    Args:
        paths: the files of the annotators, or one file of several.
        values: of the controls, by name.
    """
    try:
        return _results(paths, read_values(OPTIONS, values))
    except InputError as error:
        return Answer(error_message(error, speller(controls())))


def _results(paths: Sequence[str], chosen: Mapping[str, Any]) -> Answer:
    files = _read(paths, {name: chosen[name] for name in _OF_FORMATS if chosen[name] is not None})
    pairing = Pairing(**{name: chosen[name] for name in _PAIRING})
    read, notes = files_together(files, pairing)
    sides = read.spans
    measure = ChanceKappaF1(labels=chosen["labels"], placement=chosen["placement"], method=chosen["method"])
    _require_little_work(sides, measure, chosen["confidence"])
    with warnings.catch_warnings():
        # they are the notes
        warnings.simplefilter("ignore", UserWarning)
        found = agreement(
            files,
            pairing=pairing,
            per_document=True,
            confidence=chosen["confidence"],
            variant=chosen["variant"],
            labels=measure.labels,
            placement=measure.placement,
            method=measure.method,
        )
        differing = disagreements(files, pairing=pairing, labels=measure.labels)
    without = None
    if len(files) > 2:
        same = {name: chosen[name] for name in ("placement", "method", "variant", "confidence")}
        without = differing.leave_one_out(**same).table()
    names = _names(differing, found.documents)
    html = render(
        "agreement.html",
        found=found,
        size=differing.size,
        notes=[
            *(note for file in files.values() for note in (*file.notes, *file.left_out)),
            *notes,
            *found.notes,
        ],
        annotators=[
            {"name": name, "file": file.source, "spans": len(sides[name]), "unit": differing.unit}
            for name, file in files.items()
        ],
        matrix=list(_matrix(found)),
        tables=_tables(found, differing, without),
        places=list(_places(differing)),
        more=max(len(differing) - SHOWN_PLACES, 0),
        documents=_documents(found, differing, names),
    )
    return Answer(html, _files(found, differing, names))


def _read(paths: Sequence[str], options: Mapping[str, Any]) -> dict[str, DocumentFile]:
    """Return what each annotator has annotated, by their names."""
    if not paths:
        raise InputError("there is no file.", "Upload two or more, or one with several annotators.")
    if len(paths) > MAX_FILES:
        raise too_much("the files", f"{len(paths)} files, more than {MAX_FILES}")
    files = {name: _read_one(path, options).require_spans() for name, path in named(paths).items()}
    (name, first), *others = files.items()
    if not others:
        if len(first.names) > MAX_FILES:
            raise too_much(name, f"{len(first.names)} annotators, more than {MAX_FILES}")
        return by_annotator(first, "Upload a file for each annotator.")
    for file in files.values():
        if len(file.names) > 1:
            listed = ", ".join(map(shown, file.names))
            raise InputError(
                f"the file has spans of {len(file.names)} annotators: {listed}.", "Upload it alone.", source=file.source
            )
    return files


def _read_one(path: str, options: Mapping[str, Any]) -> DocumentFile:
    """Read a file with those of the options that its format has."""
    try:
        return read_file(path, **options)
    except InputError as error:
        about: set[str] = set()
        spelled(error.problem, lambda name, _: about.add(name) or "")  # type: ignore[func-returns-value]
        if not about & options.keys():
            raise
        return _read_one(path, {name: value for name, value in options.items() if name not in about})


def _require_little_work(sides: Mapping[str, Spans], measure: ChanceKappaF1, confidence: float | None) -> None:
    """Raise an `InputError` for what would take too long."""
    total = sum(map(len, sides.values()))
    if total > MAX_SPANS:
        raise too_much("the files", f"{total:,} spans, more than {MAX_SPANS:,}")
    listed = [spans.unlabelled() if measure.labels == "ignore" else spans for spans in sides.values()]
    if any(spans.lengths is None for spans in listed):
        # the measure says what is missing
        return
    require_little_work(measure, (Alignment(*pair) for pair in combinations_with_replacement(listed, 2)))
    labels = len({label for spans in listed for label in spans.labels}) + 1
    drawn = 1000 * listed[0].documents * labels * len(listed) * (len(listed) - 1) // 2
    if confidence is not None and drawn > MAX_DRAWN:
        raise InputError(
            f"intervals would take {drawn / MAX_DRAWN:,.1f} times the work that a page does.",
            f"Set {setting('confidence', 'none')}, or compute them on your own machine.",
            option="confidence",
        )


def _names(differing: Disagreements, documents: int) -> list[str]:
    """Return what documents are called: their names, else their numbers."""
    names = differing.context.names
    return [str(number) for number in range(1, documents + 1)] if names is None else list(map(str, names))


def _matrix(found: Agreement) -> Iterator[dict[str, Any]]:
    """Yield the rows of the matrix: for each other annotator corrected F1, its interval and F1."""
    for row, name in enumerate(found.names):
        cells = [
            None
            if column == row
            else {
                "kappa": float(found.kappa_f1[row, column]),
                "interval": found.interval("kappa_f1", row, column),
                "f1": float(found.f1[row, column]),
            }
            for column in range(len(found.names))
        ]
        yield {"name": name, "cells": cells}


def _tables(found: Agreement, differing: Disagreements, without: Table | None) -> dict[str, dict[str, str]]:
    """Return tables as HTML, by the part of the page and their caption."""
    parts = {
        "agreement": {"All pairs": pair_table(found, per_pair=True), "Each label": label_table(found)},
        "disagreements": {
            "What kind of differences": kind_table(differing),
            "Who differs from whom, and at how many places": difference_table(differing),
        },
    }
    if without is not None:
        parts["agreement"]["Without each annotator: who is the outlier"] = without
    if differing.confusions.confused():
        parts["disagreements"]["Which labels are confused"] = differing.confusions.table(SHOWN_PLACES)
    return {
        part: {caption: to_html([table], Precision()) for caption, table in tables.items()}
        for part, tables in parts.items()
    }


def _places(differing: Disagreements) -> Iterator[dict[str, Any]]:
    """Yield the places that cost most: where they are, what each annotator says there, marked in the text."""
    for row in differing.to_arrow().slice(0, SHOWN_PLACES).to_pylist():
        units, separator = _units(differing, row["document"], row["start"], row["end"])
        # where each unit begins in the text of the place
        begins = np.cumsum([0, *(len(unit) + len(separator) for unit in units)]).tolist()
        text = separator.join(units)
        yield {
            "document": row.get("name") or str(row["document"] + 1),
            "line": row.get("line"),
            "kinds": ", ".join(row["kinds"]),
            "cost": row["cost"],
            "before": row.get("before", ""),
            "after": row.get("after", ""),
            "separator": separator,
            "readings": [
                {
                    "annotators": ", ".join(reading["annotators"]),
                    "pieces": marked(
                        text,
                        [
                            Mark(begins[start - row["start"]], begins[end - row["start"]] - len(separator), label, kind)
                            for start, end, label, kind in _marks(reading["spans"])
                        ],
                        SHOWN_CHARACTERS,
                    ),
                    "nothing": not reading["spans"],
                }
                for reading in row["readings"]
            ],
            "cut": len(text) > SHOWN_CHARACTERS,
        }


def _marks(spans: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, str, str]]:
    """Yield the bounds of spans, of discontinuous ones those of each fragment, with label and kind."""
    for span in spans:
        for start, end in span.get("fragments") or [(span["start"], span["end"])]:
            yield start, end, span["label"], "disputed"


def _units(differing: Disagreements, document: int, start: int, end: int) -> tuple[list[str], str]:
    """Return the words or characters of a part of a document, and what stands between; numbers if there are none."""
    wording = differing.context.wording
    if wording is None:
        return [str(number + 1) for number in range(start, end)], " "
    return [printable(unit) for unit in wording.listed(document, start, end)], wording.separator


def _documents(found: Agreement, differing: Disagreements, names: Sequence[str]) -> dict[str, Any]:
    """Return the documents on which people agree least, and what random placement would give there."""
    means = found.mean_per_document
    places = np.bincount(differing.places.document, minlength=found.documents)
    costs = np.bincount(differing.places.document, weights=differing.cost, minlength=found.documents)
    known = np.flatnonzero(~np.isnan(means["mean_f1"]))
    order = known[np.lexsort((-costs[known], means["mean_f1"][known]))]
    rows = [
        {
            "name": shown(names[document]),
            "means": [float(values[document]) for values in means.values()],
            "places": int(places[document]),
            "cost": float(costs[document]),
        }
        for document in order[:SHOWN_DOCUMENTS].tolist()
    ]
    return {"rows": rows, "more": max(len(order) - SHOWN_DOCUMENTS, 0), "empty": found.documents - len(known)}


def _files(found: Agreement, differing: Disagreements, names: Sequence[str]) -> dict[str, str]:
    """Return the results as files: all values as JSON, the tables and the places as CSV."""
    values = found.to_dict()
    values["per_document"] = {"name": list(names), **plain(found.mean_per_document)}
    text = json.dumps({"agreement": values, "disagreements": differing.to_dict()}, ensure_ascii=False, indent=1)
    tables: list[Table] = found.tables()
    return {
        "agreement.json": text,
        "agreement.csv": to_csv(tables, Precision()),
        "disagreements.csv": to_csv([place_table(differing)], Precision()),
        "disagreements.jsonl": differing.to_json_lines(),
    }
