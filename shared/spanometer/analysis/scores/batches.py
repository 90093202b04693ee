"""Batches of documents: what their columns hold, how they are read, and what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, Unpack

import numpy as np
import pyarrow as pa

from ...counts.counts import Counts
from ...documents.arguments import SideReading, TagArguments, shares
from ...exceptions import InputError, mention, on_side, require_kind, setting, shown
from ...measures.aligned import AlignedMeasure, counter
from ...measures.base import Measure
from ...measures.registry import ALL_MEASURES, read_measures
from ...spans.forms import FORMS, common_form, documents_in, form_of, read_pair
from ...spans.spans import encoded_tags
from ...tags.decoding import LabelDecoding, read_prefix, scheme_of
from ...tags.schemes import LabelChoice
from ...tags.tags import Tags, readable, split_tag

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
            forms = " and others ".join(FORMS[form] for form in (self.form, other.form) if form is not None)
            raise InputError(f"some documents hold {forms}.", "Give all documents alike.")
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
        decoding: how tags are decoded; without a scheme if there are no tags.
        references, predictions: the names of the two columns.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities, if there is one.
        choice: which labels are scored, and as what; for tags and spans.
    """

    measures: Mapping[str, Measure]
    decoding: LabelDecoding = field(default_factory=LabelDecoding)
    references: str = "references"
    predictions: str = "predictions"
    lengths: str | None = None
    choice: LabelChoice = field(default_factory=LabelChoice)

    @classmethod
    @shares(TagArguments)
    def of(
        cls,
        measures: Any = ("span_f",),
        references: str = "references",
        predictions: str = "predictions",
        lengths: str | None = None,
        **arguments: Unpack[TagArguments],
    ) -> Self:
        """Read the options of `streams.score_stream`.

        Raises:
            TypeError: for an argument that there is not.
            InputError: for wrong options, and for a measure that needs the whole corpus at once.
        """
        options = SideReading.of(cls.of, arguments)
        for asked_for, column in (("references", references), ("predictions", predictions), ("lengths", lengths)):
            if column is not None or asked_for != "lengths":
                what = f"the name of a column ({mention(asked_for)})"
                require_kind(column, str, what, "Name a column.", option=asked_for)
        decoding = options.decoding
        named = read_prefix(decoding.scheme, prefix=decoding.prefix)
        if named is None and (vocabulary := readable(decoding.id2label or ())):
            named = scheme_of(None, *vocabulary).name
        chosen = read_measures(measures, ALL_MEASURES)
        for measure in chosen.values():
            measure.require_parts()
        if references == predictions:
            raise InputError(
                f"the references and the predictions are one column, {shown(references)}.", "Name two columns."
            )
        return cls(chosen, replace(decoding, scheme=named), references, predictions, lengths, options.choice)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return [name for name in (self.references, self.predictions, self.lengths) if name is not None]

    def tally(self, batch: Any) -> Tally:
        """Count a batch, see `streams.score_stream` for its forms; errors number the documents within it."""
        columns, lengths = self._columns(batch)
        sides = {side: on_side(side, documents_in, column) for side, column in columns.items()}
        forms = {side: on_side(side, form_of, column) for side, column in sides.items()}
        form = self._form(forms)
        labelled: dict[str, bool] = {}
        if form == "tags":
            self._require_scheme()
            if self.decoding.id2label is None:
                sides = {side: on_side(side, encoded_tags, column) for side, column in sides.items()}
                labelled = _labelled(sides) if self.decoding.prefix else {}
        pair: list[Any] = list(read_pair(sides, form, self.decoding, lengths)[:2])
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
            form=form if any(forms.values()) else None,
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

    def _form(self, forms: Mapping[str, str | None]) -> str:
        """Return the form of both sides; an empty side has the form of the other one."""
        trees = not any(isinstance(measure, AlignedMeasure) for measure in self.measures.values())
        form = common_form(forms, "entities" if trees else "spans" if self.decoding.scheme is None else "tags")
        require_form(self.measures, form)
        return form

    def _require_scheme(self) -> None:
        if self.decoding.scheme is None:
            raise InputError(
                "the scheme of tags that come in parts must be stated: nobody has seen all of their prefixes yet.",
                f"Name it, for example {setting('scheme', 'IOB2')}.",
            )


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
