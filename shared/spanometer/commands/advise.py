"""Suggest a measure for a corpus, and say why.

The SL-ICM paper defines formal properties of measures. The lengths, overlaps
and words of the reference spans show which properties matter for your corpus.
The output also has the F1 expected by chance. If the file has no tokens, add
--tokenizer NAME.

Examples:
  spanometer advise gold.conll
  spanometer advise gold.conll --flow paper --very-long-span 20
  spanometer advise project.json --tokenizer words
"""

import argparse
from collections.abc import Iterator

from ..analysis.advice.advise import Advice, advise
from ..analysis.advice.statistics import Thresholds
from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted
from ..protocols.protocol import known_by
from ..tables.table import Number, Part, Table, heading
from .input_files import ONE_FILE, InputPath, add_reading, read_source
from .options import add_options, add_reference, group_of, read_options
from .output import TableOutput, documents_in, size_of


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_reference(parser)
    add_reading(parser, (*ONE_FILE, "words_column"))
    what = "also follow the flow chart of the SL-ICM paper, and show its recommendation"
    group_of(parser, "thresholds").add_argument("--flow", choices=("paper",), metavar="paper", help=what)
    add_options(parser, "thresholds", Thresholds)
    add_options(parser, "output", TableOutput, leave_out=("plot",))


def run(options: argparse.Namespace) -> None:
    """Read, advise and show."""
    output = read_options(TableOutput, options)
    thresholds = read_options(Thresholds, options)
    path = options.reference = InputPath.of(options.reference)
    source, of_tags = read_source(options, path)
    if of_tags:
        file = source.read_tags(path, [source.one_column], source.words_column or True)
        spans, words = file.decoded(**source.decoding).spans, file.units
    else:
        file, carried = source.read_in_tokens(path)
        spans, words = carried.file.spans, carried.file.units
    try:
        advice = advise(spans, words, thresholds=thresholds, flow=options.flow)
    except InputError as error:
        raise (error.in_file(file.source) if error.document is None else error) from None
    known = known_by(spans.labels)
    protocols = {"protocols": [each.name for each in known]} if known else {}
    hints = [f"The labels match {each.title}: --protocol {each.name} computes its official scores." for each in known]
    if output.json:
        output.write_json({"file": file.source, **advice.to_dict(), **protocols})
    else:
        output.write_parts([*_parts(file, advice), *hints])


def _parts(file: DocumentFile, advice: Advice) -> Iterator[Part]:
    numbers, answers = advice.statistics, {None: "unknown", True: "yes", False: "no"}
    spans, labels = counted(numbers.spans, "span"), counted(numbers.labels, "label")
    size = [size_of(documents_in(file), numbers.tokens), spans, labels]
    lengths = f"{numbers.mean_length:.2f} on average, variance {numbers.length_variance:.2f}, longest {numbers.longest}"
    lengths += f"; {numbers.one_token_share:.1%} of one token"
    yield from heading([("reference ", file.source), ("size", ", ".join(size)), ("lengths", lengths)])
    if advice.flow is not None:
        steps = [
            (step.question, step.value, f"{step.threshold:g}", answers[step.answer], step.outcome)
            for step in advice.flow.steps
        ]
        yield from ("", Table("question", ("value", "at least", "here", "outcome"), steps, left=5), "")
        yield [("the paper's flow", "bold"), "  ", (advice.flow.call, "bold cyan")]
    rows = [
        (each.statistic, each.threshold, (answers[each.matters], "bold"), ", ".join(each.properties).replace("_", " "))
        for each in advice.answers
    ]
    yield from ("", Table("statistic", ("matters if", "here", "properties"), rows, left=4, kind="properties"), "")
    if numbers.chance is not None:
        # the highest first
        levels = sorted(numbers.chance_per_label.items(), key=lambda item: -item[1])
        chance = [(label, Number(level), answers[level >= advice.thresholds.chance]) for label, level in levels]
        yield from (Table("label", ("F1 by chance", "correct for it"), chance, kind="chance"), "")
    yield [("suggested " if advice.flow is None else "our advice", "bold"), "  ", (advice.call, "bold cyan")]
    yield from (advice.why, *(() if advice.flow is None else advice.flow.differences), *advice.notes)
