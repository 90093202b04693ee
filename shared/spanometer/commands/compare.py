"""Compare systems on the same documents: scores, differences, tests and ranks.

The output has the difference of each pair of systems, with its interval. Two
paired tests (approximate randomisation and bootstrap) give p-values, which are
corrected by Holm's method. Files are read with the options of spanometer score.

Examples:
  spanometer compare gold.conll old.conll new.conll
  spanometer compare gold.conll a.conll b.conll c.conll --rank-correlation
  spanometer compare gold.conll old.conll new.conll --fail-if-worse
  spanometer compare all.tsv --column 2,3,4 --names old,new --json
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..analysis.comparison.compare import compare, compare_sides, compare_strings
from ..analysis.comparison.comparison import REFERENCES, Comparison, named_systems
from ..analysis.comparison.significance import LEVELS, PairedResampling
from ..analysis.scores.score import read_bounds
from ..exceptions import InputError
from ..measures.mention_f import MentionF
from ..measures.registry import ALL_MEASURES, names_of, read_measures
from ..options import option, options_of
from ..plots import plot_comparison
from ..tables.table import Number, Precision
from .corpus import CorpusFiles, read_corpus
from .help import known_measures
from .input_files import CONTENTS, INPUTS, OF_SCORES, InputFiles, add_reading
from .inputs import input_paths
from .measures import COMPARED, MeasureRequest, add_measure_options, need_words, require_policy
from .options import add_options, add_systems, read_options, refuse, switch
from .output import PlotOutput
from .score import informed


class ComparisonOutput(PlotOutput):
    """Options for showing a comparison."""

    per_label: bool = switch("also compare the systems by label", common=True, topic="measures")
    by_chance: tuple[float, ...] | None = option(
        None,
        help="also rank the systems in two groups of documents: those with a chance F1 below this number (such as "
        "0.175), and the others; several numbers (0.1,0.2) make more groups",
        parse=read_bounds,
        metavar="BOUNDS",
        topic="measures",
    )
    fail_if_worse: bool = switch(
        "exit with status 1 if the second system is significantly worse than the first in any measure (p < 0.05, "
        "randomisation test)"
    )


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_measure_options(parser, known_measures(), default="span_f", protocols=True)
    draws = parser.add_argument_group("measures")
    add_options(draws, PairedResampling)
    draws.add_argument(
        "--rank-correlation",
        action="store_const",
        const=True,
        help="show how similarly measures rank 3 or more systems",
    )
    add_systems(parser, metavar="SYSTEM")
    add_reading(parser, options_of(InputFiles).keys() - set(OF_SCORES))
    add_options(parser.add_argument_group("output"), ComparisonOutput)


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    request = MeasureRequest(options)
    paths = [options.reference, *options.systems]
    output = read_options(ComparisonOutput, options)
    paths = input_paths(paths, options.answer_key)
    source = read_options(InputFiles, options)
    content = request.content(source, paths)
    default = names_of("all", INPUTS[content]) if options.rank_correlation else names_of(None, INPUTS[content])[:1]
    resampling = read_options(PairedResampling, options)
    measures = request.measures_of(content, known_measures(), default, resampling)
    if content == "strings":
        refuse(options, ("rank_correlation", "by_chance"), CONTENTS[content])
    choices = {name: getattr(output, name) for name in ("per_label", "by_chance")}
    choices["rank_correlation"] = bool(options.rank_correlation)
    corpus = read_corpus(source, content, paths, options.names, annotators=0, words=need_words(measures))
    if len(corpus.systems) < 2:
        raise InputError(
            f"a comparison needs at least two systems, got {len(corpus.systems)}.",
            "Give the reference and at least two other files, or a file and --column 2,3,4 (spanometer score takes one "
            "system).",
        )
    if output.fail_if_worse and len(corpus.systems) != 2:
        raise InputError(
            f"--fail-if-worse compares two systems, but there are {len(corpus.systems)}.", "Give REFERENCE OLD NEW."
        )
    result = _compared(source, corpus, measures, resampling, choices)
    compared, protocol = request.under_protocol(result.measures)
    result = replace(result, measures=compared)
    request.require_signatures([of_measure.signature for of_measure in result.measures.values()])
    if output.plot is not None:
        plot_comparison(result, output.plot)
    lines = corpus.heading(result.documents, result.tokens, result.unit, protocol)
    output.show(result, {**corpus.described(), **protocol}, lines)
    worse = _worse(result) if output.fail_if_worse else []
    for problem in worse:
        print(f"spanometer: {problem}", file=sys.stderr)
    return 1 if worse else 0


def _worse(result: Comparison) -> list[str]:
    """Say by which measures the second of two systems is significantly worse."""
    problems = []
    for name, of_measure in result.measures.items():
        (pair,) = of_measure.pairs
        lost = pair.difference if of_measure.higher_is_better else -pair.difference
        if lost > 0 and pair.p_randomisation < LEVELS["*"]:
            before, after = pair.systems
            p = Precision().text(Number(pair.p_randomisation, "p"))
            change = f"{-pair.difference:+.4f} against {before}, p {p if p.startswith('<') else f'= {p}'}"
            problems.append(f"{after} is significantly worse in {of_measure.title(name)}: {change} (randomisation).")
    return problems


def _compared(
    source: InputFiles,
    corpus: CorpusFiles,
    measures: Sequence[Any],
    resampling: PairedResampling,
    choices: Mapping[str, Any],
) -> Comparison:
    """Compare systems as their content requires; errors name the files' lines."""
    measures = informed(source, corpus, measures)
    with corpus.placing_errors():
        if corpus.content in ("entities", "attributes"):
            sides = {REFERENCES: corpus.reference, **named_systems(corpus.systems)}
            named, reading = read_measures(measures, ALL_MEASURES), corpus.reading
            return compare_sides(sides, named, resampling, reading, **choices)
        if corpus.content == "strings":
            require_policy(measures, source.string_policy)
            (measure,) = measures
            own = {name: getattr(measure, name) for name in options_of(MentionF) if name not in COMPARED}
            values = {**asdict(resampling), **own}
            return compare_strings(corpus.reference, corpus.systems, per_label=choices["per_label"], **values)
        return compare(
            corpus.reference,
            corpus.systems,
            measures=measures,
            **corpus.reading,
            **asdict(resampling),
            **choices,
        )
