"""The page `agreement`: takes files of annotators, and shows how well they agree and where they do not."""

import json
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from ..alignment.overlaps import Alignment
from ..analysis.agreement.agree import agreement
from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import Disagreements, disagreements
from ..analysis.scores.measure_result import interval_notes
from ..arrays import plain
from ..documents.document_file import DocumentFile
from ..documents.pairing import Pairing
from ..documents.sides import by_annotator, files_together
from ..exceptions import InputError, counted, setting, spelled
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.start_probabilities import kept_probabilities
from ..measures.unitizing_alpha import UnitizingAlpha
from ..options import options_of
from ..readers.formats import reading_options
from ..spans.spans import Spans
from ..tables.result import by_kind
from ..web.disagreement_report import disagreement_report
from ..web.templates import number, shown
from .documents import named, read_file
from .forms import CONFIDENCE, Fields, Form, Response
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, encoded, megabytes, require_at_most, require_little_work
from .texts import examples_of, render

MAX_FILES = 8
MAX_ANNOTATED = 60_000
"""The maximum number of files, and of spans of all annotators together."""

_SHOWN_NOTES = 20

MAX_DRAWN = 40_000_000
"""The maximum work for intervals: documents times labels times pairs times resampled corpora."""

_OF_FORMATS = ("offset_unit", "layer", "feature")
_OPTIONS = {
    **{name: replace(reading_options("spans")[name], kind=None) for name in _OF_FORMATS},
    **{name: options_of(Pairing)[name] for name in ("unit", "to_tokens", "scored_documents")},
    "tokenizer": replace(options_of(Pairing)["tokenizer"], kind=None, choices=("words", "blanks")),
    **{name: options_of(ChanceKappaF1)[name] for name in ("match_labels", "placement", "method")},
    "variant": replace(options_of(UnitizingAlpha)["variant"], default=None, optional=True),
    "confidence": CONFIDENCE,
}
FIELDS = Fields.of_app("agreement", _OPTIONS, {"variant": options_of(UnitizingAlpha)["variant"].default})
"""The options of the page."""

_PAIRING = ("unit", "tokenizer", "to_tokens", "scored_documents")


_NAMES = ("A", "B", "C")
"""The annotators of pasted texts, and the ids of their text boxes."""


def form() -> Form:
    """Create the form: files or texts of annotators, and the options."""
    size = f"{MAX_FILES} files, {MAX_DOCUMENTS:,} documents, {MAX_TOKENS:,} tokens each, {MAX_ANNOTATED:,} spans"
    return Form.of_app(
        "agreement",
        respond=respond,
        limits=f"{size}; {megabytes(MAX_BYTES)} for each file",
        fields=FIELDS,
        examples={name: {"files": None, **texts} for name, texts in examples_of("teams").items()},
    )


@kept_probabilities()
def respond(values: Mapping[str, Any]) -> Response:
    """Compute the agreement of annotators, from uploaded files or, if there are none, from pasted texts."""
    chosen = FIELDS.read(values)
    options = {name: chosen[name] for name in _OF_FORMATS if chosen[name] is not None}
    with tempfile.TemporaryDirectory() as folder:
        files = _read(values["files"] or list(_pasted(values, folder)), chosen["scored_documents"], options)
    reading = {name: chosen[name] for name in _PAIRING}
    read = files_together(files, Pairing(**reading))
    sides = read.spans
    measure = ChanceKappaF1(match_labels=chosen["match_labels"], placement=chosen["placement"], method=chosen["method"])
    shared = {name: chosen[name] for name in ("placement", "method", "variant", "confidence")}
    _require_little_work(sides, measure, chosen["confidence"])
    with warnings.catch_warnings():
        # they are the notes
        warnings.simplefilter("ignore", UserWarning)
        agreed = agreement(files, **reading, per_document=True, match_labels=measure.match_labels, **shared)
        differing = disagreements(files, **reading, match_labels=measure.match_labels)
    without = differing.leave_one_out(**shared) if len(files) > 2 else None
    named_files = ", ".join(f"{name} ({file.source})" for name, file in files.items())
    heading = [("annotators", named_files), ("size", differing.size)]
    report = disagreement_report(differing, heading=heading, agreement=agreed, left_out=without)
    few = interval_notes(agreed.documents)
    joint = {"Alpha of all annotators": "alpha"} if len(agreed.signatures) > 1 else {}
    html = render(
        "results.html",
        headline=_part(agreed, "Mean F1 beyond chance", "mean_kappa_f1"),
        about="1 is perfect agreement, 0 is chance",
        parts=[
            _part(agreed, title, key)
            for title, key in {"Mean F1": "mean_f1", "Mean F1 by chance": "mean_chance_f1", **joint}.items()
        ],
        size=differing.size,
        notes=[
            shown(note)
            for note in _notes(files, [*read.notes, *read.left_out, *agreed.notes, *(few if agreed.confidence else ())])
        ],
        signatures=list(agreed.signatures.values()),
        report=report,
        sections=[],
        charts=[],
        snippet="",
    )
    return Response(html, files=_files(agreed, differing, report))


