"""The base class of metric modules for Hugging Face `evaluate`.

A module sets `measure` and `card`. Its options, signature and documentation are derived from the declarations of the
measure and of the kind of input. Every batch is checked before it is stored.
"""

import contextlib
import inspect
import os
import textwrap
import warnings
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, TypeAlias, get_type_hints

import evaluate
import pyarrow as pa
from datasets import Features

from ..arrays import is_integer, listed
from ..counts.counts import Counts
from ..counts.statistics import Intervals, Resampling
from ..exceptions import (
    InputError,
    mention,
    on_both_sides,
    on_side,
    require_choice,
    require_kind,
    require_same_documents,
    setting,
    shown,
)
from ..measures.base import SHARED, Measure
from ..options import CheckedOptions, Option, made, option, options_of, require_known, same
from ..spans.arrow import read_lengths

Column: TypeAlias = pa.ChunkedArray
Options = Mapping[str, Any]
Reading = dict[str, Any]

INTERVALS = "With confidence, the bounds of the interval of each key except counts; nan for a single document."

_DATA = ("predictions", "references")
_ENTRY = textwrap.TextWrapper(
    120, initial_indent=" " * 4, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False
)


@dataclass(frozen=True)
class Configuration:
    """A form of input.

    Attributes:
        help: describes a document of this form in a phrase.
        type: the Arrow type of stored documents.
        to_arrow: checks documents and converts them to Arrow arrays; the second argument is the first document's
            number.
        options: the dataclasses whose options apply when this form is read.
        read: converts a column of such arrays to one side, with document lengths if the form has them.
        require_fitting: raises an `InputError` unless the references and the predictions, two such arrays, have the
            same tokens or texts.
    """

    help: str
    type: pa.DataType
    to_arrow: Callable[..., list[pa.Array]]
    options: tuple[type, ...] = ()
    read: Callable[..., Any] | None = None
    require_fitting: Callable[[pa.Array, pa.Array], object] = lambda references, predictions: None


class DocumentLengths(CheckedOptions):
    """The lengths of the documents; None if they are unknown.

    Attributes:
        lengths: number of tokens of each document; spans are checked against it.
    """

    lengths: Iterable[int] | None = option(None, type="list of int, optional", flag="")


@dataclass(frozen=True)
class Card:
    """The texts of a metric module: description, examples (doctests) and BibTeX citation."""

    description: str
    examples: str
    citation: str


