"""Batches of documents: what their columns hold, how they are read, and what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ..counts.counts import Counts
from ..errors import (
    InputError,
    mention,
    on_side,
    require_kind,
    require_same_documents,
    setting,
    shown,
)
from ..measures.aligned import AlignedMeasure, counter
from ..measures.base import Measure
from ..measures.registry import ALL_MEASURES, read_measures
from ..spans.arrow import read_lengths
from ..spans.forms import FORMS, common_form, documents_in, form_of, structs_in
from ..spans.spans import encoded_tags, pair_from_tags
from ..tags.decoding import LabelDecoding, get_repair, read_prefix, scheme_of
from ..tags.schemes import LabelChoice, get_scheme
from ..tags.tags import Tags, readable, split_tag

_INPUTS = {"spans": "spans", "entities": "entity trees", "attributes": "attributes of spans"}
"""What messages call the input of measures, see `Measure.input`."""


@dataclass(frozen=True)
class Tally:
    """Counts of a part of a corpus. Tallies of two parts add up to that of both.

    Attributes:
        counts: the counts of each measure, by the names of the results.
        documents: number of documents.
        tokens: number of tokens, None if the documents' lengths are not known.
        reference_spans, predicted_spans: numbers of spans, or of entities.
        form: `tags`, `spans` or `entities`; None if undetermined.
        labelled: for each side whose tags are not all `O`, whether they have labels.
    """

    counts: Mapping[str, Counts]
    documents: int
    tokens: int | None
    reference_spans: int
    predicted_spans: int
    form: str | None = None
    labelled: Mapping[str, bool] = field(default_factory=dict)

    def __add__(self, other: Self) -> Self:
        """Add two parts; an `InputError` if they are of two forms, or only the tags of one have labels."""
        if None not in (self.form, other.form) and self.form != other.form:
            said = " and others ".join(FORMS[form] for form in (self.form, other.form) if form is not None)
            raise InputError(f"some documents hold {said}.", "Give all documents alike.")
        for side, labelled in self.labelled.items():
            if other.labelled.get(side, labelled) != labelled:
                raise InputError(
                    "the tags of some documents have labels, those of others have none.",
                    "Write every tag as prefix-label, or none.",
                    side=side,
                )
        return replace(
            self,
            counts={name: counts + other.counts[name] for name, counts in self.counts.items()},
            documents=self.documents + other.documents,
            tokens=None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
            reference_spans=self.reference_spans + other.reference_spans,
            predicted_spans=self.predicted_spans + other.predicted_spans,
            form=self.form or other.form,
            labelled={**self.labelled, **other.labelled},
        )

    def condensed(self) -> Self:
        """Return the same with counts whose size does not depend on the documents, see `Counts.condensed`."""
        return replace(self, counts={name: counts.condensed() for name, counts in self.counts.items()})

    def score(self) -> dict[str, dict[str, float]]:
        """Return the headline values of each measure."""
        return {name: counts.score() for name, counts in self.counts.items()}


@dataclass(frozen=True)
class Reading:
    """The options of reading batches, and the measures that count them.

    Attributes:
        measures: the measures by the names of their results.
        scheme, repair, prefix: how tags are decoded; no scheme if there are no tags.
        references, predictions: the names of the two columns.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities, if there is one.
        id2label, ignore_index: of label numbers, see `spans.pair_from_tags`.
        choice: which labels are scored, and as what; for tags and spans.
    """

    measures: Mapping[str, Measure]
    scheme: str | None = None
    repair: str = "conlleval"
    references: str = "references"
    predictions: str = "predictions"
    lengths: str | None = None
    prefix: bool = True
    id2label: tuple[str, ...] | None = None
    ignore_index: int | None = -100
    choice: LabelChoice = field(default_factory=LabelChoice)

    @classmethod
    def of(
        cls,
        measures: Any = ("span_f",),
        scheme: str | None = None,
        repair: str = "conlleval",
        references: str = "references",
        predictions: str = "predictions",
        lengths: str | None = None,
        prefix: bool = True,
        id2label: Any = None,
        ignore_index: int | None = -100,
        label_map: Mapping[str, str] | None = None,
        ignore_labels: Sequence[str] | None = None,
    ) -> Self:
        """Read the options of `streams.score_stream`.

        Raises:
            InputError: for wrong options, and for a measure that needs the whole corpus at once.
        """
        for asked_for, column in (("references", references), ("predictions", predictions), ("lengths", lengths)):
            if column is not None or asked_for != "lengths":
                what = f"the name of a column ({mention(asked_for)})"
                require_kind(column, str, what, "Name a column.", option=asked_for)
        decoding = LabelDecoding(
            scheme=scheme, repair=repair, prefix=prefix, id2label=id2label, ignore_index=ignore_index
        )
        named = read_prefix(scheme, prefix=prefix)
        if named is None and (vocabulary := readable(decoding.id2label or ())):
            named = scheme_of(None, *vocabulary).name
        known = None if named is None else get_scheme(named)
        get_repair(repair, known)
        asked = read_measures(measures, ALL_MEASURES)
        for measure in asked.values():
            measure.require_parts()
        if references == predictions:
            raise InputError(
                f"the references and the predictions are one column, {shown(references)}.", "Name two columns."
            )
        name = None if known is None else known.name
        choice = LabelChoice(label_map=label_map, ignore_labels=ignore_labels)
        columns = references, predictions, lengths
        return cls(asked, name, repair, *columns, prefix, decoding.id2label, ignore_index, choice)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return [name for name in (self.references, self.predictions, self.lengths) if name is not None]

    def tally(self, batch: Any) -> Tally:
        """Count a batch, see `streams.score_stream` for its forms; errors number the documents within it."""
        columns, lengths = self._columns(batch)
        sides = {side: on_side(side, documents_in, column) for side, column in columns.items()}
        found = {side: on_side(side, form_of, column) for side, column in sides.items()}
        form = self._form(found)
        labelled: dict[str, bool] = {}
        pair: list[Any]
        if form == "tags":
            self._require_scheme(lengths)
            if self.id2label is None:
                sides = {side: on_side(side, encoded_tags, column) for side, column in sides.items()}
                labelled = _labelled(sides) if self.prefix else {}
            pair = list(
                pair_from_tags(
                    *sides.values(),
                    scheme=self.scheme,
                    repair=self.repair,
                    prefix=self.prefix,
                    id2label=self.id2label,
                    ignore_index=self.ignore_index,
                )[:2]
            )
        else:
            pair = [on_side(side, structs_in, column, form) for side, column in sides.items()]
            require_same_documents(*(side.documents for side in pair))
            if lengths is not None:
                known = read_lengths(lengths, pair[0].documents)
                pair = [on_side(name, side.with_lengths, known) for name, side in zip(sides, pair, strict=True)]
        if form != "entities":
            # labels that a batch lacks may be in others
            pair = list(self.choice.of(*pair, warn=False))
        elif self.choice.chooses:
            raise InputError("label_map and ignore_labels are for tags and spans.", "Leave them out.")
        count = counter(*pair)
        return Tally(
            counts={name: count(measure) for name, measure in self.measures.items()},
            documents=pair[0].documents,
            tokens=None if pair[0].lengths is None else int(pair[0].lengths.sum()),
            reference_spans=len(pair[0]),
            predicted_spans=len(pair[1]),
            form=form if any(found.values()) else None,
            labelled=labelled,
        )

    def _columns(self, batch: Any) -> tuple[dict[str, Any], Any]:
        """Return the two sides of a batch, and the documents' lengths or None."""
        if isinstance(batch, (tuple, list)) and len(batch) == 2:
            if self.lengths is not None:
                raise InputError(
                    f"a pair has no column {shown(self.lengths)}.", f"Leave out {setting('lengths')}, or give columns."
                )
            return {"references": batch[0], "predictions": batch[1]}, None
        if not isinstance(batch, (pa.RecordBatch, pa.Table, Mapping)):
            raise InputError(
                f"a {type(batch).__name__} is not a batch.",
                "A batch is a pair (references, predictions), a mapping with these columns or an Arrow table.",
            )
        require_columns(self.columns, list(batch) if isinstance(batch, Mapping) else batch.column_names)
        lengths = None if self.lengths is None else batch[self.lengths]
        if isinstance(lengths, (pa.Array, pa.ChunkedArray)):
            lengths = np.asarray(lengths)
        return {"references": batch[self.references], "predictions": batch[self.predictions]}, lengths

    def _form(self, found: Mapping[str, str | None]) -> str:
        """Return the form of both sides; an empty side has the form of the other one."""
        trees = not any(isinstance(measure, AlignedMeasure) for measure in self.measures.values())
        form = common_form(found, "entities" if trees else "spans" if self.scheme is None else "tags")
        require_form(self.measures, form)
        return form

    def _require_scheme(self, lengths: Any) -> None:
        if self.scheme is None:
            raise InputError(
                "the scheme of tags that come in parts must be stated: nobody has seen all of their prefixes yet.",
                f"Name it, for example {setting('scheme', 'IOB2')}.",
            )
        if lengths is not None:
            raise InputError("tags give the documents' lengths themselves.", f"Leave out {setting('lengths')}")


def _labelled(sides: Mapping[str, Tags]) -> dict[str, bool]:
    """Return for each side whose tags are not all `O` whether they have labels."""
    tagged = {side: [name for name in tags.names if name != "O"] for side, tags in sides.items()}
    return {side: any(split_tag(name)[1] is not None for name in names) for side, names in tagged.items() if names}


def require_columns(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Raise an `InputError` for the first column that is missing, or there more than once."""
    for name in wanted:
        if names.count(name) > 1:
            raise InputError(f"two columns are called {name!r}.", "Give every column a name of its own.")
        if name not in names:
            raise InputError(
                f"there is no column {name!r} among {', '.join(map(repr, names)) or 'none'}.",
                f"Name the columns with {setting('references')} and {setting('predictions')}",
            )


def require_form(measures: Mapping[str, Measure], form: str) -> None:
    """Raise an `InputError` for the first measure of something else than a form holds."""
    for name, measure in measures.items():
        if isinstance(measure, AlignedMeasure) == (form == "entities"):
            raise InputError(
                f"{name} scores {_INPUTS[measure.input]}, and the documents hold {FORMS[form]}.",
                "Choose other measures.",
            )
