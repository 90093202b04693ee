"""Show the kinds of errors that systems make, and what each kind costs.

Each reference span is matched with at most one overlapping predicted span.
Unmatched reference spans count as missing, and unmatched predicted spans as
spurious. If you give several systems, their errors are also compared.

Examples:
  spanometer errors gold.conll system.conll --html report.html
  spanometer errors gold.conll old.conll new.conll --changes
  spanometer errors gold.conll system.conll --examples text --kind missing
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ..analysis.errors.buckets import beside_tables, read_training
from ..analysis.errors.errors import Errors
from ..analysis.errors.examples import SHOWN, ErrorChoice
from ..analysis.errors.find import Matching, errors, preannotations
from ..analysis.errors.kinds import PAIR_CHOICES
from ..counts.statistics import Resampling
from ..documents.document_file import DocumentFile
from ..documents.joining import locating_errors
from ..exceptions import InputError, mention
from ..measures.registry import MEASURES
from ..options import CheckedOptions, changed, option, options_of, text
from ..plots import plot_confusion
from ..spans.annotations import read_annotations
from ..spans.spans import Spans
from ..spans.wording import Wording
from ..tables.result import to_csv
from ..tables.table import Part, Table, heading
from ..tags.decoding import LabelDecoding
from ..web.error_report import write_error_report
from ..web.templates import require_html
from .corpus import Corpus, require_drawable, require_two_systems
from .input_files import CONTENTS, OF_SEVERAL, InputFiles, add_reading
from .measures import MeasureRequest, add_measure_options
from .options import add_options, add_systems, name_list, read_options, refuse, switch
from .output import TableOutput
from .score import informed

_COMMENT_VALUE = re.compile(r"(\w+)\s*=\s*(\S+)")


class ErrorOutput(TableOutput):
    """Options for showing errors.

    Attributes:
        per_error: print only the list of errors, with kinds and predicted spans. With two systems, the list says
            which errors are fixed or new.
        changes: print only the changes from the first to the second system: errors that are fixed, new or different.
            -o FILE can end in .csv or .jsonl.
        suspicious: also list places where the reference may be wrong or lack a span, because every system disagrees
            with it. Places come first if the systems agree, or if the same string has another label elsewhere.
        to: write the documents with errors to -o FILE, in the format of an annotation tool. The spans of the reference
            and the systems become pre-annotations.
        view: with --to: filter the errors as in the HTML report; VIEW is the text after # in the report's address.
        pairs: pairs of spans to count in the confusion matrix of --plot.
        examples: print only the list of errors with their context; strings with many errors come first.
        html: write a report as one HTML page: errors in their sentences, buckets, confusion matrix.
    """

    per_error: bool = switch()
    changes: bool = switch()
    suspicious: bool = switch()
    to: str | None = text(
        "TOOL",
        choices={
            "label_studio": "one task for each document",
            "prodigy": "one session for the reference and one for each system, for the command prodigy review",
            "doccano": "spans that are not in the reference have labels such as 'PER (system)'",
        },
    )
    view: str | None = text("VIEW")
    pairs: str = option("overlap", choices=PAIR_CHOICES)
    examples: str | None = text(
        "FORM",
        choices={
            "text": f"the first {SHOWN} errors, or another number with --limit",
            "jsonl": "a JSON object on each line",
            "csv": "",
        },
    )
    html: str | None = text("HTML", parse=require_html, common=True)

    @property
    def has_own_form(self) -> bool:
        """Whether examples, changes as JSON lines, or pre-annotations are written instead of tables."""
        return self.examples is not None or self.to is not None or (self.changes and self.ending == ".jsonl")

    @property
    def main_kind(self) -> str | None:
        """The kind of tables in a CSV file: the costs, unless only the errors are shown."""
        return self.table_kind or ("errors" if self.per_error or self.changes else "costs")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.view is not None and self.to is None:
            raise InputError("--view needs --to.", "Add --to TOOL.")
        if self.plot is None and self.pairs != options_of(ErrorOutput)["pairs"].default:
            raise InputError("--pairs needs --plot.", "Add --plot, or leave out --pairs.")
        forms = {"examples": self.examples, "changes": self.changes, "per_error": self.per_error, "to": self.to}
        chosen = [name for name, value in forms.items() if value]
        if len(chosen) > 1:
            first, second, *_ = map(mention, chosen)
            raise InputError(f"{first} and {second} exclude each other.", f"Leave out {second}.")
        if (self.examples or self.to) and (self.json or self.table != "text"):
            raise InputError(f"{mention(chosen[0])} has its own output format.", "Leave out --json and --table.")


class SpanParts(CheckedOptions):
    """Options for groups of spans that are scored separately.

    Attributes:
        buckets: also score groups (buckets) of spans: by length, position, capital letters, label frequency, label
            consistency, document length and entity density.
        train: training set. Also score three groups of spans: seen in training with the same label, seen only with
            other labels, not seen.
        train_column: tag column of the training set, if it differs from --column.
        by: also score groups of spans, by their values in these columns of the reference file. KEY in comments
            '# KEY=VALUE' is a column, too. A span has the value of its first token, or the mean of its tokens' numbers.
    """

    buckets: bool = switch()
    train: str | None = text("FILE")
    train_column: str | None = text("COLUMN")
    by: tuple[str, ...] = name_list("COLUMNS")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.train_column is not None and self.train is None:
            raise InputError("--train-column needs a training set.", "Name the file with --train.")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    add_measure_options(parser, MEASURES, default="span_f", protocols=True)
    add_options(parser, "measures", Resampling, Matching)
    add_systems(parser)
    add_reading(parser, {*OF_SEVERAL, "reference_label_map"})
    add_options(parser, "examples", ErrorChoice)
    add_options(parser, "buckets", SpanParts)
    add_options(parser, "output", ErrorOutput)


def run(options: argparse.Namespace) -> None:
    """Read, match and show."""
    request = MeasureRequest(options)
    if request.protocol is not None:
        # costs of errors are computed for one measure
        options.measures = options.measures[:1]
    output, parts = read_options(ErrorOutput, options), read_options(SpanParts, options)
    choice = read_options(ErrorChoice, options)
    if output.examples is None and output.to is None and (chosen := changed(choice)):
        raise InputError(f"{mention(chosen[0])} needs --examples or --to.", "Add `--examples text` or `--to TOOL`.")
    corpus = Corpus.of(options, 0)
    resampling, matching = read_options(Resampling, options), read_options(Matching, options)
    measures = request.measures_of(corpus.content, MEASURES, ["span_f"], matching, resampling)
    if len(measures) > 1:
        problem = f"costs of errors can be computed for one measure, not for {len(measures)}."
        raise InputError(problem, "Choose one with --measures.")
    if corpus.content != "tags":
        refuse(options, ["by"], CONTENTS[corpus.content])
    corpus = corpus.read(words=True)
    if output.changes:
        require_two_systems("--changes", corpus.systems)
    values = {"measure": informed(corpus, measures)[0], "min_overlap": matching.min_overlap, **asdict(resampling)}
    with corpus.placing_errors():
        result = corpus.in_context(errors(corpus.reference, corpus.systems, **corpus.reading, **values))
    under, protocol = request.under_protocol({"errors": result})
    result = under["errors"]
    partition = _partition(corpus, parts)
    lines = [*corpus.lines(result.documents, result.tokens, result.unit), *protocol.items()]
    if output.html is not None:
        title = f"Errors of {', '.join(result.systems)}"
        write_error_report(result, output.html, title=title, heading=lines, precision=output.precision, **partition)
    if output.has_own_form:
        _write_examples(result, choice, output)
        return
    if output.plot is not None:
        require_drawable(result.systems)
        plot_confusion(result.only.confusion(output.pairs), output.plot)
    described = {**corpus.described("predictions"), **protocol}
    grouped = result.systems if parts.buckets or parts.train or parts.by else {}
    more = {
        "buckets": {name: system.buckets(**partition) for name, system in grouped.items()},
        "suspicious": result.suspicious(partition["train"]) if output.suspicious else None,
    }
    _show(output, result, heading(lines), described, **more)


def _show(
    output: ErrorOutput, result: Errors, above: Iterable[Part], described: Mapping[str, Any], **more: Any
) -> None:
    """Show the changes between two systems, or the list of errors, or the errors with `more`, see `_parts`."""
    as_text = output.table == "text"
    changes = result.difference(*result.systems).changes if output.changes else None
    listed: Any = None
    if output.per_error:
        listed = result.difference(*result.systems) if len(result.systems) == 2 else result.shared
    if output.json:
        values: dict[str, Any] = {
            "changes": None if changes is None else changes.records(),
            "errors": None if listed is None else listed.to_arrow().to_pylist(),
            "buckets": {name: report.to_dict() for name, report in more["buckets"].items()} or None,
            "suspicious": None if more["suspicious"] is None else more["suspicious"].to_dict(),
        }
        chosen = {name: each for name, each in values.items() if each is not None}
        output.write_json({**described, **result.to_dict(), **chosen})
    elif changes is not None:
        output.write_parts([*changes.lines(None)] if as_text else [changes.listed()])
    elif listed is not None:
        output.write_parts([listed.listed()])
    else:
        output.write_parts([*above, *_parts(result, **more, as_text=as_text)])


def _parts(result: Errors, buckets: Mapping[str, Any], suspicious: Any, *, as_text: bool) -> Iterator[Part]:
    """Yield the errors with buckets and suspicious references."""
    yield from result.lines(matrices=not as_text)
    if as_text and len(buckets) > 1:
        for table in beside_tables(buckets):
            yield from ("", table)
    else:
        for name, report in buckets.items():
            yield from ("", (name, "bold"), "")
            for part in report.parts():
                yield replace(part, about={"system": name, **part.about}) if isinstance(part, Table) else part
    if suspicious is not None:
        yield ""
        yield from suspicious.lines() if as_text else suspicious.parts()


def _partition(corpus: Corpus, parts: SpanParts) -> dict[str, Any]:
    """Read the data for groups: the training set, and columns of the reference's file."""
    source, first = corpus.source, corpus.first
    if corpus.content != "tags":
        train = None if parts.train is None else read_training(source.read_spans(parts.train, parts.train_column))
        return {"train": train, "by": {}}
    comments = _comment_values(first) if parts.by else {}
    columns: dict[str, Any] = {name: comments[name] for name in parts.by if name in comments}
    if named := list(dict.fromkeys(name for name in parts.by if name not in comments)):
        file, kept = source.read_tags(corpus.paths[0], named), source.kept(first)
        of_file = {name: tags.take(kept) for name, tags in zip(file.columns, file.tags, strict=True)}
        columns = {**of_file, **columns}
    return {"train": None if parts.train is None else _tags_of_training(source, parts), "by": columns}