class MeasureModule(evaluate.Metric, ABC):  # type: ignore[misc]  # evaluate has no types
    """The base class of metric modules, with a subclass for each kind of input.

    A module writes checked Arrow tables directly, because `evaluate` silently converts invalid values: numbers among
    tags become strings, 0.7 becomes the offset 0. This uses private parts of `evaluate`: the Arrow writer, the cache
    files with their locks, and the format of columns. They are the same in evaluate 0.4.6 with datasets 4.0 to 5.2. Run
    tests/integrations/test_module.py before you allow other versions.

    Attributes:
        measure: the measure.
        configurations: the forms of its input by name; the first is the default.
    """

    measure: ClassVar[type[Measure]]
    configurations: ClassVar[Mapping[str, Configuration]]

    @property
    @abstractmethod
    def card(self) -> Card:
        """The module's texts."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Store the framework's settings, and defaults for the options of `compute`.

        Raises:
            InputError: if an option is unknown or has an invalid value.
        """
        require_settings(settings)
        framework = inspect.signature(evaluate.Metric.__init__).parameters
        self._own_options = {name: value for name, value in settings.items() if name not in framework}
        if settings.get("seed") is not None:
            # the framework has a seed of its own
            self._own_options["seed"] = settings["seed"]
        super().__init__(*arguments, **{name: value for name, value in settings.items() if name in framework})
        self._require_options(self._own_options)

    def __init_subclass__(cls, **settings: Any) -> None:
        """Create the module's documentation and the signature of `_compute` from the declarations."""
        super().__init_subclass__(**settings)
        texts: Any = cls.card
        if not isinstance(texts, Card):
            return

        def _compute(self: MeasureModule, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
            return self._score(predictions, references, options)

        _compute.__dict__["__signature__"] = cls._signature()
        cls._compute = _compute
        cls.inputs_text = _documentation(cls, texts.examples)
        cls.__doc__ = f"{texts.description}{cls.inputs_text}"

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return the options of `compute` by name, in order."""
        own = options_of(cls.measure)
        shared = {name: own.pop(name) for name in SHARED if name in own}
        added = ", ".join(f"`{key}`" for key in cls.measure.detail_keys)
        details = {"details": Option(name="details", default=False, help=f"add {added} to the result", kind=bool)}
        readings = {kind: options_of(kind) for kind in cls.readings()}
        lengths = readings.pop(DocumentLengths, {})
        parts: list[dict[str, Option]] = [*readings.values(), own, shared, options_of(Intervals), details, lengths]
        declared: dict[str, Option] = {}
        for part in parts:
            # a measure may have the seed of intervals already
            declared = {**declared, **part, **declared}
        return declared

    @classmethod
    def readings(cls) -> list[type]:
        """List the dataclasses with the options for reading any of the forms."""
        return list(dict.fromkeys(kind for form in cls.configurations.values() for kind in form.options))

    @classmethod
    def forms(cls) -> str:
        """Describe the documents of each configuration."""
        rows = [f"`{name}`, an item is {configuration.help}" for name, configuration in cls.configurations.items()]
        return f"one item per document. In the {'default ' if rows[1:] else ''}configuration {'. In '.join(rows)}"

    @classmethod
    def _signature(cls) -> inspect.Signature:
        parts = map(get_type_hints, (*cls.readings(), Resampling, cls.measure))
        hints = {**ChainMap(*parts), "details": bool, "confidence": float | None}
        make = inspect.Parameter
        data = [make(name, make.POSITIONAL_OR_KEYWORD) for name in ("self", *_DATA)]
        own = [
            make(name, make.KEYWORD_ONLY, default=option.default, annotation=hints[name])
            for name, option in cls.options().items()
        ]
        return inspect.Signature([*data, *own], return_annotation=dict)

    @property
    def configuration(self) -> str:
        """The name of the input form, a key of `configurations`."""
        return next(iter(self.configurations)) if self.config_name == "default" else self.config_name

    def _info(self) -> evaluate.MetricInfo:
        require_choice("config_name", self.configuration, tuple(self.configurations))
        type_ = self.configurations[self.configuration].type
        info = evaluate.MetricInfo(
            features=Features.from_arrow_schema(pa.schema({"predictions": type_, "references": type_})),
            description=self.card.description,
            citation=self.card.citation,
            inputs_description=self.inputs_text,
            homepage="https://github.com/spanometer/spanometer",
            license="Apache-2.0",
        )
        # the constructor refuses a format for list features, though it works
        info.format = "arrow"
        return info

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Check and store a batch of predictions and references.

        Args:
            predictions: the predicted documents in the form of the configuration, such as lists of tags.
            references: the reference documents in the same form.

        Raises:
            InputError: if the batch is invalid; it is then not stored.
        """
        if kwargs:
            raise InputError(f"unknown input {', '.join(kwargs)}.", "The inputs are predictions and references.")
        self._store(self._tables(predictions, references))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Check and store the prediction and the reference of one document.

        Args:
            prediction: the predicted document in the form of the configuration, such as a list of tags.
            reference: the reference document in the same form.

        Raises:
            InputError: if the document is invalid; it is then not stored.
        """
        # evaluate.combine passes one document under the names of the whole columns
        prediction, reference = kwargs.pop("predictions", prediction), kwargs.pop("references", reference)
        if kwargs:
            raise InputError(f"unknown input {', '.join(kwargs)}.", "The inputs are prediction and reference.")
        (table,) = self._tables([prediction], [reference])
        # the writer buffers documents
        self._start_writing().write_row(table)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any] | None:
        """Score the documents that were added before or are passed here.

        Args:
            predictions: the predicted documents in the form of the configuration, such as lists of tags.
            references: the reference documents in the same form.
            **options: the module's options; you can set defaults when you load the module.

        Returns:
            The scores on the main process; None on others.

        Raises:
            InputError: if options are invalid (added documents are then kept), or if data is invalid (added documents
                are then removed).
        """
        # options are read twice, and an iterator only once
        options = {
            name: listed(value, f"Give {mention(name)} as a list.", option=name)
            if isinstance(value, Iterator)
            else value
            for name, value in {**self._own_options, **options}.items()
        }
        self._require_options(options)
        if predictions is None and references is None and self.writer is None:
            raise InputError(
                "there is nothing to score.", "Pass predictions=... and references=..., or add them first."
            )
        try:
            result: dict[str, Any] | None = super().compute(predictions=predictions, references=references, **options)
        except BaseException:
            self._forget()
            raise
        return result

    def _require_options(self, options: Options) -> None:
        """Check the names and values of options."""
        declared = self.options()
        names = sorted({"mode", "scheme", "strict", "suffix"} & options.keys())
        if names and "tags" not in self.configurations:
            problem = f"the option {names[0]!r} is only for tags, but {self.measure.name} does not score tags."
            raise InputError(problem, f"Remove {names[0]!r}.")
        require_known(options, declared, self.measure.name)
        for kind in self.readings():
            if kind in self.configurations[self.configuration].options:
                made(kind, options)
            else:
                self._require_default(kind, options)
        declared["details"].check(options.get("details", False))
        Resampling.chosen(options.get("confidence"), options)
        zero_division = options.get("zero_division")
        if isinstance(zero_division, str) and "warn" not in declared["zero_division"].choices:
            raise InputError(
                f"invalid value for {mention('zero_division')}: {shown(zero_division)}.",
                "Use one of 0.0, 1.0, nan. Instead of 'warn', use 0.0 (the default): the score is the same.",
                option="zero_division",
            )
        made(self.measure, options)

    def _require_default(self, kind: type, options: Options) -> None:
        """Raise an `InputError` if a reading option is set that the configuration does not have."""
        for name, declared in options_of(kind).items():
            if not same(options.get(name, declared.default), declared.default):
                forms = [form for form, configuration in self.configurations.items() if kind in configuration.options]
                raise InputError(
                    f"{mention(name)} needs configuration {' or '.join(map(repr, forms))}, not {self.configuration!r}.",
                    f'Leave out {setting(name)}, or load the module with "{forms[0]}".',
                    option=name,
                )

    def _tables(self, predictions: Any, references: Any) -> list[pa.Table]:
        """Check a batch and convert it to Arrow tables of limited size."""
        stored, form = len(self), self.configurations[self.configuration]
        columns = {}
        for side, documents in zip(_DATA, (predictions, references), strict=True):
            if documents is None:
                raise InputError(f"there are no {side}.", "Pass predictions=... and references=...")
            columns[side] = on_side(side, form.to_arrow, documents, stored)
        require_same_documents(*(sum(map(len, columns[side])) for side in ("references", "predictions")))
        whole = pa.table({side: pa.chunked_array(arrays) for side, arrays in columns.items()})
        tables = [pa.Table.from_batches([batch]) for batch in whole.to_batches()] or [whole]
        for table in tables:
            try:
                form.require_fitting(table["references"].chunk(0), table["predictions"].chunk(0))
            except InputError as error:
                raise error.placed(document=stored + (error.document or 0)) from None
            stored += len(table)
        return tables

    def _score(self, predictions: Column, references: Column, options: Options) -> dict[str, Any]:
        """Read, count and score both columns."""
        measure, resampling = made(self.measure, options), Resampling.chosen(options.get("confidence"), options)
        counts, reading = self._count(measure, references, predictions, options)
        result: dict[str, Any] = measure.score(counts)
        if options.get("details", False):
            self._require_free_keys(result)
        if resampling is not None:
            result = measure.with_intervals(result, counts, resampling)
        for note in measure.notes(counts):
            warnings.warn(f"{measure.name}: {note}", stacklevel=2)
        if options.get("details", False):
            details = {**measure.details(counts), "signature": measure.signature(reading, resampling)}
            result.update({key: details[key] for key in measure.detail_keys})
        return result

    def _require_free_keys(self, names: Iterable[Any]) -> None:
        """Raise an `InputError` if the result of an attribute has the name of a detail."""
        for name in names:
            if name in self.measure.detail_keys:
                problem = f"details=True adds a result key {name!r}, but an attribute or micro_key has this name too."
                raise InputError(problem, "Leave out details=True, or rename the attribute or micro_key.")

    def _count(self, measure: Any, references: Column, predictions: Column, options: Options) -> tuple[Counts, Reading]:
        """Read and count both columns; also describe for the signature how they were read."""
        sides, reading = self._read(references, predictions, options)
        return measure.counts(*sides), reading

    def _read(self, references: Column, predictions: Column, options: Options) -> tuple[tuple[Any, Any], Reading]:
        """Read both columns; also describe for the signature how they were read."""
        form = self.configurations[self.configuration]
        assert form.read is not None
        lengths = made(DocumentLengths, options).lengths if DocumentLengths in form.options else None
        known = {} if lengths is None else {"lengths": read_lengths(lengths, len(references))}
        sides = on_both_sides(form.read, references, predictions, **known)
        return sides, {"input": self.configuration} if len(self.configurations) > 1 else {}

    def _store(self: Any, tables: list[pa.Table]) -> None:
        """Write tables of documents, and empty the list to free memory."""
        writer = self._start_writing()
        # datasets 4.0 buffers single documents, which would then come after batches that are added later
        writer.write_rows_on_file()
        while tables:
            writer.write_table(tables.pop(0))
        # free the batch before the next one comes
        pa.default_memory_pool().release_unused()

    def _start_writing(self: Any) -> Any:
        """Return the framework's writer, after creating it if there is none."""
        if self.writer is None:
            self.selected_feature_format = self.features
            self._init_writer()
        return self.writer

    def _forget(self: Any) -> None:
        """Remove all data, and release files and locks."""
        if self.writer is not None:
            with contextlib.suppress(Exception):
                self.writer.close()
        locks = [*(self.filelocks or []), self.filelock, self.rendez_vous_lock]
        files = {*(self.file_paths or []), self.cache_file_name}
        self.writer = self.data = self.buf_writer = self.filelocks = self.file_paths = None
        for file in files - {None}:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file)
        for lock in locks:
            if lock is not None:
                lock.release()
        self.cache_file_name = self.filelock = self.rendez_vous_lock = self.selected_feature_format = None


