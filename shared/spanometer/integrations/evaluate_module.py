"""The glue between the measures and Hugging Face `evaluate`: the abstract base of the metric modules.

The framework stores predictions and references in Arrow files and hands them over when `compute` is called. It coerces
what does not fit: numbers among tags become text, None passes, 0.7 becomes the offset 0. So the base checks every batch
before it is stored, and reads the stored columns as they are.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import evaluate
import numpy as np
import pyarrow as pa
from datasets import Features, List, Value

from ..alignment.overlaps import Alignment
from ..arrays import integers
from ..counts.counts import Counts
from ..counts.resampling import Resampling
from ..errors import InputError, on_side, require_choice, require_same_documents
from ..measures.aligned import AlignedMeasure
from ..measures.attribute_ranking import AttributeCounts
from ..measures.base import Measure
from ..measures.span_attribute import SpanAttribute
from ..spans.arrow import fragments_arrays, read_lengths, require_same_lengths, spans_arrays
from ..spans.attributes import Attributes, attributes_arrays
from ..spans.entities import Entities, entities_arrays
from ..spans.markup import ENTITY_TYPES, from_markup
from ..spans.markup_columns import markup_arrays, pair_from_markup
from ..spans.spans import Spans, pair_from_tags
from ..tags.decoding import get_repair
from ..tags.schemes import get_scheme
from ..tags.tags import list_arrays


@dataclass(frozen=True)
class Configuration:
    """A form of input.

    Attributes:
        feature: what the framework stores for one document.
        to_arrow: checks documents, numbered from the second argument, and gives them as Arrow arrays.
    """

    feature: Any
    to_arrow: Callable[..., list[pa.Array]]


_SPAN = {"start": Value("int64"), "end": Value("int64"), "label": Value("string")}

CONFIGURATIONS = {
    "tags": Configuration(List(Value("string")), list_arrays),
    "spans": Configuration(List(_SPAN), spans_arrays),
    "fragments": Configuration(
        List({"label": Value("string"), "fragments": List(List(Value("int64")))}), fragments_arrays
    ),
}
"""The forms in which spans come, by the name of the configuration; the first is the default."""

_ENTITY = {"start": Value("int64"), "end": Value("int64"), "types": List(Value("string")), "components": List(_SPAN)}

ENTITY_CONFIGURATIONS = {
    "entities": Configuration(List(_ENTITY), entities_arrays),
    "markup": Configuration(Value("string"), markup_arrays),
}
"""The forms in which entities with types and components come; the first is the default."""

_ITEM = {
    "name": Value("string"),
    "boolean": Value("bool"),
    "integer": Value("int64"),
    "number": Value("float64"),
    "text": Value("string"),
    "score": Value("float64"),
}

ATTRIBUTE_CONFIGURATIONS = {"spans": Configuration(List({**_SPAN, "attributes": List(_ITEM)}), attributes_arrays)}
"""The form in which spans with attributes come.

