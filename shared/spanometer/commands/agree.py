"""Measure the chance-corrected agreement of annotators of the same text.

For each pair of annotators, the output has the F1, the F1 expected by chance,
and the F1 corrected for chance. For all annotators together, it has
Krippendorff's alpha for unitizing. To get gamma instead, add --measures gamma.
Give a file or a column for each annotator, or one export with all annotators.

Examples:
  spanometer agree ann.conll ben.conll cat.conll --per-label
  spanometer agree all.tsv --column 2,3,4 --names ann,ben,cat --confidence 0.95
  spanometer agree ann.jsonl ben.jsonl --measures "gamma(precision=0.02)"
  spanometer agree ann.conll ben.conll cat.conll --disagreements -o places.html
"""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from ..analysis.agreement.agree import agreement
from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import disagreements
from ..analysis.scores.measure_result import NamedDocuments
from ..counts.statistics import Intervals, Resampling
from ..documents.pairing import unit_of
from ..exceptions import InputError, counted, mention
from ..measures.aligned import AlignedMeasure
from ..measures.base import Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.gamma import Gamma
from ..measures.start_probabilities import kept_probabilities
from ..measures.unitizing_alpha import UnitizingAlpha
from ..options import options_of, same
from ..plots import plot_agreement
from ..tables.table import Part, heading
from ..web.disagreement_report import disagreement_report
from .corpus import Corpus
from .input_files import OF_SEVERAL, add_reading
from .measures import MeasureRequest, add_measure_options
from .options import add_annotators, add_options, read_options, switch
from .output import TableOutput

_MEASURES: dict[str, type[Measure]] = {measure.name: measure for measure in (ChanceKappaF1, UnitizingAlpha, Gamma)}
"""The measures of agreement by name; gamma is computed only if it is named."""

_PAGES = (".html", ".htm")


class AgreementOutput(TableOutput):
    """Options for showing agreement.

    Attributes:
        per_label: also show the agreement on each label.
        per_pair: also show the agreement of each pair of annotators.
        per_document: also show the agreement on each document, as the mean over all pairs of annotators.
        leave_one_out: leave out each annotator in turn, and show kappa and alpha of the others, with confidence
            intervals of the level --confidence (default: 95%).
        disagreements: also list the disagreements, beginning with those that lower the agreement most. With -o FILE.csv
            or FILE.jsonl, the file has only the list. With -o FILE.html, it also has the agreement.
    """

    per_label: bool = switch(common=True)
    per_pair: bool = switch()
    per_document: bool = switch()
    leave_one_out: bool = switch()
    disagreements: bool = switch()

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.in_file and (self.per_label or self.per_pair or self.per_document):
            problem = (
                "--per-label, --per-pair and --per-document have no effect, because -o writes only the disagreements."
            )
            raise InputError(problem, "Remove these options, or remove -o.")
        if self.in_file and self.leave_one_out and not self.is_page:
            raise InputError("with --leave-one-out, -o can only write an HTML page.", "Use a name that ends in .html.")

    @property
    def has_own_form(self) -> bool:
        """Whether disagreements are written as a page or as JSON lines."""
        return self.disagreements and self.ending in (*_PAGES, ".jsonl")

    @property
    def in_file(self) -> bool:
        """Whether only disagreements are written, as a page or as JSON lines."""
        return self.has_own_form and self.names_file and not self.json and self.table == "text"

    @property
    def is_page(self) -> bool:
        """Whether disagreements are written as a page."""
        return self.in_file and self.ending in _PAGES


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_annotators(parser)
    add_reading(parser, OF_SEVERAL)
    add_measure_options(parser, _MEASURES, default="unitizing_alpha; chance_kappa_f1 is always computed")
    add_options(parser, "measures", Intervals)
    add_options(parser, "output", AgreementOutput)


