"""Reading of several sides (tags, spans or files) as spans in the same unit."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from ..exceptions import InputError, counted, on_side, require_kind, setting
from ..grounding.grounded import Grounded, with_unplaced
from ..spans.annotations import Layers, documents_in, form_of, read_annotations, structs_in, with_common_labels
from ..spans.attributes import Attributes
from ..spans.entities import Entities
from ..spans.spans import Spans
from ..tags.schemes import LabelChoice
from .arguments import SideReading
from .document_file import DocumentFile, decoding_of, without_missing
from .joining import annotated_documents, locating_errors, matched, scored_documents
from .pairing import Pair, PairedSide, Pairing, by_side, pair

ANNOTATOR = "annotator "
"""The prefix of annotators' names in errors. Unannotated parts of files count for the first side and for annotators."""

_READ = (DocumentFile, Grounded, Layers)
"""The types of sides that have been read already."""


def require_one_annotator(file: DocumentFile) -> DocumentFile:
    """Select the spans of one annotator; raise an `InputError` if there are several annotators.

    If one of several annotators is a curator, select the curator's spans and add a note.
    """
    curators = _curators(file)
    if len(curators) == 1 and len(file.names) > 1:
        return file.of(curators[0]).noting(f"Only the spans of the curator {curators[0]!r} were used.")
    if len(file.names) > 1:
        problem = f"the file has spans of {len(file.names)} annotators: {', '.join(map(repr, file.names))}."
        raise InputError(problem, f"Choose one, such as {setting('annotator', file.names[0])}.", source=file.source)
    return file


def by_annotator(
    file: DocumentFile, scored: str, remedy: str = "Give a file for each annotator.", *, chosen: Sequence[str] = ()
) -> dict[str, DocumentFile]:
    """Split a file by annotator. By default, documents that an annotator lacks are left out, and notes name them.

    Args:
        file: the documents of several annotators.
        scored: which documents are scored, see `Pairing`.
        remedy: the remedy in the error for a file with one annotator.
        chosen: the annotators; by default all except a curator, with a note.

    Raises:
        InputError: if the file has only one annotator, or if a chosen annotator is unknown.
    """
    if len(file.names) < 2:
        raise InputError("the file has only one annotator.", remedy, source=file.source)
    curators = () if chosen else _curators(file)
    others = [name for name in file.names if name not in curators]
    if curators and len(others) > 1:
        listed = ", ".join(map(repr, curators))
        file = file.noting(f"The curator {listed} was left out; choose other annotators with --annotators.")
    sides = {name: file.of(name) for name in chosen or (others if len(others) > 1 else file.names)}
    if scored != Pairing.scored_documents or any(side.documents.ids is None for side in sides.values()):
        return sides
    shared, left_out = scored_documents(sides, "shared")
    return {name: side.noting(*left_out[name]) for name, side in shared.items()}


def _curators(file: DocumentFile) -> Sequence[str]:
    """Return the annotators with a curator's name, such as INCEpTION's `CURATION_USER`."""
    return [name for name in file.names if re.fullmatch(r"(?i)curat(or|ion)([ _-]user)?", name)]


class Sides(NamedTuple):
    """Several sides, ready to be scored.

    Attributes:
        spans: the spans by side. Answer items that are not in the text are placed after the end of their documents.
        reading: how they were read, for the signature.
        file: the first file after pairing, with the common texts and tokens; None if there are no files.
        grounded: the grounded answers of each side that has answers.
        notes: for files, notes about the texts and about the changes on each side.
        left_out: for files, a description of each span that was lost.
        tags: for files, the tags from which the spans of each side were decoded, or None.
    """

    spans: dict[str, Spans]
    reading: dict[str, object]
    file: DocumentFile | None = None
    grounded: Mapping[str, Grounded] = {}
    notes: Sequence[str] = ()
    left_out: Sequence[str] = ()
    tags: Sequence[Any] = (None,)

    @property
    def words(self) -> Sequence[Sequence[str]] | None:
        """The words or characters of the documents; None if unknown."""
        return None if self.file is None else self.file.units

    @property
    def answered_size(self) -> int | None:
        """The total length of the texts in the unit if a side has answers; otherwise None."""
        if self.file is not None and self.grounded:
            return None if self.file.lengths is None else int(self.file.lengths.sum())
        return next((side.size for side in self.grounded.values()), None)

    def with_common_labels(self, *, match: bool = True) -> dict[str, Spans]:
        """Recode labels so that they have the same index on all sides.

        If `match` is False, all spans get the label `_`.
        """
        spans = list(self.spans.values())
        if not match:
            spans = [side.unlabelled() for side in spans]
        return dict(zip(self.spans, with_common_labels(spans), strict=True))

    def mentions_behind(self) -> list[list[str]]:
        """List for each document the mentions that are not in the text. They are placed after its end in this order."""
        rows: list[list[str]] = [[] for _ in range(next(iter(self.spans.values())).documents)]
        for grounded in self.grounded.values():
            for document, mention in zip(grounded.wrong_document.tolist(), grounded.wrong_mention, strict=True):
                rows[document].append(mention)
        return rows