def require_settings(settings: Options) -> None:
    """Raise an `InputError` if the framework's settings are invalid."""
    remedy = "Set cache_dir=... to the path of a folder, or leave it out."
    require_kind(settings.get("cache_dir"), (str, os.PathLike, NoneType), "a path", remedy)
    number, process = settings.get("num_process", 1), settings.get("process_id", 0)
    if not is_integer(number) or not is_integer(process) or not 0 <= process < number:
        fault = f"process_id={shown(process)} is not valid with " if is_integer(number) else "invalid value: "
        remedy = "Set num_process to the number of processes, and process_id to a number from 0 to num_process - 1."
        raise InputError(f"{fault}num_process={shown(number)}.", remedy)


def _documentation(module: type[MeasureModule], examples: str) -> str:
    """Write the documentation of `compute`: arguments, results and examples."""
    arguments = {
        "predictions (list)": f"The predictions, {module.forms()}.",
        "references (list)": "The reference, in the same form.",
        **{f"{name} ({option.type_name})": option.describe() for name, option in module.options().items()},
    }
    results = {f"{name} ({key.kind.__name__})": key.describe() for name, key in module.measure.results.items()}
    results["<key>_low, <key>_high (float)"] = INTERVALS
    head = f"Returns, {module.measure.returns}:" if module.measure.returns else "Returns:"
    parts = [[_ENTRY.fill(f"{name}: {text}") for name, text in texts.items()] for texts in (arguments, results)]
    return "\n".join(["\nArgs:", *parts[0], f"\n{head}", *parts[1], "\nExamples:", examples])
