"""Suggest a measure for a corpus, and say why.

Statistics of the reference (lengths of spans, overlaps, words) tell which
formal properties of the SL-ICM paper matter, and what F1 chance would get.
Lengths are in tokens: those of the file, or --tokenizer makes some.

Examples:
  spanometer advise gold.conll
  spanometer advise gold.conll --flow paper --very-long-span 20
  spanometer advise project.json --tokenizer words
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ..analysis.advice.advise import Advice, advise
from ..analysis.advice.flow import Flow, FlowOptions
from ..analysis.advice.statistics import Thresholds
from ..documents.document_file import DocumentFile
from ..documents.words import Words
from ..exceptions import InputError, counted
from ..measures.sl_icm import CORPUS
from ..options import text
from ..readers.formats import Format, formats_of, read_as
from ..spans.spans import Spans
from ..tables.table import Cell, Copyable, Part, Table, heading, number
from ..tags.decoding import LabelDecoding
from .documents import CarriedDocuments, read_source
from .inputs import Input, InputPath, documents_in, read_with, size_of
from .options import add_options, destinations, given_options, read_options, speller
from .output import OUTPUT_FLAGS, TableOutput
from .tag_files import COLUMN, TagInput, TagLayout


@dataclass(frozen=True, kw_only=True)
class AdviceInput(TagLayout, LabelDecoding, Input):
    """The reference annotation of a corpus."""

    title: ClassVar[str] = "files of tags"
    column: str | None = text("COLUMN", f"tag column: {COLUMN}", common=True)
    words_column: str | None = text("COLUMN", "word column; found if there is one")

    def read_spans(self, path: str) -> tuple[DocumentFile, Spans, Words | None]:
        """Read the documents of a file, their spans in tokens, and their words if it has any."""
        tags = self.read(path, [self.column], self.words_column or True)
        return tags, tags.decoded(scheme=self.scheme, repair=self.repair, prefix=self.prefix).spans, tags.words


@dataclass(frozen=True, kw_only=True)
class AdviceDocuments(CarriedDocuments):
    """The reference annotation of a corpus, in documents with spans."""

    spans: str | None = text(
        "KEY",
        "REFERENCE is JSON lines of lists of spans, or of objects that have one under KEY; they may overlap. Words, if "
        "there are any, are under tokens or words",
    )

    def format_of(self, path: str) -> Format | None:
        """Detect the format of a file; JSON lines of documents if the key of their spans is named."""
        return super().format_of(path) if self.spans is None else formats_of("spans")["jsonl"]

    def read_whole(self, path: str, column: str | None = None) -> DocumentFile:
        """Read a file of any format, or the spans under the key that is named."""
        if self.spans is None:
            return super().read_whole(path, column)
        own = {name: getattr(self, name) for name in formats_of("spans")["jsonl"].options}
        options = {**own, "spans_key": self.spans}
        reader = partial(read_as, "spans", format="jsonl", options=options, limits=self.limits)
        return read_with(reader, path)

    def read_spans(self, path: str) -> tuple[DocumentFile, Spans, Words | None]:
        """Read the spans and words of documents, as `AdviceInput.read_spans` does."""
        file, carried = self.read_in_tokens(path)
        return file, carried.file.spans, carried.all_words()


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument(
        "reference", metavar="REFERENCE", help="file with the reference annotation; - is standard input"
    )
    add_options(parser.add_argument_group("reading"), {"": AdviceInput, AdviceDocuments.title: AdviceDocuments})
    add_options(parser.add_argument_group("advice"), {"": FlowOptions})
    add_options(parser.add_argument_group("thresholds"), {"": Thresholds})
    add_options(parser.add_argument_group("output"), {"": TableOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Read, advise and show."""
    output = read_options(TableOutput, options)
    thresholds, flow = read_options(Thresholds, options), read_options(FlowOptions, options).flow
    path = options.reference = InputPath.of(options.reference)
    source = read_source(options, path, AdviceDocuments, AdviceInput)
    file, spans, words = source.read_spans(path)
    try:
        advice = advise(spans, words, thresholds=thresholds, flow=flow)
    except InputError as error:
        raise (error.in_file(file.source) if error.document is None else error) from None
    command = _command(options, advice.flow or advice) if isinstance(source, AdviceInput) else None
    output.write(
        lambda: {"file": file.source, **advice.to_dict(), "command": command}, lambda: _parts(file, advice, command)
    )
    return 0


def _command(options: argparse.Namespace, advice: Advice | Flow) -> str:
    """Write the command that scores with the measure."""
    words, spell = ["spanometer", "score", options.reference, "SYSTEM"], speller(options.flags)
    measure, arguments = advice.measure, {**advice.options}
    shared = destinations(TagInput) - ({"words_column"} if arguments.pop("tokens", None) is None else set())
    if "tokens" in advice.options:
        arguments["token_probabilities"] = CORPUS
    for name in sorted(given_options(options, AdviceInput) & shared, key=list(options.flags).index):
        value = getattr(options, name)
        words += [spell(name, str(value))] if isinstance(value, bool) else [options.flags[name], value]
    text = ",".join(f"{name}={value}" for name, value in arguments.items())
    return shlex.join([*words, "--measures", f"{measure}({text})" if text else measure])


def _chance_table(advice: Advice) -> Table:
    """List the chance level of each label, the highest first."""
    levels = sorted(advice.statistics.chance_per_label.items(), key=lambda item: -item[1])
    rows: list[list[Cell]] = [
        [label, number(level), "yes" if level >= advice.thresholds.chance else "no"] for label, level in levels
    ]
    return Table("label", ("F1 by chance", "correct for it"), rows, kind="chance")


def _flow_parts(flow: Flow) -> Iterator[Part]:
    """Show the questions of the paper's flow, and its outcome."""
    answers = {None: "unknown", True: "yes", False: "no"}
    rows: list[list[Cell]] = [
        [step.question, step.value, step.threshold, (answers[step.answer], "bold"), step.outcome] for step in flow.steps
    ]
    yield from ("", Table("question", ("value", "counts", "here", "outcome"), rows, left=5), "")
    yield [("the paper's flow", "bold"), "  ", (flow.call, "bold cyan")]


def _parts(file: DocumentFile, advice: Advice, command: str | None) -> Iterator[Part]:
    numbers = advice.statistics
    spans, labels = counted(numbers.spans, "span"), counted(numbers.labels, "label")
    size = [size_of(documents_in(file), numbers.tokens), spans, labels]
    lengths = f"{numbers.mean_length:.2f} on average, variance {numbers.length_variance:.2f}, longest {numbers.longest}"
    lengths += f"; {numbers.one_token_share:.1%} of one token"
    yield from heading([("reference ", file.source), ("size", ", ".join(size)), ("lengths", lengths)])
    if advice.flow is not None:
        yield from _flow_parts(advice.flow)
    rows: list[list[Cell]] = []
    for answer in advice.answers:
        here = "unknown" if answer.matters is None else "yes" if answer.matters else "no"
        properties = ", ".join(name.replace("_", " ") for name in answer.properties)
        rows.append([answer.statistic, answer.threshold, (here, "bold"), properties])
    yield from ("", Table("statistic", ("counts", "here", "properties"), rows, left=4, kind="properties"), "")
    if numbers.chance is not None:
        yield from (_chance_table(advice), "")
    yield [("suggested " if advice.flow is None else "our advice", "bold"), "  ", (advice.call, "bold cyan")]
    yield from (advice.why, *(() if advice.flow is None else advice.flow.differences), *advice.notes)
    if command is not None:
        yield from ("", Copyable(command))