A dict whose keys and types of values differ from span to span has no typed feature, so each value is stored with its
name, in the column of its type, see `attributes.ITEM_TYPE`.
"""


@dataclass(frozen=True)
class Card:
    """The texts of a metric module."""

    description: str
    citation: str
    inputs: str
    homepage: str = "https://github.com/spanometer/spanometer"


class MeasureModule(evaluate.Metric, ABC):
    """A metric module over one measure: what all kinds of input share.

    Attributes:
        measure: the measure.
        configurations: the forms of its input by name; the first is the default.
    """

    measure: ClassVar[type[Measure]]
    configurations: ClassVar[Mapping[str, Configuration]]

    # what the framework keeps, none of it annotated there
    writer: Any
    data: Any
    filelock: Any
    filelocks: Any
    rendez_vous_lock: Any
    cache_file_name: Any
    file_paths: Any

    @property
    @abstractmethod
    def card(self) -> Card:
        """The module's texts."""

    @property
    def configuration(self) -> str:
        """The form of the input, a key of `configurations`."""
        return next(iter(self.configurations)) if self.config_name == "default" else self.config_name

    def _info(self) -> evaluate.MetricInfo:
        require_choice("config_name", self.configuration, tuple(self.configurations))
        feature = self.configurations[self.configuration].feature
        info = evaluate.MetricInfo(
            description=self.card.description,
            citation=self.card.citation,
            inputs_description=self.card.inputs,
            homepage=self.card.homepage,
            license="Apache-2.0",
            features=Features({"predictions": feature, "references": feature}),
        )
        # the constructor refuses a format for list features, though it works: columns arrive as they are stored
        info.format = "arrow"
        return info

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Check a batch of predictions and references and store it.

        Args:
            predictions: what the configuration has for each document, such as one list of tags.
            references: the same of the reference.

        Raises:
            InputError: for a batch that is not of this form; nothing of it is stored.
        """
        if kwargs:
            raise InputError(f"{', '.join(kwargs)}: no such input.", "The inputs are predictions and references.")
        tables = self._tables(predictions, references)
        self._start_writing()
        # datasets 4.0 keeps single documents back: they would come behind the batches that are added after them
        self.writer.write_rows_on_file()
        while tables:
            self.writer.write_table(tables.pop(0))
        # what the batch took is given back before the next one comes
        pa.default_memory_pool().release_unused()

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Check the prediction and the reference of one document and store them.

        Args:
            prediction: what the configuration has for a document, such as a list of tags.
            reference: the same of the reference.

        Raises:
            InputError: for a document that is not of this form; it is not stored.
        """
        # evaluate.combine passes one document under the names of the whole columns
        prediction, reference = kwargs.pop("predictions", prediction), kwargs.pop("references", reference)
        if kwargs:
            raise InputError(f"{', '.join(kwargs)}: no such input.", "The inputs are prediction and reference.")
        (table,) = self._tables([prediction], [reference])
        self._start_writing()
        self.writer.write_row(table)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any] | None:
        """Score what was added and what is passed; the options are those of the module.

        Args:
            predictions: what the configuration has for each document, such as one list of tags.
            references: the same of the reference.
            **options: see below.

        Returns:
            The scores, on the main process; None on others.

        Raises:
            InputError: for wrong options, before any data is touched, and for wrong data. After wrong data the module
                is empty, as after a successful call.
        """
        self._require_options(options)
        if predictions is None and references is None and self.writer is None:
            raise InputError(
                "there is nothing to score.", "Pass predictions=... and references=..., or add them first."
            )
        try:
            return super().compute(predictions=predictions, references=references, **options)
        except BaseException:
            self._forget()
            raise

    @staticmethod
    def _resampling(confidence: float | None, interval_method: str, n_resamples: int, seed: int) -> Resampling | None:
        """How intervals are made; None where none are asked for."""
        return Resampling.chosen(
            confidence=confidence, interval_method=interval_method, n_resamples=n_resamples, seed=seed
        )

    def _result(
        self,
        measure: Measure,
        counts: Counts,
        reading: Mapping[str, Any],
        details: bool,
        resampling: Resampling | None,
    ) -> dict[str, Any]:
        """The scores of counts, their intervals, and what `details` adds."""
        result: dict[str, Any] = measure.score(counts)
        if resampling is not None:
            result = measure.with_intervals(result, measure.intervals(counts, resampling))
        if details:
            result["per_label"] = measure.score_per_label(counts)
            result["counts"] = counts.total()
            result["signature"] = measure.signature(reading, resampling)
            result.update(self._details(measure, counts))
        return result

    def _details(self, measure: Any, counts: Any) -> dict[str, Any]:
        """What a module adds to the details of its own."""
        return {}

    def _require_options(self, options: dict[str, Any]) -> None:
        """Check the options' names, those that read the input, and those of the measure."""
        parameters = inspect.signature(self._compute).parameters
        known = [name for name in parameters if name not in ("predictions", "references")]
        for name in options:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                raise InputError(
                    f"{self.measure.name} has no option {name!r}.",
                    f"Did you mean {close[0]!r}?" if close else f"Its options are {', '.join(known)}.",
                )
        self._require_reading(options)
        resampling = ("confidence", "interval_method", "n_resamples", "seed")
        self._resampling(*(options.get(name, parameters[name].default) for name in resampling))
        if not isinstance(options.get("details", False), (bool, np.bool_)):
            raise InputError(f"invalid value for details: {options['details']!r}.", "True or False.")
        own = {field.name for field in fields(self.measure)}
        self.measure(**{name: value for name, value in options.items() if name in own})

    def _require_reading(self, options: dict[str, Any]) -> None:
        """Check the options that say how the input is read."""

    def _require_fitting(self, table: pa.Table, first_document: int) -> None:
        """Check that both sides of a table of documents annotate the same tokens."""

    def _tables(self, predictions: Any, references: Any) -> list[pa.Table]:
        """A batch as Arrow tables of not too many documents, all of it checked."""
        stored = len(self)
        to_arrow = self.configurations[self.configuration].to_arrow
        columns = {}
        for side, documents in (("predictions", predictions), ("references", references)):
            if documents is None:
                raise InputError(f"there are no {side}.", "Pass predictions=... and references=...")
            columns[side] = on_side(side, to_arrow, documents, stored)
        require_same_documents(*(sum(map(len, columns[side])) for side in ("references", "predictions")))
        tables = [pa.table(dict(zip(columns, arrays, strict=True))) for arrays in zip(*columns.values(), strict=True)]
        for table in tables:
            self._require_fitting(table, stored)
            stored += len(table)
        return tables

    def _start_writing(self) -> None:
        if self.writer is None:
            self.selected_feature_format = self.features
            self._init_writer()

    def _forget(self) -> None:
        """Drop all data and release what the framework holds, so that the next call starts afresh."""
        if self.writer is not None:
            with contextlib.suppress(Exception):
                self.writer.close()
        self.writer = None
        self.data = None
        self.buf_writer = None
        locks = [*(self.filelocks or []), self.filelock, self.rendez_vous_lock]
        files = [*(self.file_paths or []), self.cache_file_name]
        self.filelocks = self.file_paths = None
        for file in {file for file in files if file}:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file)
        for lock in locks:
            if lock is not None:
                lock.release()
        self.cache_file_name = self.filelock = self.rendez_vous_lock = None
        self.selected_feature_format = None


