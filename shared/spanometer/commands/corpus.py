"""The files of several sides, read for a command, as the functions of `analysis` take them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..analysis.annotators import ANNOTATOR
from ..analysis.comparison import REFERENCES, SYSTEM
from ..analysis.contexts import Context
from ..errors import InputError
from .inputs import Input, Side, named, names_of, size_of

Located = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """Several sides of one corpus.

    Attributes:
        files: of each side, by the name that errors use: `references`, `system NAME` or `annotator NAME`.
        given: what functions take of each side.
        reading: how functions read the sides: their arguments.
        shown: the file of each side as commands show it.
        documents: how many documents there are, in words; None if results say it.
        context: makes what the first side says and where; None if the files given have it.
        located: a context manager that places errors about sides in their files.
    """

    files: Mapping[str, Any]
    given: Mapping[str, Any]
    shown: Sequence[Side]
    reading: Mapping[str, Any] = field(default_factory=dict)
    documents: str | None = None
    context: Callable[[], Context] | None = None
    located: Located = nullcontext

    @property
    def first(self) -> Any:
        """The file of the first side."""
        return next(iter(self.files.values()))

    @property
    def reference(self) -> Any:
        """What functions take of the reference."""
        return self.given[REFERENCES]

    @property
    def systems(self) -> dict[str, Any]:
        """What functions take of the systems, by name."""
        return self._of_role(SYSTEM)

    @property
    def annotators(self) -> dict[str, Any]:
        """What functions take of the annotators, by name."""
        return self._of_role(ANNOTATOR)

    @property
    def sides(self) -> list[tuple[str, Side]]:
        """The sides as commands show them, with their names."""
        names = ["reference" if name == REFERENCES else _bare(name) for name in self.files]
        return list(zip(names, self.shown, strict=True))

    @property
    def described(self) -> dict[str, Any]:
        """The sides for JSON, by name."""
        return {name: side.described for name, side in self.sides}

    def size(self, documents: int, tokens: int | None, unit: str = "token") -> str:
        """Return the size of the corpus in words."""
        return size_of(documents if self.documents is None else self.documents, tokens, unit)

    @contextmanager
    def placing_errors(self) -> Iterator[None]:
        """Place errors about a side in the line of its file."""
        with self.located(self.files):
            yield

    def _of_role(self, role: str) -> dict[str, Any]:
        return {_bare(name): side for name, side in self.given.items() if name.startswith(role)}


class SeveralFiles(Input):
    """A kind of input with several sides."""

    @abstractmethod
    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read all sides.

        Args:
            paths: the files.
            names: the names of annotators or systems, with commas between; by default the names of the files.
            annotators: how many of the first files are annotators, systems behind them; 0 for one reference, None if
                all files are annotators.
            words: whether the words of the first side are needed.

        Raises:
            InputError: if they cannot be read or are not of the same documents; it names file and line.
        """


def by_role(files: Iterable[Any], default: Sequence[str], names: str | None, annotators: int | None) -> dict[str, Any]:
    """Name the files of sides as errors do, see `SeveralFiles.corpus`.

    Args:
        files: the files.
        default: their names unless others are asked for.
        names: the names asked for, with commas between.
        annotators: how many of the files are annotators.
    """
    rest = iter(files)
    if annotators is None:
        return dict(zip((f"{ANNOTATOR}{name}" for name in named(names, default, "annotator")), rest, strict=True))
    first = max(annotators, 1)
    if annotators == 0:
        found = {REFERENCES: next(rest)}
    else:
        found = dict(zip((f"{ANNOTATOR}{name}" for name in default[:first]), islice(rest, first), strict=True))
    systems = named(names, default[first:], "system")
    return {**found, **dict(zip((f"{SYSTEM}{name}" for name in systems), rest, strict=True))}


def default_names(paths: Sequence[str], annotators: int | None) -> list[str]:
    """Return the names of sides by their files: those of annotators, or the reference, differ from those of systems."""
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
