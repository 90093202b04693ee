"""Suggest a measure for a corpus, and say why.

The SL-ICM paper defines formal properties of measures. Lengths, overlaps and
words of the reference's spans show which of these properties matter for this
corpus. The output also has the F1 expected by chance. Span lengths are in
tokens. If the file has no tokens, add --tokenizer.

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
from .input_files import ONE_FILE, add_reading, read_source
from .inputs import InputPath, documents_in, size_of
from .options import add_options, add_reference, read_options
from .output import TableOutput


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_reference(parser)
    add_reading(parser, (*ONE_FILE, "words_column"))
    thresholds = parser.add_argument_group("thresholds")
    thresholds.add_argument(
        "--flow",
        choices=("paper",),
        metavar="paper",
        help="also answer the questions in the flow chart of the SL-ICM paper",
    )
    add_options(thresholds, Thresholds)
    add_options(parser.add_argument_group("output"), TableOutput)


def run(options: argparse.Namespace) -> int:
    """Read, advise and show."""
    output = read_options(TableOutput, options)
    thresholds = read_options(Thresholds, options)
    path = options.reference = InputPath.of(options.reference)
    source, of_tags = read_source(options, path)
    if of_tags:
        file = source.read_tags(path, [source.one_column], source.words_column or True)
        decoding = {name: getattr(source, name) for name in ("scheme", "repair", "prefix")}
        spans, words = file.decoded(**decoding).spans, file.words
    else:
        file, carried = source.read_in_tokens(path)
        spans, words = carried.file.spans, carried.all_words()
    try:
        advice = advise(spans, words, thresholds=thresholds, flow=options.flow)
    except InputError as error:
        raise (error.in_file(file.source) if error.document is None else error) from None
    protocols = {each.name: each.title for each in known_by(spans.labels)}
    described = {"protocols": list(protocols)} if protocols else {}
    hints = [
        f"The labels match {title}: --protocol {name} computes its official scores."
        for name, title in protocols.items()
    ]
    output.write(
        lambda: {"file": file.source, **advice.to_dict(), **described}, lambda: [*_parts(file, advice), *hints]
    )
    return 0


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