class SpanModule(MeasureModule):
    """A metric module over a measure of spans, which come as tags, spans or fragments.

    A module sets `measure` and `card`; one with options of its own writes its own `_compute`, with every option in the
    signature, and hands over to `_score`.
    """

    measure: ClassVar[type[AlignedMeasure]]
    configurations: ClassVar[Mapping[str, Configuration]] = CONFIGURATIONS

    def _compute(
        self,
        predictions: pa.ChunkedArray,
        references: pa.ChunkedArray,
        *,
        scheme: str | None = None,
        repair: str = "conlleval",
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = None,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
        details: bool = False,
        lengths: Iterable[int] | None = None,
    ) -> dict[str, Any]:
        """Score with a measure that has no options of its own."""
        measure = self.measure(average=average, zero_division=zero_division)
        resampling = self._resampling(confidence, interval_method, n_resamples, seed)
        return self._score(predictions, references, measure, scheme, repair, details, lengths, resampling)

    def _score(
        self,
        predictions: pa.ChunkedArray,
        references: pa.ChunkedArray,
        measure: AlignedMeasure,
        scheme: str | None,
        repair: str,
        details: bool,
        lengths: Iterable[int] | None,
        resampling: Resampling | None,
    ) -> dict[str, Any]:
        """Read both columns, count and score."""
        if self.configuration == "tags":
            reference, predicted, scheme = pair_from_tags(references, predictions, scheme=scheme, repair=repair)
            reading = {"scheme": scheme, "repair": repair}
        else:
            known = None if lengths is None else read_lengths(lengths, len(references))
            reference, predicted = (
                on_side(side, Spans.from_arrow, column, lengths=known)
                for side, column in (("references", references), ("predictions", predictions))
            )
            reading = {"input": self.configuration}
        alignment = Alignment(reference, predicted)
        del reference, predicted
        return self._result(measure, measure.count(alignment), reading, details, resampling)

    def _require_reading(self, options: dict[str, Any]) -> None:
        scheme, repair = options.get("scheme"), options.get("repair", "conlleval")
        known_scheme = None if scheme is None else get_scheme(scheme)
        get_repair(repair, known_scheme)
        if self.configuration == "tags":
            if options.get("lengths") is not None:
                raise InputError("tags give the documents' lengths themselves.", "Leave out lengths=...")
        elif scheme is not None or repair != "conlleval":
            raise InputError(
                f"scheme and repair are for tags; this module was loaded for {self.configuration}.",
                'Leave them out, or load the module with "tags".',
            )

    def _require_fitting(self, table: pa.Table, first_document: int) -> None:
        if self.configuration != "tags":
            return
        lengths = (np.diff(integers(table[side].chunk(0).offsets)) for side in ("references", "predictions"))
        try:
            require_same_lengths(*lengths)
        except InputError as error:
            raise InputError(error.problem, error.remedy, document=first_document + (error.document or 0)) from None


