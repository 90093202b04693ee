"""Measure the agreement of annotators of the same text, beyond chance.

F1 of each pair, the F1 that random placement of the same spans would give, F1
corrected for it, and Krippendorff's alpha for unitizing over all annotators
jointly; with --measure gamma also gamma and gamma-cat of all of them. Files as in
spanometer score, one for each annotator; or one file with a column for each, or
an export of an annotation tool with several annotators.

Nested spans, in files that can hold them: --placement layers places them at
random depth by depth; alpha is not defined for them, --variant none leaves it out.

Examples:
  spanometer agree ann.conll ben.conll cat.conll
  spanometer agree all.tsv --columns 2,3,4 --names ann,ben,cat --per-label
  spanometer agree project.json --confidence 0.95
  spanometer agree ann.jsonl ben.jsonl --placement layers --variant none
  spanometer agree ann.conll ben.conll cat.conll --measure gamma --precision 0.02
  spanometer agree ann.conll ben.conll cat.conll --plot agreement.png --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..analysis.agreement import Agreement, agreement
from ..errors import counted
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.gamma import Gamma
from ..measures.unitizing_alpha import UnitizingAlpha
from ..options import options_of
from ..plots import plot_agreement
from ..readers.document_file import DocumentFile
from ..readers.pairing import unit_of
from ..readers.tag_file import TagFile
from ..tables.table import Part, heading
from .documents import DocumentSeries
from .documents import side_of as side_of_documents
from .inputs import Side, kind_of, named, names_of, once, size_of, with_answer_keys
from .measures import add_interval_options, chosen_measures, chosen_resampling, require_used
from .options import add_options, read_options, switch
from .output import OUTPUT_FLAGS, PlotOutput
from .tag_files import TagSeries, documents_in, side_of

_JOINT = {"gamma": Gamma}
"""What is computed only if it is asked for."""

_SIMULATIONS = ("n_simulations", "seed")
"""The options of the chance level that are for one pair of annotators."""


@dataclass(frozen=True, kw_only=True)
class AgreementOutput(PlotOutput):
    """How agreement is shown."""

    per_label: bool = switch("also the agreement in each label")
    per_pair: bool = switch("also the three values of each pair")
    per_document: bool = switch("also the means of the pairs in each document")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="file with the tags of one annotator")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the annotators' names, with commas between")
    add_options(reading, {"": TagSeries, DocumentSeries.title: DocumentSeries})
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--measure", metavar="NAME", action="append", help="gamma: also gamma and gamma-cat")
    add_options(scoring, {"": Measure})
    owners = {"F1 beyond chance": ChanceKappaF1, "alpha": UnitizingAlpha}
    add_options(scoring, owners, leave_out=_SIMULATIONS)
    add_options(scoring, _JOINT, leave_out=("seed",))
    add_interval_options(parser.add_argument_group("intervals"), _JOINT)
    add_options(parser.add_argument_group("output"), {"": AgreementOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    output = read_options(AgreementOutput, options)
    without_alpha = str(options.variant).lower() == "none" and options.variant is not None
    if without_alpha:
        options.variant = None
    chance, alpha = read_options(ChanceKappaF1, options), read_options(UnitizingAlpha, options)
    of_chance = {name: getattr(chance, name) for name in options_of(chance) if name not in _SIMULATIONS}
    resampling = chosen_resampling(options)
    asked = chosen_measures(options, _JOINT, ())
    require_used(options, _JOINT, [chance, alpha, *asked], resampling=resampling)
    draws = {} if resampling is None else asdict(resampling)
    values = {
        "variant": None if without_alpha else alpha.variant,
        "per_document": output.per_document,
        "gamma": next(iter(asked), None),
        **of_chance,
        **draws,
    }
    paths = with_answer_keys(list(map(once, options.files)), options.answer_key, systems=0)
    annotators: dict[str, Any]
    if (
        kind_of((DocumentSeries, TagSeries), options, paths, [Measure, ChanceKappaF1, UnitizingAlpha, Gamma])
        is DocumentSeries
    ):
        annotators, found = _agreement_of_documents(read_options(DocumentSeries, options), paths, options, values)
    else:
        annotators, found = _agreement_of_tags(read_options(TagSeries, options), paths, options, values)
    if output.plot is not None:
        plot_agreement(found, output.plot)
    output.write(lambda: _described(found, annotators, output), lambda: _parts(found, annotators, output))
    return 0


def _agreement_of_tags(
    source: TagSeries, paths: Sequence[str], options: argparse.Namespace, values: Mapping[str, Any]
) -> tuple[dict[str, Any], Agreement]:
    """Compare tags; errors name the files' lines."""
    files = source.read_all(paths, "its annotators")
    default = names_of(paths) if source.columns is None else [file.columns[0] for file in files]
    annotators = dict(zip(named(options.names, default, "annotator"), files, strict=True))
    with source.located({f"annotator {name}": file for name, file in annotators.items()}):
        found = agreement(
            {name: file.tags[0] for name, file in annotators.items()},
            scheme=source.scheme,
            repair=source.repair,
            prefix=source.prefix,
            id2label=source.id2label,
            ignore_index=source.ignore_index,
            **source.chosen,
            **values,
        )
    return annotators, found


def _agreement_of_documents(
    source: DocumentSeries, paths: Sequence[str], options: argparse.Namespace, values: Mapping[str, Any]
) -> tuple[dict[str, Any], Agreement]:
    """Compare exports of tools, one a file or all in one."""
    files = source.read_all(paths)
    annotators = dict(zip(named(options.names, list(files), "annotator"), files.values(), strict=True))
    return annotators, agreement(annotators, pairing=source.pairing, **source.chosen, **values)


def _described(found: Agreement, annotators: Mapping[str, Any], output: AgreementOutput) -> dict[str, Any]:
    values = found.to_dict()
    if not output.per_label:
        del values["per_label"]
    files = list(annotators.values())
    if output.per_document:
        values["document_lines"] = files[0].document_lines.tolist()
    return {"files": [_side(file).described for file in files], **values}


def _side(file: TagFile | DocumentFile) -> Side:
    return side_of_documents(file) if isinstance(file, DocumentFile) else side_of(file)


def _parts(found: Agreement, annotators: Mapping[str, Any], output: AgreementOutput) -> Iterator[Part]:
    spans = found.spans.tolist()
    first = next(iter(annotators.values()))
    if isinstance(first, DocumentFile):
        lines = [(name, _side(file).text) for name, file in annotators.items()]
        size = size_of(found.documents, found.tokens, unit_of(found.signatures.values()))
    else:
        lines = [
            (name, f"{side_of(file).text}, {counted(count, 'span')}")
            for (name, file), count in zip(annotators.items(), spans, strict=True)
        ]
        size = size_of(documents_in(first), found.tokens)
    yield from heading([*lines, ("size", size)])
    yield ""
    document_lines = first.document_lines.tolist() if output.per_document else None
    yield from found.parts(per_label=output.per_label, per_pair=output.per_pair, document_lines=document_lines)