def _pasted(values: Mapping[str, Any], folder: str) -> Iterator[str]:
    """Write pasted texts into a folder, and yield their paths."""
    for name in _NAMES:
        if values[name].strip():
            path = Path(folder, f"{name}.txt")
            path.write_bytes(encoded(values[name], name, MAX_BYTES))
            yield str(path)


def _part(agreed: Agreement, title: str, key: str) -> dict[str, Any]:
    return {"title": title, "value": number(getattr(agreed, key)), "interval": agreed.interval(key)}


def _notes(files: Mapping[str, DocumentFile], more: Sequence[str]) -> list[str]:
    """Return the notes on files and results, up to a maximum."""
    notes = [*(note for file in files.values() for note in (*file.notes, *file.left_out)), *more]
    rest = len(notes) - _SHOWN_NOTES
    return [*notes[:_SHOWN_NOTES], *([f"And {counted(rest, 'more note')}."] if rest > 0 else [])]


def _read(paths: Sequence[str], scored: str, options: Mapping[str, Any]) -> dict[str, DocumentFile]:
    """Return the annotations of each annotator, by name."""
    if not paths:
        raise InputError("there is no file.", "Upload two or more files, or one file with several annotators.")
    require_at_most(MAX_FILES, len(paths), "files", "the files")
    files = {name: _read_one(path, options).require_spans() for name, path in named(paths).items()}
    (name, first), *others = files.items()
    if not others:
        require_at_most(MAX_FILES, len(first.names), "annotators", name)
        return by_annotator(first, scored, "Upload a file for each annotator.")
    for file in files.values():
        if len(file.names) > 1:
            listed = ", ".join(map(shown, file.names))
            problem = f"the file has spans of {len(file.names)} annotators: {listed}."
            raise InputError(problem, "Upload only this file.", source=file.source)
    return files


def _read_one(path: str, options: Mapping[str, Any]) -> DocumentFile:
    """Read a file with the options that its format has."""
    try:
        return read_file(path, **options)
    except InputError as error:
        about: set[str] = set()
        spelled(error.problem, lambda name, _: about.add(name) or "")  # type: ignore[func-returns-value]
        if not about & options.keys():
            raise
        return _read_one(path, {name: value for name, value in options.items() if name not in about})


def _require_little_work(sides: Mapping[str, Spans], measure: ChanceKappaF1, confidence: float | None) -> None:
    """Raise an `InputError` if the computation would take too long."""
    require_at_most(MAX_ANNOTATED, sum(map(len, sides.values())), "spans", "the files")
    listed = [spans if measure.match_labels else spans.unlabelled() for spans in sides.values()]
    if any(spans.lengths is None for spans in listed):
        # the measure names the missing lengths
        return
    require_little_work(measure, (Alignment(*pair) for pair in combinations_with_replacement(listed, 2)))
    labels = len({label for spans in listed for label in spans.labels}) + 1
    drawn = 1000 * listed[0].documents * labels * len(listed) * (len(listed) - 1) // 2
    if confidence is not None and drawn > MAX_DRAWN:
        raise InputError(
            f"intervals would take {drawn / MAX_DRAWN:,.1f} times the work that this page allows.",
            f"Set {setting('confidence', 'none')}, or compute them on your own machine.",
            option="confidence",
        )


def _files(agreed: Agreement, differing: Disagreements, report: str) -> dict[str, str]:
    """Return the results as files: the report, all values as JSON, the tables and the places as CSV."""
    names = differing.context.names
    documents = range(1, agreed.documents + 1) if names is None else names
    values = agreed.to_dict()
    values["per_document"] = {"name": list(map(str, documents)), **plain(agreed.mean_per_document)}
    text = json.dumps({"agreement": values, "disagreements": differing.to_dict()}, ensure_ascii=False, indent=1)
    return {
        "report.html": report,
        "agreement.json": text,
        **{f"agreement_{kind}.csv": agreed.to_csv(kind) for kind in by_kind(agreed.tables())},
        "disagreements.csv": differing.to_csv("places"),
        "disagreements.jsonl": differing.to_json_lines(),
    }
