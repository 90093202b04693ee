"""Metric modules for measures of entity trees."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa

from ..options import made
from ..readers.text.markup import EntityTypes, markup_arrays, pair_from_markup
from ..spans.entities import ENTITIES, ENTITY_TYPE, Entities
from .module import Card, Column, Configuration, DocumentLengths, MeasureModule, Options, Reading

__all__ = ["Card", "EntityModule"]


class EntityModule(MeasureModule):
    """A metric module for a measure of entities with types and components. Inputs are dicts or markup."""

    configurations: ClassVar[Mapping[str, Configuration]] = {
        "entities": Configuration(
            'a list of `{"start": int, "end": int, "types": list of str, "components": list}`, with offsets in tokens '
            'and exclusive ends. A component is `{"start": int, "end": int, "label": str}`. Components are optional',
            pa.list_(ENTITY_TYPE),
            ENTITIES.arrays,
            (DocumentLengths,),
            Entities.from_arrow,
        ),
        "markup": Configuration(
            "a string with QUAERO's inline markup. Predictions and references must have the same words",
            pa.string(),
            markup_arrays,
            (EntityTypes,),
        ),
    }

    def _read(self, references: Column, predictions: Column, options: Options) -> tuple[tuple[Any, Any], Reading]:
        if self.configuration != "markup":
            return super()._read(references, predictions, options)
        types = made(EntityTypes, options).first_parts
        reading = {"input": "markup", "entity_types": ",".join(sorted(types))}
        return pair_from_markup(references, predictions, entity_types=types), reading
