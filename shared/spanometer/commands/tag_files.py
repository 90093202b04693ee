"""Files of tags: how they are laid out, which columns hold the tags, and their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ..analysis.errors.contexts import context_of_tags
from ..analysis.scores.difficulty import by_chance, read_bounds
from ..analysis.scores.report import Report
from ..counts.statistics import Resampling
from ..documents.document_file import DocumentFile
from ..documents.matching import require_same_tokens, require_same_words
from ..exceptions import InputError, counted, mention, printable, setting
from ..measures.sl_icm import SlIcm
from ..options import option, options_of, text
from ..plots import plot_difficulty
from ..plots.figure import require_format
from ..readers.columns.reading import read
from ..readers.formats import formats_of
from ..readers.label_map import read_label_names
from ..readers.source import Limits
from ..spans.annotations import Layers, read_annotations
from ..tags.decoding import LabelDecoding
from ..tags.tags import Tags
from .corpus import CorpusFiles, Pair, ScoredFiles, SeveralFiles, by_role, default_names, require_system
from .inputs import ChosenLabels, ComparedWords, located, read_with

_OF_TOKENS = ("tokens", "token_probabilities", "")
"""The name of the reference in errors about tokens."""

COLUMN = "number from 1 (-1 is the last, the default) or name"


@dataclass(frozen=True, kw_only=True)
class TagLayout(Limits):
    """How files of tags are laid out."""

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of("tags")), common=True)
    documents: str | None = text(
        "KEY",
        "what begins a document instead of a blank line: the KEY of comments '# KEY = ...'; or --documents=-DOCSTART-",
    )
    outside: str | None = text("TAG", "read TAG as O, for example _")

    def read(
        self,
        path: str,
        columns: Sequence[str | None],
        words: bool | int | str = False,
        numbers: str | None = None,
    ) -> DocumentFile:
        """Read tag columns of a file."""
        return read_with(
            read,
            path,
            columns=columns,
            words=words,
            format=self.format,
            documents=self.documents,
            outside=self.outside,
            numbers=numbers,
            **self.limits,
        )

    def read_distinct(
        self,
        path: str,
        columns: Sequence[str | None],
        words: bool | int | str = False,
        numbers: str | None = None,
    ) -> DocumentFile:
        """Read tag columns of a file; raise an `InputError` if two are the same."""
        file = self.read(path, columns, words, numbers)
        named: Sequence[object] = file.columns if file.layout is None else file.layout.columns
        if len(set(named)) < len(named):
            raise InputError("one column is named twice.", "Name each column once.", source=file.source)
        return file


@dataclass(frozen=True, kw_only=True)
class TagSeries(TagLayout, ComparedWords, LabelDecoding, ChosenLabels, SeveralFiles):
    """Tags of several annotators or systems: a column of a file each, or columns of one file."""

    title: ClassVar[str] = "tags"
    content: ClassVar[str] = "tags"
    input: ClassVar[str] = "spans"
    remedy: ClassVar[str] = "Give HIPE's columns, markup or JSON lines of entities."

    id2label: Any = option(
        None,
        help="the tags are label numbers: file with the tags that they stand for, one on each line, or a config.json",
        metavar="FILE",
        parse=read_label_names,
    )
    ignore_index: int | None = option(
        -100,
        help="label number of tokens to leave out on all sides, where the first file has it",
        kind=int,
        metavar="N",
    )
    layers: tuple[str, ...] = option(
        (),
        help="tag columns of all files whose spans are taken together, and so may nest and overlap, with commas "
        "between: NE-FINE-LIT,NE-NESTED",
        metavar="COLUMNS",
        parse=lambda text: tuple(column.strip() for column in text.split(",")),
    )
    column: str | None = text("COLUMN", f"tag column of all files: {COLUMN}", common=True)
    columns: str | None = text(
        "COLUMNS", "of one file: the columns, with commas between; a reference's first", common=True
    )
    reference_column: str | None = field(default=None, init=False)
    prediction_column: str | None = field(default=None, init=False)

    @property
    def decoding(self) -> dict[str, Any]:
        """The options of decoding, as functions take them."""
        return {name: getattr(self, name) for name in options_of(LabelDecoding)}

    def kept(self, references: DocumentFile) -> np.ndarray:
        """Flag the tokens of a reference that are not left out."""
        return ~references.tags[0].has_number(None if self.id2label is None else self.ignore_index)

    def annotation_in(self, file: DocumentFile) -> Tags | Layers:
        """Take the tags of a file, with all layers if there are layers."""
        return Layers(file.tags, file.columns) if self.layers else file.tags[0]

    def columns_of_one(self, paths: Sequence[str], annotators: int | None) -> list[str]:
        """Name the columns of the sides, if one file has all sides; none otherwise."""
        if self.layers and (self.column is not None or self.columns is not None):
            raise InputError(f"{mention('layers')} names the columns of every file.", "Leave out other columns.")
        if self.columns is not None and len(paths) > 1:
            raise InputError("--columns takes apart one file.", "Give one file, or --column for all of them.")
        if self.columns is not None and self.column is not None:
            raise InputError("--column and --columns name columns.", "Leave out one of them.")
        if self.columns is None and len(paths) == 1:
            # a file that cannot be read has no columns
            self.read(paths[0], (None,))
            what = "its annotators" if annotators is None else "the reference and the systems"
            remedy = "Give more files." if self.layers else "Give them with --columns 2,3,4, or more files."
            raise InputError(f"with one file, the columns of {what} must be named.", remedy)
        return [column.strip() for column in (self.columns or "").split(",")] if self.columns is not None else []

    def read_sides(self, paths: Sequence[str], annotators: int | None, words: bool | int | str) -> list[DocumentFile]:
        """Read all sides, each as its own file, of the same words; the first side has words if `words` is true."""
        numbers: str | None = getattr(self, "token_probability_column", None)
        if listed := self.columns_of_one(paths, annotators):
            whole = self.read_distinct(paths[0], listed, words, numbers)
            return [whole.select(place) for place in range(len(listed))]
        compared = False if self.ignore_words else words or True
        of_first = self.layers or [self.reference_column or self.column]
        of_others = self.layers or [self.prediction_column or self.column]
        first = self.read(paths[0], of_first, words or compared, numbers)
        files = [first if words else replace(first, words=None)]
        for path in paths[1:]:
            file = self.read(path, of_others, compared)
            (require_same_tokens if annotators == 0 else require_same_words)(first, file)
            files.append(replace(file, words=None))
        return files

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read all sides, with the words of the first."""
        if annotators == 1:
            raise InputError("one file of tags is one reference.", "Name two or more, with --references 2.")
        read = self.read_sides(paths, annotators, (words and getattr(self, "words", None)) or words)
        if annotators == 0:
            require_system(read, "a system's tags", "Give PREDICTION, or two --columns or more.")
        default = default_names(paths, annotators) if len(paths) > 1 else [file.columns[0] for file in read]
        files = by_role(read, default, names, annotators)
        return CorpusFiles(
            files=files,
            annotations={name: self.annotation_in(file) for name, file in files.items()},
            reading={**self.decoding, **self.chosen},
            context=lambda: context_of_tags(read[0], self.kept(read[0])),
            located=self.located,
        )

    @contextmanager
    def located(self, files: Mapping[str, DocumentFile]) -> Iterator[None]:
        """Place errors in the files' lines, see `inputs.located`; name the column too if one file has all sides."""
        try:
            yield
        except InputError as error:
            file = files.get(error.side or "")
            if file is not None and self.columns is not None:
                error = error.placed()
                error.problem = f"{printable(file.columns[0])}: {error.problem}"
            with located(files):
                raise error from None