class EntityModule(MeasureModule):
    """A metric module over a measure of entity trees, which come as dictionaries or as QUAERO's markup.

    A module sets `measure` and `card`, and writes its own `_compute`, with every option in the signature, which hands
    over to `_score`.
    """

    configurations: ClassVar[Mapping[str, Configuration]] = ENTITY_CONFIGURATIONS

    def _score(
        self,
        predictions: pa.ChunkedArray,
        references: pa.ChunkedArray,
        measure: Measure,
        entity_types: Iterable[str] | None,
        details: bool,
        lengths: Iterable[int] | None,
        resampling: Resampling | None,
    ) -> dict[str, Any]:
        """Read both columns, count and score."""
        reading = {"input": self.configuration}
        if self.configuration == "markup":
            known_types = _entity_types(entity_types)
            reading["entity_types"] = ",".join(sorted(known_types))
            reference, predicted = pair_from_markup(references, predictions, entity_types=known_types)
        else:
            known = None if lengths is None else read_lengths(lengths, len(references))
            reference, predicted = (
                on_side(side, Entities.from_arrow, column, lengths=known)
                for side, column in (("references", references), ("predictions", predictions))
            )
        return self._result(measure, measure.counts(reference, predicted), reading, details, resampling)

    def _require_reading(self, options: dict[str, Any]) -> None:
        entity_types = options.get("entity_types")
        if self.configuration == "markup":
            if options.get("lengths") is not None:
                raise InputError("markup gives the documents' lengths itself.", "Leave out lengths=...")
            # an empty document is read for the sake of its options
            from_markup("", entity_types=_entity_types(entity_types))
        elif entity_types is not None:
            raise InputError(
                f"entity_types are for markup; this module was loaded for {self.configuration}.",
                'Leave them out, or load the module with "markup".',
            )


class AttributeModule(MeasureModule):
    """A metric module over the measure of spans' attributes, which come as plain dicts.

    A module sets `measure` and `card`, and writes its own `_compute`, with every option in the signature, which hands
    over to `_score`.
    """

    measure: ClassVar[type[SpanAttribute]]
    configurations: ClassVar[Mapping[str, Configuration]] = ATTRIBUTE_CONFIGURATIONS

    def _score(
        self,
        predictions: pa.ChunkedArray,
        references: pa.ChunkedArray,
        measure: SpanAttribute,
        details: bool,
        resampling: Resampling | None,
    ) -> dict[str, Any]:
        """Read both columns, count and score."""
        reference, predicted = (
            on_side(side, Attributes.from_arrow, column)
            for side, column in (("references", references), ("predictions", predictions))
        )
        counts = measure.counts(reference, predicted)
        if details:
            _require_free_keys(counts.labels)
        result = self._result(measure, counts, {}, details, resampling)
        # the result is by attribute already
        result.pop("per_label", None)
        return result

    def _details(self, measure: SpanAttribute, counts: AttributeCounts) -> dict[str, Any]:
        """The precision-recall curves."""
        names = ("threshold", "precision", "recall")
        curves = measure.curves(counts)
        return {
            "curves": {name: {key: getattr(curve, key).tolist() for key in names} for name, curve in curves.items()}
        }

    def _require_reading(self, options: dict[str, Any]) -> None:
        details, attributes = options.get("details", False), options.get("attributes")
        if isinstance(details, (bool, np.bool_)) and details:
            names = attributes if isinstance(attributes, (list, tuple, Mapping)) else ()
            _require_free_keys([options.get("micro_key"), *names])


_ATTRIBUTE_DETAILS = ("counts", "signature", "curves")


def _require_free_keys(names: Iterable[Any]) -> None:
    for name in names:
        if isinstance(name, str) and name in _ATTRIBUTE_DETAILS:
            raise InputError(
                f"{name!r} is the name of an attribute (or of all together), and of what details adds.",
                "Leave out details, or name the attribute (or micro_key) otherwise.",
            )


def _entity_types(entity_types: Any) -> Any:
    return ENTITY_TYPES if entity_types is None else entity_types


def path(name: str) -> str:
    """The folder of a metric module: in the checkout, or where the wheel has put it."""
    folders = module_folders()
    if name not in folders:
        raise InputError(f"there is no module {name!r}.", f"The modules are {', '.join(sorted(folders))}.")
    return str(folders[name])


def module_folders() -> dict[str, Path]:
    """The folders of all metric modules by name, see `path`."""
    checkout = Path(__file__).parents[3] / "metrics"
    if checkout.is_dir() and (checkout.parent / "setup.cfg").is_file():
        return {folder.name: folder for folder in checkout.iterdir() if (folder / f"{folder.name}.py").is_file()}
    return _installed_modules()


def _installed_modules() -> dict[str, Path]:
    """The folders of the metric modules among the installed files of the distribution."""
    recorded = (Path(str(file.locate())) for file in metadata.files("spanometer") or [])
    # pip --target moves these files beside the package, and its record still says where they would have been
    beside = (Path(__file__).parents[2] / "share" / "spanometer" / "metrics").glob("*/*.py")
    return {
        file.stem: file.resolve().parent
        for file in (*recorded, *beside)
        if file.match("spanometer/metrics/*/*.py") and file.stem == file.parent.name and file.is_file()
    }


def load(name: str, config_name: str | None = None, **options: Any) -> evaluate.EvaluationModule:
    """`evaluate.load` of a module of this package, see `spanometer.load`."""
    return evaluate.load(path(name), config_name, **options)
