"""Compare systems on the same documents: scores, differences, tests and ranks.

For each pair of systems, the output has the score difference with a confidence
interval, and Holm-corrected p-values of randomisation and bootstrap tests.

Examples:
  spanometer compare gold.conll old.conll new.conll
  spanometer compare gold.conll a.conll b.conll c.conll --rank-correlation
  spanometer compare gold.conll old.conll new.conll --fail-if-worse
  spanometer compare all.tsv --column 2,3,4 --json
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..analysis.comparison.compare import compare, compare_sides
from ..analysis.comparison.comparison import REFERENCES, Comparison, named_systems
from ..analysis.comparison.significance import LEVELS, PairedResampling
from ..exceptions import InputError
from ..measures.registry import NAMED_MEASURES, names_of, read_measures
from ..options import options_of, reused_option
from ..plots import plot_comparison
from ..tables.table import Number, Precision, heading
from .corpus import Corpus, require_two_systems
from .input_files import CONTENTS, INPUTS, OF_SCORES, InputFiles, add_reading
from .measures import MeasureRequest, add_measure_options
from .options import add_options, add_systems, read_options, refuse, switch
from .output import TableOutput
from .score import ScoreOutput, informed


class ComparisonOutput(TableOutput):
    """Options for showing a comparison.

    Attributes:
        rank_correlation: show how well the measures agree in ranking the systems.
        per_label: also compare the systems on each label.
        by_chance: also rank the systems on groups of documents, split by the F1 expected by chance. For example, 0.175
            gives two groups: documents below 0.175, and all others. With 0.1,0.2 there are three groups.
        fail_if_worse: exit with status 1 if the second system is significantly worse than the first in any measure
            (p < 0.05, randomisation test).
    """

    rank_correlation: bool = switch(common=True, topic="measures")
    per_label: bool = switch(common=True, topic="measures")
    by_chance: tuple[float, ...] | None = reused_option(ScoreOutput, "by_chance", help="", topic="measures")
    fail_if_worse: bool = switch()


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_measure_options(parser, NAMED_MEASURES, default="span_f", protocols=True)
    add_options(parser, "measures", PairedResampling)
    add_systems(parser, metavar="SYSTEM")
    add_reading(parser, options_of(InputFiles).keys() - set(OF_SCORES))
    add_options(parser, "output", ComparisonOutput)


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    request = MeasureRequest(options)
    output = read_options(ComparisonOutput, options)
    corpus = Corpus.of(options, 0, CONTENTS)
    content = corpus.content
    default = names_of("all", INPUTS[content]) if output.rank_correlation else names_of(None, INPUTS[content])[:1]
    resampling = read_options(PairedResampling, options)
    measures = request.measures_of(content, NAMED_MEASURES, default, resampling)
    if content == "strings":
        refuse(options, ("rank_correlation", "by_chance"), CONTENTS[content])
    corpus = corpus.read(words=any(measure.needs_tokens for measure in measures))
    if len(corpus.systems) < 2:
        remedy = "Give three files: reference, system, system. Or name three columns of one file: --column 2,3,4."
        problem = f"a comparison needs at least two systems, got {len(corpus.systems)}."
        raise InputError(problem, f"{remedy} For one system, use spanometer score.")
    if output.fail_if_worse:
        require_two_systems("--fail-if-worse", corpus.systems)
    choices = {name: getattr(output, name) for name in ("rank_correlation", "per_label", "by_chance")}
    result = _compared(corpus, measures, resampling, choices)
    compared, protocol = request.under_protocol(result.measures)
    result = replace(result, measures=compared)
    if output.plot is not None:
        plot_comparison(result, output.plot)
    lines = [*corpus.lines(result.documents, result.tokens, result.unit), *protocol.items()]
    output.show(result, {**corpus.described(), **protocol}, heading(lines))
    worse = _worse(result) if output.fail_if_worse else []
    for problem in worse:
        print(f"spanometer: {problem}", file=sys.stderr)
    return int(bool(worse))


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
    corpus: Corpus, measures: Sequence[Any], resampling: PairedResampling, choices: Mapping[str, Any]
) -> Comparison:
    """Compare systems as their content requires; errors name the files' lines."""
    measures, reference, systems = informed(corpus, measures), corpus.reference, corpus.systems
    with corpus.placing_errors():
        if corpus.content in ("tags", "spans"):
            return compare(reference, systems, measures=measures, **corpus.reading, **asdict(resampling), **choices)
        sides = {REFERENCES: reference, **named_systems(systems)}
        return compare_sides(sides, read_measures(measures, NAMED_MEASURES), resampling, corpus.reading, **choices)
