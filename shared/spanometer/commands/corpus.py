"""The files of several sides, read for a command, as the functions of `analysis` take them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar

from ..analysis.agreement.annotators import ANNOTATOR
from ..analysis.agreement.disagreements import Disagreements
from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.errors.contexts import Context
from ..analysis.errors.errors import Errors
from ..analysis.scores.report import Report
from ..counts.statistics import Resampling
from ..exceptions import InputError, mention
from ..spans.spans import Spans
from ..tables.table import Part, heading
from .inputs import Input, ShownFile, documents_in, headlines, named, names_of, side_of, size_of

Located = Callable[[Mapping[str, Any]], Any]
Result = TypeVar("Result", Errors, Disagreements)


@dataclass(frozen=True, eq=False, kw_only=True)
class CorpusFiles:
    """Several sides of one corpus.

    Attributes:
        files: of each side, by its name in errors: `references`, `system NAME` or `annotator NAME`.
        reading: the arguments of functions that read the sides.
        annotations: the argument for each side; by default its entity trees, or the file.
        shown: the file of each side as commands show it.
        context: makes the words and lines of the first side; None if the files have them.
        located: a context manager that places errors about sides in their files.
    """

    files: Mapping[str, Any]
    reading: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    shown: Sequence[ShownFile] = ()
    context: Callable[[], Context] | None = None
    located: Located = nullcontext

    def __post_init__(self) -> None:
        """Fill in the annotations and the shown files from the files."""
        if not self.annotations:
            annotations = {name: file if file.entities is None else file.entities for name, file in self.files.items()}
            object.__setattr__(self, "annotations", annotations)
        if not self.shown:
            object.__setattr__(self, "shown", tuple(map(side_of, self.files.values())))

    @property
    def first(self) -> Any:
        """The file of the first side."""
        return next(iter(self.files.values()))

    @property
    def reference(self) -> Any:
        """The reference, as an argument of functions."""
        return self.annotations[REFERENCES]

    @property
    def systems(self) -> dict[str, Any]:
        """The systems by name, as an argument of functions."""
        return self._of_role(SYSTEM)

    @property
    def annotators(self) -> dict[str, Any]:
        """The annotators by name, as an argument of functions."""
        return self._of_role(ANNOTATOR)

    @property
    def documents(self) -> str:
        """The number of documents, in words; empty if results have it."""
        return documents_in(self.first) if self.first.tags else ""

    @property
    def sides(self) -> list[tuple[str, ShownFile]]:
        """The sides as commands show them, with their names."""
        names = ["reference" if name == REFERENCES else _bare(name) for name in self.files]
        return list(zip(names, self.shown, strict=True))

    def described(self, role: str = "systems") -> dict[str, Any]:
        """Describe the files for JSON: the annotators, or the reference and, under a key, the systems."""
        shown = [side.described for side in self.shown]
        if REFERENCES not in self.files:
            return {"files": shown}
        return {"reference": shown[0], role: dict(zip(self.systems, shown[1:], strict=True))}

    def heading(self, documents: int, tokens: int | None, unit: str = "token") -> list[Part]:
        """List the lines above a result: the files, the size of the corpus, and the items that readers left out."""
        return heading(headlines(self.sides, self.size(documents, tokens, unit)))

    def size(self, documents: int, tokens: int | None, unit: str = "token") -> str:
        """Write the size of the corpus in words."""
        return size_of(self.documents or documents, tokens, unit)

    def in_context(self, result: Result) -> Result:
        """Add the words and lines of the first side to a result, unless it has them from files."""
        return result if self.context is None else result.with_context(self.context())

    @contextmanager
    def placing_errors(self) -> Iterator[None]:
        """Place errors about a side in the line of its file."""
        with self.located(self.files):
            yield

    def _of_role(self, role: str) -> dict[str, Any]:
        return {_bare(name): side for name, side in self.annotations.items() if name.startswith(role)}


class SeveralFiles(Input, ABC):
    """A kind of input with several sides."""

    @abstractmethod
    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read all sides.

        Args:
            paths: the files.
            names: the names of annotators or systems, with commas between; by default the names of the files.
            annotators: how many of the first files are annotators, followed by systems; 0 for one reference, None if
                all files are annotators.
            words: whether the words of the first side are needed.

        Raises:
            InputError: if files cannot be read or differ in their documents, with file and line.
        """

    def informed(self, corpus: CorpusFiles, measures: Sequence[Any]) -> Sequence[Any]:
        """Give measures the information that they take from the files of a corpus."""
        return measures


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """A reference and a system, ready to be scored.

    Attributes:
        references, predictions: the arguments of measures.
        measures: the measures that are defined for both.
        reading: how both were read, for the signature.
        shown: the system as commands show it.
        size: the size of the corpus, if it differs from the lengths of the scored documents.
    """

    references: Any
    predictions: Any
    measures: Sequence[Any]
    reading: Mapping[str, Any]
    shown: ShownFile
    size: int | None = None