def files_together(
    files: Mapping[str, Any], pairing: Pairing | None = None, choice: LabelChoice | None = None, *, apart: bool = True
) -> Sides:
    """Pair each side with the first one, and convert all spans to the same unit, see `pair`.

    Args:
        files: the sides by name.
        pairing: how they are paired.
        choice: the scored labels, see `scored_documents`; the spans keep all labels.
        apart: True: items that are not in the text get different positions on different sides, see `with_unplaced`.
            False: the document lengths of a side depend only on this side and the first one.

    Raises:
        InputError: if a side is not a file; see also `pair`.
    """
    for name, file in files.items():
        if not isinstance(file, DocumentFile):
            problem = "this input was not read with spanometer.read, but other inputs were."
            raise InputError(problem, "Read all inputs with spanometer.read, or give all inputs as lists.", side=name)
    pairing = pairing or Pairing()
    files, left_out = scored_documents(files, pairing.scored_documents, choice)
    first, *others = files
    if any(file.missing is not None for file in files.values()):
        files = annotated_documents(files, [first, *(side for side in others if side.startswith(ANNOTATOR))])
    own, remarks = _with_common_text(files, pairing)
    files = {**files, first: own}
    # options of answers do not apply to sides without answers beside sides with answers
    answered = [name for name, file in files.items() if file.answers is not None]
    pairs = []
    for name in others or [first]:
        reference, other = (PairedSide(files[side], [*left_out.get(side, [])], side) for side in (first, name))
        with_answers = not answered or first in answered or name in answered
        pairs.append(pair(reference, other, pairing if with_answers else pairing.of_spans))
    paired = [pairs[0].references, *(each.predictions for each in pairs if others)]
    for side, file in zip(paired, without_missing([side.file for side in paired]), strict=True):
        side.file = file
    sides = {side.name: side for side in paired}
    spans = with_unplaced([side.file.spans for side in paired], [side.unplaced for side in paired], apart=apart)
    choices = {name: value for each in pairs for name, value in each.choices.items()}
    return Sides(
        spans=dict(zip(sides, spans, strict=True)),
        reading={"input": "spans", **choices, **decoding_of(files)},
        file=paired[0].file,
        grounded={side.name: side.grounded for side in paired if side.grounded is not None},
        notes=(
            *remarks,
            *chain(*(each.remarks for each in pairs)),
            *by_side({name: side.notes for name, side in sides.items()}),
        ),
        left_out=tuple(by_side({name: side.lost for name, side in sides.items()})),
        tags=[side.file.read_tags for side in paired],
    )


def _with_common_text(files: Mapping[str, DocumentFile], pairing: Pairing) -> tuple[DocumentFile, Sequence[str]]:
    """Give a first side without text the text of another side, so that positions in all pairs are in the same text.

    Returns:
        The first side, and remarks about the text.
    """
    first, *others = files
    file, lacks_words = files[first], files[first].words is None
    in_characters = pairing.unit == "character" or pairing.tokenizer is not None or not file.in_tokens
    # if no file has a text, a text is made from words beside offsets
    with_text = (name for name in others if files[name].documents.texts is not None)
    giver = next(chain(with_text, (name for name in others if (files[name].words is None) is not lacks_words)), None)
    if giver is None or len(others) < 2 or not in_characters or file.documents.texts is not None:
        return file, ()
    reference, other = map(PairedSide, matched(file, files[giver]))
    made = Pair(reference, other, Pairing(unit="character"))
    with locating_errors({"": file}):
        made.share_texts()
    return reference.file, made.remarks