@dataclass(frozen=True, kw_only=True)
class TagPair(TagSeries):
    """Tags of a reference and a system: two files, or two columns of one."""

    column: str | None = text("COLUMN", f"tag column of both sides: {COLUMN}", common=True)
    columns: str | None = field(default=None, init=False)
    reference_column: str | None = text("COLUMN", "tag column of the reference")
    prediction_column: str | None = text("COLUMN", "tag column of the system")

    def columns_of_one(self, paths: Sequence[str], annotators: int | None) -> list[str]:
        """Name the columns of both sides, if there is one file."""
        both = self.reference_column, self.prediction_column
        if self.layers and (len(paths) < 2 or any((self.column, *both))):
            raise InputError(
                f"{mention('layers')} names columns that both sides have, each in a file of its own.",
                f"Give PREDICTION, and leave out {mention('column')} and the columns of single sides.",
            )
        named = [column for column in both if column is not None]
        if len(paths) == 1 and len(named) < len(both):
            self.read(paths[0], (None,))
            raise InputError(
                "with one file, both of its columns must be named.",
                "Give --reference-column and --prediction-column, or a second file.",
            )
        return named if len(paths) == 1 else []


@dataclass(frozen=True, kw_only=True)
class ChanceParts:
    """Scores of the parts of a corpus by chance."""

    by_chance: tuple[float, ...] | None = option(
        None,
        help="also the scores of the documents whose chance level (that of the reference against itself, as in "
        "chance_kappa_f1) is below and above a bound such as 0.175, or several with commas between",
        parse=read_bounds,
        metavar="BOUNDS",
    )
    plot: str | None = text("PNG", "write a picture of chance_kappa_f1 in the parts of --by-chance; needs matplotlib")

    def require_drawable(self) -> None:
        """Raise an `InputError` for a picture that cannot be drawn, before anything is read."""
        if self.plot is None:
            return
        if self.by_chance is None:
            raise InputError(
                f"{mention('plot')} shows the parts of {mention('by_chance')}, and there are none.",
                f"Give {setting('by_chance', 0.175)}.",
            )
        require_format(self.plot)

    def completed(self, report: Report, corpus: CorpusFiles, pair: Pair, resampling: Resampling | None) -> Report:
        """Add the parts of the corpus to a report, if an option names them."""
        if self.by_chance is None:
            return report
        sides = pair.references, pair.predictions
        parts = by_chance(*sides, self.by_chance, pair.measures, pair.reading, resampling)
        if self.plot is not None:
            plot_difficulty(parts, self.plot)
        noun = "sentence" if getattr(corpus.first, "sentences", False) else "document"
        called = {name: replace(part, documents_text=counted(part.documents, noun)) for name, part in parts.items()}
        return replace(report, subsets=called)