class ScoredFiles(SeveralFiles):
    """A kind of input that is scored: a reference and one or more systems."""

    def pair(self, corpus: CorpusFiles, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        shown = corpus.shown[1 + list(corpus.systems).index(name)]
        sides = {"references": corpus.reference, "predictions": corpus.systems[name]}
        return Pair(**sides, measures=measures, reading=corpus.reading, shown=shown)

    def completed(self, report: Report, corpus: CorpusFiles, pair: Pair, resampling: Resampling | None) -> Report:
        """Add the parts to a report that only this kind of input has."""
        return report

    def score(
        self, corpus: CorpusFiles, measures: Sequence[Any], resampling: Resampling | None, *, per_document: bool = False
    ) -> tuple[CorpusFiles, dict[str, Report]]:
        """Compute the measures of each system; errors name file and line.

        Returns:
            The corpus with its files as they were scored, and the report of each system by its name.
        """
        if getattr(self, "plot", None) is not None and len(corpus.systems) > 1:
            raise InputError(f"{mention('plot')} draws one system.", "Leave it out, or give one PREDICTION.")
        shown, reports = [corpus.shown[0]], {}
        in_lines = bool(corpus.first.tags) or corpus.first.entities is not None
        measures = self.informed(corpus, measures)
        for name in corpus.systems:
            files = {"references": corpus.first, "predictions": corpus.files[f"{SYSTEM}{name}"]}
            with corpus.located({**corpus.files, **files, "": corpus.first}):
                pair = self.pair(corpus, name, measures)
                sides = pair.references, pair.predictions
                report = Report.of(*sides, pair.measures, pair.reading, _progress, resampling, per_document)
                report = replace(
                    report,
                    tokens=report.tokens if pair.size is None else pair.size,
                    documents_text=corpus.documents,
                    document_lines=corpus.first.document_lines if in_lines else (),
                )
                reports[name] = self.completed(report, corpus, pair, resampling)
            of_spans = isinstance(pair.references, Spans)
            shown.append(pair.shown.beside(*sides, pair.measures) if of_spans else pair.shown)
        return replace(corpus, shown=shown), reports


def by_role(files: Iterable[Any], default: Sequence[str], names: str | None, annotators: int | None) -> dict[str, Any]:
    """Name the files of sides as errors do, see `SeveralFiles.corpus`.

    Args:
        files: the files.
        default: their names if `names` is None.
        names: the names from the command line, with commas between.
        annotators: how many of the files are annotators.
    """
    rest = iter(files)
    if annotators is None:
        return dict(zip((f"{ANNOTATOR}{name}" for name in named(names, default, "annotator")), rest, strict=True))
    first = max(annotators, 1)
    if annotators == 0:
        sides = {REFERENCES: next(rest)}
    else:
        sides = dict(zip((f"{ANNOTATOR}{name}" for name in default[:first]), islice(rest, first), strict=True))
    systems = named(names, default[first:], "system")
    return {**sides, **dict(zip((f"{SYSTEM}{name}" for name in systems), rest, strict=True))}


def default_names(paths: Sequence[str], annotators: int | None) -> list[str]:
    """Name sides by their files; annotators, or the reference, get other names than systems."""
    if annotators is None:
        return names_of(paths)
    first = max(annotators, 1)
    people, systems = names_of(paths[:first]), names_of(paths[first:])
    return [*people, *(systems if annotators == 0 or set(people).isdisjoint(systems) else names_of(paths)[first:])]


def require_system(files: Sequence[object], what: str, remedy: str) -> None:
    """Raise an `InputError` if there is no file of a system."""
    if len(files) < 2:
        raise InputError(f"there is no file with {what}.", remedy)


def _bare(name: str) -> str:
    return name.removeprefix(ANNOTATOR).removeprefix(SYSTEM)


def _progress(steps: Sequence[Any]) -> Iterable[Any]:
    from tqdm import tqdm

    shown: Iterable[Any] = tqdm(steps, desc="scoring", unit="step", delay=1, leave=False, disable=None)
    return shown