def read_sides(sides: Mapping[str, Any], reading: SideReading, *, apart: bool = True) -> Sides:
    """Read several sides as spans: tags, spans or files, or spans and grounded answers.

    There is a warning if spans of files are moved or lost.

    Args:
        sides: the sides by name.
        reading: how they are read.
        apart: for files, see `files_together`.

    Raises:
        InputError: if options for tags are set although the sides are files; see also `files_together` and
            `read_annotations`.
    """
    if any(isinstance(side, Grounded) for side in sides.values()):
        reading.require_read()
        reading.require_unpaired()
        result = sides_of_grounded(sides, apart=apart)
    elif any(isinstance(side, DocumentFile) for side in sides.values()):
        reading.require_read()
        result = files_together(sides, reading.pairing, reading.choice, apart=apart)
        for note in (*result.notes, *result.left_out):
            warnings.warn(note, stacklevel=3)
    else:
        reading.require_unpaired()
        columns = read_columns(sides)
        for name, column in columns.items():
            if isinstance(column, (Entities, Attributes)):
                what = "entity trees" if isinstance(column, Entities) else "spans with attributes"
                problem = f"this function does not accept {what}."
                raise InputError(problem, "Give tags, or spans without attributes.", side=name)
        spans, described = read_annotations(columns, reading.decoding, reading.lengths)
        result = Sides(spans, dict(described))
    choice = reading.choice
    return result._replace(spans=choice.of_sides(result.spans), reading={**result.reading, **choice.signed()})


def read_columns(sides: Mapping[str, Any], *, empty: str = "tags") -> dict[str, Any]:
    """Read sides that are columns: lists of spans become `Spans`, lists of entity trees become `Entities`.

    Tags are read later, because their scheme is inferred from all sides.

    Args:
        sides: the sides by name: columns of documents, or sides that have been read already.
        empty: the form of sides without any tag or span, if the other sides do not show it.

    Raises:
        InputError: if a column cannot be read.
    """
    columns = {name: on_side(name, documents_in, side) for name, side in sides.items() if not isinstance(side, _READ)}
    forms = {name: on_side(name, form_of, column) for name, column in columns.items()}
    kinds = set(forms.values()) - {None}
    form_of_empty = kinds.pop() if len(kinds) == 1 else empty
    for name, column in columns.items():
        form = forms[name] or form_of_empty
        columns[name] = column if form == "tags" else on_side(name, structs_in, column, form)
    return {**sides, **columns}


def sides_of_grounded(sides: Mapping[str, Any], *, apart: bool = True) -> Sides:
    """Read sides that are `Grounded`, or `Spans` in characters of the same texts.

    Raises:
        InputError: if a side is something else, if the numbers of documents differ, or if a span is past the end of its
            text.
    """
    grounded = {name: side for name, side in sides.items() if isinstance(side, Grounded)}
    first = next(iter(grounded.values())).spans
    choices = {name: value for side in grounded.values() for name, value in side.choices.items()}
    spans: list[Spans] = []
    why = f"{next(iter(grounded))!r} is a result of `ground`, so its spans are in characters."
    for name, side in read_columns(sides, empty="spans").items():
        own = side.spans if isinstance(side, Grounded) else side
        require_kind(own, Spans, "a Spans object", f"{why} Create {name!r} with Spans.from_dicts.", side=name)
        if own.documents != first.documents:
            problem = f"there are {counted(own.documents, 'document')} for {counted(first.documents, 'answer')}."
            raise InputError(problem, "Give one document for each text. Write None for a missing answer.", side=name)
        spans.append(own if first.lengths is None else on_side(name, own.with_lengths, first.lengths))
    unplaced = [grounded[name].unplaced if name in grounded else None for name in sides]
    placed = dict(zip(sides, with_unplaced(spans, unplaced, apart=apart), strict=True))
    return Sides(placed, {"input": "spans", "unit": "character", **choices}, None, grounded)


def require_no_answers(sides: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the sides.

    Raise an `InputError` for a file of answers, because answers can have items that are not in the text.
    """
    for name, side in sides.items():
        if isinstance(side, DocumentFile):
            on_side(name, side.require_spans)
    return sides


def answers_together(
    files: Mapping[str, DocumentFile], pairing: Pairing | None = None
) -> tuple[DocumentFile, dict[str, Sequence[Any]]]:
    """Pair the texts of the first side with the answers of the other sides.

    There is a warning if documents are left out.

    Returns:
        The first side, with spans in characters, and the answers of each other side in the same document order.

    Raises:
        InputError: if a system has no answers; see also `pair`.
    """
    pairing = pairing or Pairing()
    files, left_out = scored_documents(files, pairing.scored_documents)
    for note in by_side(left_out):
        warnings.warn(note, stacklevel=3)
    for file in list(files.values())[1:]:
        if file.answers is None:
            raise InputError(
                "the file has spans, not answers of a language model.",
                f"Give answers, or set the key that holds them with {setting('answer_key')}.",
                source=file.source,
            )
    # grounded here, so that errors name the file and the line
    in_characters = replace(pairing, unit="character", to_tokens=Pairing.to_tokens, scored_documents="same")
    read = files_together(files, in_characters)
    assert read.file is not None
    return read.file, {name: grounded.source.answers for name, grounded in read.grounded.items()}
