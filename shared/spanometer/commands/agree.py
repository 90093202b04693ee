"""Measure how well annotators of the same text agree, corrected for chance.

The output has the F1 of each pair of annotators, the F1 by chance, and the F1
corrected for chance. For all annotators together, it has Krippendorff's alpha
for unitizing. For gamma, add --measures gamma. Give a file or a column for each
annotator, or one export with all annotators.

Examples:
  spanometer agree ann.conll ben.conll cat.conll --per-label
  spanometer agree all.tsv --column 2,3,4 --names ann,ben,cat --confidence 0.95
  spanometer agree ann.jsonl ben.jsonl --measures "gamma(precision=0.02)"
  spanometer agree ann.conll ben.conll cat.conll --disagreements -o places.html
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..analysis.agreement.agree import LeaveOneOut, agreement
from ..analysis.agreement.agreement import Agreement
from ..analysis.agreement.disagreements import Disagreements, disagreements
from ..analysis.scores.measure_result import NamedDocuments
from ..counts.statistics import Resampling
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
from .corpus import CorpusFiles, read_corpus
from .input_files import OF_SEVERAL, InputFiles, add_reading
from .inputs import input_paths
from .measures import MeasureRequest, add_measure_options
from .options import add_options, read_options, switch
from .output import PlotOutput

_MEASURES: dict[str, type[Measure]] = {measure.name: measure for measure in (ChanceKappaF1, UnitizingAlpha, Gamma)}
"""The measures of agreement by name; gamma is computed only if it is named."""

_PAGES = (".html", ".htm")


class AgreementOutput(PlotOutput):
    """Options for showing agreement."""

    per_label: bool = switch("also show the agreement on each label", common=True)
    per_pair: bool = switch("also show the agreement of each pair of annotators")
    per_document: bool = switch("also show the agreement on each document, as the mean over all pairs of annotators")
    leave_one_out: bool = switch(
        "leave out each annotator in turn, and show kappa and alpha of the others; --confidence sets the level of the "
        "intervals (default: 95%)"
    )
    disagreements: bool = switch(
        "also list the disagreements, beginning with those that lower the agreement most. If -o ends in .csv or "
        ".jsonl, the file has only the list; if it ends in .html, the file is a page with the agreement and the list"
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.in_file and (self.per_label or self.per_pair or self.per_document):
            raise InputError(
                "--per-label, --per-pair and --per-document have no effect, because -o gets only the disagreements.",
                "Remove these options, or remove -o.",
            )
        if self.in_file and self.leave_one_out and not self.is_page:
            raise InputError("with --leave-one-out, -o can only write a page.", "End the name in .html.")

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
    parser.add_argument("files", metavar="FILE", nargs="+", help="annotations of one annotator")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="names of the annotators, separated by commas")
    add_reading(parser, OF_SEVERAL)
    default = "unitizing_alpha; chance_kappa_f1 is always computed"
    add_measure_options(parser, _MEASURES, default=default, intervals=True)
    add_options(parser.add_argument_group("output"), AgreementOutput)


@kept_probabilities()
def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    request = MeasureRequest(options)
    output = read_options(AgreementOutput, options)
    chosen = request.measures(_MEASURES, list(_MEASURES)[:2])
    chance = _only(chosen, ChanceKappaF1) or ChanceKappaF1(**request.shared_options)
    alpha, gamma = (_only(chosen, kind, chance) for kind in (UnitizingAlpha, Gamma))
    resampling = request.resampling
    # without each annotator there are intervals by default
    of_parts = read_options(Resampling, options)
    with_parts = output.leave_one_out or output.is_page
    draws = {} if resampling is None else asdict(resampling)
    values = {
        "variant": None if alpha is None else alpha.variant,
        "per_document": output.per_document,
        "gamma": gamma,
        **{name: getattr(chance, name) for name in options_of(chance)},
        **draws,
    }
    paths = input_paths(options.files, options.answer_key, systems=0)
    source = read_options(InputFiles, options)
    content = source.content_of(options, paths)
    request.require_used(chance, alpha, gamma, of_parts if with_parts else resampling)
    corpus = read_corpus(source, content, paths, options.names, words=output.disagreements)
    with corpus.placing_errors():
        result = agreement(corpus.annotators, **corpus.reading, **values)
        differing = _disagreements(corpus, output, match_labels=chance.match_labels, level=chance.level)
    if corpus.content == "tags":
        result = replace(result, named_documents=NamedDocuments.of(corpus.first))
    request.require_signatures([result.signatures[measure.name] for measure in chosen])
    left_out = None
    if differing is not None and (output.leave_one_out or (output.is_page and len(corpus.files) > 2)):
        own = ("placement", "method", "uniform_threshold", "variant", "average", "zero_division")
        left_out = differing.leave_one_out(**{name: values[name] for name in own}, **asdict(of_parts))
    shown = _ShownAgreement(output, result, differing if output.disagreements else None, left_out)
    lines = _heading(corpus, result)
    if output.plot is not None:
        plot_agreement(result, output.plot)
    if output.in_file:
        output.write_text(shown.places(lines))
    else:
        output.show(shown, corpus.described(), [*heading(lines), ""])
    return 0


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


def _disagreements(corpus: CorpusFiles, output: AgreementOutput, **options: Any) -> Disagreements | None:
    """Find the places where annotators differ, if an option needs them."""
    if not (output.disagreements or output.leave_one_out):
        return None
    with warnings.catch_warnings():
        # the agreement has already warned about all of them
        warnings.simplefilter("ignore")
        return corpus.in_context(disagreements(corpus.annotators, **options, **corpus.reading))


def _heading(corpus: CorpusFiles, result: Agreement) -> list[tuple[str, str]]:
    """Return the files and the size of the corpus as lines for the top."""
    lines = [(name, side.text) for name, side in corpus.sides]
    if corpus.first.tags:
        numbers = zip(lines, result.spans.tolist(), strict=True)
        lines = [(name, f"{text}, {counted(number, 'span')}") for (name, text), number in numbers]
    return [*lines, ("size", corpus.size(result.documents, result.tokens, unit_of(result.signatures.values())))]


@dataclass(frozen=True)
class _ShownAgreement:
    """The agreement, with everything that the output options ask for.

    Attributes:
        output: the output options.
        agreement: the agreement of the annotators.
        disagreements: the places where they differ, with `--disagreements`.
        left_out: the agreement without each annotator in turn, with `--leave-one-out`.
    """

    output: AgreementOutput
    agreement: Agreement
    disagreements: Disagreements | None
    left_out: LeaveOneOut | None

    def places(self, lines: Sequence[tuple[str, str]]) -> str:
        """Return the places in the format of the file's extension; an HTML page has `lines` at the top."""
        result: Any = self.disagreements
        if self.output.ending == ".jsonl":
            return str(result.to_json_lines())
        of_all: dict[str, Any] = {"agreement": self.agreement, "left_out": self.left_out}
        return disagreement_report(result, heading=lines, **of_all, precision=self.output.precision)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        values = self.agreement.to_dict()
        if not self.output.per_label:
            del values["per_label"]
        if self.left_out is not None:
            values["leave_one_out"] = self.left_out.to_dict()
        if self.disagreements is not None:
            values["disagreements"] = self.disagreements.to_dict()
        return values

    def lines(self) -> Iterator[Part]:
        """Yield the agreement, also without each annotator, and the places."""
        more = {name: getattr(self.output, name) for name in ("per_label", "per_pair", "per_document")}
        yield from self.agreement.parts(**more)
        if self.left_out is not None:
            yield from ("", self.left_out.table())
        if self.disagreements is not None:
            yield from ("", self.disagreements.number)
            as_text = self.output.table == "text"
            yield from self.disagreements.lines() if as_text else self.disagreements.tables()