def _comment_values(file: DocumentFile) -> dict[str, list[str]]:
    """Return the values of comments `# KEY=VALUE KEY=VALUE` by key, one for each document.

    `none` if it has no such comment.
    """
    values: dict[str, list[str]] = {}
    # a comment belongs to the document of the next token
    ends = file.document_lines if file.line_runs is None else file.line_runs.of(file.tags[0].offsets[1:] - 1)
    for document, (_, comment) in zip(np.searchsorted(ends, file.comment_lines).tolist(), file.comments, strict=True):
        for key, value in _COMMENT_VALUE.findall(comment) if document < len(file.document_lines) else ():
            values.setdefault(key, ["none"] * len(file.document_lines))[document] = value
    return values


def _tags_of_training(source: InputFiles, parts: SpanParts) -> tuple[Spans, Wording]:
    named: Sequence[str | None] = source.layer_columns or [None if source.columns else source.one_column]
    file = source.read_tags(str(parts.train), named if parts.train_column is None else [parts.train_column], True)
    if file.words is None:
        raise InputError("the training set has no words.", "Give a file with a column of words.", source=file.source)
    with locating_errors({"training": file}):
        spans, _ = read_annotations({"training": source.annotation_in(file)}, LabelDecoding(**source.decoding))
    return spans["training"], Wording.of_words(file.words.take(source.kept(file)))


def _write_examples(result: Errors, choice: ErrorChoice, output: ErrorOutput) -> None:
    """Write only the errors of all systems in their context, or changes, or pre-annotations."""
    examples = [system.examples(**asdict(choice)) for system in result.systems.values() if output.examples]
    if output.to is not None:
        output.write_text(preannotations(result, output.to, view=output.view or "", **asdict(choice)))
    elif output.changes:
        output.write_text(result.difference(*result.systems).changes.to_json_lines())
    elif output.examples == "jsonl":
        output.write_text("".join(system.to_json_lines() for system in examples))
    elif output.examples == "csv":
        output.write_text(to_csv([table for system in examples for table in system.tables()], output.precision))
    else:
        parts: list[Part] = []
        for each in examples:
            parts += [(str(each.about["system"]), "bold cyan")] if len(examples) > 1 else []
            parts += each.parts(choice.limit or SHOWN)
        output.write_parts(parts)