@kept_probabilities()
def run(options: argparse.Namespace) -> None:
    """Read, compare and show."""
    request = MeasureRequest(options)
    output = read_options(AgreementOutput, options)
    chosen = request.measures(_MEASURES, list(_MEASURES)[:2])
    chance = _only(chosen, ChanceKappaF1) or ChanceKappaF1(**request.shared_options)
    alpha, gamma = (_only(chosen, kind, chance) for kind in (UnitizingAlpha, Gamma))
    resampling = request.resampling
    # without each annotator there are intervals by default
    of_parts = read_options(Resampling, options)
    variant = None if alpha is None else alpha.variant
    values: dict[str, Any] = {"variant": variant, "per_document": output.per_document, "gamma": gamma, **vars(chance)}
    values |= {} if resampling is None else asdict(resampling)
    corpus = Corpus.of(options)
    request.require_used(chance, alpha, gamma, of_parts if output.leave_one_out or output.is_page else resampling)
    corpus = corpus.read(words=output.disagreements)
    with corpus.placing_errors():
        result = agreement(corpus.annotators, **corpus.reading, **values)
        differing = None
        if output.disagreements or output.leave_one_out:
            own: dict[str, Any] = {"match_labels": chance.match_labels, "level": chance.level}
            # the agreement has already warned about all of them
            with warnings.catch_warnings(action="ignore"):
                differing = corpus.in_context(disagreements(corpus.annotators, **own, **corpus.reading))
    if corpus.content == "tags":
        result = replace(result, named_documents=NamedDocuments(corpus.first))
        sizes = zip(corpus.shown.items(), result.spans.tolist(), strict=True)
        shown = {name: replace(side, text=f"{side.text}, {counted(number, 'span')}") for (name, side), number in sizes}
        corpus = replace(corpus, shown=shown)
    request.require_signatures([result.signatures[measure.name] for measure in chosen])
    more: dict[str, Any] = {}
    if differing is not None and (output.leave_one_out or (output.is_page and len(corpus.files) > 2)):
        names = ("placement", "method", "uniform_threshold", "variant", "average", "zero_division")
        own = {name: values[name] for name in names}
        more["leave_one_out"] = differing.leave_one_out(**own, **asdict(of_parts))
    if output.disagreements:
        more["disagreements"] = differing
    _show(output, corpus, result, more)


def _show(output: AgreementOutput, corpus: Corpus, result: Agreement, more: dict[str, Any]) -> None:
    """Show the agreement and, if asked for, the agreement without each annotator and the disagreements."""
    lines = corpus.lines(result.documents, result.tokens, unit_of(result.signatures.values()))
    if output.plot is not None:
        plot_agreement(result, output.plot)
    left_out: Any = more.get("leave_one_out")
    places: Any = more.get("disagreements")
    if output.is_page:
        about: dict[str, Any] = {"heading": lines, "left_out": left_out, "precision": output.precision}
        output.write_text(disagreement_report(places, agreement=result, **about))
    elif output.in_file:
        output.write_text(places.to_json_lines())
    elif output.json:
        values = {**corpus.described(), **result.to_dict()}
        if not output.per_label:
            del values["per_label"]
        output.write_json({**values, **{name: each.to_dict() for name, each in more.items()}})
    else:
        tables = {name: getattr(output, name) for name in ("per_label", "per_pair", "per_document")}
        parts: list[Part] = [*heading(lines), "", *result.parts(**tables)]
        if left_out is not None:
            parts += ["", left_out.table()]
        if places is not None:
            parts += ["", places.number, *(places.lines() if output.table == "text" else places.tables())]
        output.write_parts(parts)


def _only(measures: Sequence[Any], kind: type[Measure], beside: Measure | None = None) -> Any:
    """Return the measure of this class, with the shared options of another measure; None if there is none."""
    own = [measure for measure in measures if isinstance(measure, kind)]
    if len(own) > 1:
        raise InputError(f"--measures names {kind.name} {len(own)} times.", f"Name {kind.name} once.")
    for name in options_of(AlignedMeasure) if own and beside else ():
        value, expected = getattr(own[0], name), getattr(beside, name)
        if not same(value, expected):
            problem = f"{kind.name} has {name}={value}, but chance_kappa_f1 has {name}={expected}."
            raise InputError(problem, f"Set {mention(name)} for all measures.")
    return own[0] if own else None