@dataclass(frozen=True, kw_only=True)
class WordInformation(SeveralFiles):
    """The information of words for measures of information."""

    words_column: str | None = text("COLUMN", "word column of both files, for sl_icm with probabilities of words")

    @property
    def words(self) -> int | str | None:
        """The column of words; None for the usual one."""
        return self.words_column

    def informed(self: Any, corpus: CorpusFiles, measures: Sequence[Any]) -> Sequence[Any]:
        """Give measures of information the words of the reference, or the probabilities of its tokens."""
        column, references = getattr(self, "token_probability_column", None), corpus.first
        weighing = [measure for measure in measures if isinstance(measure, SlIcm)]
        if column is not None and not weighing:
            raise InputError(
                f"{mention('token_probability_column')} is for sl_icm, which is not computed.",
                "Add sl_icm to --measures.",
            )
        if column is not None and any(measure.token_probabilities is not None for measure in weighing):
            raise InputError(
                f"{mention('token_probabilities')} and {mention('token_probability_column')} are two sources of "
                "probabilities.",
                "Leave out one of the two.",
            )
        if column is None and not any(measure.needs_tokens for measure in weighing):
            return measures
        kept = self.kept(references)
        if column is not None:
            of_documents = np.split(references.numbers[kept], references.tags[0].take(kept).offsets[1:-1])
            information: dict[str, Any] = {"token_probabilities": of_documents}
        elif references.words is None:
            raise InputError(
                "sl_icm needs words, and the reference file has none.",
                "Name their column with --words-column.",
                source=references.source,
            )
        else:
            information = {"tokens": references.words.take(kept)}
        with located({"token_probabilities": references}):
            return [
                replace(measure, **information)
                if isinstance(measure, SlIcm) and (column is not None or measure.needs_tokens)
                else measure
                for measure in measures
            ]


@dataclass(frozen=True, kw_only=True)
class TagInput(TagPair, WordInformation, ChanceParts, ScoredFiles):
    """Files of tags, scored by measures of spans."""

    remedy: ClassVar[str] = "Give HIPE's columns, markup or JSON lines of entities."

    token_probability_column: str | None = text(
        "COLUMN", "sl_icm: column of the reference file with the probability of each token, _ where there is none"
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.require_drawable()

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read the reference and the systems, all tags in one scheme."""
        corpus = super().corpus(paths, names, annotators=0, words=words)
        with corpus.placing_errors():
            sides, reading = read_annotations(corpus.annotations, LabelDecoding(**self.decoding))
        return replace(corpus, annotations=self.of_sides(sides), reading={**reading, **self.signed()})

    def located(self, files: Mapping[str, DocumentFile]) -> Any:
        """Place errors in the files' lines; place errors about tokens in the lines of the reference."""
        return super().located({**dict.fromkeys(_OF_TOKENS, next(iter(files.values()))), **files})
